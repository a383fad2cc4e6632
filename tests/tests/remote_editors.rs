//! Editors and remote machines: machines are added and listed, programs run and are debugged there, and are
//! followed again after the editor's end. One host of a lab is the machine.

use std::process::Command;
use std::time::Duration;

use apg_tests::lab::Lab;
use apg_tests::remote_lab::{apg, lab};
use apg_tests::{programs, tools};

/// Runs for a while after its first line.
const TICKS: &str = "public class Ticks {
    public static def main(Rail[String]) {
        for (tick in 1..600) { Console.OUT.println(\"tick \" + tick); System.sleep(100); }
        System.setExitCode(3n);
    }
}
";

/// The variables of a command of apg in a lab.
fn add_variables(command: &mut Command, lab: &Lab) {
    let of_lab = apg(lab, &[]);
    command.envs(of_lab.get_envs().filter_map(|(name, value)| Some((name, value?))));
}

#[test]
fn neovim_runs_on_a_remote_machine_and_attaches_again() {
    let Some(neovim) = tools::optional_tool("nvim") else { return };
    let Some(lab) = lab("") else { return };
    let file = lab.path("Ticks.x10");
    std::fs::write(&file, TICKS).expect("written");
    let script = tools::repository().join("tests/nvim/remote.lua");
    let mut command = Command::new(neovim);
    command
        .args(["--headless", "--clean", "-u", "NONE", "-c"])
        .arg(format!("luafile {}", script.display()))
        .current_dir(tools::repository());
    add_variables(&mut command, &lab);
    command
        .env("APG_TEST_FILE", &file)
        .env("APG_TEST_SCRIPTS", tools::repository().join("tests/nvim"))
        .env("APG_TEST_SERVER", tools::apg_lsp())
        .env("APG_TEST_COMMAND", tools::apg())
        .env("APG_TEST_PLUGIN", tools::repository().join("editors/nvim"))
        .env("XDG_STATE_HOME", lab.path("state"));
    let output = programs::run(command, Duration::from_secs(600)).expect("Neovim ends");
    let said = format!("{}{}", output.stdout, output.stderr);
    assert_eq!(output.status, 0, "{said}");
    for step in ["added", "listed", "ran", "attached", "doctor"] {
        assert!(said.lines().any(|line| line.trim() == step), "no `{step}` in:\n{said}");
    }
    lab.assert_nothing_left();
}

#[test]
fn vs_code_runs_on_a_remote_machine_and_attaches_again_after_a_reload() {
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
    let Some(lab) = lab("") else { return };
    let (workspace, work) = (lab.path("workspace"), lab.path("work"));
    for folder in [&workspace, &work] {
        std::fs::create_dir(folder).expect("a folder");
    }
    std::fs::write(workspace.join("Ticks.x10"), TICKS).expect("written");
    std::fs::write(workspace.join("apg.toml"), "[remote.lab]\nhost = \"h1\"\n").expect("written");
    let mut command = Command::new(node);
    command.arg(tools::repository().join("tests/vscode/remote.mjs")).args([
        code_server.as_path(),
        &browser,
        &extension,
        tools::apg_lsp(),
        tools::apg(),
        &work,
        &workspace,
    ]);
    add_variables(&mut command, &lab);
    command.env("HOME", &work);
    let output = programs::run(command, Duration::from_secs(900)).expect("the session ends");
    let said = format!("{}{}", output.stdout, output.stderr);
    assert_eq!(output.status, 0, "{said}");
    for step in ["ran", "listed", "places", "offered", "attached", "done"] {
        assert!(said.lines().any(|line| line == step), "no `{step}` in:\n{said}");
    }
    lab.assert_nothing_left();
}
