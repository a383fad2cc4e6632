//! What a profile of a program in C has of device constructs: directives, and copies with what they are of.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char};
use std::mem::ManuallyDrop;

use super::layout::Site;
use super::memory::TargetDevice;
use super::present_table::Memory;
use crate::device::DeviceError;
use crate::profile::{self, Code};

/// The directive with a data environment for its block, whose end is another call.
const DATA_REGION: &CStr = c"target data";

thread_local! {
    /// Where the directive is that the thread executes.
    static HERE: Cell<Code> = const { Cell::new(Code::Unknown) };
    /// Directives whose end is another call: where, and when they have begun. Without a destructor, so that
    /// functions given to `atexit` may execute some.
    static OPEN: ManuallyDrop<RefCell<Vec<(Code, u64)>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

/// A constant string of the program, which stays loaded.
fn constant(text: *const c_char) -> Option<&'static CStr> {
    // SAFETY: a string literal of the program, or null.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

/// A directive that the calling thread executes; [`Execution::end`] records it.
pub(super) struct Execution {
    name: &'static CStr,
    code: Code,
    outer: Code,
    began: u64,
}

/// If there is a profile: a directive begins.
pub(super) fn begin(site: Option<&Site>) -> Option<Execution> {
    let site = site.filter(|_| profile::on())?;
    let (name, file) = (constant(site.directive)?, constant(site.file)?);
    let code = Code::Source { file, line: site.line };
    Some(Execution { name, code, outer: HERE.replace(code), began: profile::now() })
}

impl Execution {
    /// It has ended.
    pub(super) fn end(self) {
        profile::directive(self.name, self.code, self.began);
    }

    /// Its block begins: it is recorded as a whole at its end, by [`Execution::left`].
    pub(super) fn open(self) {
        OPEN.with(|it| it.borrow_mut().push((self.code, self.began)));
    }

    /// Its data environment has begun.
    pub(super) fn entered(self) {
        if self.name == DATA_REGION { self.open() } else { self.end() }
    }

    /// Its block, if it has one, has ended, and so has the directive.
    pub(super) fn left(mut self) {
        let begun = OPEN.with(|open| {
            let mut open = open.borrow_mut();
            let found = open.iter().rposition(|it| it.0 == self.code)?;
            // What is behind it was left by a jump.
            open.drain(found..).next()
        });
        self.began = begun.map_or(self.began, |it| it.1);
        self.end();
    }
}

impl Drop for Execution {
    fn drop(&mut self) {
        HERE.set(self.outer);
    }
}

/// Moves bytes between the host and the device of a place, which a profile shows with the expression that
/// they are of.
pub(super) fn moved<T>(
    (place, how, bytes): (i64, &'static str, u64),
    object: *const c_char,
    operation: impl FnOnce() -> T,
) -> T {
    let moved = || profile::Moved { place, how, bytes, code: HERE.get(), object: constant(object) };
    profile::moved(moved, operation)
}

/// A device for what a clause maps by an expression.
pub(super) struct Mapped<'d> {
    pub device: &'d TargetDevice,
    /// The expression, a constant of the program.
    pub name: *const c_char,
}

impl Memory for Mapped<'_> {
    fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
        self.device.allocate(bytes)
    }

    fn free(&self, address: u64) -> Result<(), DeviceError> {
        self.device.free(address)
    }

    unsafe fn upload(&self, host: *const u8, device: u64, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller's memory.
        unsafe { self.device.upload_of(self.name, host, device, bytes) }
    }

    unsafe fn download(&self, device: u64, host: *mut u8, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller's memory.
        unsafe { self.device.download_of(self.name, device, host, bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn execution(name: &'static CStr, line: u32, began: u64) -> Execution {
        Execution { name, code: Code::Source { file: c"a.c", line }, outer: Code::Unknown, began }
    }

    #[test]
    fn a_data_region_is_recorded_from_its_begin_whatever_was_left_inside_of_it() {
        execution(DATA_REGION, 1, 10).entered();
        execution(DATA_REGION, 2, 20).entered();
        assert_eq!(OPEN.with(|it| it.borrow().len()), 2);
        execution(DATA_REGION, 1, 30).left();
        assert_eq!(OPEN.with(|it| it.borrow().len()), 0);
        execution(c"target exit data", 1, 30).left();
    }
}
