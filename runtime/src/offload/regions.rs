//! Execution of device constructs (OpenMP 5.2, chapter 13, and section 5.8): data environments, regions as
//! launches, and the routines for memory of devices (chapter 18.8).

use std::sync::OnceLock;

use parking_lot::ReentrantMutex;

use super::layout::{Captured, Map, capture_kind, list, map_kind, text};
use super::memory::{DeviceKind, TargetDevice};
use super::present_table::{MapError, Memory, Presence, PresentTable, Transfer};
use super::recorded::Mapped;
use crate::device::{DeviceError, Kind};
use crate::layout::Kernel;

/// The initial value of an object that has a copy on every device.
pub(super) struct Initial {
    /// Where the object is on the host.
    pub address: usize,
    /// Its bytes in front of `main`.
    pub bytes: Vec<u8>,
}

/// What ends the program: an error in words for the user, and what to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TargetError {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl From<DeviceError> for TargetError {
    fn from(error: DeviceError) -> TargetError {
        let hint = (error.kind == Kind::OutOfMemory).then(|| {
            "map or allocate less at a time, or release other memory (`target exit data`, `free`)".to_owned()
        });
        TargetError { message: error.message, hint }
    }
}

pub(super) type Outcome<T> = Result<T, TargetError>;

/// The devices of a program.
pub(super) struct Devices {
    /// Each with what its preparation has ended in.
    devices: Vec<(TargetDevice, OnceLock<Outcome<()>>)>,
    initial: Vec<Initial>,
    /// Regions of devices that run on the host exclude each other: they have the devices' values in memory
    /// that all share. One may contain another.
    pub(super) host_regions: ReentrantMutex<()>,
}

impl Devices {
    pub(super) fn new(devices: Vec<TargetDevice>, initial: Vec<Initial>) -> Devices {
        let devices = devices.into_iter().map(|it| (it, OnceLock::new())).collect();
        Devices { devices, initial, host_regions: ReentrantMutex::new(()) }
    }

    pub(super) fn count(&self) -> usize {
        self.devices.len()
    }

    /// Whether there are GPUs; devices are all of one kind.
    pub(super) fn has_gpus(&self) -> bool {
        self.devices.first().is_some_and(|(device, _)| matches!(device.kind, DeviceKind::Gpu { .. }))
    }

    /// The device of a number; `None` for the host, which has the number behind the last device, or -1.
    pub(super) fn find(&self, number: i64) -> Outcome<Option<&TargetDevice>> {
        let count = self.devices.len() as i64;
        if number == count || number == -1 || count == 0 {
            return Ok(None);
        }
        let found = usize::try_from(number).ok().and_then(|it| self.devices.get(it));
        let Some((device, prepared)) = found else {
            let message = format!("there is no device {number}: there are {count}, counted from 0");
            let hint = "`omp_get_num_devices()` is their number".to_owned();
            return Err(TargetError { message, hint: Some(hint) });
        };
        prepared.get_or_init(|| self.prepare(device)).clone().map(|()| Some(device))
    }

    /// The device of a directive. The host takes the place of a device that does not exist, unless the
    /// program demands a device (OpenMP 5.2, sections 13.2 and 21.2.7).
    pub(super) fn of_directive(&self, number: i64) -> Outcome<Option<&TargetDevice>> {
        let exists = (-1..=self.devices.len() as i64).contains(&number);
        if exists || is_offload_mandatory() { self.find(number) } else { Ok(None) }
    }

    /// Gives a device its copies of global objects.
    fn prepare(&self, device: &TargetDevice) -> Outcome<()> {
        let mut table = device.table.lock();
        for it in &self.initial {
            let bytes = it.bytes.len() as u64;
            // Several files may declare one object.
            if table.presence(it.address, bytes) != Presence::Absent {
                continue;
            }
            let copy = device.allocate(bytes)?;
            // SAFETY: a live vector.
            unsafe { device.upload(it.bytes.as_ptr(), copy, bytes)? };
            table.insert_permanent(it.address, bytes, copy);
        }
        Ok(())
    }
}

