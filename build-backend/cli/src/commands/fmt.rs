//! `apg fmt`.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;

use crate::atomic_write;
use crate::failure::{Failure, Outcome};
use crate::output;
use apg_diagnostics::render::position;
use apg_project::sources::{self, MAX_SOURCE_BYTES, display_path};
use apg_source::LineIndex;

/// Format source files
#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// Files, and folders with all .x10 files in and below them
    #[arg(default_value = ".", value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Change nothing; exit status 1 when a file is not formatted
    #[arg(long)]
    check: bool,

    /// Format standard input to standard output
    #[arg(long, conflicts_with_all = ["paths", "check"])]
    stdin: bool,
}

impl Fmt {
    pub(crate) fn run(self) -> Outcome {
        if self.stdin {
            return format_stdin();
        }
        let files = sources::files(&self.paths).map_err(|error| Failure::new(error.to_string()))?;
        let (mut changed, mut failed) = (0, false);
        for path in &files {
            let text =
                sources::read(path, MAX_SOURCE_BYTES).map_err(|error| Failure::new(error.to_string()))?;
            let formatted = match apg_syntax::formatted(&text) {
                Ok(formatted) => formatted,
                Err(error) => {
                    output::remark(not_formatted(&display_path(path), &text, &error))?;
                    failed = true;
                    continue;
                }
            };
            if formatted == *text {
                continue;
            }
            changed += 1;
            output::line(format_args!(
                "{} {}",
                if self.check { "not formatted:" } else { "formatted" },
                display_path(path)
            ))?;
            if !self.check {
                atomic_write::replace_file(path, &formatted)?;
            }
        }
        Ok(u8::from(failed || (self.check && changed > 0)))
    }
}

fn format_stdin() -> Outcome {
    let mut text = String::new();
    std::io::stdin()
        .take(MAX_SOURCE_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| Failure::new(format!("standard input: {error}")))?;
    if text.len() as u64 > MAX_SOURCE_BYTES {
        return Err(Failure::new(format!(
            "standard input has more than {} MB, the most that is read",
            MAX_SOURCE_BYTES >> 20
        )));
    }
    match apg_syntax::formatted(&text) {
        Ok(formatted) => {
            output::text(formatted)?;
            Ok(0)
        }
        Err(error) => Err(Failure::new(not_formatted("standard input", &text, &error))),
    }
}

fn not_formatted(file: &str, text: &str, error: &apg_syntax::SyntaxError) -> String {
    let at = position(&LineIndex::new(text), text, error.range.start().into());
    format!("{file}:{}:{}: {}; a file with syntax errors is left as it is", at.line, at.column, error.message)
}
