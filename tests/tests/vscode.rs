//! A real VS Code in a real browser (code-server, Chromium): the extension shows problems, mends them,
//! hovers, completes, runs a program from its lens and shows CUDA. `tests/vscode/install` installs what it
//! needs; `tests/vscode/drive.mjs` plays.

use std::process::Command;
use std::time::Duration;

use apg_tests::{programs, tools};

#[test]
fn vs_code_shows_mends_completes_and_runs() {
    // An installation that failed has said so; to play on is not possible then.
    if tools::is_left_out("vscode") {
        return;
    }
    let Some(code_server) = tools::optional_tool("code-server") else { return };
    let Some(browser) = tools::optional_tool("chromium") else { return };
    let Some(node) = tools::optional_tool("node") else { return };
    let extension = tools::repository().join("editors/vscode/apg.vsix");
    if !extension.is_file() {
        return tools::skip("the extension is not packaged (npm run package in editors/vscode)");
    }
    let work = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(node);
    command
        .arg(tools::repository().join("tests/vscode/drive.mjs"))
        .args([code_server.as_path(), &browser, &extension, tools::apg_lsp(), tools::apg(), work.path()])
        .args(pictures())
        .env("APG_CACHE_DIR", work.path().join("cache"))
        .env("HOME", work.path());
    let output = programs::run(command, Duration::from_secs(600)).expect("the session ends");
    let said = format!("{}{}", output.stdout, output.stderr);
    assert_eq!(output.status, 0, "{said}");
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
    for step in steps {
        assert!(said.lines().any(|line| line == step), "no `{step}` in:\n{said}");
    }
}

/// Where pictures go: the folder `APG_PICTURES` of the repository, if it is set.
fn pictures() -> Option<std::path::PathBuf> {
    let folder = std::env::var_os("APG_PICTURES")?;
    Some(tools::repository().join(folder))
}
