//! A program of a suite: its sources, its options, and what the suite asks of it.

use std::path::PathBuf;

use super::report::Verdict;

/// What a suite asks of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It builds, and ends with status 0.
    Run,
    /// It builds, and its run fails.
    RunError,
    /// It builds.
    Link,
    /// Its file is accepted; often there is no `main`.
    Compile,
    /// Its file is refused.
    MustFail,
}

/// A program of a suite.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Its name in the suite.
    pub name: String,
    /// Its files.
    pub sources: Vec<PathBuf>,
    /// Options of the compiler.
    pub options: Vec<String>,
    /// Folders that its run needs in the current one.
    pub folders: Vec<String>,
    /// What is asked of it.
    pub kind: Kind,
    /// Its runs, all of which must be right.
    pub runs: Vec<ProgramRun>,
    /// How another compiler's build of it is known to end; without it the system's compiler is the peer.
    pub recorded: Option<Verdict>,
}

/// A run of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct ProgramRun {
    /// Places; `None` for a program that knows none.
    pub places: Option<u32>,
    /// Variables.
    pub environment: Vec<(String, String)>,
    /// Strings that its output has.
    pub prints: Vec<String>,
    /// Strings that its output has not.
    pub never: Vec<String>,
}

impl ProgramRun {
    /// What an output lacks, or has and should not.
    pub(super) fn fault(&self, output: &str) -> Option<String> {
        let lacks = self.prints.iter().find(|it| !output.contains(it.as_str()));
        let has = self.never.iter().find(|it| output.contains(it.as_str()));
        lacks.map(|it| format!("no {it} in its output")).or(has.map(|it| format!("{it} in its output")))
    }
}

impl Program {
    /// A program of one file that needs nothing.
    pub(super) fn new(name: String, source: PathBuf, kind: Kind) -> Program {
        Program {
            name,
            sources: vec![source],
            options: Vec::new(),
            folders: Vec::new(),
            kind,
            runs: vec![ProgramRun::default()],
            recorded: None,
        }
    }
}
