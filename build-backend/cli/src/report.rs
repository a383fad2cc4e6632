//! Output of diagnostics: `--message-format` and the summary line.

use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use apg_diagnostics::Severity;
use apg_diagnostics::render::{Finding, github, human, json, sarif};
use apg_project::rules::rule;

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum MessageFormat {
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

/// The choice of `--color`; unset where the terminal decides.
static COLOR_CHOICE: OnceLock<bool> = OnceLock::new();

/// Takes the choice of `--color`; with `None` the terminal decides.
pub(crate) fn set_color(choice: Option<bool>) {
    if let Some(choice) = choice {
        // The command line is read once.
        let _ = COLOR_CHOICE.set(choice);
    }
}

/// Whether output has colours: as chosen, else on a terminal unless `NO_COLOR` (no-color.org) is set.
pub(crate) fn is_colored() -> bool {
    COLOR_CHOICE.get().copied().unwrap_or_else(|| {
        let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        io::stderr().is_terminal() && !is_unwanted
    })
}

/// Prints all findings; excerpts for people to standard error, the other formats to standard output.
pub(crate) fn print(format: MessageFormat, findings: &[Finding]) -> io::Result<()> {
    match format {
        MessageFormat::Human => human::print(findings, is_colored(), &mut io::stderr().lock()),
        MessageFormat::Json => json::print(findings, &mut io::stdout().lock()),
        MessageFormat::Sarif => sarif::print(findings, rule, &mut io::stdout().lock()),
        MessageFormat::Github => github::print(findings, &mut io::stdout().lock()),
    }
}

/// Prints the summary line, "2 errors and 1 warning in 3 files".
pub(crate) fn print_summary(findings: &[Finding], file_count: usize) -> io::Result<()> {
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let total = match (errors, warnings) {
        (0, 0) => "no errors".to_owned(),
        (_, 0) => plural(errors, "error"),
        (0, _) => plural(warnings, "warning"),
        _ => format!("{} and {}", plural(errors, "error"), plural(warnings, "warning")),
    };
    writeln!(io::stderr().lock(), "{total} in {}", plural(file_count, "file"))
}
