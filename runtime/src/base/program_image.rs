//! Where the shared object of the compiled program is: its addresses, and the file that it was loaded from.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

struct ProgramImage {
    /// First and last address.
    range: (usize, usize),
    file: PathBuf,
}

static IMAGE: OnceLock<ProgramImage> = OnceLock::new();

/// The program is the shared object around that address, loaded from that file. Ignored after the first call.
pub(crate) fn set(inside: usize, file: &Path) {
    IMAGE.get_or_init(|| ProgramImage { range: object_range(inside), file: file.into() });
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

/// The file of the program's object.
pub(crate) fn file() -> Option<&'static Path> {
    Some(&IMAGE.get()?.file)
}

/// The position of an instruction in the program's object, if it is there.
#[inline]
pub(crate) fn offset_of(address: usize) -> Option<usize> {
    let (low, high) = IMAGE.get()?.range;
    (low..high).contains(&address).then(|| address - low)
}

/// The reverse of [`offset_of`].
pub(crate) fn address_of(offset: i64) -> Option<usize> {
    let (low, high) = IMAGE.get()?.range;
    let address = low.checked_add(usize::try_from(offset).ok().filter(|offset| *offset > 0)?)?;
    (address < high).then_some(address)
}
