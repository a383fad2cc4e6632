//! Messages between two hosts, beside plain TCP on the same link, and the start of places on eight hosts.
//! Hosts are network namespaces with an ssh server each. Budgets: 1.2 times the round trip of TCP, 90 % of
//! its bandwidth, 2 s to start 32 places by ssh, 1 s by `srun`.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use apg_tests::lab::Lab;
use apg_tests::measure::{Times, head, machine, row};
use apg_tests::slurm::Slurm;
use apg_tests::tools;

/// What is measured, how often in a round, with how many bytes, and what that is.
const CASES: [(&str, u64, u64, &str); 4] = [
    ("at", 5_000, 0, "round trips, `at (p) { }`"),
    ("put", 500, 64 << 10, "times `Rail.asyncCopy`"),
    ("put", 50, 1_000_000, "times `Rail.asyncCopy`"),
    ("put", 4, 100_000_000, "times `Rail.asyncCopy`"),
];
const ROUNDS: usize = 5;
const PORT: u16 = 7171;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| -> u64 { arguments[index].parse().expect("a number") };
    match arguments.first().map(String::as_str) {
        Some("--answer") => answer(number(1), number(2)),
        Some("--ask") => ask(&arguments[3], number(1), number(2)),
        filter => measure(filter.filter(|word| !word.starts_with('-')).unwrap_or_default()),
    }
}

/// Measures the cases whose name contains the filter.
fn measure(filter: &str) {
    println!("machine: {}", machine());
    let cases: Vec<_> = CASES.into_iter().filter(|case| case.0.contains(filter)).collect();
    if !cases.is_empty()
        && let Some(lab) = Lab::new(2)
    {
        cases.into_iter().for_each(|case| measure_messages(&lab, case));
    }
    if "start".contains(filter) {
        measure_start();
    }
}

fn measure_messages(lab: &Lab, (what, count, bytes, title): (&str, u64, u64, &str)) {
    let source = tools::repository().join("tests/bench/spawn.x10").display().to_string();
    head(&format!("{count} {title}, {bytes} bytes"));
    let peer = tcp(lab, count, bytes);
    for (name, option) in [("apg, encrypted", None), ("apg, private network", Some("--private-network"))] {
        let numbers = [count, bytes].map(|it| it.to_string());
        let mut words = vec!["run", "--release", "--accels", "none", "--hosts", "h1,h2"];
        words.extend(option);
        words.extend([source.as_str(), "--", what, &numbers[0], &numbers[1]]);
        row(name, &rounds(&mut lab.apg(tools::apg(), &words)), Some(&peer));
    }
    row("peer: plain TCP, as much there, one byte back", &peer, None);
}

/// Starts 32 places of 8 hosts, by ssh and by Slurm.
fn measure_start() {
    const PROGRAM: &str = "class Empty { public static def main(Rail[String]) { } }";
    head("start and end of a program at 32 places of 8 hosts");
    let options = ["run", "--accels", "none", "--threads", "1", "Empty.x10"];
    if let Some(lab) = Lab::new(8) {
        std::fs::write(lab.path("Empty.x10"), PROGRAM).expect("written");
        let hosts = (1..=8).map(|host| format!("h{host}:4")).collect::<Vec<_>>().join(",");
        let mut command = lab.apg(tools::apg(), &options);
        row("apg, by ssh", &starts(command.args(["--hosts", &hosts])), None);
    }
    if let Some(slurm) = Slurm::new(8) {
        std::fs::write(slurm.lab.path("Empty.x10"), PROGRAM).expect("written");
        for interface in ["pmi2", "none"] {
            let mut command = slurm.command("srun");
            command.args(["--quiet", "-N", "8", "-n", "32"]).arg(format!("--mpi={interface}"));
            command.arg(tools::apg()).args(options).current_dir(slurm.lab.path(""));
            command.env("APG_CACHE_DIR", slurm.lab.path("cache"));
            row(&format!("apg, by srun --mpi={interface}"), &starts(&mut command), None);
            let mut peer = slurm.command("srun");
            peer.args(["--quiet", "-N", "8", "-n", "32"]).arg(format!("--mpi={interface}")).arg("true");
            row("peer: srun of `true`", &starts(&mut peer), None);
        }
    }
}

/// The times of a command, when all that it needs has been built.
fn starts(command: &mut Command) -> Times {
    let mut run = || {
        let output = command.stdin(Stdio::null()).output().expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run();
    Times::of(5, run)
}

/// Sends that many messages of that size to a host and waits for a byte after each. Both ends are in sessions
/// of their own, as places are: Linux shares busy CPUs among sessions (sched(7), autogroup).
fn tcp(lab: &Lab, count: u64, bytes: u64) -> Times {
    let own = std::env::current_exe().expect("a path").display().to_string();
    let numbers = [count, bytes].map(|it| it.to_string());
    let mut server = lab
        .command(2, &["setsid", "--wait", &own, "--answer", &numbers[0], &numbers[1]])
        .spawn()
        .expect("it starts");
    let times = rounds(
        &mut lab.command(1, &["setsid", "--wait", &own, "--ask", &numbers[0], &numbers[1], &lab.address(2)]),
    );
    assert!(server.wait().expect("it ends").success());
    times
}

fn answer(count: u64, bytes: u64) {
    let (mut peer, _) = TcpListener::bind(("0.0.0.0", PORT)).and_then(|it| it.accept()).expect("a peer");
    peer.set_nodelay(true).expect("an option");
    let mut buffer = vec![0; bytes.max(1) as usize];
    for _ in 0..count * ROUNDS as u64 {
        peer.read_exact(&mut buffer).expect("a message");
        peer.write_all(&[1]).expect("sent");
    }
}

fn ask(address: &str, count: u64, bytes: u64) {
    let start = Instant::now();
    let mut peer = loop {
        match TcpStream::connect((address, PORT)) {
            Ok(peer) => break peer,
            Err(error) => assert!(start.elapsed() < Duration::from_secs(10), "{error}"),
        }
    };
    peer.set_nodelay(true).expect("an option");
    let message = vec![0; bytes.max(1) as usize];
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..count {
            peer.write_all(&message).expect("sent");
            peer.read_exact(&mut [0]).expect("an answer");
        }
        println!("{}", start.elapsed().as_nanos());
    }
}

/// The rounds that a program times itself.
fn rounds(command: &mut Command) -> Times {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| Duration::from_nanos(line.parse().expect("nanoseconds"))).collect()
}
