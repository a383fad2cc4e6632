//! What an edited C program and this runtime exchange: the structs of `apg_target.h`.

use std::ffi::{CStr, c_char, c_int, c_long, c_void};

use crate::layout::Kernel;

/// A directive of the program (`apg_site`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Site {
    /// Its file.
    pub file: *const c_char,
    /// Its name.
    pub directive: *const c_char,
    /// 1-based line.
    pub line: u32,
}

/// Bits of [`Map::kind`].
pub(super) mod map_kind {
    /// Copied to the device.
    pub(in crate::offload) const TO: u32 = 1;
    /// Copied back.
    pub(in crate::offload) const FROM: u32 = 2;
    /// Copied also if it was present.
    pub(in crate::offload) const ALWAYS: u32 = 4;
    /// All holds end.
    pub(in crate::offload) const DELETE: u32 = 8;
    /// A part of a struct that another map holds: copied to the device with it.
    pub(in crate::offload) const MEMBER: u32 = 16;
    /// It must be present.
    pub(in crate::offload) const PRESENT: u32 = 32;
    /// A struct that no clause names, which leads to what one names.
    pub(in crate::offload) const CONTAINER: u32 = 64;
    /// A section without elements that the start of its data environment found nothing for. The runtime
    /// sets it.
    pub(in crate::offload) const ABSENT: u32 = 128;
}

/// A mapped range (`apg_map`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Map {
    /// As it is written in the clause.
    pub name: *const c_char,
    /// First byte.
    pub address: *mut c_void,
    /// Number of bytes.
    pub bytes: u64,
    /// The pointer whose copy is to point to the range's copy; null if there is none.
    pub pointer: *mut c_void,
    /// Bits of [`map_kind`].
    pub kind: u32,
}

/// Values of [`Capture::kind`].
pub(super) mod capture_kind {
    /// Copied as it is.
    pub(in crate::offload) const VALUE: u32 = 0;
    /// The address of an object's copy.
    pub(in crate::offload) const OBJECT: u32 = 1;
    /// A pointer whose target the region uses.
    pub(in crate::offload) const USED_POINTER: u32 = 3;
    /// The address of the ranges of the device's memory.
    pub(in crate::offload) const RANGES: u32 = 4;
    /// The number of the device, from bit 16 on how many devices there are, and from bit 32 on how many
    /// multiprocessors or CPUs it has.
    pub(in crate::offload) const DEVICE: u32 = 5;
}

/// What a region refers to outside of it (`apg_captured`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Captured {
    /// Its name.
    pub name: *const c_char,
    /// The object, or the value.
    pub address: *const c_void,
    /// One of [`capture_kind`].
    pub kind: u32,
    /// The index of the map that names it, or -1.
    pub map: i32,
}

/// An object with a copy on every device (`apg_global`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Global {
    /// Its address.
    pub address: *mut c_void,
    /// Its bytes.
    pub bytes: u64,
    /// The next one.
    pub next: *const Global,
}

/// What the program calls (`apg_target_functions`).
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs, reason = "they are described in apg_target.h")]
pub(super) struct Functions {
    pub region:
        extern "C" fn(*const Site, c_long, *const Kernel, *const Map, u32, *const Captured, u32) -> c_int,
    pub enter: extern "C" fn(*const Site, c_long, *mut Map, u32) -> c_int,
    pub exit: extern "C" fn(*const Site, c_long, *const Map, u32) -> c_int,
    pub update: extern "C" fn(*const Site, c_long, *const Map, u32) -> c_int,
    pub device_pointer: extern "C" fn(c_long, *mut c_void) -> *mut c_void,
    pub device_count: extern "C" fn() -> c_int,
    pub allocate: extern "C" fn(u64, c_long) -> *mut c_void,
    pub free: extern "C" fn(*mut c_void, c_long),
    pub copy: extern "C" fn(*mut c_void, *const c_void, u64, c_long, c_long) -> c_int,
    pub associate: extern "C" fn(*const c_void, *const c_void, u64, c_long) -> c_int,
    pub disassociate: extern "C" fn(*const c_void, c_long) -> c_int,
    pub lend: extern "C" fn(*const Site, c_long, *const Map, u32, *const Captured, u32) -> *mut c_void,
    pub take_back: extern "C" fn(*const Site, *mut c_void),
    pub written: extern "C" fn(c_long),
    pub failed: extern "C" fn(*const c_char),
}

/// A constant string of the program.
pub(super) fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: a C string of the program, which stays loaded.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// A list of the program.
///
/// # Safety
/// The list has `count` elements.
pub(super) unsafe fn list<'a, T>(start: *const T, count: u32) -> &'a [T] {
    match count {
        0 => &[],
        // SAFETY: the caller's.
        count => unsafe { std::slice::from_raw_parts(start, count as usize) },
    }
}
