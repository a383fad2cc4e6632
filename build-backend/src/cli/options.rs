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

    /// Constraints that do not follow from what is known are errors, not checked when the program runs
    #[arg(long)]
    pub static_checks: bool,

    /// Infer the conditions of methods marked @InferGuard from their code
    #[arg(long)]
    pub constraint_inference: bool,
}

impl SourceOptions {
    /// How constraints are checked.
    pub fn checks(&self) -> apg_analysis::db::Checks {
        apg_analysis::db::Checks { is_static: self.static_checks, infers_guards: self.constraint_inference }
    }
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