/// Whether the program demands devices.
pub(super) fn is_offload_mandatory() -> bool {
    let policy = std::env::var("OMP_TARGET_OFFLOAD").unwrap_or_default();
    policy.trim().eq_ignore_ascii_case("mandatory")
}

fn transfer(kind: u32) -> Transfer {
    let has = |bit| kind & bit != 0;
    Transfer { to: has(map_kind::TO), from: has(map_kind::FROM), always: has(map_kind::ALWAYS) }
}

/// The words for a range that cannot be mapped.
fn map_error(error: MapError, map: &Map) -> TargetError {
    match error {
        MapError::Device(error) => {
            let mut found = TargetError::from(error);
            found.message = format!("`{}`: {}", text(map.name), found.message);
            found
        }
        MapError::Partial { start, bytes } => {
            let (name, at) = (text(map.name), map.address as usize);
            let part = match (start as i128 - at as i128, map.bytes) {
                (0, wanted) => format!("its first {bytes} of {wanted} bytes are"),
                (offset, wanted) => format!("{bytes} bytes from its byte {offset} on, of {wanted}, are"),
            };
            TargetError {
                message: format!(
                    "`{name}` is in the memory of the device in part only: {part} mapped already"
                ),
                hint: Some(
                    "map all of it where it is mapped first, or a section that is inside of that".to_owned(),
                ),
            }
        }
    }
}

/// Begins a data environment: the addresses of the copies.
///
/// # Safety
/// The maps name memory of the program.
pub(super) unsafe fn enter_all(
    device: &TargetDevice,
    table: &mut PresentTable,
    maps: &[Map],
) -> Outcome<Vec<u64>> {
    let mut copies: Vec<u64> = Vec::with_capacity(maps.len());
    // A data environment holds an entry once, whatever number of items are parts of it.
    let mut held: Vec<Hold> = Vec::with_capacity(maps.len());
    for map in maps {
        let (address, demand) = (map.address as usize, transfer(map.kind));
        let memory = &Mapped { device, name: map.name };
        if map.kind & map_kind::PRESENT != 0
            && !matches!(table.presence(address, map.bytes), Presence::Present(_))
        {
            let message =
                format!("`{}` is not in the memory of the device, as `present` demands", text(map.name));
            let hint = "map it around this directive".to_owned();
            return Err(TargetError { message, hint: Some(hint) });
        }
        if map.kind & map_kind::MEMBER != 0 {
            if demand.to && demand.always {
                // SAFETY: the caller's memory.
                unsafe { table.update_to(memory, address, map.bytes) }.map_err(|it| map_error(it, map))?;
            }
            note_hold(&mut held, table, map);
            copies.push(0);
            continue;
        }
        let start = table.entry_start(address);
        let is_counted = !held.iter().any(|it| Some(it.start) == start);
        // SAFETY: the caller's memory.
        let entered = unsafe { table.enter(memory, address, map.bytes, demand, is_counted) };
        let copy = entered.map_err(|it| map_error(it, map))?;
        note_hold(&mut held, table, map);
        if !map.pointer.is_null() && copy != 0 {
            // SAFETY: the caller's memory: an object whose type is a pointer.
            let target = unsafe { map.pointer.cast::<u64>().read_unaligned() };
            // A section may begin behind what the pointer points to.
            let copy = copy.wrapping_sub((address as u64).wrapping_sub(target));
            table.attach(memory, map.pointer as usize, copy, address).map_err(|it| map_error(it, map))?;
        }
        copies.push(copy);
    }
    held.iter().filter(|it| !it.is_named).for_each(|it| table.mark_implied(it.start));
    Ok(copies)
}

/// The hold of a data environment on an entry.
struct Hold {
    /// The first address of the entry.
    start: usize,
    /// A clause names it or a part of it, not only what its pointers point to.
    is_named: bool,
    /// All other holds on it end as well.
    is_delete: bool,
}

