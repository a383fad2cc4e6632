//! Identity of this executable: the build ID that the linker has put into it (`NT_GNU_BUILD_ID` of the
//! System V ABI's note sections), else the SHA-256 of the file.

use std::io;

use sha2::{Digest, Sha256};

/// The type of a note with a build ID.
const NT_GNU_BUILD_ID: u32 = 3;

/// A text of hexadecimal digits that differs between any two executables.
///
/// # Errors
/// The executable has no build ID, and its file cannot be read.
pub fn of_this_executable() -> io::Result<String> {
    match build_id() {
        Some(id) => Ok(id),
        None => file_digest(),
    }
}

/// The SHA-256 of this executable's file.
fn file_digest() -> io::Result<String> {
    Ok(hexadecimal(&Sha256::digest(std::fs::read(std::env::current_exe()?)?)))
}

/// Bytes as hexadecimal digits.
#[must_use]
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn build_id() -> Option<String> {
    let mut found: Option<Vec<u8>> = None;
    // SAFETY: the callback has the right type, and `found` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look_at_executable), (&raw mut found).cast()) };
    found.map(|id| hexadecimal(&id))
}

/// Looks for the build ID of the first object, which is the executable, and stops there.
unsafe extern "C" fn look_at_executable(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    found: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: the loader passes a valid description, and `build_id` its variable.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<Option<Vec<u8>>>()) };
    // SAFETY: the loader says where the headers are and how many.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    for header in headers.iter().filter(|header| header.p_type == libc::PT_NOTE) {
        let start = (info.dlpi_addr + header.p_vaddr) as usize as *const u8;
        // SAFETY: a segment of notes is mapped as long as the executable runs.
        let notes = unsafe { std::slice::from_raw_parts(start, header.p_memsz as usize) };
        if let Some(id) = find_build_id(notes) {
            *found = Some(id.to_vec());
            break;
        }
    }
    1
}

/// The build ID among notes: each has the sizes of its name and its content, its type, and both, padded to
/// four bytes.
fn find_build_id(mut notes: &[u8]) -> Option<&[u8]> {
    loop {
        let (head, rest) = notes.split_first_chunk::<12>()?;
        let number = |at: usize| u32::from_ne_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (name_size, size) = (number(0) as usize, number(4) as usize);
        let name = rest.get(..name_size)?;
        let rest = rest.get(name_size.checked_next_multiple_of(4)?..)?;
        let content = rest.get(..size)?;
        if number(8) == NT_GNU_BUILD_ID && name == b"GNU\0" && !content.is_empty() {
            return Some(content);
        }
        notes = rest.get(size.checked_next_multiple_of(4)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_is_stable_and_fit_for_a_file_name() {
        let identity = of_this_executable().expect("an identity");
        assert_eq!(of_this_executable().expect("an identity"), identity);
        assert!(identity.len() >= 16 && identity.bytes().all(|it| it.is_ascii_hexdigit()), "{identity}");
    }

    #[test]
    fn damaged_notes_have_no_build_id() {
        let mut notes = Vec::new();
        for (name, kind, content) in [(&b"GNU\0"[..], 1_u32, &[7; 16][..]), (b"GNU\0", 3, b"abcd")] {
            notes.extend((name.len() as u32).to_ne_bytes());
            notes.extend((content.len() as u32).to_ne_bytes());
            notes.extend(kind.to_ne_bytes());
            notes.extend(name);
            notes.extend(content);
        }
        assert_eq!(find_build_id(&notes), Some(&b"abcd"[..]));
        for length in 0..notes.len() {
            assert_eq!(find_build_id(&notes[..length]), None);
        }
        assert_eq!(find_build_id(&[0xff; 64]), None);
    }
}
