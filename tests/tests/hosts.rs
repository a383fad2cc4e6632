//! Programs on several hosts: network namespaces with a real ssh server each, and places that speak over TCP.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use apg_tests::hosts_lab::{ECHOES, agent, end, place, run, signal, start_waiting};
use apg_tests::lab::Lab;
use apg_tests::network_emulator::Link;
use apg_tests::programs::{self, Program};
use apg_tests::{processes, tools};

/// Runs test programs on two hosts, two places each.
fn check_programs(lab: &Lab, chosen: &[&str]) {
    let ssh = lab.ssh();
    // Lines of different hosts come in the order in which they arrive.
    let programs = programs::all(&tools::repository().join("tests/programs"));
    for program in programs.into_iter().map(Program::in_any_order) {
        if chosen.contains(&program.name().as_str()) {
            let options = ["--hosts", "h1:2,h2:2", "--accels", "none"];
            let variables = [("X10_LAUNCHER_SSH", Path::new(&ssh))];
            program
                .check(4, &options, &variables)
                .unwrap_or_else(|error| panic!("{}: {error}", program.name()));
        }
    }
    lab.assert_nothing_left();
}

#[test]
fn programs_do_the_same_on_hosts_as_on_one_machine() {
    let Some(lab) = Lab::new(2) else { return };
    let chosen = ["places", "distribution", "dist_arrays", "teams", "remote", "global_refs", "serialization"];
    check_programs(&lab, &chosen);
}

#[test]
fn programs_do_the_same_over_links_with_delay_and_loss() {
    let (delay, jitter) = (Duration::from_millis(2), Duration::from_millis(1));
    let Some(lab) = Lab::with_links(2, Link { delay, jitter, lost_per_mille: 5, seed: 1 }) else { return };
    check_programs(&lab, &["places", "teams", "remote"]);
}

#[test]
fn data_between_hosts_is_encrypted_unless_the_network_is_private() {
    /// Strings travel as UTF-8.
    const SENDS: &str = "public class Sends {
        public static def main(args:Rail[String]) {
            val text = \"confidential \" + args(0) + \" confidential\";
            for (p in Place.places()) at (p) { if (text.length() == 0n) Console.OUT.println(); }
            Console.OUT.println(text.length());
        }
    }";
    let Some(lab) = Lab::new(2) else { return };
    fs::write(lab.path("Sends.x10"), SENDS).expect("written");
    for (option, is_readable) in [("--private-network", true), ("--accels=none", false)] {
        let recorder = lab.record(2);
        let arguments = ["run", "Sends.x10", "--hosts", "h1:1,h2:1", option, "--", "of-the-run"];
        let output = run(lab.apg(tools::apg(), &arguments));
        let packets = recorder.end();
        assert_eq!((output.status, output.stdout.as_str()), (0, "36\n"), "{}", output.stderr);
        assert!(packets.len() > 10_000, "the link was recorded");
        let found = packets.windows(23).any(|bytes| bytes == b"confidential of-the-run");
        assert_eq!(found, is_readable, "{option}");
    }
    lab.assert_nothing_left();
}

/// Frames arrive in small pieces, and writers wait.
#[test]
fn copies_over_slow_links_are_whole() {
    const COPIES: &str = "public class Copies {
        public static def main(args:Rail[String]) {
            val rail = new Rail[Long](300000, (i:Long) => i * i);
            finish for (p in Place.places()) async {
                val back = at (p) { for (i in rail.range) rail(i) += here.id; rail };
                var wrong:Long = 0;
                for (i in back.range) if (back(i) != i * i + p.id) wrong++;
                Console.OUT.println(p.id + \": \" + back.size + \" elements, \" + wrong + \" wrong\");
            }
        }
    }";
    let Some(lab) = Lab::new(2) else { return };
    (1..=2).for_each(|host| lab.limit_rate(host, "40mbit"));
    fs::write(lab.path("Copies.x10"), COPIES).expect("written");
    let output = run(lab.apg(tools::apg(), &["run", "Copies.x10", "--hosts", "h1:2,h2:2"]));
    let mut lines: Vec<&str> = output.stdout.lines().collect();
    lines.sort_unstable();
    let expected = [0, 1, 2, 3].map(|place| format!("{place}: 300000 elements, 0 wrong"));
    assert_eq!(lines, expected, "{}", output.stderr);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    lab.assert_nothing_left();
}

