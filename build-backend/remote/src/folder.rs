//! The folder of a user on a remote machine that holds sent files and jobs (XDG base directory specification:
//! state). It is the user's alone.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use apg_runtime::cache::Cache;

/// Environment variable that names the folder.
pub(crate) const VARIABLE: &str = "APG_STATE_DIR";

/// Where it is: `$APG_STATE_DIR`, else `$XDG_STATE_HOME/apg`, else `~/.local/state/apg`, else beside the
/// cache.
fn location() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    variable(VARIABLE)
        .and_then(absolute)
        .or_else(|| Some(variable("XDG_STATE_HOME").and_then(absolute)?.join("apg")))
        .or_else(|| Some(variable("HOME").and_then(absolute)?.join(".local/state/apg")))
        .unwrap_or_else(|| Cache::default().root().with_extension("state"))
}

/// Makes a folder and those above it; new ones are for the user alone.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// The folder, which is made if need be.
///
/// # Errors
/// It cannot be made, or is another user's, or others can write to it; in words for the user.
pub(crate) fn prepare() -> Result<PathBuf, String> {
    let path = location();
    let at = |error: io::Error| format!("{}: {error}", path.display());
    create(&path).map_err(at)?;
    let data = fs::metadata(&path).map_err(at)?;
    let user = rustix::process::geteuid().as_raw();
    if data.uid() != user {
        return Err(format!("{} belongs to user {}, not to you (user {user})", path.display(), data.uid()));
    }
    if data.mode() & 0o022 != 0 {
        return Err(format!(
            "other users can write to {}: allow it to yourself alone (`chmod go-w`)",
            path.display()
        ));
    }
    Ok(path)
}

/// An input or output error about a path, in words for the user.
pub(crate) fn describe(path: &Path, error: &io::Error) -> String {
    let advice = match error.raw_os_error() {
        Some(libc::ENOSPC) | Some(libc::EDQUOT) => {
            "; free some space there, or name another folder (`agent-dir`)"
        }
        _ => "",
    };
    format!("cannot write to {}: {error}{advice}", path.display())
}
