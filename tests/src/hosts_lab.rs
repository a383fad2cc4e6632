//! What tests of programs on several hosts share: programs that wait or echo, and what happens to their
//! processes.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::lab::Lab;
use crate::programs::{self, Output};
use crate::{processes, tools};

/// Nothing takes longer, on a machine that does other things.
const LIMIT: Duration = Duration::from_secs(300);

/// Waits until it is ended, with an unfinished line at each place.
pub const WAITS: &str = "public class Waits {
    public static def main(args:Rail[String]) {
        finish for (p in Place.places()) at (p) async {
            Console.OUT.println(\"started\");
            Console.OUT.print(\"unfinished at \" + here.id + \";\");
            System.sleep(100000);
        }
    }
}
";

/// Counts lines of input, and prints lines at all places.
pub const ECHOES: &str = "public class Echoes {
    public static def main(args:Rail[String]) {
        var count:Long = 0;
        for (line in Console.IN.lines()) { count++; if (count == 70000) Console.OUT.println(line); }
        Console.OUT.println(count + \" lines, arguments \" + args(0) + \" and \" + args(1));
        finish for (p in Place.places()) at (p) async {
            for (i in 1..200) Console.OUT.println(\"line \" + i + \" of \" + here.id + \" is in one piece\");
        }
        Console.ERR.println(\"an error\");
        System.setExitCode(7n);
    }
}
";

/// A program that runs in a lab.
pub struct Running {
    /// The launcher.
    pub child: Child,
    /// Its output.
    pub lines: std::io::Lines<BufReader<ChildStdout>>,
}

/// Starts a program with these options and variables.
pub fn spawn(lab: &Lab, source: (&str, &str), arguments: &[&str], variables: &[(&str, &str)]) -> Running {
    fs::write(lab.path(source.0), source.1).expect("written");
    let mut command = lab.apg(tools::apg(), &[&["run", source.0][..], arguments].concat());
    command.envs(variables.iter().copied()).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    Running { child, lines }
}

/// Starts [`WAITS`] at two places each of two hosts, and waits until all have started.
pub fn start_waiting(lab: &Lab, variables: &[(&str, &str)]) -> Running {
    start_waiting_at(lab, "h1:2,h2:2", 4, variables)
}

/// Starts [`WAITS`] at the places of these hosts, and waits until all have started.
pub fn start_waiting_at(lab: &Lab, hosts: &str, places: usize, variables: &[(&str, &str)]) -> Running {
    let mut running = spawn(lab, ("Waits.x10", WAITS), &["--hosts", hosts], variables);
    let started =
        running.lines.by_ref().map(|line| line.expect("text")).filter(|line| line.ends_with("started"));
    assert_eq!(started.take(places).count(), places, "{}", errors_of(running.child));
    running
}

/// Ends a program; what it has printed on standard error.
pub fn errors_of(mut child: Child) -> String {
    let _ = child.kill();
    let mut errors = String::new();
    let _ = child.stderr.take().expect("piped").read_to_string(&mut errors);
    errors
}

/// The end of a program: status as of a shell, rest of the output, standard error.
pub fn end(running: Running) -> (i32, String, String) {
    let rest = std::thread::spawn(move || running.lines.map_while(Result::ok).collect::<Vec<_>>().join("\n"));
    let (status, errors) = processes::end_of(running.child);
    let status = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    (status, rest.join().expect("no panic"), errors)
}

/// Sends a signal, as `kill` names it.
pub fn signal(process: u32, signal: &str) {
    let process = process.to_string();
    assert!(Command::new("kill").args([signal, &process]).status().expect("kill runs").success());
}

/// The process of a place.
pub fn place(lab: &Lab, host: usize, place: u32) -> u32 {
    let start = format!("APG_PLACE_INVITATION={place}/");
    let of_place = |process: u32| {
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|it| it.starts_with(start.as_bytes()))
    };
    let found = lab.processes(host).into_iter().map(|(process, _)| process).find(|it| of_place(*it));
    found.expect("the place's process")
}

/// The agent of a host.
pub fn agent(lab: &Lab, host: usize) -> u32 {
    let found = lab.processes(host).into_iter().find(|(_, arguments)| arguments.contains(" __agent"));
    found.expect("an agent").0
}

/// Runs a command to its end.
pub fn run(command: Command) -> Output {
    programs::run(command, LIMIT).expect("it ends")
}
