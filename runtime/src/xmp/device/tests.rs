//! Exchanges in the memory of accelerators against those of the host. Memory of the host stands for that of
//! accelerators: its handles are addresses.

use std::sync::Arc;

use proptest::prelude::*;

use super::memory::{BlockMemory, HostMemory, Memories};
use super::pairs::execute;
use crate::device::{BoxCopy, HANDLE_BYTES, PeerHandle};
use crate::offload::resident::Exported;
use crate::xmp::array::Block;
use crate::xmp::error::{Result, XmpError};
use crate::xmp::exchange::{Combine, Plan};
use crate::xmp::gmove::{self, Of, Side};
use crate::xmp::mailbox::Construct;
use crate::xmp::mailbox::Context;
use crate::xmp::operation::{Exchanges, Operation};
use crate::xmp::reflect::{self, Width};
use crate::xmp::tests::{AnyArray, NODES, any_array, filled, on_nodes, position, seeded};

/// Distance of a block from what its handle names.
const OFFSET: u64 = 12;

struct FakeMemory {
    address: u64,
    /// Its bytes.
    bytes: u64,
    kind: Kind,
}

/// What a node has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// No accelerator.
    Host,
    /// An accelerator that reaches the others' memory, and is reached by them.
    Peer,
    /// An accelerator that others do not reach.
    Alone,
    /// An accelerator that does not reach others.
    Deaf,
    /// An accelerator whose copies to memory of others fail, though it was mapped.
    Failing,
}

fn kinds() -> impl Strategy<Value = [Kind; NODES as usize]> {
    use Kind::*;
    prop::array::uniform4(prop::sample::select(vec![Host, Peer, Peer, Alone, Deaf, Failing]))
}

/// Some bytes as a node of a kind has them.
fn memory(kind: Kind, bytes: &mut [i32]) -> Arc<dyn BlockMemory> {
    let (address, bytes) = (bytes.as_mut_ptr(), size_of_val(bytes) as u64);
    match kind {
        Kind::Host => Arc::new(HostMemory::new(address.cast())),
        kind => Arc::new(FakeMemory { address: address as u64, bytes, kind }),
    }
}

impl BlockMemory for FakeMemory {
    fn address(&self) -> u64 {
        self.address
    }

    fn is_host(&self) -> bool {
        false
    }

    fn export(&self) -> Option<Exported> {
        let mut handle = [0; HANDLE_BYTES];
        handle[..8].copy_from_slice(&(self.address - OFFSET).to_ne_bytes());
        (self.kind != Kind::Alone).then_some(Exported { handle, offset: OFFSET, bytes: self.bytes })
    }

    fn open(&self, handle: &PeerHandle) -> Option<u64> {
        let address = handle[..8].try_into().map(u64::from_ne_bytes).ok()?;
        (self.kind != Kind::Deaf).then_some(address)
    }

    unsafe fn begin_copies(&self, copies: &[BoxCopy]) -> Result<()> {
        let own = self.address..self.address + self.bytes;
        if self.kind == Kind::Failing && copies.iter().any(|it| !own.contains(&it.target)) {
            // Some of them have begun.
            // SAFETY: the caller's.
            unsafe { execute(copies[..1].iter().copied()) };
            return Err(XmpError::new("the peer is out of reach"));
        }
        // SAFETY: the caller's.
        unsafe { execute(copies.iter().copied()) };
        Ok(())
    }

    fn end_copies(&self) -> Result<()> {
        Ok(())
    }

