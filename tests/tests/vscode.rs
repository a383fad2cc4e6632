//! A real VS Code in a real browser (code-server, Chromium): the extension shows problems, mends them,
//! hovers, completes, runs a program from its lens and shows CUDA. `tests/vscode/install` installs what it
//! needs; `tests/vscode/drive.mjs` plays.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use apg_tests::{editors, tools};

/// A browser and an editor are enough for a machine: sessions wait for each other.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn vs_code_shows_mends_completes_and_runs() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(mut command) = editors::vs_code("drive.mjs") else { return };
    let work = tempfile::tempdir().expect("a temporary folder");
    command
        .arg(work.path())
        .args(pictures())
        .env("APG_CACHE_DIR", work.path().join("cache"))
        .env("HOME", work.path());
    let steps = [
        "squiggle",
        "problem",
        "fixed",
        "hover",
        "cuda",
        "completion",
        "output",
        "origin",
        "places",
        "absent",
        "walkthrough",
        "saved",
        "done",
    ];
    editors::play(command, Duration::from_secs(600), &steps);
}

#[test]
fn vs_code_mends_completes_and_runs_a_c_program() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(mut command) = editors::vs_code("c_file.mjs") else { return };
    let work = tempfile::tempdir().expect("a temporary folder");
    command.arg(work.path()).env("APG_CACHE_DIR", work.path().join("cache")).env("HOME", work.path());
    let steps = ["squiggle", "problem", "fixed", "hover", "saved", "completion", "output", "done"];
    editors::play(command, Duration::from_secs(600), &steps);
}

/// Where pictures go: the folder `APG_PICTURES` of the repository, if it is set.
fn pictures() -> Option<std::path::PathBuf> {
    let folder = std::env::var_os("APG_PICTURES")?;
    Some(tools::repository().join(folder))
}
