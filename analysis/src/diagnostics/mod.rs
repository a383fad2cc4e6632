//! Diagnostics as plain data, returned by queries, never accumulated.

use apg_syntax::TextRange;

use crate::ids::SourceFile;

/// How serious it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// For the editor only.
    Hint,
    /// Worth knowing.
    Info,
    /// Probably wrong.
    Warning,
    /// Must be mended before the program can be built.
    Error,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// `family/kebab-name`; its page is `apg explain CODE`.
    pub code: &'static str,
    /// How serious.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where.
    pub range: TextRange,
    /// Why, and what to write instead.
    pub notes: Vec<String>,
    /// Other places that matter, each with what is there.
    pub related: Vec<Related>,
    /// Edits that mend it.
    pub fixes: Vec<Fix>,
}

/// A place that explains a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The file.
    pub file: SourceFile,
    /// Where.
    pub range: TextRange,
    /// What is there.
    pub message: String,
}

/// A named edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Imperative: "Hoist `n + 1` into a `val` before the `at`".
    pub title: String,
    /// Replacements, not overlapping, in source order.
    pub edits: Vec<TextEdit>,
}

/// Replace `range` by `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The file; `None` is the file of the diagnostic.
    pub file: Option<SourceFile>,
    /// What goes.
    pub range: TextRange,
    /// What comes.
    pub text: String,
}
