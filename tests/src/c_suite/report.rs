//! The outcome of a suite: what the compiler passes, what apg passes of it, and the names that differ.

use std::fmt::{self, Write};

use serde_json::{Value, json};

use super::{Suite, Transport};

/// How a program ended with one of the tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As the suite asks.
    Passed,
    /// It was not built, and why.
    NoBuild(String),
    /// It was built, and did something else.
    Wrong(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Passed => out.write_str("passes"),
            Verdict::NoBuild(why) => write!(out, "is not built ({why})"),
            Verdict::Wrong(why) => write!(out, "fails ({why})"),
        }
    }
}

/// A program with both tools.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub program: String,
    /// With the system's compiler, or with the one whose results are recorded.
    pub compiler: Verdict,
    /// With apg.
    pub apg: Verdict,
    /// What `apg check` reports of it though the compiler accepts it.
    pub false_error: Option<String>,
}

impl Entry {
    /// Whether the compiler passes it and apg does not.
    pub fn is_worse(&self) -> bool {
        self.compiler == Verdict::Passed && self.apg != Verdict::Passed
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: with apg it {}", self.program, self.apg)?;
        if self.apg != self.compiler {
            write!(out, ", with the compiler it {}", self.compiler)?;
        }
        match &self.false_error {
            Some(error) => write!(out, "; apg check: {error}"),
            None => Ok(()),
        }
    }
}

/// Where apg runs regions, and what carries messages between places.
#[derive(Clone, Debug)]
pub(super) struct Mode {
    /// The value of `--parallel`.
    pub parallel: Option<String>,
    /// The devices.
    pub accels: Option<String>,
    /// OpenMP threads.
    pub threads: usize,
    /// What carries messages between places.
    pub transport: Transport,
}

/// The outcome of all programs of a suite.
#[derive(Clone, Debug)]
pub struct Report {
    suite: Suite,
    mode: Mode,
    /// By name.
    pub entries: Vec<Entry>,
}

impl Report {
    pub(super) fn new(suite: Suite, mode: Mode, mut entries: Vec<Entry>) -> Report {
        entries.sort_by(|a, b| a.program.cmp(&b.program));
        Report { suite, mode, entries }
    }

    fn names(&self, chosen: impl Fn(&Entry) -> bool) -> Vec<&str> {
        self.entries.iter().filter(|it| chosen(it)).map(|it| it.program.as_str()).collect()
    }

    /// Whether apg passes all that the compiler passes, and reports no error of what it accepts.
    pub fn is_as_good(&self) -> bool {
        !self.entries.iter().any(|it| it.is_worse() || it.false_error.is_some())
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let compiler = self.names(|it| it.compiler == Verdict::Passed).len();
        let apg = self.names(|it| it.apg == Verdict::Passed).len();
        let _ = writeln!(
            out,
            "{}: {} programs; the compiler passes {compiler}, apg passes {apg}",
            self.suite.name(),
            self.entries.len()
        );
        for entry in self.entries.iter().filter(|it| it.is_worse() || it.false_error.is_some()) {
            let _ = writeln!(out, "  {entry}");
        }
        out
    }

    /// Names and counts.
    pub fn json(&self) -> String {
        let mut value: Value = json!({
            "suite": self.suite.name(),
            "counts": {
                "programs": self.entries.len(),
                "compiler_passes": self.names(|it| it.compiler == Verdict::Passed).len(),
                "apg_passes": self.names(|it| it.apg == Verdict::Passed).len(),
            },
            "apg_alone_fails": self.names(Entry::is_worse),
            "compiler_alone_fails":
                self.names(|it| it.apg == Verdict::Passed && it.compiler != Verdict::Passed),
            "both_fail": self.names(|it| it.apg != Verdict::Passed && it.compiler != Verdict::Passed),
            "false_errors": self.names(|it| it.false_error.is_some()),
        });
        let Mode { parallel, accels, threads, transport } = &self.mode;
        if parallel.is_some() || accels.is_some() {
            value["mode"] = json!({ "parallel": parallel, "accels": accels, "threads": threads });
        }
        if *transport == Transport::Tcp {
            value["transport"] = json!("tcp");
        }
        format!("{value:#}\n")
    }
}