/// Adds the hold of a map. A section without elements holds what contains its address, if anything does
/// (OpenMP 4.5, section 2.15.5.1).
fn note_hold(held: &mut Vec<Hold>, table: &PresentTable, map: &Map) {
    let Some(start) = table.entry_start(map.address as usize) else { return };
    let has = |bit| map.kind & bit != 0;
    let is_named = !has(map_kind::CONTAINER);
    let is_delete = has(map_kind::DELETE) && !has(map_kind::MEMBER);
    match held.iter_mut().find(|it| it.start == start) {
        Some(known) => {
            known.is_named |= is_named;
            known.is_delete |= is_delete;
        }
        None => held.push(Hold { start, is_named, is_delete }),
    }
}

/// Whether a data environment holds nothing for a map whose copy has an address, or 0.
fn is_absent(map: &Map, copy: u64) -> bool {
    map.bytes == 0 && copy == 0 && map.kind & map_kind::MEMBER == 0
}

/// The maps for which a data environment holds something, by the addresses of the copies.
pub(super) fn held<'m>(maps: &'m [Map], copies: &[u64]) -> impl DoubleEndedIterator<Item = &'m Map> {
    maps.iter().zip(copies.iter().copied()).filter(|(map, copy)| !is_absent(map, *copy)).map(|it| it.0)
}

/// Ends a data environment.
///
/// # Safety
/// The maps name memory of the program.
pub(super) unsafe fn exit_all<'m>(
    device: &TargetDevice,
    table: &mut PresentTable,
    maps: impl DoubleEndedIterator<Item = &'m Map>,
) -> Outcome<()> {
    let mut ended: Vec<Hold> = Vec::new();
    for map in maps.rev() {
        let address = map.address as usize;
        let memory = &Mapped { device, name: map.name };
        // SAFETY: the caller's memory.
        let copied = unsafe { table.copy_back(memory, address, map.bytes, transfer(map.kind)) };
        copied.map_err(|it| map_error(it, map))?;
        note_hold(&mut ended, table, map);
    }
    for Hold { start, is_named, is_delete } in ended {
        match is_named {
            true => table.release(device, start, is_delete)?,
            false => table.release_implied(device, start)?,
        }
    }
    Ok(())
}

impl Devices {
    /// Begins a data environment; false on the host. It marks the maps that it holds nothing for.
    ///
    /// # Safety
    /// The maps name memory of the program.
    pub(super) unsafe fn enter(&self, number: i64, maps: &mut [Map]) -> Outcome<bool> {
        let Some(device) = self.of_directive(number)? else { return Ok(false) };
        // SAFETY: the caller's memory.
        let copies = unsafe { enter_all(device, &mut device.table.lock(), maps)? };
        for (map, _) in maps.iter_mut().zip(copies).filter(|(map, copy)| is_absent(map, *copy)) {
            map.kind |= map_kind::ABSENT;
        }
        Ok(true)
    }

    /// Ends a data environment; false on the host.
    ///
    /// # Safety
    /// The maps name memory of the program.
    pub(super) unsafe fn exit(&self, number: i64, maps: &[Map]) -> Outcome<bool> {
        let Some(device) = self.of_directive(number)? else { return Ok(false) };
        let maps = maps.iter().filter(|it| it.kind & map_kind::ABSENT == 0);
        // SAFETY: the caller's memory.
        unsafe { exit_all(device, &mut device.table.lock(), maps)? };
        Ok(true)
    }

    /// `target update`; false on the host. What is not present is left alone.
    ///
    /// # Safety
    /// The maps name memory of the program.
    pub(super) unsafe fn update(&self, number: i64, maps: &[Map]) -> Outcome<bool> {
        let Some(device) = self.of_directive(number)? else { return Ok(false) };
        let mut table = device.table.lock();
        for map in maps {
            let (address, memory) = (map.address as usize, &Mapped { device, name: map.name });
            // SAFETY: the caller's memory.
            let result = unsafe {
                match map.kind & map_kind::TO != 0 {
                    true => table.update_to(memory, address, map.bytes),
                    false => table.update_from(memory, address, map.bytes),
                }
            };
            let is_present = result.map_err(|it| map_error(it, map))?;
            if !is_present && map.kind & map_kind::PRESENT != 0 {
                let message = format!("`{}` is not in the memory of the device", text(map.name));
                return Err(TargetError { message, hint: Some("map it around this directive".to_owned()) });
            }
        }
        Ok(true)
    }

