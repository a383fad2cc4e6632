//! Kinds of tokens and nodes.

#[macro_use]
#[rustfmt::skip]
mod generated;

pub use self::generated::SyntaxKind;

impl SyntaxKind {
    /// White space, line ends and comments.
    pub fn is_trivia(self) -> bool {
        use SyntaxKind::*;
        matches!(self, WHITESPACE | NEWLINE | LINE_COMMENT | BLOCK_COMMENT)
    }

    /// `=` and the compound assignments.
    pub fn is_assignment(self) -> bool {
        (SyntaxKind::EQ as u16..=SyntaxKind::SHREQ as u16).contains(&(self as u16))
    }

    pub(crate) fn from_raw(raw: u16) -> SyntaxKind {
        assert!(raw <= SyntaxKind::LAST as u16);
        // SAFETY: the enum is `repr(u16)`, has no gaps, and `raw` is at most its last value.
        unsafe { std::mem::transmute::<u16, SyntaxKind>(raw) }
    }
}
