//! Memory of the program that a GPU without access to pageable memory reaches: the objects of the program's
//! files, the stacks of the threads that start regions, and the heap of the C library are registered with the
//! driver; what `malloc` gives the program is managed memory ([`super::heap`]).

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use super::super::regions::Outcome;
use crate::device::{Device, DeviceError};

/// A range of addresses, and what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mapping {
    range: Range<usize>,
    is_readable: bool,
    is_writable: bool,
    is_executable: bool,
    name: String,
}

/// What is registered.
#[derive(Debug, Default)]
pub(super) struct Registered {
    ranges: Vec<Range<usize>>,
    /// Those of them that stay until the end of the region: memory that the program may unmap.
    of_region: Vec<Range<usize>>,
    has_program: bool,
    /// The lowest address that was mapped.
    lowest: usize,
    /// The mappings at the first look of the region: later regions look again, since the program may map
    /// memory where there was none.
    mappings: Option<Arc<[Mapping]>>,
    /// Addresses of code: pointers to functions.
    code: Vec<usize>,
    /// Pointers of the region to memory that the device does not reach, or in part: why. A region that does
    /// not use it is a correct one.
    unreached: Vec<String>,
}

/// The most of [`Registered::code`].
const MAX_CODE: usize = 64;

/// Of larger memory than this, to which a pointer beside others in an object leads, the pages around the
/// pointer are registered, since that takes all of them into memory.
const MAX_BYTES: usize = 256 << 20;

/// How a region names a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// By a variable: it uses what is there, as far as the runtime can tell.
    Itself,
    /// In an object with others, of which it may use any.
    InObject,
}

/// What is at an address.
#[derive(Debug, PartialEq, Eq)]
enum Target<'m> {
    /// Nothing that has to be registered: the address is a number, or leads to memory of the driver.
    Nowhere,
    /// A function.
    Code,
    /// Memory that stays until the program ends.
    Stays(&'m Mapping),
    /// Memory that the program or a library may unmap.
    OfRegion(&'m Mapping),
    /// A file, or memory of another driver.
    Foreign,
}

/// What is at an address, among all mappings.
fn target(all: &[Mapping], address: usize) -> Target<'_> {
    let Some(found) = all.iter().find(|it| it.range.contains(&address)) else { return Target::Nowhere };
    if found.is_executable {
        return Target::Code;
    }
    if !found.is_readable {
        return Target::Nowhere;
    }
    // Memory of the driver is the device's as well.
    if found.name.starts_with("/dev/nvidia") {
        return Target::Nowhere;
    }
    let is_loaded = || all.iter().any(|it| it.is_executable && it.name == found.name);
    match &*found.name {
        MAIN_STACK | HEAP => Target::Stays(found),
        name if name.starts_with('/') && is_loaded() => Target::Stays(found),
        "" if found.is_writable => Target::OfRegion(found),
        _ => Target::Foreign,
    }
}

/// The bytes of a page of memory.
pub(super) fn page_size() -> usize {
    // SAFETY: asks for a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// The first address of the page of an address.
fn page_of(address: usize) -> usize {
    address & !(page_size() - 1)
}

/// Where addresses of programs end on x86-64 and AArch64, unless they ask for more (Linux, x86_64/mm.rst).
const USER_END: usize = 1 << 48;

/// The names of mappings that stay until the program ends (proc(5)).
const MAIN_STACK: &str = "[stack]";
const HEAP: &str = "[heap]";

/// The part of a mapping that is registered for a pointer into it.
fn part(found: &Mapping, pointer: usize, naming: Naming) -> Range<usize> {
    let all = &found.range;
    if naming == Naming::Itself || all.len() <= MAX_BYTES {
        return all.clone();
    }
    let page = page_of(pointer);
    page.saturating_sub(MAX_BYTES / 2).max(all.start)..page.saturating_add(MAX_BYTES / 2).min(all.end)
}

/// The mappings of this process (proc(5)).
fn mappings() -> Vec<Mapping> {
    let text = std::fs::read("/proc/self/maps").unwrap_or_default();
    String::from_utf8_lossy(&text).lines().filter_map(mapping).collect()
}

fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let access = words.next()?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    Some(Mapping {
        range: address(start)?..address(end)?,
        is_readable: access.contains('r'),
        is_writable: access.contains('w'),
        is_executable: access.contains('x'),
        name: words.nth(3).unwrap_or_default().to_owned(),
    })
}

/// The segments of the shared object that contains an address, without code. What follows its last one
/// without a name has the objects that are zero at the start.
fn segments_of(all: &[Mapping], address: usize) -> Vec<Mapping> {
    let Some(own) = all.iter().find(|it| it.range.contains(&address)) else { return Vec::new() };
    let mut found: Vec<Mapping> = Vec::new();
    let mut end = 0;
    for it in all {
        let is_own = it.name == own.name && !own.name.is_empty();
        let follows = it.name.is_empty() && it.range.start == end && it.is_writable;
        if is_own || follows {
            end = it.range.end;
            if !it.is_executable {
                found.push(it.clone());
            }
        }
    }
    found
}

