//! Errors of MIR text.

use std::fmt;

/// Why a text is no program, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// What is wrong, and what to write instead.
    pub message: String,
}

impl TextError {
    /// An error at a byte offset of a text.
    pub(super) fn at(text: &str, offset: usize, message: impl Into<String>) -> TextError {
        let before = &text[..offset.min(text.len())];
        let start = before.rfind('\n').map_or(0, |it| it + 1);
        let line = before.bytes().filter(|it| *it == b'\n').count() + 1;
        let column = before[start..].chars().count() + 1;
        let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        TextError { line: number(line), column: number(column), message: message.into() }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for TextError {}
