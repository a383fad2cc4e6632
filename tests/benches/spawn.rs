//! What activities cost: fib with an activity for every call beside rayon's `join` and a plain call, a finish
//! with one activity, many activities in one finish, an unbalanced tree. Budgets: at most twice rayon,
//! sequential code 1.1 of Rust's.

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use apg_tests::measure::{Times, head, machine, row};
use apg_tests::tools;

const FIB: u32 = 30;
const SPAWNS: u64 = 1_000_000;
const DEPTH: u32 = 14;

fn main() {
    println!("machine: {}", machine());
    head(&format!("fib({FIB})"));
    let join = Times::of(5, || assert_eq!(std::hint::black_box(joined(FIB)), 832_040));
    let plain =
        Times::of(5, || assert_eq!(std::hint::black_box(plainly(std::hint::black_box(FIB))), 832_040));
    row("an activity for every call", &program("fib", FIB.into()), Some(&join));
    row("peer: `rayon::join` for every call", &join, None);
    row("plain calls", &program("plain", FIB.into()), Some(&plain));
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
    row("in one finish", &program("spawn", SPAWNS), Some(&scoped));
    row("peer: `spawn` in one `rayon::scope`", &scoped, None);
    row("each in a finish of its own", &program("finish", SPAWNS), Some(&joins));
    row("peer: `rayon::join`", &joins, None);

    let tree = Times::of(5, || {
        let count = AtomicU64::new(0);
        rayon::scope(|scope| visit(scope, 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(21), 0, &count));
    });
    head(&format!("an unbalanced tree, depth {DEPTH}, a geometric number of children"));
    row("an activity for every node", &program("tree", DEPTH.into()), Some(&tree));
    row("peer: `spawn` in one `rayon::scope`", &tree, None);
}

/// The rounds that the X10 program times itself.
fn program(what: &str, size: u64) -> Times {
    let source = tools::repository().join("tests/bench/spawn.x10");
    let mut command = Command::new(tools::apg());
    command.args(["run", "--release", "--accels", "none"]).arg(source);
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

/// The tree of `spawn.x10`.
fn visit<'a>(scope: &rayon::Scope<'a>, state: u64, depth: u32, count: &'a AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
    let mean = 4.0 * (1.0 - f64::from(depth) / f64::from(DEPTH));
    if mean <= 0.0 {
        return;
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure of a benchmark")]
    let u = (state >> 11) as f64 / 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a figure of a benchmark")]
    let children = ((1.0 - u).ln() / (mean / (1.0 + mean)).ln()).floor() as u64;
    for i in 0..children {
        let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i + 1));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let next = z ^ (z >> 31);
        scope.spawn(move |scope| visit(scope, next, depth + 1, count));
    }
}