    /// Runs a region; false if the host is to run it.
    ///
    /// # Safety
    /// Maps and captures are those of the region with that kernel.
    pub(super) unsafe fn region(
        &self,
        number: i64,
        kernel: &'static Kernel,
        maps: &[Map],
        captures: &[Captured],
    ) -> Outcome<bool> {
        let Some(device) = self.of_directive(number)? else { return Ok(false) };
        let copies = {
            let mut table = device.table.lock();
            // SAFETY: the caller's memory.
            unsafe { enter_all(device, &mut table, maps)? }
        };
        let ranges = captures.iter().any(|it| it.kind == capture_kind::RANGES);
        let ranges = if ranges { Some(Ranges::new(device)?) } else { None };
        let known = Known {
            copies: &copies,
            ranges: ranges.as_ref().map_or(0, |it| it.address),
            device: device_word(number, self.count(), device.multiprocessors()?),
        };
        // SAFETY: the caller's captures.
        let environment = unsafe { environment(device, kernel, maps, &known, captures)? };
        // SAFETY: an environment of the kernel, made above.
        unsafe { device.launch(kernel, &environment) }.map_err(|error| {
            let found = TargetError::from(error);
            TargetError { message: without_place(&found.message, kernel), ..found }
        })?;
        ranges.map_or(Ok(()), Ranges::release)?;
        // SAFETY: the caller's memory.
        unsafe { exit_all(device, &mut device.table.lock(), held(maps, &copies))? };
        Ok(true)
    }
}

/// A message of a device without the place of the kernel, which is that of the directive.
pub(super) fn without_place(message: &str, kernel: &Kernel) -> String {
    message.replace(&format!("{}:{}: kernel: ", text(kernel.file), kernel.line), "")
}

/// The ranges of a device's memory, for a region that checks bounds, in that memory.
struct Ranges<'d> {
    device: &'d TargetDevice,
    address: u64,
}

impl<'d> Ranges<'d> {
    fn new(device: &'d TargetDevice) -> Outcome<Ranges<'d>> {
        let words = device.ranges();
        let bytes = size_of_val(words.as_slice()) as u64;
        let address = device.allocate(bytes)?;
        // SAFETY: a live vector, and new memory of its size.
        unsafe { device.upload(words.as_ptr().cast(), address, bytes)? };
        Ok(Ranges { device, address })
    }

    fn release(self) -> Outcome<()> {
        Ok(self.device.free(self.address)?)
    }
}

/// What the runtime knows for a launch.
struct Known<'r> {
    /// The addresses of the copies of the maps.
    copies: &'r [u64],
    /// The address of the ranges of the device's memory.
    ranges: u64,
    /// The value of [`capture_kind::DEVICE`].
    device: u64,
}

/// The value of [`capture_kind::DEVICE`]; `units` are the multiprocessors or CPUs.
fn device_word(number: i64, devices: usize, units: usize) -> u64 {
    number as u64 & 0xffff | (devices as u64 & 0xffff) << 16 | (units as u64 & 0x7fff_ffff) << 32
}

