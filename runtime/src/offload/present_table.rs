//! Present table: which ranges of host memory have a copy in the memory of a device (OpenMP 5.2, sections
//! 1.2.6 "present" and 5.8.3 "`map` clause"). An entry counts how many data environments hold it.

mod lending;

use std::collections::BTreeMap;

use crate::device::DeviceError;

pub(super) use lending::Lent;

/// The memory of a device.
pub(super) trait Memory {
    /// New memory; its address on the device.
    fn allocate(&self, bytes: u64) -> Result<u64, DeviceError>;

    /// Releases what `allocate` gave.
    fn free(&self, address: u64) -> Result<(), DeviceError>;

    /// Copies to the device.
    ///
    /// # Safety
    /// The host memory is readable.
    unsafe fn upload(&self, host: *const u8, device: u64, bytes: u64) -> Result<(), DeviceError>;

    /// Copies from the device.
    ///
    /// # Safety
    /// The host memory is writable, and nothing else uses it.
    unsafe fn download(&self, device: u64, host: *mut u8, bytes: u64) -> Result<(), DeviceError>;
}

/// A pointer inside of a range whose copy points to memory of the device (OpenMP 5.2, section 5.8.3,
/// "pointer attachment").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attachment {
    /// The pointer on the host.
    host: usize,
    /// What its copy on the device is.
    device: u64,
    /// The range on the host that it leads to.
    target: usize,
}

/// A range with a copy on the device.
#[derive(Debug)]
struct Entry {
    bytes: u64,
    device: u64,
    /// Data environments that hold it; `None` for ranges that live as long as the program.
    count: Option<u64>,
    /// How many of them hold it only for what its pointers point to.
    implied: u64,
    /// The memory on the device belongs to the table.
    is_owned: bool,
    attachments: Vec<Attachment>,
}

impl Entry {
    fn new(bytes: u64, device: u64, count: Option<u64>, is_owned: bool) -> Entry {
        Entry { bytes, device, count, implied: 0, is_owned, attachments: Vec::new() }
    }
}

/// What a `map` clause asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Transfer {
    /// Copied to the device.
    pub to: bool,
    /// Copied back.
    pub from: bool,
    /// Copied also if the range was present before, or stays present.
    pub always: bool,
}

/// What a range has on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// Nothing.
    Absent,
    /// All of it has a copy at this address.
    Present(u64),
    /// A part of it, in this range of the host.
    Partial {
        /// First byte.
        start: usize,
        /// Number of bytes.
        bytes: u64,
    },
}

/// Why a range cannot be mapped.
#[derive(Debug)]
pub(super) enum MapError {
    /// A part of it has a copy already.
    Partial {
        /// First byte of that part's entry.
        start: usize,
        /// Its bytes.
        bytes: u64,
    },
    /// The device failed.
    Device(DeviceError),
}

impl From<DeviceError> for MapError {
    fn from(error: DeviceError) -> MapError {
        MapError::Device(error)
    }
}

/// The present table of one device.
#[derive(Debug, Default)]
pub(super) struct PresentTable {
    /// By the address of their first byte. They do not overlap.
    entries: BTreeMap<usize, Entry>,
}

impl PresentTable {
    /// The entry that contains an address, or that starts there.
    fn entry_at(&self, address: usize) -> Option<(usize, &Entry)> {
        let (start, entry) = self.entries.range(..=address).next_back()?;
        (((address - start) as u64) < entry.bytes.max(1)).then_some((*start, entry))
    }

    /// The copy of the byte at an address.
    pub(super) fn copy_of(&self, address: usize) -> Option<u64> {
        self.entry_at(address).map(|(start, entry)| entry.device + (address - start) as u64)
    }

