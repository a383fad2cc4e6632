//! The compiled program: its shared object, the table that it exports, and calls of its functions.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::base::place::{self, Part, PlacePart};
use crate::base::program_image;
use crate::heap::{self, Ref};
use crate::layout::{self, Outcome, Program as Table, Raised, Type};

/// A program in memory.
pub(super) struct Loaded {
    pub(super) table: &'static Table,
    types: Vec<&'static Type>,
    /// `Rail[CheckedThrowable]`, if the program has it.
    pub(super) throwables: Option<&'static Type>,
}

/// The program of a place.
#[derive(Default)]
struct ProgramSlot(OnceLock<Loaded>);

// SAFETY: the only type with that part.
unsafe impl PlacePart for ProgramSlot {
    const PART: Part = Part::Program;
}

/// The program of the place that the calling thread works for, once it is loaded.
fn find() -> Option<&'static Loaded> {
    place::part::<ProgramSlot>().0.get()
}

/// Loads the program of the calling thread's place from its shared object. It stays loaded.
///
/// # Errors
/// When the file is not a program, or one for another version of the runtime.
pub fn load(path: &Path) -> Result<(), String> {
    load_from(path, path)
}

/// Loads a program from a path at which its shared object is now; stack traces read `file`, which has the
/// same contents.
fn load_from(path: &Path, file: &Path) -> Result<(), String> {
    // SAFETY: the compiler made the object: its initialisers do nothing.
    let library = unsafe { libloading::Library::new(path) }.map_err(|error| {
        // The message of the system's loader is the cause.
        let cause = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
        format!("cannot load the program {}: {cause}", file.display())
    })?;
    let symbol = format!("{}\0", layout::PROGRAM_SYMBOL);
    // SAFETY: the symbol is a table of this type, which its first field confirms.
    let table: &'static Table = unsafe {
        let table = library.get::<*const Table>(symbol.as_bytes());
        &*table.map(|symbol| *symbol).map_err(|_| format!("{} is not an X10 program", file.display()))?
    };
    std::mem::forget(library);
    attach(table, file)
}

/// A file in memory with the bytes of a shared object, and its path while it is open.
///
/// # Errors
/// There is no memory, in words for the user.
pub fn memory_file(bytes: &[u8]) -> Result<(File, PathBuf), String> {
    // SAFETY: a constant name; the result is checked.
    let descriptor = unsafe { libc::memfd_create(c"x10-program".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(format!("no memory for the program: {}", std::io::Error::last_os_error()));
    }
    // SAFETY: a new descriptor that nothing else owns.
    let mut file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    std::io::Write::write_all(&mut file, bytes)
        .map_err(|error| format!("no memory for the program: {error}"))?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd()).into();
    Ok((file, path))
}

/// Loads a program from the bytes of its shared object.
///
/// # Errors
/// As [`load`].
pub fn load_bytes(bytes: &[u8]) -> Result<(), String> {
    let (file, path) = memory_file(bytes)?;
    // Stays open: stack traces read it.
    std::mem::forget(file);
    load(&path)
}

/// Loads a copy of a program, with static fields of its own, for one of several places of this process
/// (FSglobals in Ramos and others, "Runtime Techniques for Automatic Process Virtualization", ICPP Workshops
/// 2022). Stack traces read `file`, which has the same contents.
///
/// # Errors
/// As [`load`].
pub fn load_copy(bytes: &[u8], file: &Path) -> Result<(), String> {
    static COPIES: AtomicUsize = AtomicUsize::new(0);
    let (copy, _) = memory_file(bytes)?;
    // The loader takes equal paths for one object, and descriptors are used again.
    let number = COPIES.fetch_add(1, Ordering::Relaxed);
    let spelling: String = (0..usize::BITS - number.leading_zeros())
        .map(|bit| if number >> bit & 1 == 1 { "/." } else { "/" })
        .collect();
    load_from(format!("/proc/self/fd{spelling}/{}", copy.as_raw_fd()).as_ref(), file)
}

/// Makes a table the program of the calling thread's place; tests bring their own.
pub(crate) fn attach(table: &'static Table, path: &Path) -> Result<(), String> {
    if table.abi != layout::VERSION {
        return Err(format!(
            "{} was compiled for version {} of the runtime, this is version {}: compile it again",
            path.display(),
            table.abi,
            layout::VERSION
        ));
    }
    // SAFETY: descriptors live as long as the program.
    let types: Vec<&'static Type> = table.types().iter().map(|ty| unsafe { &**ty }).collect();
    let throwables = types.iter().copied().find(|ty| ty.name() == layout::names::THROWABLE_RAIL);
    if place::part::<ProgramSlot>().0.set(Loaded { table, types, throwables }).is_err() {
        return Err("this place runs a program already".into());
    }
    program_image::set(std::ptr::from_ref(table) as usize, path);
    heap::add_static_roots(table);
    Ok(())
}

/// The loaded program.
pub(super) fn loaded() -> &'static Loaded {
    find().unwrap_or_else(|| unreachable!("a program is loaded before anything runs"))
}

/// The table of the program, once it is loaded.
pub(super) fn table_if_loaded() -> Option<&'static Table> {
    Some(find()?.table)
}

/// Has the program use this table of runtime functions.
///
/// # Safety
/// The table is an [`crate::abi::Runtime`].
pub unsafe fn bind(runtime: *const std::ffi::c_void) {
    // SAFETY: the program's own entry, with the table that it expects.
    unsafe { (loaded().table.bind)(runtime) };
}

/// A source file by its number.
pub fn file(number: u32) -> String {
    let Some(table) = table_if_loaded().filter(|it| number < it.file_count) else {
        return "?".to_owned();
    };
    // SAFETY: the table says its own length, and holds C strings.
    let name = unsafe { std::ffi::CStr::from_ptr(*table.files.add(number as usize)) };
    name.to_string_lossy().into_owned()
}

/// The program's types by number.
pub fn types() -> &'static [&'static Type] {
    &loaded().types
}

/// Calls a closure without parameters and result: the exception it raises, or null.
pub fn call(closure: Ref) -> Ref {
    // SAFETY: the program's own entry.
    unsafe { (loaded().table.call)(closure) }
}

/// Calls a closure without parameters that returns a reference.
///
/// # Errors
/// The exception it raises.
pub fn call_value(closure: Ref) -> Result<Ref, Ref> {
    let mut value = Ref::NULL;
    // SAFETY: the program's own entry.
    let exception = unsafe { (loaded().table.call_value)(closure, &mut value) };
    if exception.is_null() { Ok(value) } else { Err(exception) }
}

/// Runs `main`.
pub fn main(arguments: Ref) -> Ref {
    // SAFETY: the program's own entry.
    unsafe { (loaded().table.main)(arguments) }
}

/// `object.toString()`.
pub fn to_string(object: Ref) -> Outcome<String> {
    let mut text = Ref::NULL;
    // SAFETY: the program's own entry.
    let exception = unsafe { (loaded().table.to_string)(object, &mut text) };
    if !exception.is_null() {
        return Err(Raised(exception));
    }
    Ok(if text.is_null() { "null".into() } else { text.text().into_owned() })
}
