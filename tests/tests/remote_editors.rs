//! Editors and remote machines: machines are added and listed, programs run and are debugged there, and are
//! followed again after the editor's end. One host of a lab is the machine.

use std::process::Command;
use std::time::Duration;

use apg_tests::lab::Lab;
use apg_tests::remote_lab::{apg, lab};
use apg_tests::{editors, tools};

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
    let steps = ["added", "listed", "ran", "attached", "doctor"];
    editors::play(command, Duration::from_secs(600), &steps);
    lab.assert_nothing_left();
}

#[test]
fn vs_code_runs_on_a_remote_machine_and_attaches_again_after_a_reload() {
    let Some(mut command) = editors::vs_code("remote.mjs") else { return };
    let Some(lab) = lab("") else { return };
    let (workspace, work) = (lab.path("workspace"), lab.path("work"));
    for folder in [&workspace, &work] {
        std::fs::create_dir(folder).expect("a folder");
    }
    std::fs::write(workspace.join("Ticks.x10"), TICKS).expect("written");
    std::fs::write(workspace.join("apg.toml"), "[remote.lab]\nhost = \"h1\"\n").expect("written");
    command.arg(&work).arg(&workspace);
    add_variables(&mut command, &lab);
    command.env("HOME", &work);
    let steps = ["ran", "listed", "places", "offered", "attached", "done"];
    editors::play(command, Duration::from_secs(900), &steps);
    lab.assert_nothing_left();
}
