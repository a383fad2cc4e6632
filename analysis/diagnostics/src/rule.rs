//! Rules: the documentation of a diagnostic code, from which `apg explain`, the pages under
//! `docs/diagnostics` and the tests that run every page's examples are made.

use apg_source::TextRange;

use crate::diagnostic::{Diagnostic, Severity};

/// A diagnostic code with its documentation.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// `family/kebab-name`, the name of the file with `-` for `_`.
    pub code: &'static str,
    /// The severity unless the reporter changes it.
    pub severity: Severity,
    /// One line, a sentence without "error:".
    pub summary: &'static str,
    /// What is refused, why, and what to write instead: markdown, a few paragraphs.
    pub explanation: &'static str,
    /// A program that yields this code and no other. A line `// file: a/B.x10` starts a further file.
    pub failing: &'static str,
    /// The same program, fixed: it yields nothing.
    pub fixed: &'static str,
}

impl Rule {
    /// A diagnostic of this code; `message` says what is wrong *here*, in one sentence.
    pub fn at<F>(&self, range: TextRange, message: impl Into<String>) -> Diagnostic<F> {
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

    /// The language of its examples, as code blocks of markdown name it.
    pub fn language(&self) -> &'static str {
        match self.family() {
            "omp" | "xmp" => "c",
            _ => "x10",
        }
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
        for (title, example) in [("Refused", self.failing), ("Fixed", self.fixed)] {
            if example.trim().is_empty() {
                continue;
            }
            page.push_str(&format!("\n## {title}\n"));
            for (name, text) in example_files(example) {
                let language = self.language();
                let info = if name == DEFAULT_FILE { String::new() } else { format!(" title=\"{name}\"") };
                page.push_str(&format!("\n```{language}{info}\n{}\n```\n", text.trim_end()));
            }
        }
        page
    }
}

/// The name of an example's first file.
pub const DEFAULT_FILE: &str = "Example.x10";

/// The files of an example: names and sources.
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
