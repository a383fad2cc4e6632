//! The compiled program of this process: loading it, and what the runtime asks of it.

use std::cell::Cell;
use std::ffi::c_void;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::abi::{self, ExceptionKind, Outcome, Raised};
use crate::heap;
use crate::heap::{Handle, Ref};
use crate::layout::{Kind, Program as Table, Type, custom, slot};
use crate::natives;
use crate::serialize::custom::Place;

/// A program in memory.
struct Loaded {
    table: &'static Table,
    types: Vec<&'static Type>,
    throwables: Option<&'static Type>,
    /// Where its object lies.
    range: (usize, usize),
    /// The file of its object.
    path: PathBuf,
}

static LOADED: OnceLock<Loaded> = OnceLock::new();

/// Loads a program from its shared object. A process runs one program; it stays loaded.
///
/// # Errors
/// When the file is not a program, or one for another version of the runtime.
pub fn load(path: &Path) -> Result<(), String> {
    // SAFETY: the object is one that the compiler made: its initialisers do nothing.
    let library = unsafe { libloading::Library::new(path) }.map_err(|error| {
        // What the system's loader said stands in the cause.
        let cause = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
        format!("cannot load the program {}: {cause}", path.display())
    })?;
    let symbol = format!("{}\0", abi::PROGRAM_SYMBOL);
    // SAFETY: the symbol is a table of this type, which its first field confirms.
    let table: &'static Table = unsafe {
        let table = library.get::<*const Table>(symbol.as_bytes());
        &*table.map(|symbol| *symbol).map_err(|_| format!("{} is not an X10 program", path.display()))?
    };
    std::mem::forget(library);
    attach(table, path)
}

/// Loads a program from the bytes of its shared object.
///
/// # Errors
/// As [`load`].
pub fn load_bytes(bytes: &[u8]) -> Result<(), String> {
    // SAFETY: a constant name; the result is checked.
    let descriptor = unsafe { libc::memfd_create(c"x10-program".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(format!("no memory for the program: {}", std::io::Error::last_os_error()));
    }
    // SAFETY: a new descriptor that nobody else owns.
    let mut file = std::fs::File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    std::io::Write::write_all(&mut file, bytes)
        .map_err(|error| format!("no memory for the program: {error}"))?;
    let loaded = load(format!("/proc/self/fd/{}", file.as_raw_fd()).as_ref());
    // Stays open: stack traces read it.
    std::mem::forget(file);
    loaded
}

/// Makes a table the program of this process; tests bring their own.
pub(crate) fn attach(table: &'static Table, path: &Path) -> Result<(), String> {
    if table.abi != abi::VERSION {
        return Err(format!(
            "{} was compiled for version {} of the runtime, this is version {}: compile it again",
            path.display(),
            table.abi,
            abi::VERSION
        ));
    }
    // SAFETY: descriptors live as long as the program.
    let types: Vec<&'static Type> = table.types().iter().map(|ty| unsafe { &**ty }).collect();
    let throwables = types.iter().copied().find(|ty| ty.name() == abi::names::THROWABLE_RAIL);
    let range = object_range(std::ptr::from_ref(table) as usize);
    if LOADED.set(Loaded { table, types, throwables, range, path: path.into() }).is_err() {
        return Err("this process runs a program already".into());
    }
    heap::add_static_roots(table);
    let runtime: &'static abi::Runtime =
        Box::leak(Box::new(abi::table(i64::from(crate::base::place::here()))));
    crate::apgas::cancellation::control(&runtime.quick);
    // SAFETY: the table lives for ever.
    unsafe { (table.bind)(runtime) };
    Ok(())
}

/// First and last address of the shared object around an address.
fn object_range(inside: usize) -> (usize, usize) {
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> i32 {
        // SAFETY: the loader passes its record, and we passed a triple.
        let (info, found) = unsafe { (&*info, &mut *data.cast::<(usize, usize, usize)>()) };
        // SAFETY: the loader's table.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let start = |header: &libc::Elf64_Phdr| info.dlpi_addr as usize + header.p_vaddr as usize;
        let low = loaded.clone().map(start).min().unwrap_or(0);
        let high = loaded.map(|header| start(header) + header.p_memsz as usize).max().unwrap_or(0);
        if (low..high).contains(&found.0) {
            (found.1, found.2) = (low, high);
            return 1;
        }
        0
    }
    let mut found = (inside, 0, 0);
    // SAFETY: the callback gets the triple that it expects.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    (found.1, found.2)
}

fn loaded() -> &'static Loaded {
    LOADED.get().unwrap_or_else(|| unreachable!("a program is loaded before anything runs"))
}

