//! Stack traces: return addresses when an exception is made, names when it is printed.

use std::ffi::c_void;

use super::non_null;
use crate::abi::Outcome;
use crate::layout::slot;
use crate::memory::Ref;
use crate::program;

/// Most frames that are looked at.
const MOST: usize = 128;

pub fn stack_capture(frames: Ref) -> Outcome<()> {
    let frames = non_null(frames)?;
    if frames.ty().element_slot != slot::I64 {
        return Ok(());
    }
    let mut addresses = [std::ptr::null_mut::<c_void>(); MOST];
    // SAFETY: room for that many.
    let count = unsafe { libc::backtrace(addresses.as_mut_ptr(), MOST as i32) };
    let mut at = 0;
    for address in &addresses[..count.max(0) as usize] {
        let Some(offset) = program::offset_of(*address as usize) else { continue };
        if at == frames.length() {
            break;
        }
        // SAFETY: an element.
        unsafe { frames.elements().cast::<i64>().add(at).write(offset as i64) };
        at += 1;
    }
    Ok(())
}

pub fn stack_describe(frame: i64) -> Outcome<Ref> {
    match describe(frame) {
        Some(text) => program::string(text.as_bytes()),
        None => Ok(Ref::NULL),
    }
}

/// The function that a frame is in; `None` if it has no name, or is not X10 code.
pub fn describe(frame: i64) -> Option<String> {
    let address = program::address_of(frame)?;
    // The return address may be the first of the next function; the call is before it.
    let name = program::symbol_at(address - 1)?;
    readable(&name)
}

/// The X10 name in a symbol; `None` for the compiler's own functions.
fn readable(symbol: &str) -> Option<String> {
    if symbol.starts_with("apg_") {
        return None;
    }
    Some(symbol.to_owned())
}
