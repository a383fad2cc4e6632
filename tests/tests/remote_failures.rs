//! What is said about remote machines that cannot be used, or that are unusual (`--on`).

use std::fs;
use std::path::Path;

use apg_tests::lab::HOME;
use apg_tests::remote_lab::{apg, command_of, counted, lab, other_version, run, start};
use apg_tests::{processes, tools};

#[test]
fn login_shells_of_all_kinds_start_the_agent() {
    let Some(lab) = lab("") else { return };
    fs::write(lab.home(1).join(".bashrc"), "echo welcome; echo to you >&2\n").expect("written");
    fs::write(lab.home(1).join(".cshrc"), "echo welcome\n").expect("written");
    for shell in ["bash", "dash", "fish", "tcsh"] {
        let Some(path) = tools::optional_tool(shell) else { continue };
        lab.set_login_shell(1, &path);
        let output = run(apg(&lab, &["run", "Counts.x10", "--on", "h1", "--", "2"]));
        assert_eq!((output.status, output.stdout), (3, counted(2)), "{shell}: {}", output.stderr);
    }
    lab.assert_nothing_left();
}

#[test]
fn one_session_a_connection_is_enough() {
    let Some(lab) = lab("MaxSessions 1") else { return };
    let mut waiting = start(apg(&lab, &["run", "Waits.x10", "--on", "h1"]));
    assert_eq!(waiting.line(), "started\n");
    let output = run(apg(&lab, &["run", "Counts.x10", "--on", "h1", "--", "2"]));
    assert_eq!((output.status, output.stdout), (3, counted(2)), "{}", output.stderr);
    processes::interrupt(&waiting.child);
    assert_eq!(waiting.end().1, 130);
    lab.assert_nothing_left();
}

#[test]
fn unknown_and_changed_machines_are_refused_with_advice() {
    let Some(lab) = lab("") else { return };
    let configuration = fs::read_to_string(lab.path("ssh_config")).expect("a file");
    let other = fs::read_to_string(lab.path("user_key.pub")).expect("a key");
    let other: Vec<&str> = other.split_whitespace().take(2).collect();
    fs::write(lab.path("changed_hosts"), format!("{} {}\n", lab.address(1), other.join(" ")))
        .expect("written");
    for (name, text, expected) in [
        ("unknown", configuration.replace("known_hosts", "no_such_hosts"), "its key is not known here"),
        ("changed", configuration.replace("known_hosts", "changed_hosts"), "ssh-keygen -R h1"),
        ("no_key", configuration.replace("user_key", "no_such_key"), "refuses the user or the keys"),
    ] {
        fs::write(lab.path(name), text).expect("written");
        let mut command = apg(&lab, &["run", "Counts.x10", "--on", "h1", "--", "2"]);
        command.env("X10_LAUNCHER_SSH", format!("ssh -F {}", lab.path(name).display()));
        let output = run(command);
        assert_eq!(output.status, 1, "{name}");
        assert!(output.stderr.contains(expected), "{name}: {}", output.stderr);
    }
    let output = run(apg(&lab, &["run", "Counts.x10", "--on", "no.such.host.invalid", "--", "2"]));
    assert!(output.stderr.contains("there is no host of this name: look"), "{}", output.stderr);
    fs::write(lab.path("apg.toml"), "[remote.cluster]\nhost = \"h1\"\n").expect("written");
    let output = run(apg(&lab, &["jobs", "--on", "clustr"]));
    assert!(
        output.stderr.contains("there is no host of this name: did you mean `cluster`?"),
        "{}",
        output.stderr
    );
    let output = run(apg(&lab, &["run", "Counts.x10", "--on", "-oProxyCommand=x", "--", "2"]));
    assert_eq!(output.status, 2, "{}", output.stderr);
    lab.assert_nothing_left();
}

#[test]
fn full_disk_and_folders_without_execution_are_said() {
    let Some(lab) = lab("") else { return };
    let other = other_version(&lab);
    lab.hide(1, &lab.path("other"));
    let home = Path::new(HOME);
    lab.mount(1, home, "size=1M,mode=700");
    let arguments = ["run", "Counts.x10", "--on", "h1", "--", "2"];
    let output = run(command_of(&lab, &other, &arguments));
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("is the disk full?"), "{}", output.stderr);
    lab.mount(1, home, "noexec,mode=700");
    let output = run(command_of(&lab, &other, &arguments));
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("agent-dir"), "{}", output.stderr);
    // Another folder does, for copies, builds and jobs.
    fs::write(lab.path("apg.toml"), "[remote.one]\nhost = \"h1\"\nagent-dir = \"/mnt/apg\"\n")
        .expect("written");
    lab.mount(1, Path::new("/mnt"), "mode=755");
    let output = run(command_of(&lab, &other, &["run", "Counts.x10", "--on", "one", "--", "2"]));
    assert_eq!((output.status, output.stdout), (3, counted(2)), "{}", output.stderr);
    let left = lab.in_mounts_of(1, &["find", HOME, "-type", "f"]);
    assert_eq!(left, "", "nothing is in the home folder");
    lab.assert_nothing_left();
}

#[test]
fn output_is_whole_when_its_journal_finds_no_room() {
    let Some(lab) = lab("") else { return };
    let state = lab.home(1).join(".local/state/apg");
    fs::create_dir_all(&state).expect("a folder");
    lab.mount(1, &Path::new(HOME).join(".local/state/apg"), "size=300k,mode=700");
    let output = run(apg(&lab, &["run", "Counts.x10", "--on", "h1", "--", "300"]));
    assert!(output.stdout == counted(300), "{} bytes: {}", output.stdout.len(), output.stderr);
    assert_eq!(output.status, 3);
    assert!(output.stderr.contains("the output is not kept on h1"), "{}", output.stderr);
    lab.assert_nothing_left();
}
