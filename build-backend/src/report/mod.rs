//! Diagnostics for people and tools: `--message-format human`, `json`, `sarif` and `github`. The input is
//! plain data with all texts at hand, so that a printer needs no database.

mod github;
mod human;
mod json;
mod position;
mod sarif;

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use apg_analysis::diagnostics::Severity;

pub use human::colour;
pub use json::to_json;
pub use position::{LineIndex, Position};

/// A piece of a file. Offsets are bytes.
#[derive(Clone, Debug)]
pub struct Span {
    /// The file as it is shown, relative to the current folder where that is shorter.
    pub file: String,
    /// Its whole text.
    pub text: Arc<str>,
    /// The piece.
    pub range: Range<usize>,
}

/// A diagnostic with the texts that it speaks of.
#[derive(Clone, Debug)]
pub struct Finding {
    /// `family/kebab-name`.
    pub code: &'static str,
    /// How serious.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Why, and what to write instead.
    pub notes: Vec<String>,
    /// Other places that matter.
    pub related: Vec<(Span, String)>,
    /// Edits that mend it: titles, and replacements.
    pub fixes: Vec<(String, Vec<(Span, String)>)>,
}

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