impl Registered {
    /// Registers what is not yet.
    fn add(&mut self, device: &Device, mapping: &Mapping) -> Result<(), DeviceError> {
        for range in missing(&self.ranges, &mapping.range) {
            let (start, bytes) = (range.start as *mut c_void, range.len());
            // The driver takes pages that can be written; these stay private, and are not written.
            if !mapping.is_writable {
                // SAFETY: whole pages of a private mapping of the program, whose contents stay.
                unsafe { libc::mprotect(start, bytes, libc::PROT_READ | libc::PROT_WRITE) };
            }
            // SAFETY: objects of a program stay; a stack keeps its pages, and so does the heap, which is not
            // trimmed.
            let registered = unsafe { device.register_pages(range.start, bytes) };
            if !mapping.is_writable {
                // SAFETY: as above.
                unsafe { libc::mprotect(start, bytes, libc::PROT_READ) };
            }
            registered?;
            self.ranges.push(range);
        }
        Ok(())
    }

    /// Whether the device reaches an address of the host.
    pub(super) fn has(&self, address: usize) -> bool {
        self.ranges.iter().any(|it| it.contains(&address))
    }

    /// Registers what a region of the calling thread reaches: the objects of the program that `object` is one
    /// of, and the thread's stack.
    pub(super) fn register(&mut self, device: &Device, object: usize) -> Result<(), DeviceError> {
        let local = 0_u8;
        let here = &raw const local as usize;
        if self.has_program && self.has(page_of(here)) {
            return Ok(());
        }
        let all = self.mappings();
        self.lowest = all.first().map_or(0, |it| it.range.start);
        if !self.has_program {
            for segment in segments_of(&all, object) {
                self.add(device, &segment)?;
            }
            self.has_program = true;
        }
        let Some(stack) = all.iter().find(|it| it.range.contains(&here)) else { return Ok(()) };
        let start = page_of(here).max(stack.range.start);
        let known = self.ranges.len();
        self.add(device, &Mapping { range: start..stack.range.end, ..stack.clone() })?;
        if stack.name != MAIN_STACK {
            self.of_region.extend_from_slice(&self.ranges[known..]);
        }
        Ok(())
    }

    /// The mappings of the process, as the region has found them.
    fn mappings(&mut self) -> Arc<[Mapping]> {
        Arc::clone(self.mappings.get_or_insert_with(|| mappings().into()))
    }

    /// Why the device may not reach what pointers of the region lead to.
    pub(super) fn unreached(&self) -> &[String] {
        &self.unreached
    }

    /// Forgets memory that the program may unmap behind the region.
    pub(super) fn end_region(&mut self, device: &Device) -> Result<(), DeviceError> {
        self.mappings = None;
        self.unreached.clear();
        let ended = std::mem::take(&mut self.of_region);
        self.ranges.retain(|it| !ended.contains(it));
        ended.iter().try_for_each(|it| device.unregister_pages(it.start))
    }

    /// Registers the pages of an object that belongs to one thread of the host: gcc keeps the first copy of a
    /// threadprivate object in the storage of the thread, where no shared object has a segment.
    ///
    /// # Errors
    /// The driver does not take them.
    pub(super) fn register_object(
        &mut self,
        device: &Device,
        object: usize,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let pages = page_of(object)..(object + bytes).next_multiple_of(page_size());
        if missing(&self.ranges, &pages).is_empty() {
            return Ok(());
        }
        self.add(
            device,
            &Mapping {
                range: pages,
                is_readable: true,
                is_writable: true,
                is_executable: false,
                name: String::new(),
            },
        )
    }

    /// Registers memory that a pointer leads to: the heap of the C library, the stack of the initial thread,
    /// and objects of libraries until the program ends, other memory without a file until the region ends.
    /// [`Registered::unreached`] tells what the device does not reach.
    ///
    /// # Errors
    /// The driver does not take memory that stays until the program ends.
    pub(super) fn register_target(
        &mut self,
        device: &Device,
        (what, naming): (&str, Naming),
        pointer: usize,
    ) -> Outcome<()> {
        let is_known = self.has(pointer) || self.code.contains(&pointer);
        if is_known || !(self.lowest..USER_END).contains(&pointer) {
            return Ok(());
        }
        let all = self.mappings();
        match target(&all, pointer) {
            Target::Nowhere => {}
            Target::Code => {
                if self.code.len() >= MAX_CODE {
                    self.code.clear();
                }
                self.code.push(pointer);
            }
            Target::Stays(found) => self.add(device, found)?,
            Target::OfRegion(found) => {
                let range = part(found, pointer, naming);
                if range != found.range {
                    self.unreached.push(format!(
                        "{what} points to memory of {} bytes, of which the device reaches the {} bytes around",
                        found.range.len(),
                        range.len()
                    ));
                }
                let known = self.ranges.len();
                let added = self.add(device, &Mapping { range, ..found.clone() });
                self.of_region.extend_from_slice(&self.ranges[known..]);
                if let Err(DeviceError { message, .. }) = added {
                    self.unreached
                        .push(format!("the device does not reach what {what} points to: {message}"));
                }
            }
            Target::Foreign => self.unreached.push(format!(
                "{what} points to memory that `malloc` of the program has not given, and which the device does \
                 not reach"
            )),
        }
        Ok(())
    }
}