    /// What a range has.
    pub(super) fn presence(&self, address: usize, bytes: u64) -> Presence {
        if let Some((start, entry)) = self.entry_at(address) {
            let offset = (address - start) as u64;
            return match bytes <= entry.bytes - offset {
                true => Presence::Present(entry.device + offset),
                false => Presence::Partial { start, bytes: entry.bytes },
            };
        }
        let end = address.saturating_add(bytes as usize);
        match self.entries.range(address..end).next() {
            Some((start, entry)) => Presence::Partial { start: *start, bytes: entry.bytes },
            None => Presence::Absent,
        }
    }

    /// Puts a range into a data environment: allocates and copies it if it is absent. The copy's address; 0
    /// for an absent range without bytes. `is_counted`: the environment does not hold its entry yet.
    ///
    /// # Safety
    /// The range is memory of the program.
    pub(super) unsafe fn enter(
        &mut self,
        memory: &dyn Memory,
        address: usize,
        bytes: u64,
        transfer: Transfer,
        is_counted: bool,
    ) -> Result<u64, MapError> {
        match self.presence(address, bytes) {
            Presence::Partial { start, bytes } => Err(MapError::Partial { start, bytes }),
            Presence::Present(device) => {
                let start = self.entry_at(address).map_or(address, |it| it.0);
                if let Some(Entry { count: Some(count), .. }) = self.entries.get_mut(&start) {
                    *count += u64::from(is_counted);
                }
                if transfer.to && transfer.always {
                    // SAFETY: the caller's range.
                    unsafe { self.upload(memory, address, device, bytes)? };
                }
                Ok(device)
            }
            Presence::Absent if bytes == 0 => Ok(0),
            Presence::Absent => {
                let device = memory.allocate(bytes)?;
                self.entries.insert(address, Entry::new(bytes, device, Some(1), true));
                if transfer.to {
                    // SAFETY: the caller's range.
                    unsafe { memory.upload(address as *const u8, device, bytes)? };
                }
                Ok(device)
            }
        }
    }

    /// Notes that a data environment holds the entry that begins at an address only for what its pointers
    /// point to.
    pub(super) fn mark_implied(&mut self, start: usize) {
        if let Some(Entry { count: Some(_), implied, .. }) = self.entries.get_mut(&start) {
            *implied += 1;
        }
    }

    /// The ranges of the copies: the first address of each, and the one behind it.
    pub(super) fn copies(&self) -> impl Iterator<Item = (u64, u64)> {
        self.entries.values().map(|it| (it.device, it.device + it.bytes))
    }

    /// The first address of the entry that contains an address.
    pub(super) fn entry_start(&self, address: usize) -> Option<usize> {
        Some(self.entry_at(address)?.0)
    }

    /// Copies a range back, at the end of a data environment that nothing else holds it for, or `always`. An
    /// absent range is left alone.
    ///
    /// # Safety
    /// The range is memory of the program.
    pub(super) unsafe fn copy_back(
        &mut self,
        memory: &dyn Memory,
        address: usize,
        bytes: u64,
        transfer: Transfer,
    ) -> Result<(), MapError> {
        match self.presence(address, bytes) {
            Presence::Absent => Ok(()),
            Presence::Partial { start, bytes } => Err(MapError::Partial { start, bytes }),
            Presence::Present(device) => {
                let is_last = self.entry_at(address).is_some_and(|(_, entry)| entry.count == Some(1));
                if transfer.from && (is_last || transfer.always) {
                    // SAFETY: the caller's range.
                    unsafe { self.download(memory, device, address, bytes)? };
                }
                Ok(())
            }
        }
    }

    /// Ends the hold of a data environment on the entry that begins at an address, or with `is_delete` all
    /// holds; releases it if nothing holds it any more.
    pub(super) fn release(
        &mut self,
        memory: &dyn Memory,
        start: usize,
        is_delete: bool,
    ) -> Result<(), DeviceError> {
        let Some(Entry { count: Some(count), implied, .. }) = self.entries.get_mut(&start) else {
            return Ok(());
        };
        *count = if is_delete { 0 } else { count.saturating_sub(1) };
        *implied = (*implied).min(*count);
        if *count == 0
            && let Some(entry) = self.entries.remove(&start)
            && entry.is_owned
        {
            memory.free(entry.device)?;
        }
        Ok(())
    }

