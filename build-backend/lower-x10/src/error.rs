//! Errors of lowering: programs that are well typed but cannot be built.

use apg_analysis::SourceFile;
use apg_syntax::TextRange;

/// Why a program cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerError {
    /// `build/kebab-name`.
    pub code: &'static str,
    /// The message, one sentence.
    pub message: String,
    /// The file, if known.
    pub file: Option<SourceFile>,
    /// The range in that file.
    pub range: Option<TextRange>,
    /// Why, and what to write instead.
    pub notes: Vec<String>,
}

impl LowerError {
    /// An error without a position.
    pub fn new(code: &'static str, message: impl Into<String>) -> LowerError {
        LowerError { code, message: message.into(), file: None, range: None, notes: Vec::new() }
    }

    /// At a position.
    pub fn at(mut self, file: SourceFile, range: TextRange) -> LowerError {
        self.file = Some(file);
        self.range = Some(range);
        self
    }

    /// With an explanation.
    pub fn note(mut self, note: impl Into<String>) -> LowerError {
        self.notes.push(note.into());
        self
    }
}
