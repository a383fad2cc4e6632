//! Medians and ratios of benchmarks that measure whole commands, printed as rows. Figures to keep go into
//! `tests/bench/results`, from which `cargo xtask performance` writes docs/performance.md.

use std::time::{Duration, Instant};

/// The times of repeated runs, sorted.
#[derive(Clone, Debug)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Runs `action` `runs` times.
    pub fn of(runs: usize, mut action: impl FnMut()) -> Self {
        Self::from_iter((0..runs).map(|_| {
            let start = Instant::now();
            action();
            start.elapsed()
        }))
    }

    /// The value that this share (0 to 1) of the runs does not exceed.
    pub fn quantile(&self, share: f64) -> Duration {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a figure of a benchmark"
        )]
        let index = ((self.0.len() - 1) as f64 * share).round() as usize;
        self.0[index]
    }

    /// The middle one.
    pub fn median(&self) -> Duration {
        self.quantile(0.5)
    }

    /// How many.
    pub fn runs(&self) -> usize {
        self.0.len()
    }
}

impl FromIterator<Duration> for Times {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Self {
        let mut times: Vec<Duration> = times.into_iter().collect();
        assert!(!times.is_empty(), "nothing was measured");
        times.sort();
        Self(times)
    }
}

/// Prints the head of a table of rows.
pub fn head(title: &str) {
    println!("\n{title}\n\n| what | median | p99 | runs | ratio to peer |\n|---|---|---|---|---|");
}

/// Prints a row; the ratio is that of the medians.
pub fn row(what: &str, times: &Times, peer: Option<&Times>) {
    let ratio = peer.map_or(String::new(), |peer| {
        format!("{:.2}", times.median().as_secs_f64() / peer.median().as_secs_f64())
    });
    println!(
        "| {what} | {} | {} | {} | {ratio} |",
        shown(times.median()),
        shown(times.quantile(0.99)),
        times.runs()
    );
}

/// Why a peer was not measured that is not there.
pub const ABSENT: &str = "it is not on the PATH";

/// Prints the rows of ours and its peers, with the ratio of ours to each, and why some were not measured.
pub fn rows<'a>(measured: impl IntoIterator<Item = (&'a str, Result<Times, String>)>) {
    let mut measured = measured.into_iter();
    let Some((ours, Ok(times))) = measured.next() else { return };
    row(ours, &times, None);
    for (name, peer) in measured {
        match peer {
            Ok(peer) => {
                row(name, &peer, None);
                row(&format!("{ours}, beside {name}"), &times, Some(&peer));
            }
            Err(why) => println!("SKIP {name}: {why}"),
        }
    }
}

fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// What the figures were measured on.
pub fn machine() -> String {
    let cpus = std::thread::available_parallelism().map_or(0, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("", |(_, name)| name);
    format!("{cpus} CPUs, {model}")
}
