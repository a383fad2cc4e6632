//! Build and run on a remote machine (`--on`): network namespaces with a real ssh server each.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use apg_tests::processes;
use apg_tests::remote_lab::{
    PLACES, apg, command_of, counted, events, forget_copies, kill, lab, other_version, run, ssh_of, start,
};
use apg_tests::waiting::eventually;
use serde_json::Value;

/// The number of files that a run has sent.
fn files_sent(events: &[Value]) -> u64 {
    events
        .iter()
        .filter(|event| event["state"] == "sending")
        .filter_map(|event| event["files"].as_u64())
        .sum()
}

#[test]
fn programs_run_there_and_only_changed_files_travel() {
    let Some(lab) = lab("") else { return };
    let arguments =
        ["run", "Echoes.x10", "--on", "h1", "--places", "2", "--message-format", "json", "--", "-a", "b c"];
    let first = events(&run(apg(&lab, &arguments)));
    let lines_of = |events: &[Value]| -> Vec<String> {
        let lines = events.iter().filter(|event| event["event"] == "output" && event["stream"] == "stdout");
        lines.map(|event| event["text"].as_str().expect("text").to_owned()).collect()
    };
    assert_eq!(lines_of(&first), ["0 lines, arguments -a and b c at 2"]);
    assert_eq!(first.last().expect("an end")["status"], 7);
    // The other files of the folder may belong to it, as they are of its package.
    let all = files_sent(&first);
    assert!(all >= 2, "{all}");
    assert_eq!(files_sent(&events(&run(apg(&lab, &arguments)))), 0, "nothing has changed");
    fs::write(lab.path("Places.x10"), PLACES.replace("at ", "in ")).expect("written");
    let edited = events(&run(apg(&lab, &arguments)));
    assert_eq!(files_sent(&edited), 1);
    assert_eq!(lines_of(&edited), ["0 lines, arguments -a and b c in 2"]);
    let left = run(apg(&lab, &["jobs", "--on", "h1"]));
    assert_eq!(left.stdout, "no jobs on h1\n");
    lab.assert_nothing_left();
}