    /// Ends a hold that `mark_implied` noted; without one the entry stays.
    pub(super) fn release_implied(&mut self, memory: &dyn Memory, start: usize) -> Result<(), DeviceError> {
        match self.entries.get_mut(&start) {
            Some(Entry { implied, .. }) if *implied > 0 => *implied -= 1,
            _ => return Ok(()),
        }
        self.release(memory, start, false)
    }

    /// Copies a range that has a copy to the device; false if it has none.
    ///
    /// # Safety
    /// The range is memory of the program.
    pub(super) unsafe fn update_to(
        &mut self,
        memory: &dyn Memory,
        address: usize,
        bytes: u64,
    ) -> Result<bool, MapError> {
        match self.presence(address, bytes) {
            Presence::Absent => Ok(false),
            Presence::Partial { start, bytes } => Err(MapError::Partial { start, bytes }),
            // SAFETY: the caller's range.
            Presence::Present(device) => unsafe {
                self.upload(memory, address, device, bytes)?;
                Ok(true)
            },
        }
    }

    /// Copies a range from the device; false if it has no copy.
    ///
    /// # Safety
    /// The range is memory of the program.
    pub(super) unsafe fn update_from(
        &mut self,
        memory: &dyn Memory,
        address: usize,
        bytes: u64,
    ) -> Result<bool, MapError> {
        match self.presence(address, bytes) {
            Presence::Absent => Ok(false),
            Presence::Partial { start, bytes } => Err(MapError::Partial { start, bytes }),
            // SAFETY: the caller's range.
            Presence::Present(device) => unsafe {
                self.download(memory, device, address, bytes)?;
                Ok(true)
            },
        }
    }

    /// The copy of a pointer of the host, if it is present, points to an address of the device, and leads to
    /// the copy of a range of the host.
    pub(super) fn attach(
        &mut self,
        memory: &dyn Memory,
        pointer: usize,
        device: u64,
        target: usize,
    ) -> Result<(), MapError> {
        let Presence::Present(copy) = self.presence(pointer, size_of::<u64>() as u64) else { return Ok(()) };
        let Some(start) = self.entry_at(pointer).map(|it| it.0) else { return Ok(()) };
        if let Some(entry) = self.entries.get_mut(&start) {
            entry.attachments.retain(|it| it.host != pointer);
            entry.attachments.push(Attachment { host: pointer, device, target });
        }
        // SAFETY: the bytes of a number.
        unsafe { memory.upload((&raw const device).cast(), copy, size_of::<u64>() as u64)? };
        Ok(())
    }

    /// Gives an absent range a copy that lives as long as the program; it takes over the memory.
    pub(super) fn insert_permanent(&mut self, address: usize, bytes: u64, device: u64) {
        self.entries.insert(address, Entry::new(bytes, device, None, true));
    }

    /// Makes memory of the device the copy of a range (OpenMP 5.2, section 18.8.9,
    /// `omp_target_associate_ptr`); false if it has another. The same pair again has no effect.
    pub(super) fn associate(&mut self, address: usize, bytes: u64, device: u64) -> bool {
        let is_absent = self.presence(address, bytes) == Presence::Absent;
        if is_absent {
            self.entries.insert(address, Entry::new(bytes, device, None, false));
        }
        is_absent || self.associated(address).is_some_and(|it| it.device == device)
    }

    /// Ends what `associate` began; false if that is nothing.
    pub(super) fn disassociate(&mut self, address: usize) -> bool {
        self.associated(address).is_some() && self.entries.remove(&address).is_some()
    }

    /// The entry of `associate` that begins at an address.
    fn associated(&self, address: usize) -> Option<&Entry> {
        self.entries.get(&address).filter(|it| it.count.is_none() && !it.is_owned)
    }

