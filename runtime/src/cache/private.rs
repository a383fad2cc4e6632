//! Folders that one user owns and nobody else can write to, as `ssh` demands of its files: what is in the
//! cache is run.

use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

use super::tag;

/// Bits of a mode by which group and others may write.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// With this bit, only the owner of a file in a folder may replace it.
const STICKY: u32 = 0o1000;

/// Makes a folder and those above it; new ones are for the user alone.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes the cache's folder if need be, and checks that it is this user's alone, and a cache.
pub(super) fn prepare(root: &Path) -> io::Result<()> {
    create_folder(root)?;
    let folder = fs::metadata(root)?;
    check_owner(&folder)?;
    if folder.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err(refused(format!(
            "other users can write to it (mode {:o}), and what is in it is run; empty it by `apg clean`, or allow writing to \
             yourself alone (`chmod go-w`)",
            folder.mode() & 0o7777
        )));
    }
    // A user who may rename the folder can put another one in its place.
    let above = fs::canonicalize(root)?.parent().map(fs::metadata).transpose()?;
    match above {
        Some(above) if above.mode() & WRITABLE_BY_OTHERS != 0 && above.mode() & STICKY == 0 => Err(refused(
            "other users can replace it, since they can write to the folder that it is in".to_owned(),
        )),
        _ => tag::ensure(root),
    }
}

/// Whether a folder belongs to the user of this process.
pub(super) fn check_owner(folder: &Metadata) -> io::Result<()> {
    // SAFETY: geteuid has no conditions.
    let user = unsafe { libc::geteuid() };
    if folder.uid() == user {
        return Ok(());
    }
    Err(refused(format!(
        "it belongs to user {}, not to you (user {user}), and what is in it is run",
        folder.uid()
    )))
}

fn refused(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}
