//! Jobs: programs whose processes another launcher has started (`mpirun`, `srun`), and what they must not
//! leave behind on any host.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::tools;
use crate::waiting::{eventually, find_eventually};

/// Prints how many lines it has read and its arguments, then 200 lines at each place; its exit status is 7.
pub const ECHOES: &str = "public class Echoes {
    public static def main(args:Rail[String]) {
        var count:Long = 0;
        for (line in Console.IN.lines()) count++;
        Console.OUT.println(count + \" lines, arguments \" + args(0) + \" and \" + args(1));
        finish for (p in Place.places()) at (p) async {
            for (i in 1..200) Console.OUT.println(\"line \" + i + \" of \" + here.id + \" is in one piece\");
        }
        System.setExitCode(7n);
    }
}
";

/// Prints a line and a part of one at each place, and waits.
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

/// Names the variable by which the processes of a job are found on all hosts.
const MARK: &str = "APG_TEST_JOB";

/// The `mpirun` of an MPI: `openmpi` or `mpich`; none after a visible line where it is not installed. Its
/// processes may share CPUs.
pub fn mpirun(mpi: &str, processes: u32) -> Option<Command> {
    let mut command = mpirun_with_own_cpus(mpi, processes)?;
    if mpi == "openmpi" {
        command.arg("--oversubscribe");
    }
    Some(command)
}

/// The same for processes that get CPUs of their own if the MPI's launcher does so.
pub fn mpirun_with_own_cpus(mpi: &str, processes: u32) -> Option<Command> {
    let mut command = Command::new(tools::optional_tool(&format!("mpirun.{mpi}"))?);
    command.arg("-n").arg(processes.to_string());
    if mpi == "openmpi" {
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    Some(command)
}

/// A running job.
pub struct Job {
    child: Child,
    mark: String,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

/// The end of a job.
#[derive(Debug)]
pub struct End {
    /// Exit status, as of a shell.
    pub status: i32,
    /// The lines that were not read before.
    pub lines: Vec<String>,
    /// Standard error.
    pub errors: String,
}

impl Job {
    /// Starts `apg run SOURCE ARGUMENTS` as the processes of a launcher's command, which reads `input`.
    pub fn start(
        mut launcher: Command,
        folder: &Path,
        source: (&str, &str),
        arguments: &[&str],
        input: &str,
    ) -> Job {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mark = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        fs::write(folder.join(source.0), source.1).expect("written");
        fs::write(folder.join("input"), input).expect("written");
        launcher.arg(tools::apg()).args(["run", source.0, "--accels", "none"]).args(arguments);
        launcher.current_dir(folder).env("APG_CACHE_DIR", folder.join("cache")).env(MARK, &mark);
        launcher.stdin(fs::File::open(folder.join("input")).expect("a file"));
        launcher.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = launcher.spawn().expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        Job { child, mark, lines }
    }

    /// Waits until `count` places of [`WAITS`] have started.
    pub fn wait_for_places(&mut self, count: usize) {
        let lines = self.lines.by_ref().map(|line| line.expect("text"));
        let started = lines.filter(|line| line.ends_with("started")).take(count).count();
        assert_eq!(started, count, "{:?}", self.processes());
    }

    /// The processes of the job on all hosts, with their arguments.
    fn processes(&self) -> Vec<(u32, String)> {
        let mark = format!("{MARK}={}", self.mark);
        let all = fs::read_dir("/proc").expect("Linux").filter_map(|entry| {
            let pid: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
            let arguments = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            let is_own = environment.split(|byte| *byte == 0).any(|it| it == mark.as_bytes());
            let arguments = String::from_utf8_lossy(&arguments).replace('\0', " ");
            (is_own && !arguments.is_empty()).then_some((pid, arguments))
        });
        all.collect()
    }

    /// Kills the process with this rank, which variable `variable` tells.
    pub fn kill_rank(&self, variable: &str, rank: u32) {
        let wanted = format!("{variable}={rank}");
        let is_rank = |pid: u32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|it| it == wanted.as_bytes())
        };
        let find = || {
            let processes = self.processes().into_iter();
            // Its places are further processes, of another first argument.
            let mut own = processes.filter(|(_, arguments)| arguments.contains(" run "));
            own.find(|(pid, _)| is_rank(*pid))
        };
        let (pid, _) = find_eventually(find).expect("a process with this rank");
        assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().expect("kill runs").success());
    }

    /// As Ctrl-C does.
    pub fn interrupt(&self) {
        crate::processes::interrupt(&self.child);
    }

    /// Waits for the end, after which nothing may be left.
    pub fn end(mut self) -> End {
        let mut stderr = self.child.stderr.take().expect("piped");
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let lines: Vec<String> = self.lines.by_ref().map_while(Result::ok).collect();
        let status = self.child.wait().expect("a child");
        eventually(|| self.processes().is_empty());
        assert_eq!(self.processes(), [], "processes are left");
        let status = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        End { status, lines, errors: errors.join().expect("no panic") }
    }
}

/// Checks the end of [`ECHOES`] at `places` places, which had `lines` lines of input.
pub fn check_echoes(end: &End, places: usize, lines: usize) {
    let mut expected: Vec<String> = (0..places)
        .flat_map(|place| (1..=200).map(move |line| format!("line {line} of {place} is in one piece")))
        .collect();
    expected.push(format!("{lines} lines, arguments -a and b c"));
    expected.sort();
    let mut found = end.lines.clone();
    found.sort();
    assert_eq!(found, expected, "{}", end.errors);
    assert_eq!(end.status, 7, "{}", end.errors);
}
