//! Where a user's build cache is.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// `$APG_CACHE_DIR`, else `apg` in the user's place for caches (XDG base directory specification), else a
/// folder of the user among temporary files.
pub(super) fn find() -> PathBuf {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("APG_CACHE_DIR")
        .or_else(|| Some(variable("XDG_CACHE_HOME").filter(|path| path.is_absolute())?.join("apg")))
        .or_else(|| Some(variable("HOME").or_else(home_of_user)?.join(".cache/apg")))
        // SAFETY: geteuid has no conditions.
        .unwrap_or_else(|| std::env::temp_dir().join(format!("apg-cache-{}", unsafe { libc::geteuid() })))
}

/// The home folder in the system's list of users, if it exists.
fn home_of_user() -> Option<PathBuf> {
    let mut buffer = vec![0; 1 << 14];
    // SAFETY: passwd is plain data that the call fills in.
    let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
    let mut found = std::ptr::null_mut();
    // SAFETY: all pointers are to live memory of the sizes that are given.
    let status = unsafe {
        libc::getpwuid_r(libc::geteuid(), &raw mut entry, buffer.as_mut_ptr(), buffer.len(), &raw mut found)
    };
    if status != 0 || found.is_null() || entry.pw_dir.is_null() {
        return None;
    }
    // SAFETY: the call has stored a string that ends in zero inside `buffer`.
    let home = unsafe { CStr::from_ptr(entry.pw_dir) };
    Some(PathBuf::from(OsStr::from_bytes(home.to_bytes()))).filter(|path| path.is_dir())
}