/// The environment of a launch: values, and addresses of copies.
///
/// # Safety
/// The captures are those of the kernel.
unsafe fn environment(
    device: &TargetDevice,
    kernel: &Kernel,
    maps: &[Map],
    known: &Known<'_>,
    captures: &[Captured],
) -> Outcome<Vec<u8>> {
    // SAFETY: the table of the kernel's captures.
    let places = unsafe { list(kernel.captures, kernel.capture_count) };
    let mut bytes = vec![0; kernel.env_size as usize];
    for (place, capture) in places.iter().zip(captures) {
        let target = &mut bytes[place.offset as usize..][..place.size as usize];
        if capture.kind == capture_kind::VALUE {
            // SAFETY: a value of the captured type.
            target.copy_from_slice(unsafe { list(capture.address.cast(), place.size) });
            continue;
        }
        let of_runtime = match capture.kind {
            capture_kind::RANGES => Some(known.ranges),
            capture_kind::DEVICE => Some(known.device),
            _ => None,
        };
        if let Some(value) = of_runtime {
            target.copy_from_slice(&value.to_ne_bytes());
            continue;
        }
        let find = |it: usize| Some((maps.get(it)?, *known.copies.get(it)?));
        let named = usize::try_from(capture.map).ok().and_then(find);
        // The program says that the region uses nothing of it.
        let is_empty = named.is_some_and(|(map, _)| map.bytes == 0);
        let mapped = named.filter(|it| it.1 != 0).map(|(map, copy)| (map.address as u64, copy));
        let address = match (capture.kind, mapped) {
            (_, None) if is_empty => pointer_copy(device, capture, false)?,
            (capture_kind::OBJECT, None) => object_copy(device, capture)?,
            (kind, None) => pointer_copy(device, capture, kind == capture_kind::USED_POINTER)?,
            // Also where a section begins behind the first element.
            (_, Some((start, copy))) => copy.wrapping_add((capture.address as u64).wrapping_sub(start)),
        };
        target.copy_from_slice(&address.to_ne_bytes());
    }
    Ok(bytes)
}

/// The address of an object's copy.
fn object_copy(device: &TargetDevice, capture: &Captured) -> Outcome<u64> {
    match device.table.lock().copy_of(capture.address as usize) {
        Some(copy) => Ok(copy),
        None => {
            let name = text(capture.name);
            let message = format!("the region uses `{name}`, which is not in the memory of the device");
            Err(TargetError { message, hint: Some(format!("write `map(tofrom: {name})`")) })
        }
    }
}

/// What a pointer that no clause of the region names is on the device; `is_used`: the region uses what it
/// points to.
fn pointer_copy(device: &TargetDevice, capture: &Captured, is_used: bool) -> Outcome<u64> {
    let pointer = capture.address as usize;
    if let Some(copy) = device.table.lock().copy_of(pointer) {
        return Ok(copy);
    }
    if is_used && pointer != 0 && !device.has_memory(pointer as u64) {
        let name = text(capture.name);
        return Err(TargetError {
            message: format!(
                "the region uses what `{name}` points to, which is not in the memory of the device"
            ),
            hint: Some(format!(
                "write `map(tofrom: {name}[0:N])`, or `is_device_ptr({name})` for memory of `omp_target_alloc`"
            )),
        });
    }
    Ok(pointer as u64)
}

impl Devices {
    /// The address of the copy of what a pointer points to; the pointer itself where there is none.
    pub(super) fn device_pointer(&self, number: i64, pointer: usize) -> Outcome<usize> {
        let Some(device) = self.find(number)? else { return Ok(pointer) };
        Ok(device.table.lock().copy_of(pointer).map_or(pointer, |it| it as usize))
    }

    /// `omp_target_memcpy`. The ranges are memory of the named devices.
    ///
    /// # Safety
    /// As the routine demands.
    pub(super) unsafe fn copy(
        &self,
        target: usize,
        source: usize,
        bytes: u64,
        to: i64,
        from: i64,
    ) -> Outcome<()> {
        // SAFETY: the ranges are memory of these devices.
        unsafe {
            match (self.find(to)?, self.find(from)?) {
                (None, None) => {
                    std::ptr::copy(source as *const u8, target as *mut u8, bytes as usize);
                }
                (Some(device), None) => device.upload(source as *const u8, target as u64, bytes)?,
                (None, Some(device)) => device.download(source as u64, target as *mut u8, bytes)?,
                (Some(a), Some(b)) if std::ptr::eq(a, b) => {
                    a.copy_within(source as u64, target as u64, bytes)?
                }
                (Some(a), Some(b)) => {
                    let mut between = vec![0; bytes as usize];
                    b.download(source as u64, between.as_mut_ptr(), bytes)?;
                    a.upload(between.as_ptr(), target as u64, bytes)?;
                }
            }
        }
        Ok(())
    }
}
