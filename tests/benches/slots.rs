//! Ping-pong between two slots of one process, activities and blocks of kernels on the host, beside two
//! threads with channels that hold nothing (`std::sync::mpsc`). Budget: 1 us a round trip of no bytes.

use std::process::Command;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use apg_tests::measure::{Times, head, machine, row};
use apg_tests::tools;

/// How often in a round, with how many bytes.
const CASES: [(u32, usize); 3] = [(100_000, 0), (100_000, 8 << 10), (1_000, 1 << 20)];
const ROUNDS: usize = 5;

fn main() {
    println!("machine: {}", machine());
    for (count, bytes) in CASES {
        head(&format!("{count} round trips of {bytes} bytes"));
        let peer = Times::of(ROUNDS, || exchange(count, bytes));
        row("activities", &program("activities", count, bytes), Some(&peer));
        row("blocks of a kernel", &program("blocks", count, bytes), Some(&peer));
        row("peer: threads with channels, which copy as often", &peer, None);
    }
}

/// The rounds that the X10 program times itself.
fn program(slots: &str, count: u32, bytes: usize) -> Times {
    let source = tools::repository().join("tests/bench/slot_ping_pong.x10");
    let mut command = Command::new(tools::apg());
    command.args(["run", "--release", "--accels", "none"]).arg(source);
    command.args(["--", slots, &count.to_string(), &bytes.to_string()]);
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| Duration::from_nanos(line.parse().expect("nanoseconds"))).collect()
}

/// Two threads that send each other copies of their bytes.
fn exchange(count: u32, bytes: usize) {
    let (to_other, from_first) = sync_channel::<Vec<u8>>(0);
    let (to_first, from_other) = sync_channel::<Vec<u8>>(0);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for data in from_first {
                to_first.send(data.clone()).expect("the first thread receives");
            }
        });
        let data = vec![0; bytes];
        for _ in 0..count {
            to_other.send(data.clone()).expect("the other thread receives");
            assert_eq!(from_other.recv().expect("the other thread sends").len(), bytes);
        }
        drop(to_other);
    });
}