    /// Copies to the device; attached pointers keep what they point to there.
    ///
    /// # Safety
    /// The range is memory of the program.
    unsafe fn upload(
        &self,
        memory: &dyn Memory,
        host: usize,
        device: u64,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller's range.
        unsafe { memory.upload(host as *const u8, device, bytes)? };
        for it in self.attachments(host, bytes) {
            let copy = device + (it.host - host) as u64;
            // SAFETY: the bytes of a number.
            unsafe { memory.upload((&raw const it.device).cast(), copy, size_of::<u64>() as u64)? };
        }
        Ok(())
    }

    /// Copies from the device; attached pointers of the host keep their values.
    ///
    /// # Safety
    /// The range is memory of the program.
    unsafe fn download(
        &self,
        memory: &dyn Memory,
        device: u64,
        host: usize,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: attached pointers are inside of the caller's range.
        let kept: Vec<(usize, u64)> = unsafe {
            self.attachments(host, bytes)
                .map(|it| (it.host, (it.host as *const u64).read_unaligned()))
                .collect()
        };
        // SAFETY: the caller's range.
        let result = unsafe { memory.download(device, host as *mut u8, bytes) };
        for (pointer, value) in kept {
            // SAFETY: as above.
            unsafe { (pointer as *mut u64).write_unaligned(value) };
        }
        result
    }

    /// Attached pointers inside of a range.
    fn attachments(&self, host: usize, bytes: u64) -> impl Iterator<Item = Attachment> {
        let end = host.saturating_add(bytes as usize);
        let found = self.entry_at(host).map_or(&[][..], |(_, entry)| &entry.attachments);
        let is_inside = move |it: &Attachment| it.host >= host && it.host + size_of::<u64>() <= end;
        found.iter().copied().filter(is_inside)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Memory whose addresses are those of vectors.
    #[derive(Default)]
    struct Vectors {
        blocks: RefCell<BTreeMap<u64, Vec<u8>>>,
        copies: RefCell<Vec<(char, u64)>>,
    }

    impl Memory for Vectors {
        fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
            let block = vec![0xee; bytes as usize];
            let address = block.as_ptr() as u64;
            self.blocks.borrow_mut().insert(address, block);
            Ok(address)
        }

        fn free(&self, address: u64) -> Result<(), DeviceError> {
            self.blocks.borrow_mut().remove(&address).expect("allocated");
            Ok(())
        }

        unsafe fn upload(&self, host: *const u8, device: u64, bytes: u64) -> Result<(), DeviceError> {
            self.copies.borrow_mut().push(('>', bytes));
            // SAFETY: tests give ranges of live vectors.
            unsafe { std::ptr::copy_nonoverlapping(host, device as *mut u8, bytes as usize) };
            Ok(())
        }

        unsafe fn download(&self, device: u64, host: *mut u8, bytes: u64) -> Result<(), DeviceError> {
            self.copies.borrow_mut().push(('<', bytes));
            // SAFETY: tests give ranges of live vectors.
            unsafe { std::ptr::copy_nonoverlapping(device as *const u8, host, bytes as usize) };
            Ok(())
        }
    }

    const TO: Transfer = Transfer { to: true, from: false, always: false };
    const FROM: Transfer = Transfer { to: false, from: true, always: false };
    const NONE: Transfer = Transfer { to: false, from: false, always: false };

    fn enter(table: &mut PresentTable, memory: &Vectors, of: &[u8], transfer: Transfer) -> u64 {
        // SAFETY: a live slice.
        unsafe { table.enter(memory, of.as_ptr() as usize, of.len() as u64, transfer, true) }.expect("mapped")
    }

    fn exit(table: &mut PresentTable, memory: &Vectors, of: &mut [u8], transfer: Transfer) {
        let start = of.as_ptr() as usize;
        // SAFETY: a live slice.
        unsafe { table.copy_back(memory, start, of.len() as u64, transfer) }.expect("copied");
        let entry = table.entry_start(start).expect("present");
        table.release(memory, entry, false).expect("released");
    }