#[test]
fn input_output_arguments_and_status_travel() {
    let Some(lab) = Lab::new(2) else { return };
    fs::write(lab.path("Echoes.x10"), ECHOES).expect("written");
    fs::write(lab.path("hosts"), "h1 slots=1\nh2:2 # two\n").expect("written");
    let mut command = lab.apg(tools::apg(), &["run", "Echoes.x10", "--hostfile", "hosts", "--", "-a", "b c"]);
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
    assert_eq!(output.status.code(), Some(7), "{out}{errors}");
    let mut lines: Vec<&str> = out.lines().collect();
    let mut expected: Vec<String> = (0..3)
        .flat_map(|place| (1..=200).map(move |line| format!("line {line} of {place} is in one piece")))
        .collect();
    expected.extend(["input 70000", "100000 lines, arguments -a and b c"].map(str::to_owned));
    expected.sort();
    lines.sort_unstable();
    assert_eq!(lines, expected, "{errors}");
    assert_eq!(errors, "an error\n");
    lab.assert_nothing_left();
}

#[test]
fn variables_of_x10_name_hosts() {
    let Some(lab) = Lab::new(2) else { return };
    let text = "public class Where { public static def main(args:Rail[String]) {
        finish for (p in Place.places()) at (p) async Console.OUT.println(here.id + \" \" + System.getenv(\"HOME\"));
    } }";
    fs::write(lab.path("Where.x10"), text).expect("written");
    fs::write(lab.path("hosts"), "h2\nh1\n").expect("written");
    for (variable, value, places) in [("X10_HOSTLIST", "h1,h2", "3"), ("X10_HOSTFILE", "hosts", "2")] {
        let mut command = lab.apg(tools::apg(), &["run", "Where.x10"]);
        command.env(variable, value).env("X10_NPLACES", places);
        let output = run(command);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert_eq!(output.stdout.lines().count().to_string(), places, "{}", output.stdout);
    }
    // A single-file program is its own launcher and agent.
    let built = run(lab.apg(tools::apg(), &["build", "Where.x10", "-o", "where"]));
    assert_eq!(built.status, 0, "{}", built.stderr);
    lab.hide(1, &lab.path("cache"));
    let mut command = lab.apg(&lab.path("where"), &[]);
    command.env("X10_HOSTLIST", "h1,h2").env("X10_NPLACES", "4");
    let output = run(command);
    assert_eq!((output.status, output.stdout.lines().count()), (0, 4), "{}", output.stderr);
    lab.assert_nothing_left();
}

#[test]
fn apg_is_copied_once_to_hosts_that_lack_it() {
    let Some(lab) = Lab::new(1) else { return };
    let folder = lab.path("installed");
    fs::create_dir(&folder).expect("a folder");
    let executable = folder.join("apg");
    fs::copy(tools::apg(), &executable).expect("a copy");
    lab.hide(1, &folder);
    // A login script that prints is no obstacle.
    fs::write(lab.home(1).join(".bashrc"), "echo welcome; echo to you >&2\n").expect("written");
    fs::write(lab.path("Echoes.x10"), ECHOES).expect("written");
    let start = || {
        let output = run(lab.apg(&executable, &["run", "Echoes.x10", "--hosts", "h1:2", "--", "a", "b"]));
        assert_eq!(output.status, 7, "{}", output.stderr);
    };
    start();
    let copies = lab.home(1).join(".cache/apg/agents");
    let copy = || {
        let entries: Vec<_> =
            fs::read_dir(&copies).expect("a folder").map(|it| it.expect("a file")).collect();
        assert_eq!(entries.len(), 1, "{entries:?}");
        let data = entries[0].metadata().expect("a file");
        assert_eq!(data.permissions().mode() & 0o777, 0o700);
        data.modified().expect("a time")
    };
    let first = copy();
    start();
    assert_eq!(copy(), first, "it was copied again");
    lab.assert_nothing_left();
}

