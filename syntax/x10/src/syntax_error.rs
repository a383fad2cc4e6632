//! Syntax errors.

use apg_source::TextRange;

/// A syntax error: a range and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    /// The range; empty if something is missing there.
    pub range: TextRange,
    /// What is wrong, or what was expected.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// What to put in place of `range`.
    pub replacement: Option<String>,
    /// Something is missing or was skipped: the intended code is not known.
    pub is_gap: bool,
    /// Further ranges of the same mistake, with their replacements. It is reported once.
    pub also: Vec<(TextRange, String)>,
    /// The kind of mistake, if its errors are merged.
    pub(crate) mistake: Option<MistakeKind>,
}

/// Kinds of mistakes that tend to be repeated in a file: they are merged into one error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MistakeKind {
    /// A keyword is used as a name.
    Reserved,
    /// A value stands where `return` gives it.
    NoReturn,
    /// `=` precedes the braces of a body.
    EqualsBody,
    /// An arrow stands behind the label of a `switch`.
    CaseArrow,
}

impl SyntaxError {
    /// An error without a hint.
    pub fn new(range: TextRange, message: impl Into<String>) -> SyntaxError {
        let message = message.into();
        SyntaxError {
            range,
            message,
            hint: None,
            replacement: None,
            is_gap: false,
            also: Vec::new(),
            mistake: None,
        }
    }

    /// The same error as a gap: the intended code is not known.
    pub fn as_gap(self) -> SyntaxError {
        SyntaxError { is_gap: true, ..self }
    }

    /// The same error with a hint.
    pub fn with_hint(self, hint: impl Into<String>) -> SyntaxError {
        SyntaxError { hint: Some(hint.into()), ..self }
    }

    /// The same error with what to put in place of its range.
    pub fn replaced_by(self, text: impl Into<String>) -> SyntaxError {
        SyntaxError { replacement: Some(text.into()), ..self }
    }
}
