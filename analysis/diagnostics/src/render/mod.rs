//! Printers of diagnostics: [`human`], [`json`], [`sarif`] and [`github`].

pub mod github;
pub mod human;
pub mod json;
mod position;
pub mod sarif;

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Severity;

pub use position::{Position, position};

/// A range of a file, with the file's source.
#[derive(Clone, Debug)]
pub struct Span {
    /// The path as it is printed, relative to the current folder where that is shorter.
    pub file: String,
    /// The source of the whole file.
    pub text: Arc<str>,
    /// The range in bytes.
    pub range: Range<usize>,
}

/// A diagnostic that is resolved to the sources that it refers to, so that printers need no database.
#[derive(Clone, Debug)]
pub struct Finding {
    /// `family/kebab-name`.
    pub code: &'static str,
    /// How serious it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The location.
    pub span: Span,
    /// Why it is wrong, and what to write instead.
    pub notes: Vec<String>,
    /// Other locations that explain it, each with a message.
    pub related: Vec<(Span, String)>,
    /// Fixes: titles and replacements.
    pub fixes: Vec<(String, Vec<(Span, String)>)>,
}
