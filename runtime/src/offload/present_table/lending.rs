//! Lending of the device's values to the host: for a while the ranges that a region reaches have on the host
//! what their copies have, and then the copies have what the host has made of it.

use std::collections::BTreeSet;

use super::{Memory, PresentTable};
use crate::device::DeviceError;

/// A range that has the values of its copy.
#[derive(Debug)]
pub(in crate::offload) struct Lent {
    /// Its first byte.
    start: usize,
    /// What the device had.
    lent: Vec<u8>,
    /// What the host had, if that was something else.
    own: Option<Vec<u8>>,
}

impl PresentTable {
    /// The first addresses of the entries that contain the roots, of those that attached pointers in them
    /// lead to, and of those that live as long as the program.
    fn reached(&self, roots: &[usize]) -> BTreeSet<usize> {
        let of_program = self.entries.iter().filter(|(_, it)| it.count.is_none() && it.is_owned);
        let mut pending: Vec<usize> = of_program.map(|it| *it.0).chain(roots.iter().copied()).collect();
        let mut found = BTreeSet::new();
        while let Some(address) = pending.pop() {
            let Some((start, entry)) = self.entry_at(address) else { continue };
            if found.insert(start) {
                pending.extend(entry.attachments.iter().map(|it| it.target));
            }
        }
        found
    }

    /// Gives the ranges that a region reaches from its roots the values of their copies; attached pointers of
    /// the host keep theirs. Other ranges may be gone on the host, or in use.
    ///
    /// # Safety
    /// The ranges are memory of the program that nothing else uses meanwhile.
    pub(in crate::offload) unsafe fn lend(
        &self,
        memory: &dyn Memory,
        roots: &[usize],
    ) -> Result<Vec<Lent>, DeviceError> {
        let reached = self.reached(roots);
        let mut all = Vec::with_capacity(reached.len());
        for (start, entry) in self.entries.iter().filter(|it| reached.contains(it.0)) {
            // SAFETY: memory of the program.
            let own =
                unsafe { std::slice::from_raw_parts(*start as *const u8, entry.bytes as usize) }.to_vec();
            let mut lent = vec![0; own.len()];
            // SAFETY: a vector of the entry's length.
            unsafe { memory.download(entry.device, lent.as_mut_ptr(), entry.bytes)? };
            for it in self.attachments(*start, entry.bytes) {
                let pointer = it.host - start..it.host - start + size_of::<u64>();
                lent[pointer.clone()].copy_from_slice(&own[pointer]);
            }
            all.push(Lent { start: *start, own: (own != lent).then_some(own), lent });
        }
        for it in all.iter().filter(|it| it.own.is_some()) {
            // SAFETY: memory of the program. Constants have the values of their copies and are not written.
            unsafe { it.lent.as_ptr().copy_to(it.start as *mut u8, it.lent.len()) };
        }
        Ok(all)
    }

    /// Gives the copies what the host has made of their values, and the host its own values.
    ///
    /// # Safety
    /// The ranges are memory of the program that nothing else uses meanwhile.
    pub(in crate::offload) unsafe fn take_back(
        &self,
        memory: &dyn Memory,
        all: Vec<Lent>,
    ) -> Result<(), DeviceError> {
        for Lent { start, lent, own } in all {
            // Another thread may have released the copy.
            let Some(entry) = self.entries.get(&start).filter(|it| it.bytes as usize == lent.len()) else {
                continue;
            };
            // SAFETY: memory of the program.
            let now = unsafe { std::slice::from_raw_parts(start as *const u8, lent.len()) };
            if *now != *lent {
                // SAFETY: the entry's range.
                unsafe { self.upload(memory, start, entry.device, entry.bytes)? };
            }
            let own = own.or_else(|| (*now != *lent).then_some(lent));
            if let Some(own) = own {
                // SAFETY: memory of the program, which `lend` or the program has written.
                unsafe { own.as_ptr().copy_to(start as *mut u8, own.len()) };
            }
        }
        Ok(())
    }
}