/// A source file by its number.
pub fn file(number: u32) -> String {
    let Some(table) = LOADED.get().map(|it| it.table).filter(|it| number < it.file_count) else {
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

/// The file of the program's object.
pub fn object_path() -> Option<&'static Path> {
    Some(&LOADED.get()?.path)
}

/// The position of an instruction in the program's object, if it lies there.
pub fn offset_of(address: usize) -> Option<usize> {
    let (low, high) = LOADED.get()?.range;
    (low..high).contains(&address).then(|| address - low)
}

/// The reverse of [`offset_of`].
pub fn address_of(offset: i64) -> Option<usize> {
    let (low, high) = LOADED.get()?.range;
    let address = low.checked_add(usize::try_from(offset).ok().filter(|offset| *offset > 0)?)?;
    (address < high).then_some(address)
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

/// `x10.lang.String`.
fn string_type() -> Option<&'static Type> {
    // SAFETY: null, or a descriptor of the program.
    unsafe { LOADED.get()?.table.string_type.as_ref() }
}

/// A new string of that many bytes, which the caller sets.
pub fn string_of_length(bytes: usize) -> Outcome<Ref> {
    let Some(ty) = string_type() else { return Ok(Ref::NULL) };
    if bytes > i32::MAX as usize {
        return Err(exception(ExceptionKind::OutOfMemory, "a String longer than 2^31 - 1 bytes"));
    }
    match heap::allocate_counted(ty, bytes as i64) {
        Some(string) => Ok(string),
        None => allocate_last(ty, bytes as i64),
    }
}

/// The same, with as much room behind it, if there is that much.
pub fn string_with_room(bytes: usize) -> Outcome<Ref> {
    let Some(ty) = string_type() else { return Ok(Ref::NULL) };
    let room = bytes.saturating_mul(2).min(i32::MAX as usize);
    match if room > bytes { heap::allocate_counted(ty, room as i64) } else { None } {
        Some(string) => {
            heap::shorten_string(string, bytes);
            Ok(string)
        }
        None => string_of_length(bytes),
    }
}

/// A new string with this text.
pub fn string(text: impl AsRef<[u8]>) -> Outcome<Ref> {
    let text = text.as_ref();
    let string = string_of_length(text.len())?;
    if !string.is_null() {
        // SAFETY: a new string of that length.
        unsafe { string.elements().copy_from_nonoverlapping(text.as_ptr(), text.len()) };
    }
    Ok(string)
}

/// A Rail[String].
pub fn string_rail(texts: &[String]) -> Outcome<Ref> {
    // SAFETY: null, or a descriptor of the program.
    let Some(ty) = (unsafe { loaded().table.string_rail_type.as_ref() }) else { return Ok(Ref::NULL) };
    let Some(rail) = heap::allocate_counted(ty, texts.len() as i64) else {
        return allocate_last(ty, texts.len() as i64);
    };
    for (index, text) in texts.iter().enumerate() {
        rail.set_element(index, string(text)?);
    }
    Ok(rail)
}

thread_local! {
    /// An OutOfMemoryError is being made in this thread, from what is kept back for it.
    static LAST_MEMORY: Cell<bool> = const { Cell::new(false) };
}

/// What to do when the heap is full: raises OutOfMemoryError; while that is being made, takes what is kept back for it.
pub fn allocate_last(ty: &'static Type, length: i64) -> Outcome<Ref> {
    if !LAST_MEMORY.get() {
        let bytes = ty.instance_size(length).map_or("more than 2^63".into(), |bytes| bytes.to_string());
        let message = format!("no room in the heap for {} ({bytes} bytes)", ty.name());
        return Err(exception(ExceptionKind::OutOfMemory, &message));
    }
    if let Some(object) = heap::allocate_in_emergency(ty, length) {
        return Ok(object);
    }
    remark!("apg: the heap is full, and there is not even room for an OutOfMemoryError");
    crate::scheduler::end_process(1)
}

/// A new exception.
pub fn exception(kind: ExceptionKind, message: &str) -> Raised {
    make(kind, || string(message))
}

/// A new exception without a message.
pub fn exception_without_message(kind: ExceptionKind) -> Raised {
    make(kind, || Ok(Ref::NULL))
}

fn make(kind: ExceptionKind, argument: impl FnOnce() -> Outcome<Ref>) -> Raised {
    let outer = kind == ExceptionKind::OutOfMemory && !LAST_MEMORY.replace(true);
    let result = argument().and_then(|argument| {
        let mut object = Ref::NULL;
        // SAFETY: the program's own entry.
        let failure = unsafe { (loaded().table.make_exception)(kind as u32, argument, &mut object) };
        if failure.is_null() && !object.is_null() { Ok(object) } else { Err(Raised(failure)) }
    });
    if outer {
        LAST_MEMORY.set(false);
    }
    match result {
        Ok(object) => Raised(object),
        Err(Raised(failure)) if !failure.is_null() => Raised(failure),
        Err(_) => {
            remark!("apg: the program cannot make a {}; this is a defect of apg", kind.class());
            crate::scheduler::end_process(70)
        }
    }
}

/// Whether an object can be raised.
pub fn is_exception(object: Ref) -> bool {
    let class = loaded().throwables.map_or(std::ptr::null(), |rail| rail.element);
    class.is_null() || object.ty().is_subclass_of(class)
}

/// MultipleExceptions of all these.
pub fn multiple(exceptions: &[Handle]) -> Raised {
    let Some(ty) = loaded().throwables else {
        // The program cannot name MultipleExceptions, so it cannot tell the difference.
        return Raised(exceptions[0].get());
    };
    make(ExceptionKind::Multiple, || {
        let count = exceptions.len() as i64;
        let rail = match heap::allocate_counted(ty, count) {
            Some(rail) => rail,
            None => return allocate_last(ty, count),
        };
        for (index, exception) in exceptions.iter().enumerate() {
            rail.set_element(index, exception.get());
        }
        Ok(rail)
    })
}

/// A copy of an object and all that it reaches, as for another place.
pub fn copy(object: Ref) -> Outcome<Ref> {
    crate::apgas::marshal::copied(object).map_err(Raised)
}

/// What an object, or a struct inside one, sends of itself: a rail; or an exception.
pub fn saved(place: &Place) -> Result<Ref, Ref> {
    let Some(save) = loaded().table.saved.filter(|_| place.ty.custom == custom::OWN) else {
        let message = format!("a {} cannot be sent to another place", place.ty.name());
        return Err(exception(ExceptionKind::NotSerializable, &message).0);
    };
    let value = if place.ty.kind == Kind::Struct as u32 { boxed(place)? } else { Ref(place.at.cast()) };
    let mut rail = Ref::NULL;
    // SAFETY: the program's own entry.
    let failure = unsafe { save(value, &mut rail) };
    if failure.is_null() { Ok(rail) } else { Err(failure) }
}

/// A struct in a box.
fn boxed(place: &Place) -> Result<Ref, Ref> {
    let holds = |ty: &&&'static Type| {
        ty.kind == Kind::Boxed as u32 && ty.fields().first().is_some_and(|it| std::ptr::eq(it.ty, place.ty))
    };
    let Some(ty) = types().iter().find(holds) else {
        let message = format!("the program has no box for {}", place.ty.name());
        return Err(exception(ExceptionKind::Internal, &message).0);
    };
    let object = natives::objects::allocate(*ty).map_err(|raised| raised.0)?;
    // SAFETY: the struct is alive, since its owner is; the box has room for it.
    unsafe {
        let target = object.at(ty.fields()[0].offset as usize);
        target.copy_from_nonoverlapping(place.at, place.ty.size as usize);
    }
    Ok(object)
}

