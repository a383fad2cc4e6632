//! Build and run on a remote machine (`--on`): network namespaces with a real ssh server each.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use apg_tests::lab::Lab;
use apg_tests::programs::{self, Output};
use apg_tests::waiting::eventually;
use apg_tests::{processes, tools};
use serde_json::Value;

/// Nothing takes longer, on a machine that does other things.
const LIMIT: Duration = Duration::from_secs(300);

const ECHOES: &str = "public class Echoes {
    public static def main(args:Rail[String]) {
        var count:Long = 0;
        for (line in Console.IN.lines()) { count++; if (count == 70000) Console.OUT.println(line); }
        Console.OUT.println(count + \" lines, arguments \" + args(0) + \" and \" + args(1) + \" \" + Places.name());
        Console.ERR.println(\"an error\");
        System.setExitCode(7n);
    }
}
";

const PLACES: &str = "public class Places { public static def name() = \"at \" + Place.places().size(); }\n";

/// Prints numbered lines for a while.
const COUNTS: &str = "public class Counts {
    public static def main(args:Rail[String]) {
        val rounds = Long.parse(args(0));
        for (round in 0..(rounds - 1)) {
            for (line in 1..100) Console.OUT.println(\"line \" + line + \" of round \" + round);
            Console.ERR.println(\"round \" + round);
            System.sleep(20);
        }
        System.setExitCode(3n);
    }
}
";

const WAITS: &str = "public class Waits {
    public static def main(args:Rail[String]) {
        Console.OUT.println(\"started\");
        System.sleep(1000000);
    }
}
";

/// What [`COUNTS`] prints.
fn counted(rounds: usize) -> String {
    (0..rounds)
        .flat_map(|round| (1..=100).map(move |line| format!("line {line} of round {round}\n")))
        .collect()
}

/// A lab of one host with the programs of this file. Its build cache is shared by all tests.
fn lab(options: &str) -> Option<Lab> {
    let lab = Lab::with_server_options(1, options)?;
    for (name, text) in [("Echoes", ECHOES), ("Places", PLACES), ("Counts", COUNTS), ("Waits", WAITS)] {
        fs::write(lab.path(&format!("{name}.x10")), text).expect("written");
    }
    let cache = tools::apg().parent().expect("a folder").join("remote-cache");
    fs::create_dir_all(&cache).expect("a folder");
    fs::create_dir_all(lab.home(1).join(".cache")).expect("a folder");
    symlink(&cache, lab.home(1).join(".cache/apg")).expect("a link");
    symlink(&cache, lab.path("cache")).expect("a link");
    Some(lab)
}

fn command_of(lab: &Lab, executable: &Path, arguments: &[&str]) -> Command {
    let mut command = lab.apg(executable, arguments);
    let run = lab.path("r");
    fs::create_dir_all(&run).expect("a folder");
    // Connections are shared within a test.
    command.env("XDG_RUNTIME_DIR", run).env("XDG_CONFIG_HOME", lab.path("config"));
    command
}

fn apg(lab: &Lab, arguments: &[&str]) -> Command {
    command_of(lab, tools::apg(), arguments)
}

fn run(command: Command) -> Output {
    programs::run(command, LIMIT).expect("it ends")
}

/// Starts a command whose output is collected.
struct Started {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

fn start(mut command: Command) -> Started {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().expect("it starts");
    let lines = BufReader::new(child.stdout.take().expect("piped"));
    Started { child, lines }
}

impl Started {
    /// The next line.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("text");
        if line.is_empty() {
            let mut errors = String::new();
            let _ = self.child.stderr.take().expect("piped").read_to_string(&mut errors);
            panic!("it has ended: {errors}");
        }
        line
    }

    /// The rest of the output, the exit status as of a shell, and standard error.
    fn end(mut self) -> (String, i32, String) {
        let errors = std::thread::spawn({
            let mut errors = self.child.stderr.take().expect("piped");
            move || {
                let mut text = String::new();
                errors.read_to_string(&mut text).expect("text");
                text
            }
        });
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).expect("text");
        let status = self.child.wait().expect("it ends");
        let status = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        (rest, status, errors.join().expect("no panic"))
    }
}

/// The ssh processes of a command.
fn ssh_of(child: &Child) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).unwrap_or_default();
    let all = fs::read_dir(format!("/proc/{}/task", child.id())).expect("it runs").flatten();
    let of_threads = all.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    let all: String = of_threads.collect::<Vec<_>>().join(" ") + &children;
    let is_ssh =
        |pid: &u32| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "ssh");
    all.split_whitespace().filter_map(|pid| pid.parse().ok()).filter(is_ssh).collect()
}

