//! Exchanges of blocks of accelerators against those of the host. Memory of the host stands for that of
//! accelerators: its handles are addresses.

use std::sync::Arc;

use proptest::prelude::*;

use super::memory::BlockMemory;
use super::pairs::execute;
use crate::device::{BoxCopy, HANDLE_BYTES, PeerHandle};
use crate::xmp::array::Block;
use crate::xmp::error::Result;
use crate::xmp::mailbox::Construct;
use crate::xmp::reflect::{self, Width};
use crate::xmp::tests::{NODES, any_array, filled, on_nodes, position, seeded};

/// Distance of a block from what its handle names.
const OFFSET: u64 = 12;

struct FakeMemory {
    address: u64,
    /// Other nodes reach it.
    is_exported: bool,
    /// It reaches that of others.
    reaches: bool,
}

impl BlockMemory for FakeMemory {
    fn address(&self) -> u64 {
        self.address
    }

    fn export(&self) -> Option<(PeerHandle, u64)> {
        let mut handle = [0; HANDLE_BYTES];
        handle[..8].copy_from_slice(&(self.address - OFFSET).to_ne_bytes());
        self.is_exported.then_some((handle, OFFSET))
    }

    fn open(&self, handle: &PeerHandle) -> Option<u64> {
        let address = handle[..8].try_into().map(u64::from_ne_bytes).ok()?;
        self.reaches.then_some(address)
    }

    unsafe fn begin_copies(&self, copies: &[BoxCopy]) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { execute(copies) };
        Ok(())
    }

    fn end_copies(&self) -> Result<()> {
        Ok(())
    }

    unsafe fn gather(&self, bytes: usize, pack: &dyn Fn(u64) -> Vec<BoxCopy>) -> Result<Vec<u8>> {
        let mut elements = vec![0_u8; bytes];
        // SAFETY: the caller's boxes, and this function's buffer.
        unsafe { execute(&pack(elements.as_mut_ptr() as u64)) };
        Ok(elements)
    }

    unsafe fn scatter(&self, elements: &[u8], unpack: &dyn Fn(u64) -> Vec<BoxCopy>) -> Result<()> {
        // SAFETY: the caller's boxes, and its elements.
        unsafe { execute(&unpack(elements.as_ptr() as u64)) };
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn blocks_of_accelerators_are_reflected_as_those_of_the_host(
        array in any_array(true), is_periodic in prop::collection::vec(any::<bool>(), 3),
        is_orthogonal in any::<bool>(), is_async in any::<bool>(),
        exported in prop::array::uniform4(any::<bool>()), reaching in prop::array::uniform4(any::<bool>()),
        seed in any::<u64>(),
    ) {
        let width = |(axis, shadow): (usize, &(i64, i64))| {
            (!is_periodic[axis] || shadow.0.max(shadow.1) <= array.extents[axis])
                .then_some(Width { below: -1, above: -1, is_periodic: is_periodic[axis] })
        };
        let widths: Option<Vec<Width>> = array.shadows.iter().enumerate().map(width).collect();
        let Some(widths) = widths else { return Ok(()) };
        let declaration = array.declaration();
        on_nodes(NODES, seeded(seed), |node| {
            let block = Block::new(&declaration, node.here()).expect("a block");
            let mut expected = filled(&block, &array.extents, |it| position(&array.extents, it));
            let mut memory = expected.clone();
            let plan = Arc::new(reflect::plan("a", &block, Some(&widths), is_orthogonal).expect("a plan"));
            let number = is_async.then_some(7);
            // Twice: the second time with the copies that are kept.
            for _ in 0..2 {
                let fake = FakeMemory {
                    address: memory.as_mut_ptr() as u64,
                    is_exported: exported[node.here() as usize],
                    reaches: reaching[node.here() as usize],
                };
                let host = expected.as_mut_ptr().cast();
                // SAFETY: the blocks of these arrays, which live until the end of both exchanges.
                unsafe {
                    node.exchange(Arc::clone(&plan), Construct::Reflect, host, host, None).expect("it ends");
                    let (plan, bytes) = (Arc::clone(&plan), block.bytes());
                    node.exchange_on_device(plan, Construct::Reflect, Box::new(fake), bytes, number)
                        .expect("it begins");
                }
                node.wait_async(7).expect("it ends");
                assert_eq!(memory, expected, "node {}", node.here());
                memory.iter_mut().chain(&mut expected).for_each(|it| *it += 1);
            }
        });
    }
}
