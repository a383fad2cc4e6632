//! Expectations in comments, and comparing them with what the analysis says.
//!
//! `// error: [code] "part of the message"` (code and text are optional; `no fix` may follow), likewise
//! `warning`, `info` and `hint`; `// revealed: Type`, the type of the initialiser or expression that starts
//! on the line; `// place: expression`, where its value lives. A comment that has its line for itself speaks
//! of the next line that is not one. Several may follow each other on a line.

use std::fmt;

/// What an expectation speaks of, and what the analysis says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// A remark.
    Info,
    /// A hint.
    Hint,
    /// The type of an expression.
    Revealed,
    /// The place of a value.
    Place,
}

const KINDS: [(&str, Kind); 6] = [
    ("error", Kind::Error),
    ("warning", Kind::Warning),
    ("info", Kind::Info),
    ("hint", Kind::Hint),
    ("revealed", Kind::Revealed),
    ("place", Kind::Place),
];

/// One expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expectation {
    /// The line it speaks of, counted from 0.
    pub line: usize,
    /// Its kind.
    pub kind: Kind,
    /// The code, if it says one.
    pub code: Option<String>,
    /// Part of the message; the type or place.
    pub text: Option<String>,
    /// `no fix` stands behind it: the diagnostic must offer none.
    pub is_unfixed: bool,
}

/// One finding of the analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Its line, counted from 0.
    pub line: usize,
    /// Its kind.
    pub kind: Kind,
    /// Its code; empty for types and places.
    pub code: String,
    /// Message, type or place.
    pub text: String,
    /// The number of fixes that it offers.
    pub fixes: usize,
}

impl Kind {
    fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.kind.name())?;
        if let Some(code) = &self.code {
            write!(f, " [{code}]")?;
        }
        match &self.text {
            Some(text) if matches!(self.kind, Kind::Revealed | Kind::Place) => write!(f, " {text}"),
            Some(text) => write!(f, " \"{text}\""),
            None => Ok(()),
        }?;
        if self.is_unfixed { write!(f, " no fix") } else { Ok(()) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Revealed | Kind::Place => write!(f, "{}: {}", self.kind.name(), self.text),
            _ => write!(f, "{}: [{}] \"{}\"", self.kind.name(), self.code, self.text),
        }
    }
}

/// The expectations of a text.
pub(crate) fn expectations(text: &str) -> Vec<Expectation> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(start) = comment_start(line) else { continue };
        let alone = line[..start].trim().is_empty();
        let target = if alone { next_code(&lines, index) } else { index };
        for part in line[start..].split("//").skip(1) {
            found.extend(expectation(part.trim(), target));
        }
    }
    found
}

/// The text without its expectations.
pub(crate) fn without_expectations(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        match comment_start(line) {
            Some(start) if line[..start].trim().is_empty() => continue,
            Some(start) => out.push_str(line[..start].trim_end()),
            None => out.push_str(line.trim_end()),
        }
        out.push('\n');
    }
    out
}

/// Where the first comment with an expectation starts.
fn comment_start(line: &str) -> Option<usize> {
    line.match_indices("//")
        .map(|(index, _)| index)
        .find(|index| expectation(line[index + 2..].trim(), 0).is_some())
}

fn next_code(lines: &[&str], from: usize) -> usize {
    let is_code = |line: &str| comment_start(line).is_none_or(|start| !line[..start].trim().is_empty());
    (from..lines.len()).find(|index| is_code(lines[*index])).unwrap_or(from)
}

fn expectation(comment: &str, line: usize) -> Option<Expectation> {
    let (name, rest) = comment.split_once(':')?;
    let kind = KINDS.iter().find(|(known, _)| *known == name)?.1;
    let rest = rest.trim();
    if matches!(kind, Kind::Revealed | Kind::Place) {
        let text = Some(rest.to_owned());
        return Some(Expectation { line, kind, code: None, text, is_unfixed: false });
    }
    let (code, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((code, rest)) => (Some(code.to_owned()), rest.trim()),
        None => (None, rest),
    };
    let text = rest.strip_prefix('"').and_then(|rest| rest.rsplit_once('"')).map(|(text, _)| text.to_owned());
    Some(Expectation { line, kind, code, text, is_unfixed: rest.ends_with("no fix") })
}

/// What is missing and what is too much: lines of text, each with the line it speaks of.
pub(crate) fn compare(expected: &[Expectation], findings: &[Finding]) -> Vec<(usize, String)> {
    let mut left: Vec<&Finding> = findings.iter().collect();
    let mut wrong = Vec::new();
    // The more an expectation says, the earlier it chooses.
    let mut ordered: Vec<&Expectation> = expected.iter().collect();
    ordered.sort_by_key(|it| (it.text.is_none(), it.code.is_none()));
    for expectation in ordered {
        match left.iter().position(|finding| fits(expectation, finding)) {
            Some(index) => {
                left.remove(index);
            }
            None => wrong.push((expectation.line, format!("not found: {expectation}"))),
        }
    }
    wrong.extend(
        left.iter()
            .filter(|finding| !matches!(finding.kind, Kind::Revealed | Kind::Place))
            .map(|finding| (finding.line, format!("not expected: {finding}"))),
    );
    for (line, text) in &mut wrong {
        let asked = matches!(text.split_once(": ").map(|(_, rest)| rest), Some(rest) if rest.starts_with("revealed") || rest.starts_with("place"));
        let have: Vec<String> =
            left.iter().filter(|finding| asked && finding.line == *line).map(ToString::to_string).collect();
        if !have.is_empty() {
            text.push_str(&format!(" (the analysis says {})", have.join(", ")));
        }
    }
    wrong.sort();
    wrong
}

fn fits(expectation: &Expectation, finding: &Finding) -> bool {
    let exact = matches!(expectation.kind, Kind::Revealed | Kind::Place);
    expectation.line == finding.line
        && expectation.kind == finding.kind
        && !(expectation.is_unfixed && finding.fixes > 0)
        && expectation.code.as_ref().is_none_or(|code| *code == finding.code)
        && expectation.text.as_ref().is_none_or(|text| {
            if exact { *text == finding.text } else { finding.text.contains(text.as_str()) }
        })
}