#[test]
fn killed_place_is_named_with_its_host() {
    let Some(lab) = Lab::new(2) else { return };
    let running = start_waiting(&lab, &[]);
    signal(place(&lab, 2, 3), "-9");
    let (status, _, errors) = end(running);
    assert_eq!(status, 137);
    assert_eq!(errors, "apg: place 3 on h2 ended unexpectedly (killed by signal 9)\n");
    lab.assert_nothing_left();
    let running = start_waiting(&lab, &[]);
    signal(place(&lab, 1, 0), "-9");
    let (status, _, errors) = end(running);
    assert_eq!(status, 137);
    assert!(errors.contains("place 0 on h1 ended unexpectedly (killed by signal 9)"), "{errors}");
    lab.assert_nothing_left();
}

#[test]
fn interrupted_program_ends_everywhere_with_what_it_has_printed() {
    let Some(lab) = Lab::new(2) else { return };
    let running = start_waiting(&lab, &[]);
    std::thread::sleep(Duration::from_millis(500));
    processes::interrupt(&running.child);
    let (status, rest, errors) = end(running);
    assert_eq!((status, errors.as_str()), (130, ""));
    for place in 0..4 {
        assert!(rest.contains(&format!("unfinished at {place};")), "{rest}");
    }
    lab.assert_nothing_left();
}

#[test]
fn nothing_outlives_a_killed_launcher_or_agent() {
    let Some(lab) = Lab::new(2) else { return };
    let mut running = start_waiting(&lab, &[]);
    running.child.kill().expect("it runs");
    running.child.wait().expect("it has ended");
    lab.assert_nothing_left();
    let running = start_waiting(&lab, &[]);
    signal(agent(&lab, 2), "-9");
    let (status, _, errors) = end(running);
    assert_eq!(status, 1);
    assert!(errors.contains("host h2 (places 2, 3) is lost"), "{errors}");
    lab.assert_nothing_left();
}

#[test]
fn silent_hosts_and_places_end_the_program() {
    let Some(lab) = Lab::new(2) else { return };
    let patience = [("APG_SILENCE_TIMEOUT", "3")];
    let running = start_waiting(&lab, &patience);
    let stopped = agent(&lab, 2);
    signal(stopped, "-STOP");
    let (status, _, errors) = end(running);
    assert_eq!(status, 1);
    assert!(errors.contains("host h2 (places 2, 3) is lost: it gives no sign of life"), "{errors}");
    signal(stopped, "-CONT");
    lab.assert_nothing_left();

    let running = start_waiting(&lab, &patience);
    lab.set_link(2, false);
    let (status, _, errors) = end(running);
    assert_eq!(status, 1);
    assert!(errors.contains("on h2") || errors.contains("host h2"), "{errors}");
    // The host itself notices, without the link.
    lab.assert_nothing_left();
    lab.set_link(2, true);

    let running = start_waiting(&lab, &patience);
    signal(place(&lab, 2, 3), "-STOP");
    let (status, _, errors) = end(running);
    assert_eq!(status, 1);
    assert!(errors.contains("place 3 on h2: no sign of life for 3 seconds"), "{errors}");
    lab.assert_nothing_left();
}

/// Work at each place, and messages between them.
const WORKS: &str = "public class Works {
    public static def main(args:Rail[String]) {
        finish for (p in Place.places()) at (p) async System.sleep(30);
        if (args.size > 0) at (Place.places()(1)) System.killHere();
        System.setExitCode(5n);
    }
}
";