    #[test]
    fn ranges_are_copied_once_and_back_when_nothing_holds_them() {
        let (mut table, memory) = (PresentTable::default(), Vectors::default());
        let mut host = [1, 2, 3, 4];
        let device = enter(&mut table, &memory, &host, TO);
        assert_eq!(enter(&mut table, &memory, &host[1..3], TO), device + 1);
        // SAFETY: the copy of four bytes.
        unsafe { (device as *mut u8).add(2).write(9) };
        exit(&mut table, &memory, &mut host[1..3], FROM);
        assert_eq!((host, memory.copies.borrow().len()), ([1, 2, 3, 4], 1));
        exit(&mut table, &memory, &mut host, FROM);
        assert_eq!(host, [1, 2, 9, 4]);
        assert!(memory.blocks.borrow().is_empty());
        assert_eq!(table.presence(host.as_ptr() as usize, 4), Presence::Absent);
    }

    #[test]
    fn always_copies_and_delete_ends_all_holds() {
        let (mut table, memory) = (PresentTable::default(), Vectors::default());
        let mut host = [1; 8];
        let always = Transfer { to: true, from: true, always: true };
        enter(&mut table, &memory, &host, NONE);
        enter(&mut table, &memory, &host, always);
        exit(&mut table, &memory, &mut host, always);
        assert_eq!(*memory.copies.borrow(), [('>', 8), ('<', 8)]);
        enter(&mut table, &memory, &host, NONE);
        enter(&mut table, &memory, &host, NONE);
        table.release(&memory, host.as_ptr() as usize, true).expect("released");
        assert!(memory.blocks.borrow().is_empty());
    }

    #[test]
    fn overlapping_ranges_are_partial() {
        let (mut table, memory) = (PresentTable::default(), Vectors::default());
        let host = [0; 16];
        let start = host.as_ptr() as usize;
        enter(&mut table, &memory, &host[4..8], NONE);
        let part = Presence::Partial { start: start + 4, bytes: 4 };
        assert_eq!(table.presence(start, 8), part);
        assert_eq!(table.presence(start + 6, 8), part);
        assert_eq!(table.presence(start, 16), part);
        assert_eq!(table.presence(start, 4), Presence::Absent);
        assert_eq!(table.presence(start + 8, 4), Presence::Absent);
        assert!(matches!(table.presence(start + 7, 0), Presence::Present(_)));
        assert_eq!(table.presence(start + 8, 0), Presence::Absent);
        // SAFETY: a live array.
        let error = unsafe { table.enter(&memory, start, 16, NONE, true) };
        assert!(matches!(error, Err(MapError::Partial { .. })));
    }

    #[test]
    fn attached_pointers_keep_their_values_on_both_sides() {
        let (mut table, memory) = (PresentTable::default(), Vectors::default());
        let target = [7_u8; 4];
        let mut host = [target.as_ptr() as u64, 5];
        let bytes = |it: &[u64; 2]| (it.as_ptr() as usize, 16);
        let (address, size) = bytes(&host);
        // SAFETY: live arrays.
        unsafe {
            let copy = table.enter(&memory, address, size, TO, true).expect("mapped");
            let inner = enter(&mut table, &memory, &target, TO);
            table.attach(&memory, address, inner, target.as_ptr() as usize).expect("attached");
            let on_device = copy as *mut u64;
            assert_eq!(on_device.read(), inner);
            on_device.add(1).write(6);
            table.update_from(&memory, address, size).expect("copied");
            assert_eq!(host, [target.as_ptr() as u64, 6]);
            host[1] = 8;
            table.update_to(&memory, bytes(&host).0, size).expect("copied");
            assert_eq!([on_device.read(), on_device.add(1).read()], [inner, 8]);
        }
    }

