//! X10's own sources as input: its test suite, its class library and its samples. See
//! `tests/x10-suite/README.md`.

pub mod checker;
pub mod directives;
pub mod markers;
pub mod passes;
pub mod places;
pub mod record;
pub mod run;
pub mod samples;
pub mod syntax;
pub mod tests;

use std::path::{Path, PathBuf};

/// The checkout of x10-lang/x10 that `APG_X10_HOME` names.
pub fn home() -> Option<PathBuf> {
    std::env::var_os("APG_X10_HOME").map(PathBuf::from)
}

/// All `.x10` files below a folder, sorted, with their paths from there.
pub fn files_below(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut named: Vec<(String, PathBuf)> = crate::tools::x10_files(folder)
        .into_iter()
        .filter_map(|path| {
            Some((path.strip_prefix(folder).ok()?.to_string_lossy().replace('\\', "/"), path.clone()))
        })
        .collect();
    named.sort();
    named
}

/// The text of a file; a few of X10's are no UTF-8, in comments.
pub fn text_of(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}
