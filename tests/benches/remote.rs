//! Programs on a remote machine (`apg run --on`): from the start of the command to the first line of output,
//! when nothing has changed and when apg has to be copied first; and from the return of a cut link to the
//! next line. The machine is a network namespace with an ssh server. Budgets: 0.15 s without delay; five
//! round trips and 0.3 s with delay; 1 s after a cut.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use apg_tests::lab::Lab;
use apg_tests::measure::{Times, head, machine, row};
use apg_tests::network_emulator::Link;
use apg_tests::remote_lab::{apg, lab, lab_behind, run};
use apg_tests::tools;

const RUNS: usize = 9;
/// How long links are cut: for less and for more than TCP waits before it sends again.
const CUTS: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(20)];
/// No line comes for so long where none is under way.
const SILENCE: Duration = Duration::from_millis(500);
/// How long a line may take to come.
const LINE_TIMEOUT: Duration = Duration::from_secs(60);

fn main() {
    let filter = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    println!("machine: {}", machine());
    let no_loss = |delay| Link { delay, jitter: Duration::ZERO, lost_per_mille: 0, seed: 1 };
    if "warm".contains(&filter) {
        head("`apg run FILE --on HOST` to the first line of output, nothing changed");
        lab("").iter().for_each(|lab| warm(lab, "no delay"));
        let delayed = lab_behind(no_loss(Duration::from_millis(20)));
        delayed.iter().for_each(|lab| warm(lab, "20 ms each way"));
    }
    if "first".contains(&filter) {
        head("the first `apg run FILE --on HOST`, to the first line of output");
        lab("").iter().for_each(first);
    }
    if "resume".contains(&filter) {
        head("from the return of a cut link to the next line of output");
        lab("").iter().for_each(resume);
    }
}

fn counts(lab: &Lab, rounds: &str) -> Command {
    apg(lab, &["run", "Counts.x10", "--on", "h1", "--", rounds])
}

/// The first run builds the program, and the connection of ssh remains.
fn warm(lab: &Lab, name: &str) {
    let first = run(counts(lab, "1"));
    assert_eq!(first.status, 3, "{}", first.stderr);
    row(name, &(0..RUNS).map(|_| time_of_first_line(lab)).collect(), None);
}

/// The machine has nothing of apg: it is copied there, and builds the program.
fn first(lab: &Lab) {
    lab.hide(1, tools::apg().parent().expect("a folder"));
    let start = || {
        let _ = std::fs::remove_dir_all(lab.home(1).join(".cache"));
        time_of_first_line(lab)
    };
    // The connection of ssh remains.
    start();
    row("copy of apg, and build", &(0..RUNS).map(|_| start()).collect(), None);
}

fn time_of_first_line(lab: &Lab) -> Duration {
    let start = Instant::now();
    let (child, mut output) = spawn(counts(lab, "1"));
    output.read_line(&mut String::new()).expect("text");
    let time = start.elapsed();
    end(child, output);
    time
}

fn spawn(mut command: Command) -> (Child, BufReader<ChildStdout>) {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().expect("it starts");
    let output = BufReader::new(child.stdout.take().expect("piped"));
    (child, output)
}

fn end(mut child: Child, output: BufReader<ChildStdout>) {
    output.lines().for_each(|line| drop(line.expect("text")));
    assert_eq!(child.wait().expect("it ends").code(), Some(3));
}

/// Sends the time at which each line comes.
fn times_of_lines(output: BufReader<ChildStdout>) -> Receiver<Instant> {
    let (sender, times) = channel();
    std::thread::spawn(move || {
        for line in output.lines() {
            line.expect("text");
            let _ = sender.send(Instant::now());
        }
    });
    times
}

fn resume(lab: &Lab) {
    let first = run(counts(lab, "1"));
    assert_eq!(first.status, 3, "{}", first.stderr);
    for cut in CUTS {
        let mut taken = Vec::new();
        for _ in 0..3 {
            // A round takes 20 ms: it prints as long as this takes.
            let (mut child, output) = spawn(counts(lab, "100000"));
            let lines = times_of_lines(output);
            lines.recv_timeout(LINE_TIMEOUT).expect("a line");
            lab.set_link(1, false);
            let cut_at = Instant::now();
            while lines.recv_timeout(SILENCE).is_ok() {}
            std::thread::sleep(cut.saturating_sub(cut_at.elapsed()));
            lab.set_link(1, true);
            let restored = Instant::now();
            let next = lines.recv_timeout(LINE_TIMEOUT).expect("a line");
            taken.push(next.saturating_duration_since(restored));
            apg_tests::processes::interrupt(&child);
            child.wait().expect("it ends");
        }
        row(&format!("after {} s", cut.as_secs()), &Times::from_iter(taken), None);
    }
}
