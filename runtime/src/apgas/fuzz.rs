//! Fuzzing of frames: the frames of a session between places are mutated, truncated, joined, duplicated and
//! shuffled, and fed to the decoder of streams and to the dispatcher. All input must be handled or rejected,
//! and the process must continue.
//!
//! The process of a fuzzer is one place among others that a thread plays, and so has to be one of its own:
//! the test starts itself again. `APG_FUZZ_SEED` and `APG_FRAME_FUZZ_STREAMS` say with which random numbers
//! and how many streams of frames.

#![expect(clippy::disallowed_methods, reason = "the process of the fuzzer ends itself")]

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::base::place::PlaceId;
use crate::heap;
use crate::net::frame::assembly::{Assembly, Delivery};

mod session;
mod types;

use session::{Frame, Guard};

/// Set in the process that fuzzes.
const CHILD: &str = "APG_FRAME_FUZZ_CHILD";
const DEFAULT_STREAMS: u64 = 200_000;
/// For 200 streams and what they start, and for the session after all streams.
const HANG_TIMEOUT: Duration = Duration::from_secs(60);
/// Longest stream that is put together.
const MAX_FRAMES: u64 = 5;

/// Marsaglia's xorshift64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    fn one_of(&mut self, all: &[u64]) -> u64 {
        all[self.index(all.len())]
    }
}

fn number_in(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Numbers at the ends of what fields may hold, in LEB128.
fn extreme(random: &mut Random) -> Vec<u8> {
    let all = [0, 1, 2, 127, 128, 255, 1 << 24, u32::MAX.into(), 1 << 40, i64::MAX as u64, 1 << 63, u64::MAX];
    let mut bytes = Vec::new();
    crate::serialize::write::number(&mut bytes, random.one_of(&all));
    bytes
}

/// Changes some bytes.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.index(bytes.len() + 1);
    let end = at + random.index(bytes.len() - at + 1);
    match random.below(8) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => bytes[at] = random.next() as u8,
        2 if at < bytes.len() => bytes[at] = bytes[at].wrapping_add(1),
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(at..end)),
        5 => drop(bytes.splice(at..end.min(at + 9), extreme(random))),
        6 => {
            // The end of another frame behind the beginning of this one.
            let from = random.index(other.len() + 1);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
        _ => {
            let doubled = bytes[at..end].to_vec();
            bytes.splice(at..at, doubled);
        }
    }
}

/// A frame of the session, or much like one.
fn frame(frames: &[Frame], random: &mut Random) -> Vec<u8> {
    let mut frame = frames[random.index(frames.len())].clone();
    let other = &frames[random.index(frames.len())];
    for _ in 0..random.below(4) {
        match random.below(10) {
            0 if !frame.body.is_empty() => frame.body[0] = random.below(24) as u8,
            1 => frame.header = other.header.clone(),
            2 => frame.parts = other.parts.clone(),
            3 => drop(frame.parts.pop()),
            4 if !frame.parts.is_empty() => {
                let index = random.index(frame.parts.len());
                let part = &mut frame.parts[index];
                let field = if random.below(2) == 0 { &mut part.ty } else { &mut part.length };
                *field = random.one_of(&[0, 1, 8, 13, 1 << 20, u64::MAX]);
            }
            5 => mutate(&mut frame.header, &other.header, random),
            _ => mutate(&mut frame.body, &other.body, random),
        }
    }
    frame.encode()
}

/// Feeds a stream of frames in pieces; whether it was refused.
fn feed(frames: &[Frame], random: &mut Random, guard: &Guard) -> bool {
    let mut stream = Vec::new();
    for _ in 0..=random.below(MAX_FRAMES) {
        stream.extend(frame(frames, random));
    }
    if random.below(4) == 0 {
        let other = frame(frames, random);
        mutate(&mut stream, &other, random);
    }
    let left = std::sync::atomic::AtomicBool::new(false);
    let delivery = Delivery {
        from: PlaceId(random.below(u64::from(session::HOSTS)) as u32),
        receiver: guard,
        left: &left,
    };
    let mut assembly = Assembly::default();
    let mut rest = &stream[..];
    while !rest.is_empty() {
        let most = if random.below(2) == 0 { 40 } else { rest.len() };
        let length = 1 + random.index(most);
        let (piece, more) = rest.split_at(length.min(rest.len()));
        if assembly.feed(piece, delivery).is_err() {
            return true;
        }
        rest = more;
    }
    false
}

/// Starts a thread that ends the process if the counter that it returns stands still for [`HANG_TIMEOUT`].
fn end_if_it_hangs() -> Arc<AtomicU64> {
    let progress = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&progress);
    std::thread::spawn(move || {
        let mut before = u64::MAX;
        loop {
            let now = seen.load(Ordering::Relaxed);
            if now == before {
                eprintln!("it hangs after {now} streams");
                std::process::abort();
            }
            before = now;
            std::thread::sleep(HANG_TIMEOUT);
        }
    });
    progress
}

fn fuzz() {
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("{panic}\n{}", std::backtrace::Backtrace::force_capture());
        std::process::abort();
    }));
    let seed = number_in("APG_FUZZ_SEED").unwrap_or_else(|| {
        std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_nanos() as u64)
    });
    eprintln!("APG_FUZZ_SEED={seed}");
    let wire = session::start();
    let frames = session::record(wire);
    let guard = Guard::new(wire);
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let limit = number_in("APG_FRAME_FUZZ_STREAMS").unwrap_or(DEFAULT_STREAMS);
    let progress = end_if_it_hangs();
    let (mut streams, mut refused) = (0_u64, 0_u64);
    while streams < limit {
        streams += 1;
        refused += u64::from(feed(&frames, &mut random, &guard));
        if streams.is_multiple_of(2000) {
            heap::collect();
        }
        if streams.is_multiple_of(200) {
            session::wait_for_activities();
            progress.store(streams, Ordering::Relaxed);
        }
    }
    let messages = guard.messages.load(Ordering::Relaxed);
    eprintln!("{streams} streams, {refused} refused, {messages} messages dealt with");
    assert!(refused > 0 && messages > 0, "some are refused, and some are not");
    progress.fetch_add(1, Ordering::Relaxed);
    heap::collect();
    session::record(wire);
    eprintln!("done");
    std::process::exit(0);
}

#[test]
fn frames_of_any_kind_are_handled_or_rejected() {
    if std::env::var_os(CHILD).is_some() {
        fuzz();
    }
    let test = std::env::current_exe().expect("this test");
    let name = "apgas::fuzz::frames_of_any_kind_are_handled_or_rejected";
    let output = Command::new(test)
        .args([name, "--exact", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = text.lines().filter(|line| !line.starts_with("Uncaught exception")).collect();
    assert!(
        output.status.success() && said.last() == Some(&"done"),
        "{}\n{}",
        output.status,
        said.join("\n")
    );
}
