//! `apg check`.

use std::path::PathBuf;
use std::time::Instant;

use apg_analysis::diagnostics::Severity;
use clap::{Args, ValueEnum};

use super::fix;
use super::stats;
use crate::failure::Outcome;
use crate::options::{ReportOptions, SourceOptions};
use crate::report::{self, MessageFormat};
use apg_project::session::{self, Checked, Settings};

/// Report all errors and warnings, and how to fix them
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Files of X10 or C, and folders with all .x10 and .c files in and below them
    #[arg(default_value = ".", value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Only what the parser finds
    #[arg(long)]
    syntax_only: bool,

    /// Apply the fixes to the files that are named, where one is offered and not several; what is left is
    /// reported
    #[arg(long, conflicts_with = "syntax_only")]
    fix: bool,

    /// Fail at warnings too
    #[arg(long, value_enum, value_name = "WHAT")]
    deny: Option<Deny>,

    /// Say what it took: time and memory
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    c: CFlags,

    #[command(flatten)]
    sources: SourceOptions,

    #[command(flatten)]
    report: ReportOptions,
}

/// What `--deny` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Deny {
    /// Exit status 1 when there is a warning.
    Warnings,
}

/// Flags of a C compiler.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "C files")]
struct CFlags {
    /// A folder with headers of the program
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<String>,

    /// A macro, with its value after a `=`
    #[arg(short = 'D', value_name = "NAME")]
    define: Vec<String>,

    /// A macro that is not to be defined
    #[arg(short = 'U', value_name = "NAME")]
    undefine: Vec<String>,

    /// The version of the language, as c99 or gnu17
    #[arg(long, value_name = "VERSION")]
    std: Option<String>,
}

impl CFlags {
    /// As words of a compiler's command line.
    fn words(&self) -> Vec<String> {
        let of = |flag: &str, values: &[String]| -> Vec<String> {
            values.iter().map(|it| format!("{flag}{it}")).collect()
        };
        let std = self.std.iter().map(|it| format!("-std={it}"));
        let macros = [of("-I", &self.include), of("-D", &self.define), of("-U", &self.undefine)];
        macros.concat().into_iter().chain(std).collect()
    }
}

impl Check {
    fn settings(&self) -> Settings {
        Settings { c_flags: self.c.words(), ..self.sources.settings() }
    }

    pub(crate) fn run(self) -> Outcome {
        let start = Instant::now();
        let checked = if self.syntax_only {
            session::check_syntax(&self.paths)?
        } else if self.fix {
            fix::fix(&self.paths, &self.settings())?
        } else {
            session::check(&self.paths, &self.settings())?
        };
        let Checked { findings, files, lines } = checked;
        report::print(self.report.message_format, &findings)?;
        if self.report.message_format == MessageFormat::Human {
            report::print_summary(&findings, files.len())?;
        }
        if self.stats {
            stats::print(lines, start.elapsed())?;
        }
        let least = if self.deny == Some(Deny::Warnings) { Severity::Warning } else { Severity::Error };
        Ok(u8::from(findings.iter().any(|finding| finding.severity >= least)))
    }
}
