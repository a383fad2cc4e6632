//! Stack traces: return addresses when an exception is made, names and lines when it is printed.
//!
//! The compiler leaves line tables in the program's object that speak of `.x10` files; they are read when the first trace is
//! printed.

use std::ffi::c_void;
use std::path::Path;

use addr2line::Loader;
use parking_lot::Mutex;

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
    let own =
        addresses[..count.max(0) as usize].iter().filter_map(|address| program::offset_of(*address as usize));
    for (at, offset) in own.take(frames.length()).enumerate() {
        // SAFETY: an element.
        unsafe { frames.elements().cast::<i64>().add(at).write(offset as i64) };
    }
    Ok(())
}

/// The caller's frames in the program, innermost first.
pub fn own_frames() -> Vec<i64> {
    let mut addresses = [std::ptr::null_mut::<c_void>(); MOST];
    // SAFETY: room for that many.
    let count = unsafe { libc::backtrace(addresses.as_mut_ptr(), MOST as i32) };
    let own = addresses[..count.max(0) as usize].iter();
    own.filter_map(|address| program::offset_of(*address as usize)).map(|offset| offset as i64).collect()
}

pub fn stack_describe(frame: i64) -> Outcome<Ref> {
    match describe(frame) {
        Some(text) => program::string(text.as_bytes()),
        None => Ok(Ref::NULL),
    }
}

/// The line tables of the program's object.
enum Tables {
    Unread,
    Read(Box<Loader>),
    Missing,
}

// SAFETY: used under a lock, and its parts are shared with nobody.
struct Locked(Tables);
unsafe impl Send for Locked {}

static TABLES: Mutex<Locked> = Mutex::new(Locked(Tables::Unread));

/// `Class.method (File.x10:line)` of a return address in the program; `None` for what is not X10 code, and for
/// constructors, which are the making of the exception itself.
pub fn describe(frame: i64) -> Option<String> {
    program::address_of(frame)?;
    let mut tables = TABLES.lock();
    if matches!(tables.0, Tables::Unread) {
        let loader = program::object_path().and_then(|path| Loader::new(path).ok());
        tables.0 = loader.map_or(Tables::Missing, |loader| Tables::Read(Box::new(loader)));
    }
    let Tables::Read(loader) = &tables.0 else { return None };
    // The return address may be the first of the next line; the call is before it.
    let probe = frame as u64 - 1 + loader.relative_address_base();
    let name = loader.find_symbol(probe).and_then(readable)?;
    // The making of the exception itself.
    if name.ends_with(".this") || name.starts_with("new.") {
        return None;
    }
    match line(loader, probe) {
        Some((file, line)) => Some(format!("{name} ({file}:{line})")),
        None => Some(name),
    }
}

/// The `.x10` file and line of an instruction: past what was inlined from elsewhere.
fn line(loader: &Loader, probe: u64) -> Option<(String, u32)> {
    let mut frames = loader.find_frames(probe).ok()?;
    while let Ok(Some(frame)) = frames.next() {
        let Some(location) = frame.location else { continue };
        let path = Path::new(location.file?);
        if path.extension().is_some_and(|extension| extension == "x10") {
            let file = path.file_name()?.to_string_lossy().into_owned();
            return Some((file, location.line.unwrap_or(0)));
        }
    }
    None
}

/// The X10 name in a C++ function's symbol (`_Z20F_Main_main_0123abcd...`); `None` for what is no X10 function.
pub fn readable(symbol: &str) -> Option<String> {
    let mangled = symbol.strip_prefix("_Z")?;
    // A function that only its own unit knows.
    let mangled = mangled.strip_prefix('L').unwrap_or(mangled);
    let digits = mangled.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = mangled[..digits].parse().ok()?;
    let plain = mangled.get(digits..digits + length)?;
    let (name, hash) = plain.strip_prefix("F_")?.rsplit_once('_')?;
    // The compiler writes `__` for `_`, and `_` for a dot.
    let dotted = name.split("__").map(|part| part.replace('_', ".")).collect::<Vec<_>>().join("_");
    (hash.len() == 8 && !name.is_empty()).then_some(dotted)
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn symbols_give_names() {
        assert_eq!(readable("_Z20F_Main_main_0123abcdP10apg_object").as_deref(), Some("Main.main"));
        assert_eq!(readable("_Z23F_two__words_f_0123abcdv").as_deref(), Some("two_words.f"));
        assert_eq!(readable("_ZL20F_Main_main_0123abcdP10apg_object.isra.0").as_deref(), Some("Main.main"));
        assert_eq!(readable("apg_call"), None);
        assert_eq!(readable("_Z3F_x"), None);
    }
}
