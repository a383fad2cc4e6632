//! What tests of `--on` share: a lab of hosts with programs and a build cache, and commands that run while
//! something happens to their hosts.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::lab::Lab;
use crate::network_emulator::Link;
use crate::programs::{self, Output};
use crate::tools;

/// Nothing takes longer, on a machine that does other things.
const LIMIT: Duration = Duration::from_secs(300);

/// Counts lines of input, and prints its arguments.
pub const ECHOES: &str = "public class Echoes {
    public static def main(args:Rail[String]) {
        var count:Long = 0;
        for (line in Console.IN.lines()) { count++; if (count == 70000) Console.OUT.println(line); }
        Console.OUT.println(count + \" lines, arguments \" + args(0) + \" and \" + args(1) + \" \" + Places.name());
        Console.ERR.println(\"an error\");
        System.setExitCode(7n);
    }
}
";

/// A class that [`ECHOES`] uses.
pub const PLACES: &str =
    "public class Places { public static def name() = \"at \" + Place.places().size(); }\n";

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

/// Waits until it is ended.
const WAITS: &str = "public class Waits {
    public static def main(args:Rail[String]) {
        Console.OUT.println(\"started\");
        System.sleep(1000000);
    }
}
";

/// What [`COUNTS`] prints.
pub fn counted(rounds: usize) -> String {
    (0..rounds)
        .flat_map(|round| (1..=100).map(move |line| format!("line {line} of round {round}\n")))
        .collect()
}

/// A lab of one host with the programs of this file. Its build cache is shared by all tests.
pub fn lab(options: &str) -> Option<Lab> {
    Lab::with_server_options(1, options).map(furnish)
}

/// The same, reached by a link with this delay and loss.
pub fn lab_behind(link: Link) -> Option<Lab> {
    Lab::with_links(1, link).map(furnish)
}

fn furnish(lab: Lab) -> Lab {
    for (name, text) in [("Echoes", ECHOES), ("Places", PLACES), ("Counts", COUNTS), ("Waits", WAITS)] {
        fs::write(lab.path(&format!("{name}.x10")), text).expect("written");
    }
    let cache = tools::apg().parent().expect("a folder").join("remote-cache");
    fs::create_dir_all(&cache).expect("a folder");
    fs::create_dir_all(lab.home(1).join(".cache")).expect("a folder");
    symlink(&cache, lab.home(1).join(".cache/apg")).expect("a link");
    symlink(&cache, lab.path("cache")).expect("a link");
    lab
}

/// A command of this executable of apg.
pub fn command_of(lab: &Lab, executable: &Path, arguments: &[&str]) -> Command {
    let mut command = lab.apg(executable, arguments);
    let run = lab.path("r");
    fs::create_dir_all(&run).expect("a folder");
    // Connections are shared within a test.
    command.env("XDG_RUNTIME_DIR", run).env("XDG_CONFIG_HOME", lab.path("config"));
    command
}

/// A command of apg.
pub fn apg(lab: &Lab, arguments: &[&str]) -> Command {
    command_of(lab, tools::apg(), arguments)
}

/// Runs a command to its end.
pub fn run(command: Command) -> Output {
    programs::run(command, LIMIT).expect("it ends")
}

/// Starts a command whose output is collected.
pub struct Started {
    /// The process.
    pub child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

/// Starts a command.
pub fn start(mut command: Command) -> Started {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().expect("it starts");
    let lines = BufReader::new(child.stdout.take().expect("piped"));
    Started { child, lines }
}

impl Started {
    /// The next line.
    pub fn line(&mut self) -> String {
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
    pub fn end(mut self) -> (String, i32, String) {
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
pub fn ssh_of(child: &Child) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).unwrap_or_default();
    let all = fs::read_dir(format!("/proc/{}/task", child.id())).expect("it runs").flatten();
    let of_threads = all.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    let all: String = of_threads.collect::<Vec<_>>().join(" ") + &children;
    let is_ssh =
        |pid: &u32| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "ssh");
    all.split_whitespace().filter_map(|pid| pid.parse().ok()).filter(is_ssh).collect()
}

/// Kills a process.
pub fn kill(process: u32) {
    let _ = Command::new("kill").args(["-9", &process.to_string()]).stderr(Stdio::null()).status();
}

/// The events of a run.
pub fn events(output: &Output) -> Vec<Value> {
    output.stdout.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

/// A copy of apg with another build ID.
pub fn other_version(lab: &Lab) -> PathBuf {
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

/// Removes what an earlier run of this test program has copied to the lab's remote machines: versions of apg.
pub fn forget_copies() {
    let copies = tools::apg().with_file_name("remote-cache").join("agents");
    for copy in fs::read_dir(copies).into_iter().flatten().flatten() {
        fs::remove_file(copy.path()).expect("removed");
    }
}
