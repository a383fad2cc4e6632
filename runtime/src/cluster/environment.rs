//! Variables of the environment that programs get on other hosts.

use std::os::unix::ffi::OsStringExt;

use crate::cluster::ssh;
use crate::profile;

/// The variables of X10 and apg that mean the same on every host.
#[must_use]
pub fn forwarded() -> Vec<(Vec<u8>, Vec<u8>)> {
    const LOCAL: &[&str] = &[
        "APG_CACHE_DIR",
        "APG_CACHE_SIZE",
        "APG_LOG_FILE",
        profile::VARIABLE,
        "APG_PROGRESS",
        "APG_RUN_FOLDER",
        "APG_STATE_DIR",
        "X10_HOSTFILE",
        ssh::VARIABLE,
    ];
    let is_forwarded = |name: &[u8]| {
        (name.starts_with(b"X10") || name.starts_with(b"APG_"))
            && !LOCAL.iter().any(|local| local.as_bytes() == name)
    };
    std::env::vars_os()
        .map(|(name, value)| (name.into_vec(), value.into_vec()))
        .filter(|(name, _)| is_forwarded(name))
        .collect()
}
