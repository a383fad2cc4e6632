//! Errors.

use crate::TextRange;

/// A mistake in the text: what was expected, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    /// Where. Empty if something is missing there.
    pub range: TextRange,
    /// What is wrong, or what was expected.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl SyntaxError {
    /// An error without a hint.
    pub fn new(range: TextRange, message: impl Into<String>) -> SyntaxError {
        SyntaxError { range, message: message.into(), hint: None }
    }

    /// The same error with a hint.
    pub fn with_hint(self, hint: impl Into<String>) -> SyntaxError {
        SyntaxError { hint: Some(hint.into()), ..self }
    }
}