/// Makes what was sent anew, from the rail that it sent of itself; or gives an exception.
pub fn restore(place: &Place, rail: Ref) -> Result<(), Ref> {
    if let (custom::RESTORED, Some(restore)) = (place.ty.custom, place.ty.restore) {
        // SAFETY: the program's own code; the place is inside an object that is alive.
        let failure = unsafe { restore(place.at.cast(), Ref::NULL) };
        return if failure.is_null() { Ok(()) } else { Err(failure) };
    }
    let (Some(restore), Some(deserializer)) = (place.ty.restore, loaded().table.deserializer) else {
        let message = format!(
            "a {} cannot be made here: it implements CustomSerialization, but has no constructor `this(Deserializer)`",
            place.ty.name()
        );
        return Err(exception(ExceptionKind::NotSerializable, &message).0);
    };
    let mut source = Ref::NULL;
    // SAFETY: the program's own entries; the place is inside an object that is alive.
    let failure = unsafe {
        match deserializer(rail, &mut source) {
            Ref::NULL => restore(place.at.cast(), source),
            failure => failure,
        }
    };
    if failure.is_null() { Ok(()) } else { Err(failure) }
}

/// The value of a reference field; null if there is no such field.
fn field(object: Ref, name: &str) -> Ref {
    let fields = object.ty().fields();
    match fields.iter().rev().find(|field| field.slot == slot::REF && field.name() == name) {
        // SAFETY: a field of the object.
        Some(field) => unsafe { object.at(field.offset as usize).cast::<Ref>().read() },
        None => Ref::NULL,
    }
}

