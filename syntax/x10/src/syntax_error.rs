//! Syntax errors as data.

use apg_source::TextRange;

/// A mistake in the text: what was expected, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    /// Where. Empty if something is missing there.
    pub range: TextRange,
    /// What is wrong, or what was expected.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// What to put in place of `range`.
    pub replacement: Option<String>,
    /// Something is missing or was put aside: what was meant is not known.
    pub is_gap: bool,
    /// Where the same mistake is made again, and what to put in place of each. It is said once.
    pub also: Vec<(TextRange, String)>,
    /// Of which sort it is, if errors of this sort may be one mistake.
    pub(crate) mistake: Option<MistakeKind>,
}

/// Mistakes that are made again and again by who makes them once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MistakeKind {
    /// A keyword is used as a name.
    Reserved,
    /// A value stands where `return` gives it.
    NoReturn,
    /// `=` stands before the braces of a body.
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

    /// The same error, of which nobody knows what was meant.
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
