//! What activities and messages cost: fib with an activity for every call beside rayon's `join` and a plain call, a finish
//! with one activity, many activities in one finish; a round trip to another place beside one through a socket pair between two
//! threads, and bytes to another place beside `memcpy`. Budgets: at most twice rayon's join, sequential code 1.1 of Rust's.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

use apg_tests::measure::{Times, head, machine, row};
use apg_tests::tools;

const FIB: u32 = 30;
const SPAWNS: u64 = 100_000;
const TRIPS: u64 = 5_000;
const BYTES: u64 = 32 << 20;

fn main() {
    println!("machine: {}", machine());
    head(&format!("fib({FIB})"));
    let join = Times::of(5, || assert_eq!(std::hint::black_box(joined(FIB)), 832_040));
    let plain =
        Times::of(5, || assert_eq!(std::hint::black_box(plainly(std::hint::black_box(FIB))), 832_040));
    row("an activity for every call", &program(1, "fib", FIB.into()), Some(&join));
    row("peer: `rayon::join` for every call", &join, None);
    row("plain calls", &program(1, "plain", FIB.into()), Some(&plain));
    row("peer: plain calls in Rust", &plain, None);

    head(&format!("{SPAWNS} activities"));
    let scoped = Times::of(5, || {
        rayon::scope(|scope| (0..SPAWNS).for_each(|_| scope.spawn(|_| {})));
    });
    let joins = Times::of(5, || {
        (0..SPAWNS).for_each(|_| {
            rayon::join(|| {}, || {});
        })
    });
    row("in one finish", &program(1, "spawn", SPAWNS), Some(&scoped));
    row("peer: `spawn` in one `rayon::scope`", &scoped, None);
    row("each in a finish of its own", &program(1, "finish", SPAWNS), Some(&joins));
    row("peer: `rayon::join`", &joins, None);

    head(&format!("between two places: {TRIPS} round trips, 16 times {} MiB", BYTES >> 20));
    let socket = round_trips();
    row("`at (p) { }`", &program(2, "at", TRIPS), Some(&socket));
    row("peer: a byte there and back through a local TCP connection", &socket, None);
    let source = vec![1_u8; BYTES as usize];
    let mut target = vec![0_u8; BYTES as usize];
    let copied = Times::of(5, || {
        for _ in 0..16 {
            target.copy_from_slice(std::hint::black_box(&source));
        }
    });
    row("`Rail.asyncCopy`", &program(2, "put", BYTES), Some(&copied));
    row("peer: `memcpy` in one process", &copied, None);
}

/// The rounds that the X10 program times itself.
fn program(places: u32, what: &str, size: u64) -> Times {
    let source = tools::repository().join("tests/bench/spawn.x10");
    let mut command = Command::new(tools::apg());
    command.args(["run", "--release", "--accels", "none", "--places", &places.to_string()]).arg(source);
    command.args(["--", what, &size.to_string()]);
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| Duration::from_nanos(line.parse().expect("nanoseconds"))).collect()
}

fn joined(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (left, right) = rayon::join(|| joined(n - 1), || joined(n - 2));
    left + right
}

fn plainly(n: u32) -> u64 {
    if n < 2 { n.into() } else { plainly(n - 1) + plainly(n - 2) }
}

fn round_trips() -> Times {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its number");
    std::thread::spawn(move || {
        let (mut peer, _) = listener.accept().expect("a connection");
        peer.set_nodelay(true).expect("an option");
        let mut byte = [0];
        while peer.read_exact(&mut byte).is_ok() && peer.write_all(&byte).is_ok() {}
    });
    let mut stream = TcpStream::connect(address).expect("connected");
    stream.set_nodelay(true).expect("an option");
    let mut byte = [7];
    (0..5)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..TRIPS {
                stream.write_all(&byte).expect("sent");
                stream.read_exact(&mut byte).expect("received");
            }
            start.elapsed()
        })
        .collect()
}
