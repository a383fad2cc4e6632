//! Diagnostics as plain data with all texts at hand, so that a printer needs no database.

use std::ops::Range;
use std::sync::Arc;

use apg_analysis::diagnostics::Severity;

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