/// The parts of a range that none of the others has.
fn missing(ranges: &[Range<usize>], wanted: &Range<usize>) -> Vec<Range<usize>> {
    let mut rest = vec![wanted.clone()];
    for known in ranges {
        rest = rest
            .into_iter()
            .flat_map(|it| [it.start..it.end.min(known.start), it.start.max(known.end)..it.end])
            .filter(|it| it.start < it.end)
            .collect();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    static OBJECT: [u64; 4] = [1, 2, 3, 4];

    #[expect(clippy::single_range_in_vec_init, reason = "lists of ranges, of which some have one")]
    #[test]
    fn only_what_is_missing_is_registered() {
        assert_eq!(missing(&[], &(1..9)), [1..9]);
        assert_eq!(missing(&[3..5], &(1..9)), [1..3, 5..9]);
        assert_eq!(missing(&[0..2, 7..9], &(1..8)), [2..7]);
        assert_eq!(missing(&[0..10], &(1..9)), []);
    }

    #[test]
    fn the_object_of_an_address_has_its_segments() {
        let line = |text| mapping(text).expect("a mapping");
        let all = [
            line("1000-2000 r--p 00000000 00:01 1 /a.so"),
            line("2000-3000 r-xp 00001000 00:01 1 /a.so"),
            line("3000-4000 rw-p 00002000 00:01 1 /a.so"),
            line("4000-6000 rw-p 00000000 00:00 0"),
            line("6000-7000 rw-p 00000000 00:01 2 /b.so"),
            line("8000-9000 rw-p 00000000 00:00 0"),
        ];
        let found = segments_of(&all, 0x3008);
        assert_eq!(found, [all[0].clone(), all[2].clone(), all[3].clone()]);
        assert!(segments_of(&all, 0xa000).is_empty());
    }

    #[test]
    fn mappings_tell_kinds_of_memory() {
        let line = |text| mapping(text).expect("a mapping");
        let all = [
            line("1000-2000 r-xp 00001000 00:01 1 /a.so"),
            line("2000-3000 rw-p 00002000 00:01 1 /a.so"),
            line("3000-4000 rw-p 00000000 00:00 0 [heap]"),
            line("5000-6000 rw-p 00000000 00:00 0"),
            line("6000-7000 ---p 00000000 00:00 0"),
            line("7000-8000 rw-s 00000000 00:01 3 /data"),
            line("8000-9000 rw-s 00000000 00:01 3 /dev/nvidia-uvm"),
        ];
        let found: Vec<Target<'_>> = (1..=9).map(|it| target(&all, it * 0x1000 + 8)).collect();
        assert_eq!(
            found,
            [
                Target::Code,
                Target::Stays(&all[1]),
                Target::Stays(&all[2]),
                Target::Nowhere,
                Target::OfRegion(&all[3]),
                Target::Nowhere,
                Target::Foreign,
                Target::Nowhere,
                Target::Nowhere,
            ]
        );
    }

    #[test]
    fn of_large_memory_beside_others_the_pages_around_the_pointer_are_taken() {
        let large = mapping("100000000000-101000000000 rw-p 00000000 00:00 0").expect("a mapping");
        let (start, end) = (large.range.start, large.range.end);
        assert_eq!(part(&large, start + 9, Naming::Itself), large.range);
        assert_eq!(part(&large, start + 9, Naming::InObject), start..start + MAX_BYTES / 2);
        assert_eq!(part(&large, end - 1, Naming::InObject).end, end);
        let small = Mapping { range: start..start + MAX_BYTES, ..large };
        assert_eq!(part(&small, start + 9, Naming::InObject), small.range);
    }

    #[test]
    fn mappings_are_read_again_in_the_next_region() {
        let mut registered = Registered { mappings: Some(Vec::new().into()), ..Registered::default() };
        assert!(registered.mappings().is_empty(), "those of the region");
        registered.mappings = None;
        assert!(!registered.mappings().is_empty());
    }

    #[test]
    fn own_objects_and_the_stack_are_mapped() {
        let all = mappings();
        let address = OBJECT.as_ptr() as usize;
        assert!(segments_of(&all, address).iter().any(|it| it.range.contains(&address)));
        let local = 0;
        assert!(all.iter().any(|it| it.range.contains(&(&raw const local as usize)) && it.is_writable));
    }
}