#[test]
fn input_travels_and_places_of_the_machine_are_named() {
    let Some(lab) = lab("") else { return };
    fs::write(lab.path("apg.toml"), "[remote.one]\nhost = \"h1\"\nplaces = 3\nenvironment = [\"SPOKEN\"]\n")
        .expect("written");
    let mut command = apg(&lab, &["run", "Echoes.x10", "--on", "one", "--", "a", "b"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || {
        for line in 1..=100_000 {
            writeln!(input, "input {line}").expect("it is read");
        }
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic");
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(out, "input 70000\n100000 lines, arguments a and b at 3\n", "{errors}");
    assert_eq!((output.status.code(), errors.as_ref()), (Some(7), "an error\n"));
    let places = run(apg(&lab, &["places", "--on", "one", "--places", "2"]));
    assert_eq!((places.status, places.stdout.matches("host, ").count()), (0, 2), "{}", places.stderr);
    let doctor = run(apg(&lab, &["doctor", "--on", "one"]));
    assert!(doctor.stdout.contains("ok  C++ compiler"), "{}{}", doctor.stdout, doctor.stderr);
    let built = run(apg(&lab, &["build", "Places.x10", "--emit", "cpp", "--on", "one"]));
    assert_eq!(built.status, 1, "there is no main: {}", built.stdout);
    let built = run(apg(&lab, &["build", "Counts.x10", "-o", "counts", "--on", "one"]));
    assert_eq!(built.status, 0, "{}", built.stderr);
    let mut command = Command::new(lab.path("counts"));
    command.arg("2").env("APG_CACHE_DIR", lab.path("cache"));
    let output = run(command);
    assert_eq!((output.status, output.stdout), (3, counted(2)));
    lab.assert_nothing_left();
}

#[test]
fn errors_of_the_program_are_said_with_local_paths_and_run_nothing() {
    let Some(lab) = lab("") else { return };
    fs::create_dir(lab.path("inner")).expect("a folder");
    fs::write(
        lab.path("inner/Wrong.x10"),
        "class Wrong { public static def main(Rail[String]) { nothing(); } }",
    )
    .expect("written");
    let output = run(apg(&lab, &["run", "inner/Wrong.x10", "--on", "h1"]));
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("inner/Wrong.x10:1:"), "{}", output.stderr);
    let missing = run(apg(&lab, &["run", "Absent.x10", "--on", "h1"]));
    assert_eq!(missing.status, 1);
    assert!(missing.stderr.contains("Absent.x10"), "{}", missing.stderr);
    assert!(!lab.home(1).join(".local/state/apg/jobs").exists(), "nothing was started there");
    lab.assert_nothing_left();
}

#[test]
fn program_is_built_here_for_a_machine_without_compiler() {
    let Some(lab) = lab("SetEnv CXX=/no/such/compiler") else { return };
    let output = run(apg(&lab, &["run", "Echoes.x10", "--on", "h1", "--places", "2", "--", "a", "b"]));
    assert_eq!(output.stdout, "0 lines, arguments a and b at 2\n", "{}", output.stderr);
    assert_eq!(output.status, 7);
    let output = run(apg(&lab, &["run", "Echoes.x10", "--on", "h1", "--build", "there", "--", "a", "b"]));
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("--build here"), "{}", output.stderr);
    let output = run(apg(&lab, &["build", "Echoes.x10", "--on", "h1"]));
    assert_eq!(output.status, 1, "{}", output.stderr);
    lab.assert_nothing_left();
}

/// The link is cut during output, for less and for more than TCP and the heartbeats forgive.
#[test]
fn output_is_whole_over_cut_links() {
    let Some(lab) = lab("") else { return };
    for (pause, rounds) in [(1, 150), (20, 300)] {
        let rounds_text = rounds.to_string();
        let mut started = start(apg(&lab, &["run", "Counts.x10", "--on", "h1", "--", &rounds_text]));
        let mut text = started.line();
        lab.set_link(1, false);
        std::thread::sleep(Duration::from_secs(pause));
        lab.set_link(1, true);
        let (rest, status, errors) = started.end();
        text += &rest;
        assert!(text == counted(rounds), "{} bytes of {}: {errors}", text.len(), counted(rounds).len());
        assert_eq!(status, 3, "{errors}");
        let printed: Vec<&str> = errors.lines().filter(|line| line.starts_with("round ")).collect();
        let expected: Vec<String> = (0..rounds).map(|round| format!("round {round}")).collect();
        assert_eq!(printed, expected);
    }
    lab.assert_nothing_left();
}

#[test]
fn output_is_whole_when_ssh_or_its_server_is_killed() {
    let Some(lab) = lab("") else { return };
    let mut started = start(apg(&lab, &["run", "Counts.x10", "--on", "h1", "--", "200"]));
    let mut text = started.line();
    for kills in 0..4 {
        std::thread::sleep(Duration::from_millis(700));
        match kills % 2 {
            0 => ssh_of(&started.child).into_iter().for_each(kill),
            _ => lab.connections(1).into_iter().for_each(kill),
        }
        text += &started.line();
    }
    let (rest, status, errors) = started.end();
    text += &rest;
    assert!(text == counted(200), "{} bytes of {}: {errors}", text.len(), counted(200).len());
    assert_eq!(status, 3, "{errors}");
    lab.assert_nothing_left();
}

#[test]
fn jobs_are_listed_attached_to_and_stopped() {
    let Some(lab) = lab("") else { return };
    let said = run(apg(&lab, &["run", "Counts.x10", "--on", "h1", "--detach", "--", "20"]));
    assert_eq!(said.status, 0, "{}", said.stderr);
    let name = said.stderr.split('`').nth(1).expect("a name").to_owned();
    assert!(name.starts_with("Counts-"), "{name}");
    // The exit status is kept until somebody asks for it.
    eventually(|| run(apg(&lab, &["jobs", "--on", "h1"])).stdout.contains("ended (3)"));
    lab.assert_nothing_left();
    let attached = run(apg(&lab, &["attach", &name, "--on", "h1"]));
    assert_eq!((attached.status, attached.stdout), (3, counted(20)));
    let again = run(apg(&lab, &["attach", &name, "--on", "h1"]));
    assert_eq!(again.status, 1);
    let expected = format!("h1: there is no job `{name}`; `apg jobs --on h1` lists them");
    assert!(again.stderr.contains(&expected), "{}", again.stderr);

    let mut waiting = start(apg(&lab, &["run", "Waits.x10", "--on", "h1"]));
    assert_eq!(waiting.line(), "started\n");
    let listed = run(apg(&lab, &["jobs", "--on", "h1", "--message-format", "json"]));
    let job: Value = serde_json::from_str(listed.stdout.trim()).expect("a job");
    assert_eq!((&job["state"], &job["host"]), (&"running".into(), &"h1".into()));
    let name = job["name"].as_str().expect("a name");
    let mistyped = format!("{}-", &name[..name.len() - 1]);
    let refused = run(apg(&lab, &["stop", &mistyped, "--on", "h1"]));
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains(&format!("did you mean `{name}`?")), "{}", refused.stderr);
    let completed = run(apg(&lab, &["__complete", "jobs", "Wai", "apg", "stop", "--on", "h1", "Wai"]));
    assert_eq!((completed.status, completed.stdout.trim()), (0, name), "{}", completed.stderr);
    let stopped = run(apg(&lab, &["stop", name, "--on", "h1"]));
    assert_eq!(stopped.status, 0, "{}", stopped.stderr);
    let (_, status, errors) = waiting.end();
    assert_eq!(status, 130, "{errors}");
    assert!(errors.contains("it was stopped"), "{errors}");
    lab.assert_nothing_left();
}

