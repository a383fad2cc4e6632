//! What there is to know about one diagnostic code: the source of `apg explain`, of the pages under
//! `docs/diagnostics`, and of the tests that run every page's examples.

use apg_syntax::TextRange;

use super::{Diagnostic, Fix, Related, Severity};

/// One diagnostic code with its documentation. Each has a file of its own, in the folder of its
/// family, and stands in that family's `RULES`.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// `family/kebab-name`, the name of the file with `-` for `_`.
    pub code: &'static str,
    /// How serious it is unless the reporter says otherwise.
    pub severity: Severity,
    /// One line, a sentence without "error:".
    pub summary: &'static str,
    /// What is refused, why, and what to write instead: markdown, a few paragraphs.
    pub explanation: &'static str,
    /// A program that yields this code and no other. A line `// file: a/B.x10` starts a further file.
    pub failing: &'static str,
    /// The same program mended: it yields nothing.
    pub mended: &'static str,
}

impl Rule {
    /// A diagnostic of this code; `message` says what is wrong *here*, in one sentence.
    pub fn at(&self, range: TextRange, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code: self.code,
            severity: self.severity,
            message: message.into(),
            range,
            notes: Vec::new(),
            related: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// The part of the code before the slash.
    pub fn family(&self) -> &'static str {
        self.code.split_once('/').map_or("", |(family, _)| family)
    }

    /// The part of the code after the slash.
    pub fn name(&self) -> &'static str {
        self.code.split_once('/').map_or(self.code, |(_, name)| name)
    }

    /// The page, as markdown. This is what `apg explain CODE` prints.
    pub fn page(&self) -> String {
        let mut page = format!(
            "# {}\n\n*{}* · {}\n\n{}\n",
            self.code,
            self.severity.name(),
            self.summary,
            self.explanation.trim()
        );
        for (title, example) in [("Refused", self.failing), ("Mended", self.mended)] {
            if example.trim().is_empty() {
                continue;
            }
            page.push_str(&format!("\n## {title}\n"));
            for (name, text) in example_files(example) {
                let info = if name == DEFAULT_FILE { String::new() } else { format!(" title=\"{name}\"") };
                page.push_str(&format!("\n```x10{info}\n{}\n```\n", text.trim_end()));
            }
        }
        page
    }
}

/// The file name of an example that does not say one.
pub const DEFAULT_FILE: &str = "Example.x10";

/// The files of an example: name and text.
pub fn example_files(example: &str) -> Vec<(String, String)> {
    let mut files = vec![(DEFAULT_FILE.to_owned(), String::new())];
    for line in example.trim_matches('\n').lines() {
        if let Some(name) = line.trim().strip_prefix("// file: ") {
            files.push((name.trim().to_owned(), String::new()));
            continue;
        }
        if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files.retain(|(_, text)| !text.trim().is_empty());
    files
}

impl Diagnostic {
    /// Adds why it is refused, or what to write instead.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Adds another place that matters.
    pub fn related(mut self, related: Related) -> Diagnostic {
        self.related.push(related);
        self
    }

    /// Adds an edit that mends it.
    pub fn fix(mut self, fix: Fix) -> Diagnostic {
        self.fixes.push(fix);
        self
    }

    /// Changes the severity, e.g. for a code that a stricter mode makes an error.
    pub fn with_severity(mut self, severity: Severity) -> Diagnostic {
        self.severity = severity;
        self
    }
}

impl Severity {
    /// `error`, `warning`, `info` or `hint`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
            Severity::Hint => "hint",
        }
    }
}