    unsafe fn gather(&self, copies: &[BoxCopy], elements: &mut [u8]) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { HostMemory::new(self.address as *mut u8).gather(copies, elements) }
    }

    unsafe fn scatter(&self, elements: &[u8], copies: &[BoxCopy]) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { HostMemory::new(self.address as *mut u8).scatter(elements, copies) }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn blocks_of_accelerators_are_reflected_as_those_of_the_host(
        array in any_array(true), is_periodic in prop::collection::vec(any::<bool>(), 3),
        is_orthogonal in any::<bool>(), is_async in any::<bool>(),
        kinds in kinds(), seed in any::<u64>(),
    ) {
        let Some(widths) = any_widths(&array, &is_periodic) else { return Ok(()) };
        let declaration = array.declaration();
        on_nodes(NODES, seeded(seed), |node| {
            let block = Block::new(&declaration, node.here()).expect("a block");
            let mut expected = filled(&block, &array.extents, |it| position(&array.extents, it));
            let mut found = expected.clone();
            let kind = kinds[node.here() as usize];
            let plan = Arc::new(reflect::plan("a", &block, Some(&widths), is_orthogonal).expect("a plan"));
            let number = is_async.then_some(7);
            // Twice: the second time with the copies that are kept.
            for _ in 0..2 {
                let own = Memories::one(memory(kind, &mut found));
                let host = expected.as_mut_ptr().cast();
                // SAFETY: the blocks of these arrays, which live until the end of both exchanges.
                unsafe {
                    node.exchange(Arc::clone(&plan), Construct::Reflect, host, host, None).expect("it ends");
                    let own = (own, kind != Kind::Host);
                    node.exchange_between(Arc::clone(&plan), Construct::Reflect, own, None, number)
                        .expect("it begins");
                }
                node.wait_async(7).expect("it ends");
                assert_eq!(found, expected, "node {}", node.here());
                found.iter_mut().chain(&mut expected).for_each(|it| *it += 1);
            }
        });
    }

    #[test]
    fn shadows_in_accelerators_are_added_as_those_of_the_host(
        array in any_array(true), is_periodic in prop::collection::vec(any::<bool>(), 3),
        kinds in kinds(), seed in any::<u64>(),
    ) {
        let Some(widths) = any_widths(&array, &is_periodic) else { return Ok(()) };
        let declaration = array.declaration();
        on_nodes(NODES, seeded(seed), |node| {
            let block = Block::new(&declaration, node.here()).expect("a block");
            let mut expected: Vec<i32> = (0..(block.bytes() / 4) as i32).map(|it| 1 + it * it).collect();
            let mut found = expected.clone();
            let plan = reflect::plan("a", &block, Some(&widths), true).expect("a plan");
            let phases: Arc<Vec<Plan>> = Arc::new(plan.iter().map(Plan::reversed).collect());
            let kind = kinds[node.here() as usize];
            let (here, device) = (Memories::one(memory(Kind::Host, &mut expected)), memory(kind, &mut found));
            // SAFETY: the blocks of these arrays, which live until the end of both exchanges.
            unsafe {
                let construct = Construct::ReduceShadow;
                let add = || Some(Box::new(add) as Combine);
                let address = here.target.address() as *mut u8;
                let context = Context { construct, operation: 0 };
                let (phases_of_host, combine) = (Arc::clone(&phases), add());
                let all = Exchanges { phases: phases_of_host, context, source: address, target: address, combine };
                let begun = Operation::exchange(node.mailbox(), all).expect("it begins");
                begun.finish(node.mailbox()).expect("it ends");
                let own = (Memories::one(device), kind != Kind::Host);
                node.exchange_between(phases, construct, own, add(), None).expect("it ends");
            }
            assert_eq!(found, expected, "node {}", node.here());
        });
    }

    #[test]
    fn assignments_between_accelerators_and_hosts_are_those_of_the_host(
        pair in any_pair(), kinds in (kinds(), kinds()), has_one in any::<bool>(), seed in any::<u64>(),
    ) {
        let (to, from) = (pair.0.declaration(), pair.1.declaration());
        on_nodes(NODES, seeded(seed), |node| {
            let here = node.here();
            let block = |it| Block::new(it, here).expect("a block");
            let (target, source) = (block(&to), block(&from));
            let value = |it: &[i64]| position(&pair.1.extents, it);
            let mut values = filled(&source, &pair.1.extents, value);
            let mut expected = vec![-1; (target.bytes() / 4) as usize];
            let mut found = expected.clone();
            let side = |it: &Arc<_>| Side::new(Of::Global(Arc::clone(it)), None).expect("a side");
            let plan = gmove::plan(&side(&to), &side(&from), &node.executing().clone(), here).expect("a plan");
            let plan = Arc::new(vec![Plan { overlaps: has_one, ..plan }]);
            let own = (kinds.0[here as usize], kinds.1[here as usize]);
            // SAFETY: the blocks of these arrays, which live until the end of both exchanges.
            unsafe {
                let (from, to) = (values.as_ptr().cast(), expected.as_mut_ptr().cast());
                node.exchange(Arc::clone(&plan), Construct::Gmove, from, to, None).expect("it ends");
                let memories = Memories { source: memory(own.0, &mut values), target: memory(own.1, &mut found) };
                let own = (memories, own != (Kind::Host, Kind::Host));
                node.exchange_between(plan, Construct::Gmove, own, None, None).expect("it ends");
            }
            assert_eq!(found, expected, "node {here}");
        });
    }
}

/// The widths of all shadows, which go around at most once.
fn any_widths(array: &AnyArray, is_periodic: &[bool]) -> Option<Vec<Width>> {
    let width = |(axis, shadow): (usize, &(i64, i64))| {
        (!is_periodic[axis] || shadow.0.max(shadow.1) <= array.extents[axis]).then_some(Width {
            below: -1,
            above: -1,
            is_periodic: is_periodic[axis],
        })
    };
    array.shadows.iter().enumerate().map(width).collect()
}

/// Adds ints.
fn add(own: &mut [u8], new: &[u8]) {
    for (own, new) in own.chunks_exact_mut(4).zip(new.chunks_exact(4)) {
        let number = |it: &[u8]| i32::from_ne_bytes(it.try_into().expect("four bytes"));
        let sum = number(own).wrapping_add(number(new));
        own.copy_from_slice(&sum.to_ne_bytes());
    }
}

/// Two arrays with the same extents.
fn any_pair() -> impl Strategy<Value = (AnyArray, AnyArray)> {
    (any_array(false), any_array(false)).prop_filter_map("other numbers of axes", |(to, from)| {
        let extents = to.extents.clone();
        (from.extents.len() == extents.len()).then(|| (to, from.with_extents(extents)))
    })
}
