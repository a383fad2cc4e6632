//! Diagnostics for people and tools: `--message-format human`, `json`, `sarif` and `github`. The input is
//! plain data with all texts at hand, so that a printer needs no database.

mod github;
mod human;
mod json;
mod position;
mod sarif;

use std::io::{self, Write};

use apg_analysis::diagnostics::Severity;
use apg_project::finding::{Finding, Span};

pub use human::colour;
pub use json::to_json;
pub use position::LineIndex;

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// Source excerpts, in colours on a terminal.
    #[default]
    Human,
    /// One JSON object a line.
    Json,
    /// One SARIF 2.1.0 log.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
}

/// Prints all findings; `human` to standard error, the others to standard output.
pub fn print(format: Format, findings: &[Finding]) -> io::Result<()> {
    match format {
        Format::Human => human::print(findings, &mut io::stderr().lock()),
        Format::Json => json::print(findings, &mut io::stdout().lock()),
        Format::Sarif => sarif::print(findings, &mut io::stdout().lock()),
        Format::Github => github::print(findings, &mut io::stdout().lock()),
    }
}

/// The last line for people: "2 errors and 1 warning in 3 files".
pub fn print_summary(findings: &[Finding], files: usize) -> io::Result<()> {
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let found = match (errors, warnings) {
        (0, 0) => "no errors".to_owned(),
        (_, 0) => plural(errors, "error"),
        (0, _) => plural(warnings, "warning"),
        _ => format!("{} and {}", plural(errors, "error"), plural(warnings, "warning")),
    };
    writeln!(io::stderr().lock(), "{found} in {}", plural(files, "file"))
}
