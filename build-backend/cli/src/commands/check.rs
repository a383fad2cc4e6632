//! `apg check`.

use std::path::PathBuf;
use std::time::Instant;

use apg_analysis::diagnostics::Severity;
use apg_diagnostics::render::json::span_object;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::fix;
use super::stats;
use crate::c_command_line;
use crate::failure::{Failure, Outcome};
use crate::options::{ReportOptions, SourceOptions};
use crate::output;
use crate::report::{self, MessageFormat};
use apg_project::c::{Size, TransferPlan};
use apg_project::session::{self, Checked, Settings};

/// Report all errors and warnings, and how to fix them
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Files of X10 or C, and folders with all .x10 and .c files in and below them. For C, options of the
    /// C compiler may stand among them, as in `-I include -DN=1 -std=c99`
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

    /// Options of the C compiler, each a word, or two.
    #[arg(skip)]
    c_options: Vec<Vec<String>>,

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

impl Check {
    /// With these options of the C compiler.
    pub(crate) fn with_c_options(mut self, c_options: Vec<Vec<String>>) -> Self {
        self.c_options = c_options;
        self
    }

    fn settings(&self) -> Settings {
        let c_flags = c_command_line::words_for_check(self.c_options.clone());
        Settings { c_flags, ..self.sources.settings() }
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
        let Checked { findings, files, lines, transfers } = checked;
        report::print(self.report.message_format, &findings)?;
        if self.report.message_format == MessageFormat::Json {
            print_transfers(&transfers)?;
        }
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

/// Prints what device constructs move, an object a directive.
fn print_transfers(plans: &[TransferPlan]) -> Result<(), Failure> {
    for plan in plans {
        let transfers = plan.transfers.iter().map(|it| {
            let bytes = match &it.size {
                Size::Bytes(count) => json!(count),
                Size::Formula(text) => json!(text),
                Size::Unknown => json!(null),
            };
            let (name, to_device, to_host) = (&it.name, it.to_device, it.to_host);
            json!({ "name": name, "to_device": to_device, "to_host": to_host, "bytes": bytes, "why": it.why })
        });
        let mut object = span_object(&plan.span);
        object.insert("directive".into(), plan.directive.clone().into());
        object.insert("transfers".into(), transfers.collect());
        output::line(Value::Object(object))?;
    }
    Ok(())
}
