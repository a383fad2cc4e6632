//! A program of a suite: its sources, its options, and what the suite asks of it.

use std::path::PathBuf;

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
    /// Variables of its run.
    pub environment: Vec<(String, String)>,
    /// What is asked of it.
    pub kind: Kind,
}

impl Program {
    /// A program of one file that needs nothing.
    pub(super) fn new(name: String, source: PathBuf, kind: Kind) -> Program {
        Program {
            name,
            sources: vec![source],
            options: Vec::new(),
            folders: Vec::new(),
            environment: Vec::new(),
            kind,
        }
    }
}
