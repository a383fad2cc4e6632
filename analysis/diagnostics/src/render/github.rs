//! Workflow commands of GitHub Actions: annotations on the changed lines of a pull request.

use std::io::{self, Write};

use super::Finding;
use crate::diagnostic::Severity;

/// Prints all findings.
pub fn print(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    for finding in findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info | Severity::Hint => "notice",
        };
        let (start, end) = finding.span.positions();
        let mut message = finding.message.clone();
        for note in &finding.notes {
            message.push('\n');
            message.push_str(note);
        }
        writeln!(
            out,
            "::{command} file={},line={},endLine={},col={},endColumn={},title={}::{}",
            escape_property(&finding.span.file),
            start.line,
            end.line,
            start.column,
            end.column,
            escape_property(finding.code),
            escape_data(&message)
        )?;
    }
    Ok(())
}

fn escape_data(data: &str) -> String {
    data.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(value: &str) -> String {
    escape_data(value).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(escape_data("50%\nmore"), "50%25%0Amore");
        assert_eq!(escape_property("a:b,c"), "a%3Ab%2Cc");
    }
}
