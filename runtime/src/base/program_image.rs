//! Where shared objects of compiled programs are: their addresses, and the files that they were loaded from.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use addr2line::Loader;
use parking_lot::Mutex;

use crate::base::append_list::AppendList;
use crate::base::place;

/// A program in memory. It stays there.
pub(crate) struct ProgramImage {
    /// First and last address.
    range: (usize, usize),
    file: PathBuf,
    tables: Mutex<LineTables>,
}

/// The line tables of a program's object.
enum LineTables {
    Unread,
    Read(Box<Loader>),
    Missing,
}

// SAFETY: used under a lock, and its parts are shared with nothing.
unsafe impl Send for LineTables {}

impl std::fmt::Debug for ProgramImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProgramImage").field("range", &self.range).field("file", &self.file).finish()
    }
}

/// All programs in memory, which handlers of signals read.
static ALL: AppendList<ProgramImage> = AppendList::new();

/// The calling thread's place runs the shared object around that address, loaded from that file.
pub(crate) fn set(inside: usize, file: &Path) {
    let tables = Mutex::new(LineTables::Unread);
    let image = ALL.push(ProgramImage { range: object_range(inside), file: file.into(), tables });
    place::current().image.store(std::ptr::from_ref(image).cast_mut(), Ordering::Release);
}

/// The program of the calling thread's place.
fn own() -> Option<&'static ProgramImage> {
    // SAFETY: null, or an image, which is never freed.
    unsafe { place::current().image.load(Ordering::Acquire).as_ref() }
}

/// First and last address of the shared object around an address.
fn object_range(inside: usize) -> (usize, usize) {
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> i32 {
        // SAFETY: the loader passes its record, and `object_range` a triple.
        let (info, found) = unsafe { (&*info, &mut *data.cast::<(usize, usize, usize)>()) };
        // SAFETY: the loader's table, with the length that it states.
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

/// Shows the line tables of the calling thread's place's program to `look`; `None` if they cannot be read.
pub(crate) fn with_line_tables<R>(look: impl FnOnce(&Loader) -> R) -> Option<R> {
    let image = own()?;
    let mut tables = image.tables.lock();
    if matches!(*tables, LineTables::Unread) {
        let loader = Loader::new(&image.file).ok();
        *tables = loader.map_or(LineTables::Missing, |loader| LineTables::Read(Box::new(loader)));
    }
    match &*tables {
        LineTables::Read(loader) => Some(look(loader)),
        _ => None,
    }
}

/// The position of an instruction in the object of a program, if it is in one.
#[inline]
pub(crate) fn offset_of(address: usize) -> Option<usize> {
    ALL.iter()
        .map(|image| image.range)
        .find(|(low, high)| (*low..*high).contains(&address))
        .map(|(low, _)| address - low)
}

/// The reverse of [`offset_of`] for the program of the calling thread's place.
pub(crate) fn address_of(offset: i64) -> Option<usize> {
    let (low, high) = own()?.range;
    let address = low.checked_add(usize::try_from(offset).ok().filter(|offset| *offset > 0)?)?;
    (address < high).then_some(address)
}
