//! Options that several commands share.

use std::path::PathBuf;

use clap::Args;

use crate::report::Format;

/// Where sources are and how findings are printed.
#[derive(Clone, Debug, Default, Args)]
pub struct SourceOptions {
    /// A folder to look packages up in, after the program's own; may be given several times
    #[arg(long, value_name = "DIR")]
    pub source_path: Vec<PathBuf>,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct ReportOptions {
    /// For people, or for tools
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub message_format: Format,
}
