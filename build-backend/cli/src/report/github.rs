//! Workflow commands of GitHub Actions: annotations on the changed lines of a pull request.

use std::io::{self, Write};

use apg_analysis::diagnostics::Severity;

use super::{Finding, LineIndex};

/// Prints all findings.
pub fn print(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    for finding in findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info | Severity::Hint => "notice",
        };
        let index = LineIndex::new(&finding.span.text);
        let start = index.position(finding.span.range.start);
        let end = index.position(finding.span.range.end);
        let mut message = finding.message.clone();
        for note in &finding.notes {
            message.push('\n');
            message.push_str(note);
        }
        writeln!(
            out,
            "::{command} file={},line={},endLine={},col={},endColumn={},title={}::{}",
            property(&finding.span.file),
            start.line,
            end.line,
            start.column,
            end.column,
            property(finding.code),
            data(&message)
        )?;
    }
    Ok(())
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(super::data("50%\nmore"), "50%25%0Amore");
        assert_eq!(super::property("a:b,c"), "a%3Ab%2Cc");
    }
}
