//! Bounded reads of regular files.
//!
//! A path may name an endless file (`/dev/zero`), a file whose opening blocks (a named pipe), or a file that
//! does not fit into memory. The kind of a file is checked before it is opened, since opening alone may have
//! an effect, and again on the open file, which may be another one. It is opened without blocking and read up
//! to a limit, whatever its reported size.

use std::fmt;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Why a file was not read.
#[derive(Debug)]
pub enum ReadError {
    /// Nothing has this name.
    Missing,
    /// A folder.
    Folder,
    /// A link to a file that is not there.
    Dangling {
        /// The missing target.
        target: PathBuf,
    },
    /// A link that leads back to itself.
    Loop,
    /// Neither a regular file nor a folder.
    Irregular {
        /// The kind, such as "a named pipe".
        kind: &'static str,
        /// The target, if the name is a link.
        target: Option<PathBuf>,
    },
    /// The file exceeds the limit.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The system refuses.
    System(io::Error),
}

/// The rest of a sentence that begins with the file's name.
impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("is not there"),
            Self::Folder => f.write_str("is a folder, not a file"),
            Self::Dangling { target } => {
                write!(f, "is a link to `{}`, which is not there", target.display())
            }
            Self::Loop => f.write_str("is a link that leads back to itself"),
            Self::Irregular { kind, target: None } => write!(f, "is {kind}, not a regular file"),
            Self::Irregular { kind, target: Some(target) } => {
                write!(f, "is a link to `{}`, which is {kind}, not a regular file", target.display())
            }
            Self::TooLarge { limit } => write!(f, "is larger than {} MB, the most that is read", limit >> 20),
            Self::System(error) => write!(f, "cannot be read: {error}"),
        }
    }
}

impl std::error::Error for ReadError {}

/// The contents of a regular file of at most `limit` bytes.
///
/// # Errors
/// It is none, it has more, or the system refuses to read it.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let fail = |error| from_io_error(path, error);
    check(path, &std::fs::metadata(path).map_err(fail)?, limit)?;
    let file = open(path).map_err(fail)?;
    let metadata = file.metadata().map_err(fail)?;
    check(path, &metadata, limit)?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // Files in /proc have size 0, and other files may grow.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(bytes)
}

fn check(path: &Path, metadata: &Metadata, limit: u64) -> Result<(), ReadError> {
    if metadata.is_dir() {
        return Err(ReadError::Folder);
    }
    if !metadata.is_file() {
        let target = path.is_symlink().then(|| std::fs::canonicalize(path).ok()).flatten();
        return Err(ReadError::Irregular { kind: kind(metadata), target });
    }
    if metadata.len() > limit { Err(ReadError::TooLarge { limit }) } else { Ok(()) }
}

fn from_io_error(path: &Path, error: io::Error) -> ReadError {
    if is_link_loop(&error) {
        return ReadError::Loop;
    }
    if error.kind() != io::ErrorKind::NotFound {
        return ReadError::System(error);
    }
    match std::fs::read_link(path) {
        Ok(target) => ReadError::Dangling { target },
        Err(_) => ReadError::Missing,
    }
}

#[cfg(unix)]
fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}

#[cfg(not(unix))]
fn is_link_loop(_: &io::Error) -> bool {
    false
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // Does not wait for the writer of a pipe, and does not make a terminal the controlling one.
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(unix)]
fn kind(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() {
        "a character device"
    } else if kind.is_block_device() {
        "a block device"
    } else {
        "something else"
    }
}

#[cfg(not(unix))]
fn kind(_: &Metadata) -> &'static str {
    "something else"
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn irregular_files_are_named_in_errors() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let said = |name: &str| read(&path(name), 100).expect_err(name).to_string();
        std::fs::write(path("file"), "text").expect("written");
        assert_eq!(read(&path("file"), 4).expect("read"), b"text");
        assert_eq!(
            read(&path("file"), 3).expect_err("too large").to_string(),
            "is larger than 0 MB, the most that is read"
        );
        symlink(path("file"), path("link")).expect("linked");
        assert_eq!(read(&path("link"), 4).expect("read"), b"text");
        assert_eq!(said("none"), "is not there");
        assert_eq!(said("file/below"), "cannot be read: Not a directory (os error 20)");
        std::fs::create_dir(path("folder")).expect("made");
        assert_eq!(said("folder"), "is a folder, not a file");
        symlink("gone", path("dangling")).expect("linked");
        assert_eq!(said("dangling"), "is a link to `gone`, which is not there");
        symlink("loop", path("loop")).expect("linked");
        assert_eq!(said("loop"), "is a link that leads back to itself");
        symlink("/dev/zero", path("zero")).expect("linked");
        assert_eq!(said("zero"), "is a link to `/dev/zero`, which is a character device, not a regular file");
        let _socket = UnixListener::bind(path("socket")).expect("bound");
        assert_eq!(said("socket"), "is a socket, not a regular file");
        let pipe = std::ffi::CString::new(path("pipe").to_str().expect("UTF-8")).expect("no zero");
        // SAFETY: a path that ends with a zero.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
        assert_eq!(said("pipe"), "is a named pipe, not a regular file");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_with_reported_size_zero_are_read_up_to_the_limit() {
        let endless = read(Path::new("/proc/self/maps"), 100);
        assert!(matches!(endless, Err(ReadError::TooLarge { limit: 100 })), "{endless:?}");
        let file = tempfile::NamedTempFile::new().expect("a file");
        file.as_file().set_len(1 << 40).expect("a file of holes");
        assert!(matches!(read(file.path(), 1 << 20), Err(ReadError::TooLarge { .. })));
    }
}
