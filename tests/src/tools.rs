//! The commands under test and the optional tools around them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The root of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The `apg` command, built now if it is not up to date.
pub fn apg() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| build("apg"))
}

/// The `apg-lsp` command, built now if it is not up to date.
pub fn apg_lsp() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| build("apg-lsp"))
}

/// Builds a command of another package with the profile of this test, into the same folder. `APG_PROGRAMS`
/// names a folder with commands to test instead.
fn build(name: &str) -> PathBuf {
    if let Some(folder) = std::env::var_os("APG_PROGRAMS") {
        return PathBuf::from(folder).join(name);
    }
    // target/PROFILE/deps/TEST
    let test = std::env::current_exe().expect("this test has a path");
    let folder = test.ancestors().nth(2).expect("tests lie in target/PROFILE/deps").to_owned();
    let profile = folder.file_name().and_then(|name| name.to_str()).unwrap_or("debug");
    let mut cargo = Command::new(env!("CARGO"));
    // With the features that the whole workspace selects, as the tests are built.
    cargo.args(["build", "--quiet", "--workspace", "--bin", name]).current_dir(repository());
    if profile != "debug" {
        cargo.args(["--profile", profile]);
    }
    forget_package(&mut cargo);
    assert!(cargo.status().is_ok_and(|status| status.success()), "cannot build {name}");
    folder.join(name)
}

/// Removes what cargo tells this test about its package. Build scripts that ask for these variables would
/// run again, and with them everything that depends on them, both here and when the tests are built next.
fn forget_package(cargo: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") || text == "OUT_DIR" {
            cargo.env_remove(name);
        }
    }
}

/// An optional tool that a test needs: its path, or `None` after a visible line that says so. With
/// `APG_REQUIRE=all` (as in CI) a missing tool is a failure, unless `APG_SKIP` names it: who could not
/// install it has said so.
pub fn optional_tool(name: &str) -> Option<PathBuf> {
    if is_left_out(name) {
        return None;
    }
    let found = std::env::var_os("PATH").and_then(|path| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|tool| tool.is_file())
    });
    if found.is_none() {
        skip(&format!("{name} is not installed"));
    }
    found
}

/// Whether `APG_SKIP` names a tool; says so.
pub fn is_left_out(name: &str) -> bool {
    let named = std::env::var("APG_SKIP").is_ok_and(|skipped| skipped.split(',').any(|tool| tool == name));
    if named {
        eprintln!("SKIPPED: APG_SKIP names {name}");
    }
    named
}

/// Says that a test is skipped, or fails it with `APG_REQUIRE=all`.
pub fn skip(why: &str) {
    assert!(std::env::var("APG_REQUIRE").as_deref() != Ok("all"), "APG_REQUIRE=all, but {why}");
    eprintln!("SKIPPED: {why}");
}

/// All `.x10` files below a folder, sorted.
pub fn x10_files(folder: &Path) -> Vec<PathBuf> {
    files_below(folder, "x10")
}

/// All files below a folder whose names end in an extension, sorted.
pub fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
