//! Editors that tests drive by scripts, which print the name of each step that they have seen to work.

use std::process::Command;
use std::time::Duration;

use crate::{programs, tools};

/// The command that drives VS Code in a browser (code-server, Chromium) by a script of `tests/vscode`, which
/// gets the paths of the tools, the extension and the commands; `None` after a visible line where one is not
/// installed.
pub fn vs_code(script: &str) -> Option<Command> {
    // An installation that failed has said so; to play on is not possible then.
    if tools::is_left_out("vscode") {
        return None;
    }
    let code_server = tools::optional_tool("code-server")?;
    let browser = tools::optional_tool("chromium")?;
    let node = tools::optional_tool("node")?;
    let extension = tools::repository().join("editors/vscode/apg.vsix");
    if !extension.is_file() {
        tools::skip("the extension is not packaged (npm run package in editors/vscode)");
        return None;
    }
    let mut command = Command::new(node);
    command.arg(tools::repository().join("tests/vscode").join(script));
    command.args([code_server.as_path(), &browser, &extension, tools::apg_lsp(), tools::apg()]);
    Some(command)
}

/// Runs the command of a script to its end: it has to print all steps and to end in order.
///
/// # Panics
/// It does not print them, or fails.
pub fn play(command: Command, timeout: Duration, steps: &[&str]) {
    let output = programs::run(command, timeout).expect("the session ends");
    let said = format!("{}{}", output.stdout, output.stderr);
    assert_eq!(output.status, 0, "{said}");
    for step in steps {
        assert!(said.lines().any(|line| line.trim() == *step), "no `{step}` in:\n{said}");
    }
}