fn kill(process: u32) {
    let _ = Command::new("kill").args(["-9", &process.to_string()]).stderr(Stdio::null()).status();
}

fn events(output: &Output) -> Vec<Value> {
    output.stdout.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

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
    assert!(again.stderr.contains("there is no job"), "{}", again.stderr);

    let mut waiting = start(apg(&lab, &["run", "Waits.x10", "--on", "h1"]));
    assert_eq!(waiting.line(), "started\n");
    let listed = run(apg(&lab, &["jobs", "--on", "h1", "--message-format", "json"]));
    let job: Value = serde_json::from_str(listed.stdout.trim()).expect("a job");
    assert_eq!((&job["state"], &job["host"]), (&"running".into(), &"h1".into()));
    let name = job["name"].as_str().expect("a name");
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

/// A copy of apg with another build ID.
fn other_version(lab: &Lab) -> PathBuf {
    let mut bytes = fs::read(tools::apg()).expect("apg");
    let note = b"\x14\0\0\0\x03\0\0\0GNU\0";
    let at = bytes.windows(note.len()).position(|window| window == note).expect("a build ID");
    bytes[at + note.len()] ^= 0xff;
    let folder = lab.path("other");
    fs::create_dir(&folder).expect("a folder");
    let path = folder.join("apg");
    fs::copy(tools::apg(), &path).expect("a copy");
    fs::write(&path, bytes).expect("written");
    path
}

#[test]
fn two_versions_work_at_once_and_missing_ones_are_copied() {
    let Some(lab) = lab("") else { return };
    // A login script that prints is no obstacle.
    fs::write(lab.home(1).join(".bashrc"), "echo welcome; echo to you >&2\n").expect("written");
    let other = other_version(&lab);
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
    assert!(output.stderr.contains("there is no host of this name"), "{}", output.stderr);
    let output = run(apg(&lab, &["run", "Counts.x10", "--on", "-oProxyCommand=x", "--", "2"]));
    assert_eq!(output.status, 2, "{}", output.stderr);
    lab.assert_nothing_left();
}

#[test]
fn full_disk_and_folders_without_execution_are_said() {
    let Some(lab) = lab("") else { return };
    let other = other_version(&lab);
    lab.hide(1, &lab.path("other"));
    let home = Path::new("/root");
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
    let left = lab.in_mounts_of(1, &["find", "/root", "-type", "f"]);
    assert_eq!(left, "", "nothing is in the home folder");
    lab.assert_nothing_left();
}

#[test]
fn output_is_whole_when_its_journal_finds_no_room() {
    let Some(lab) = lab("") else { return };
    let state = lab.home(1).join(".local/state/apg");
    fs::create_dir_all(&state).expect("a folder");
    lab.mount(1, Path::new("/root/.local/state/apg"), "size=300k,mode=700");
    let output = run(apg(&lab, &["run", "Counts.x10", "--on", "h1", "--", "300"]));
    assert!(output.stdout == counted(300), "{} bytes: {}", output.stdout.len(), output.stderr);
    assert_eq!(output.status, 3);
    assert!(output.stderr.contains("the output is not kept on h1"), "{}", output.stderr);
    lab.assert_nothing_left();
}
