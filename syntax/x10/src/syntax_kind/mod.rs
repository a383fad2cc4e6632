//! Kinds of tokens and nodes.

#[macro_use]
#[rustfmt::skip]
mod generated;

pub use self::generated::SyntaxKind;

impl SyntaxKind {
    /// White space and comments: what the parser does not see.
    pub fn is_trivia(self) -> bool {
        use SyntaxKind::*;
        matches!(self, WHITESPACE | LINE_COMMENT | BLOCK_COMMENT | DOC_COMMENT)
    }

    /// Comments of all three kinds.
    pub fn is_comment(self) -> bool {
        self.is_trivia() && self != SyntaxKind::WHITESPACE
    }

    /// Tokens with a value.
    pub fn is_literal(self) -> bool {
        use SyntaxKind::*;
        matches!(self, INT_NUMBER | FLOAT_NUMBER | CHAR | STRING | TRUE_KW | FALSE_KW | NULL_KW)
    }

    /// `=` and the compound assignments.
    pub fn is_assignment(self) -> bool {
        (SyntaxKind::EQ as u16..=SyntaxKind::TILDEEQ as u16).contains(&(self as u16))
    }

    pub(crate) fn from_raw(raw: u16) -> SyntaxKind {
        assert!(raw <= SyntaxKind::LAST as u16);
        // SAFETY: the enum is `repr(u16)`, has no gaps, and `raw` is at most its last value.
        unsafe { std::mem::transmute::<u16, SyntaxKind>(raw) }
    }
}
