//! Preprocessed tokens with their positions.

use crate::files::Span;
use crate::symbol::Symbol;
use crate::syntax_kind::SyntaxKind;

/// A token of the preprocessor's output.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// The kind. Keywords are names here.
    pub kind: SyntaxKind,
    pub(crate) flags: u8,
    /// The spelling without line splices.
    pub text: Symbol,
    /// Where it is spelled; of a token that was pasted or made into a string, where its macro makes it.
    pub span: Span,
    /// The innermost macro expansion that it comes from.
    pub expansion: ExpansionId,
}

impl Token {
    /// The first token of a line.
    pub(crate) const LINE_START: u8 = 1;
    /// White space stands before it.
    pub(crate) const SPACE_BEFORE: u8 = 2;
    /// A name that is never expanded, since it came up in its own expansion.
    pub(crate) const NO_EXPAND: u8 = 4;
    /// Not spelled in a file as it is: pasted, made into a string, or the value of a built-in macro.
    pub(crate) const SYNTHETIC: u8 = 8;

    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Spelled in a file as it is, outside of any macro: a fix can replace it.
    pub fn is_spelled(&self) -> bool {
        self.expansion == ExpansionId::NONE && !self.has(Token::SYNTHETIC)
    }

    /// White space or a line end stands before it.
    pub fn has_space_before(&self) -> bool {
        self.has(Token::LINE_START | Token::SPACE_BEFORE)
    }

    /// It is the first token of a line of its file, or of an expansion.
    pub fn is_line_start(&self) -> bool {
        self.has(Token::LINE_START)
    }

    /// The flags, with those of `other` on white space.
    pub(crate) fn spaced_as(mut self, other: Token) -> Token {
        let spacing = Token::LINE_START | Token::SPACE_BEFORE;
        self.flags = (self.flags & !spacing) | (other.flags & spacing);
        self
    }
}

/// A macro expansion of a translation unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExpansionId(pub(crate) u32);

impl ExpansionId {
    /// No expansion: the token is written in a file outside of macros.
    pub const NONE: ExpansionId = ExpansionId(0);
}

/// A macro expansion.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// The macro.
    pub macro_name: Symbol,
    /// The name in its `#define`.
    pub definition: Span,
    /// The spelled range of the invocation: the name, and the arguments if they follow it in one file.
    pub invocation: Span,
    /// The expansion that the invocation comes from.
    pub parent: ExpansionId,
    /// For tokens of an argument: the expansion that they had before.
    pub argument_of: Option<ExpansionId>,
}
