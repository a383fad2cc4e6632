//! Options that several commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::report::Format;

/// Where sources are and how findings are printed.
#[derive(Clone, Debug, Default, Args)]
pub struct SourceOptions {
    /// A folder to look packages up in, after the program's own; may be given several times
    #[arg(long, value_name = "DIR")]
    pub source_path: Vec<PathBuf>,
}

/// What a program checks while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Checks {
    /// Everything
    #[default]
    All,
    /// Not the indices of rails: one outside its rail is undefined
    None,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct ReportOptions {
    /// For people, or for tools
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub message_format: Format,
}
