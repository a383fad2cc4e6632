//! Diagnostics, their severities, related locations and fixes.

use apg_source::{TextRange, TextSize};

/// How serious a diagnostic is, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// For the editor only.
    Hint,
    /// Worth knowing.
    Info,
    /// Probably wrong.
    Warning,
    /// Must be fixed before the program can be built.
    Error,
}

impl Severity {
    /// `error`, `warning`, `info` or `hint`: part of the JSON format.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
            Severity::Hint => "hint",
        }
    }
}

/// A violation of one rule at one location. `F` identifies a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic<F> {
    /// `family/kebab-name`; its page is `apg explain CODE`.
    pub code: &'static str,
    /// How serious it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The location, in the file that was checked.
    pub range: TextRange,
    /// Why it is wrong, and what to write instead.
    pub notes: Vec<String>,
    /// Other locations that explain it.
    pub related: Vec<Related<F>>,
    /// Edits that fix it.
    pub fixes: Vec<Fix<F>>,
}

impl<F> Diagnostic<F> {
    /// Adds a note: why it is refused, or what to write instead.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a location that explains it.
    pub fn related(mut self, related: Related<F>) -> Self {
        self.related.push(related);
        self
    }

    /// Adds an edit that fixes it.
    pub fn fix(mut self, fix: Fix<F>) -> Self {
        self.fixes.push(fix);
        self
    }

    /// Changes the severity, for a code that a stricter mode makes an error.
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

/// A location that explains a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related<F> {
    /// The file.
    pub file: F,
    /// The location in it.
    pub range: TextRange,
    /// What is declared or done there.
    pub message: String,
}

/// A change of the source with a title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix<F> {
    /// Imperative: "Hoist `n + 1` into a `val` before the `at`".
    pub title: String,
    /// Replacements, not overlapping, in source order.
    pub edits: Vec<TextEdit<F>>,
}

impl<F> Fix<F> {
    /// A fix of one replacement in the file of the diagnostic.
    pub fn replace(title: impl Into<String>, range: TextRange, text: impl Into<String>) -> Self {
        Fix { title: title.into(), edits: vec![TextEdit::replace(range, text)] }
    }

    /// A fix that inserts `text` in the file of the diagnostic.
    pub fn insert(title: impl Into<String>, offset: TextSize, text: impl Into<String>) -> Self {
        Fix::replace(title, TextRange::empty(offset), text)
    }
}

/// Replacement of `range` by `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit<F> {
    /// The file; `None` is the file of the diagnostic.
    pub file: Option<F>,
    /// The replaced range; empty for an insertion.
    pub range: TextRange,
    /// The replacement; empty for a deletion.
    pub text: String,
}

impl<F> TextEdit<F> {
    /// Replaces `range` in the file of the diagnostic by `text`.
    pub fn replace(range: TextRange, text: impl Into<String>) -> Self {
        TextEdit { file: None, range, text: text.into() }
    }
}