    #[test]
    fn associated_memory_is_not_released() {
        let (mut table, memory) = (PresentTable::default(), Vectors::default());
        let mut host = [3; 4];
        let device = memory.allocate(4).expect("memory");
        assert!(table.associate(host.as_ptr() as usize, 4, device));
        assert!(table.associate(host.as_ptr() as usize, 4, device), "the same pair again");
        assert!(!table.associate(host.as_ptr() as usize, 4, device + 1));
        assert_eq!(enter(&mut table, &memory, &host, TO), device);
        exit(&mut table, &memory, &mut host, FROM);
        assert_eq!(memory.blocks.borrow().len(), 1);
        assert!(table.disassociate(host.as_ptr() as usize));
        assert!(!table.disassociate(host.as_ptr() as usize));
    }

    #[test]
    fn objects_of_the_program_cannot_be_disassociated() {
        let mut table = PresentTable::default();
        table.insert_permanent(64, 8, 128);
        assert!(!table.disassociate(64));
        assert!(!table.associate(64, 8, 128));
        assert_eq!(table.presence(64, 8), Presence::Present(128));
    }

    #[test]
    fn the_address_behind_a_range_has_no_entry() {
        let (mut table, memory) = (PresentTable::default(), Vectors::default());
        let host = [0; 4];
        let start = host.as_ptr() as usize;
        let device = enter(&mut table, &memory, &host[..2], NONE);
        assert_eq!([0, 1, 2].map(|it| table.entry_start(start + it)), [Some(start), Some(start), None]);
        assert_eq!([0, 1, 2].map(|it| table.copy_of(start + it)), [Some(device), Some(device + 1), None]);
    }

    #[test]
    fn implied_holds_end_no_others() {
        let (mut table, memory) = (PresentTable::default(), Vectors::default());
        let host = [0; 4];
        let start = host.as_ptr() as usize;
        enter(&mut table, &memory, &host, NONE);
        table.release_implied(&memory, start).expect("nothing to do");
        assert_eq!(table.entry_start(start), Some(start), "the hold is not implied");
        enter(&mut table, &memory, &host, NONE);
        table.mark_implied(start);
        table.release(&memory, start, false).expect("released");
        assert_eq!(table.entry_start(start), Some(start), "the implied hold is left");
        table.release_implied(&memory, start).expect("released");
        assert!(memory.blocks.borrow().is_empty());
    }

    #[test]
    fn a_region_is_lent_what_it_reaches() {
        let (mut table, memory) = (PresentTable::default(), Vectors::default());
        let (mut target, mut other, mut global) = ([1_u8; 4], [2_u8; 4], [3_u8; 4]);
        let mut host = [target.as_ptr() as u64, 5];
        let address = host.as_ptr() as usize;
        // SAFETY: live arrays, whose copies have other values.
        unsafe {
            table.enter(&memory, address, 16, TO, true).expect("mapped");
            let inner = enter(&mut table, &memory, &target, TO);
            // The section begins behind what the pointer points to.
            table.attach(&memory, address, inner - 100, target.as_ptr() as usize).expect("attached");
            let unreached = enter(&mut table, &memory, &other, TO);
            let permanent = memory.allocate(4).expect("memory");
            table.insert_permanent(global.as_ptr() as usize, 4, permanent);
            [inner, unreached, permanent].iter().for_each(|it| (*it as *mut u8).write(9));
            (permanent as *mut u8).add(1).write_bytes(9, 3);
            let lent = table.lend(&memory, &[address + 8]).expect("lent");
            assert_eq!((target, other, global), ([9, 1, 1, 1], [2; 4], [9; 4]));
            assert_eq!(host[0], target.as_ptr() as u64);
            host[1] = 6;
            target[1] = 7;
            other[1] = 8;
            global[3] = 4;
            table.take_back(&memory, lent).expect("taken back");
            assert_eq!((host[1], target, other, global), (5, [1; 4], [2, 8, 2, 2], [3; 4]));
            assert_eq!([(inner as *const u8).add(1).read(), (permanent as *const u8).add(3).read()], [7, 4]);
        }
    }
}
