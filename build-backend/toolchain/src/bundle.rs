//! Single-file programs: a copy of the apg executable with the shared object appended.
//!
//! The file ends in a trailer of 64 bytes: the object's SHA-256, its length (8 bytes, little endian), and a
//! magic number of 24 bytes. A loader ignores bytes after the segments of an executable, so that the copy
//! runs as apg does. At its start apg looks for the magic number at the end of its own file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use apg_runtime::base::temp_files::Unfinished;

/// The language of an appended program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// X10.
    X10,
    /// C with device constructs of OpenMP.
    C,
}

impl Language {
    /// The end of a file with such a program.
    fn magic(self) -> &'static [u8; 24] {
        match self {
            Language::X10 => b"apg program, version 1\r\n",
            Language::C => b"apg C file, version 1\r\n\0",
        }
    }
}

const TRAILER_BYTES: u64 = 32 + 8 + 24;

/// Writes a program of this process's executable and a shared object. A target that is no regular file (a
/// device, a pipe) is written to, not replaced.
///
/// # Errors
/// When a file cannot be read or written.
pub fn write_bundle(object: &Path, language: Language, to: &Path) -> io::Result<()> {
    if std::fs::metadata(to).is_ok_and(|data| !data.is_file()) {
        let mut output = File::options().write(true).open(to)?;
        write_parts(object, language, &mut output)?;
        return output.flush();
    }
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut output = tempfile::Builder::new().prefix(".apg-").tempfile_in(folder)?;
    let _unfinished = Unfinished::new(output.path());
    write_parts(object, language, output.as_file_mut())?;
    make_executable(output.as_file())?;
    output.persist(to).map_err(|error| error.error)?;
    Ok(())
}

/// Writes the executable, the object and the trailer.
fn write_parts(object: &Path, language: Language, output: &mut File) -> io::Result<()> {
    let mut apg = File::open(std::env::current_exe()?)?;
    // Of an executable that is itself a single-file program, only apg.
    let length = apg.metadata()?.len();
    let appended_bytes = read_trailer(&mut apg)?.map_or(0, |it| it.length + TRAILER_BYTES);
    apg.rewind()?;
    io::copy(&mut apg.take(length - appended_bytes), output)?;
    let object = std::fs::read(object)?;
    output.write_all(&object)?;
    output.write_all(&Sha256::digest(&object))?;
    output.write_all(&(object.len() as u64).to_le_bytes())?;
    output.write_all(language.magic())
}

/// The shared object appended to this process's executable, if it is a single-file program in this language.
///
/// # Errors
/// When the file cannot be read, or has a trailer but is damaged.
pub fn appended_program(language: Language) -> io::Result<Option<Vec<u8>>> {
    read_program(&mut File::open(std::env::current_exe()?)?, language)
}

fn read_program(file: &mut File, wanted: Language) -> io::Result<Option<Vec<u8>>> {
    let Some(Trailer { length, digest, language }) = read_trailer(file)? else { return Ok(None) };
    if language != wanted {
        return Ok(None);
    }
    let end = file.seek(SeekFrom::End(0))?;
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "this program file is damaged");
    let start = end.checked_sub(TRAILER_BYTES + length).ok_or_else(damaged)?;
    file.seek(SeekFrom::Start(start))?;
    let mut object = Vec::new();
    file.take(length).read_to_end(&mut object)?;
    if Sha256::digest(&object)[..] != digest { Err(damaged()) } else { Ok(Some(object)) }
}

/// What the end of a single-file program says of its object.
struct Trailer {
    length: u64,
    digest: [u8; 32],
    language: Language,
}

fn read_trailer(file: &mut File) -> io::Result<Option<Trailer>> {
    if file.metadata()?.len() < TRAILER_BYTES {
        return Ok(None);
    }
    file.seek(SeekFrom::End(-i64::try_from(TRAILER_BYTES).unwrap_or(i64::MAX)))?;
    let (mut digest, mut length, mut magic) = ([0; 32], [0; 8], [0; 24]);
    file.read_exact(&mut digest)?;
    file.read_exact(&mut length)?;
    file.read_exact(&mut magic)?;
    let language = [Language::X10, Language::C].into_iter().find(|it| magic == *it.magic());
    Ok(language.map(|language| Trailer { length: u64::from_le_bytes(length), digest, language }))
}

#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundled_object_is_read_back_and_damage_detected() {
        let folder = tempfile::tempdir().unwrap();
        let (object, program) = (folder.path().join("object"), folder.path().join("program"));
        std::fs::write(&object, b"the object").unwrap();
        write_bundle(&object, Language::X10, &program).unwrap();
        let read_as = |language| read_program(&mut File::open(&program).unwrap(), language);
        let read = || read_as(Language::X10);
        assert_eq!(read_as(Language::C).unwrap(), None);
        assert_eq!(read().unwrap().as_deref(), Some(&b"the object"[..]));
        let appended_bytes = std::env::current_exe().unwrap();
        assert!(read_program(&mut File::open(appended_bytes).unwrap(), Language::X10).unwrap().is_none());

        let mut bytes = std::fs::read(&program).unwrap();
        let inside = bytes.len() - 70;
        bytes[inside] ^= 1;
        std::fs::write(&program, bytes).unwrap();
        assert!(read().is_err());
    }
}