/// Appends the calling activity's stack to the trace of an exception that has come from another place.
pub fn append_sender_frames(exception: Ref) {
    let frames = field(exception, "frames");
    if !frames.is_null() {
        natives::backtrace::append_sender(frames);
    }
}

/// Prints an exception that nobody catches, where it was raised, its causes, and what it gathers.
pub fn print_uncaught(whence: &str, exception: Ref) {
    let mut text = format!("Uncaught exception in {whence}: ");
    describe(&mut text, exception, 0);
    natives::console::print(2, text.as_bytes());
}

fn describe(out: &mut String, exception: Ref, depth: usize) {
    const DEEPEST: usize = 16;
    let title = to_string(exception).unwrap_or_else(|_| exception.ty().name());
    out.push_str(&title);
    out.push('\n');
    let frames = natives::backtrace::frames_in(field(exception, "frames"));
    for line in natives::backtrace::brief_lines(natives::backtrace::trace(&frames)) {
        let at = if line.starts_with("...") { "" } else { "at " };
        out.push_str(&format!("\t{at}{line}\n"));
    }
    if depth == DEEPEST {
        return;
    }
    let gathered = field(exception, "exceptions");
    if gathered.is_rail() && gathered.ty().element_slot == slot::REF {
        for index in 0..gathered.length() {
            let inner = gathered.element(index);
            if !inner.is_null() {
                describe(out, inner, depth + 1);
            }
        }
    }
    let cause = field(exception, "cause");
    if !cause.is_null() {
        out.push_str("Caused by: ");
        describe(out, cause, depth + 1);
    }
}