#[test]
fn profiles_of_all_hosts_come_back_in_the_time_of_the_launcher() {
    let Some(lab) = Lab::new(2) else { return };
    fs::write(lab.path("Works.x10"), WORKS).expect("written");
    let folder = lab.path("profiles");
    fs::create_dir(&folder).expect("a folder");
    let file = folder.join("trace.json");
    let name = file.display().to_string();
    let uptime = || {
        let text = fs::read_to_string("/proc/uptime").expect("Linux");
        text.split(' ').next().and_then(|seconds| seconds.parse::<f64>().ok()).expect("a number") * 1e6
    };
    let began = uptime();
    let arguments = ["run", "Works.x10", "--hosts", "h1:2,h2:1", "--accels", "none", "--profile", &name];
    let output = run(lab.apg(tools::apg(), &arguments));
    assert_eq!(output.status, 5, "{}", output.stderr);
    assert!(output.stderr.contains(&format!("profile in {name}")), "{}", output.stderr);
    let trace = fs::read_to_string(&file).expect("a profile");
    let trace: serde_json::Value = serde_json::from_str(&trace).expect("JSON");
    let spans: Vec<_> = trace["traceEvents"].as_array().expect("events").iter().collect();
    for place in 0..3 {
        let of_place = |span: &&&serde_json::Value| span["ph"] == "X" && span["pid"] == place;
        let times: Vec<f64> = spans.iter().filter(of_place).filter_map(|span| span["ts"].as_f64()).collect();
        assert!(!times.is_empty(), "place {place} has no spans: {trace}");
        // The hosts' clocks are this machine's: a comparison of clocks does not move them far.
        assert!(times.iter().all(|time| (began - 1e5..uptime() + 1e5).contains(time)), "{times:?}");
    }
    // A place that was killed leaves none, and the others theirs.
    let output = run(lab.apg(tools::apg(), &[&arguments[..], &["--", "kill"]].concat()));
    assert_ne!(output.status, 0);
    assert!(output.stderr.contains("place 1 on h1"), "{}", output.stderr);
    assert!(output.stderr.contains(&format!("profile in {name}")), "{}", output.stderr);
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1, "parts are left");
    lab.assert_nothing_left();
}

#[test]
fn options_for_one_machine_are_refused_with_what_to_write() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("Works.x10"), WORKS).expect("written");
    for option in ["--debugger", "--sanitize=thread"] {
        let arguments = ["run", "Works.x10", "--hosts", "h1,h2", option];
        let (status, errors) =
            processes::end_of(processes::apg(folder.path(), &arguments).spawn().expect("it starts"));
        let name = option.split('=').next().expect("a word");
        assert_eq!(status.code(), Some(2), "{errors}");
        assert!(errors.contains(&format!("{name} is for places of one machine")), "{errors}");
        assert!(errors.contains("`--on HOST`"), "{errors}");
    }
}

#[test]
fn no_place_listens_once_the_program_runs() {
    let Some(lab) = Lab::new(2) else { return };
    let mut running = start_waiting(&lab, &[]);
    for host in [1, 2] {
        // "number: local address, remote address, state": 0A listens; 0016 is the ssh server's port.
        let sockets = lab.at(host, &["cat", "/proc/net/tcp", "/proc/net/tcp6"]);
        let listeners = sockets.lines().filter(|line| line.split_whitespace().nth(3) == Some("0A"));
        let strangers: Vec<&str> = listeners.filter(|line| !line.contains(":0016 ")).collect();
        assert_eq!(strangers, Vec::<&str>::new());
    }
    // The secret is in no argument and no environment: 64 hexadecimal digits in a row would be one.
    for (process, arguments) in lab.processes(1) {
        let environment = fs::read(format!("/proc/{process}/environ")).expect("an environment");
        let invitation = String::from_utf8_lossy(&environment)
            .split('\0')
            .find_map(|it| it.strip_prefix("APG_PLACE_INVITATION=").map(str::to_owned));
        assert!(invitation.is_none_or(|text| text.len() < 16), "{arguments}");
    }
    running.child.kill().expect("it runs");
    running.child.wait().expect("it has ended");
    lab.assert_nothing_left();
}