#[test]
fn another_client_takes_over() {
    let Some(lab) = lab("") else { return };
    let mut first = start(apg(&lab, &["run", "Counts.x10", "--on", "h1", "--keep", "--", "150"]));
    first.line();
    let listed = run(apg(&lab, &["jobs", "--on", "h1", "--message-format", "json"]));
    let job: Value = serde_json::from_str(listed.stdout.trim()).expect("a job");
    let second = run(apg(&lab, &["attach", job["name"].as_str().expect("a name"), "--on", "h1"]));
    assert_eq!((second.status, second.stdout == counted(150)), (3, true), "{}", second.stderr);
    let (_, status, errors) = first.end();
    assert_eq!(status, 1);
    assert!(errors.contains("another client has attached"), "{errors}");
    lab.assert_nothing_left();
}

#[test]
fn interrupts_end_jobs_and_killed_clients_do_too_unless_they_are_kept() {
    let Some(lab) = lab("") else { return };
    let mut waiting = start(apg(&lab, &["run", "Waits.x10", "--on", "h1"]));
    assert_eq!(waiting.line(), "started\n");
    processes::interrupt(&waiting.child);
    let (_, status, errors) = waiting.end();
    assert_eq!((status, errors.as_str()), (130, ""));
    lab.assert_nothing_left();

    let mut command = apg(&lab, &["run", "Waits.x10", "--on", "h1"]);
    command.env("APG_RECONNECT_TIMEOUT", "2");
    let mut waiting = start(command);
    assert_eq!(waiting.line(), "started\n");
    waiting.child.kill().expect("it runs");
    waiting.end();
    lab.assert_nothing_left();
    let listed = run(apg(&lab, &["jobs", "--on", "h1"]));
    assert!(listed.stdout.contains("ended (130)"), "{}", listed.stdout);

    let mut command = apg(&lab, &["run", "Waits.x10", "--on", "h1", "--keep"]);
    command.env("APG_RECONNECT_TIMEOUT", "0");
    let mut waiting = start(command);
    assert_eq!(waiting.line(), "started\n");
    waiting.child.kill().expect("it runs");
    waiting.end();
    std::thread::sleep(Duration::from_secs(2));
    let listed = run(apg(&lab, &["jobs", "--on", "h1"]));
    assert!(listed.stdout.contains("running"), "{}", listed.stdout);
    let name = listed.stdout.lines().find(|line| line.contains("running")).expect("a job");
    let name = name.split_whitespace().next().expect("a name");
    assert_eq!(run(apg(&lab, &["stop", name, "--on", "h1"])).status, 0);
    lab.assert_nothing_left();
}

#[test]
fn job_ends_with_its_supervisor_and_that_is_said() {
    let Some(lab) = lab("") else { return };
    let mut waiting = start(apg(&lab, &["run", "Waits.x10", "--on", "h1"]));
    assert_eq!(waiting.line(), "started\n");
    let supervisor = lab.processes(1).into_iter().find(|(_, arguments)| arguments.contains(" __job "));
    kill(supervisor.expect("a supervisor").0);
    let (_, status, errors) = waiting.end();
    assert_eq!(status, 1);
    assert!(errors.contains("its supervisor was killed"), "{errors}");
    lab.assert_nothing_left();
}

#[test]
fn two_versions_work_at_once_and_missing_ones_are_copied() {
    let Some(lab) = lab("") else { return };
    // A login script that prints is no obstacle.
    fs::write(lab.home(1).join(".bashrc"), "echo welcome; echo to you >&2\n").expect("written");
    let other = other_version(&lab);
    forget_copies();
    let mut waiting = start(apg(&lab, &["run", "Waits.x10", "--on", "h1"]));
    assert_eq!(waiting.line(), "started\n");
    lab.hide(1, &lab.path("other"));
    let arguments = ["run", "Counts.x10", "--on", "h1", "--message-format", "json", "--", "2"];
    for is_copied in [true, false] {
        let events = events(&run(command_of(&lab, &other, &arguments)));
        assert_eq!(events.iter().any(|event| event["state"] == "installing"), is_copied);
        assert_eq!(events.last().expect("an end")["status"], 3, "{events:?}");
    }
    // Each lists the jobs of both.
    let listed = run(command_of(&lab, &other, &["jobs", "--on", "h1"]));
    assert!(listed.stdout.contains("Waits-") && listed.stdout.contains("running"), "{}", listed.stdout);
    processes::interrupt(&waiting.child);
    assert_eq!(waiting.end().1, 130);
    lab.assert_nothing_left();
}
