//! A position in the tokens of a text, and the errors there.

use smol_str::SmolStr;

use crate::text::error::TextError;
use crate::text::lexer::{SpanText, Token, TokenKind};
use crate::text::names::Name;

/// The result of parsing something.
pub(super) type Parsed<T> = Result<T, TextError>;

/// Depth of nested statements and expressions. Passes recurse on both.
const MAX_DEPTH: u32 = 1000;

/// The next token.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    depth: u32,
}

impl<'t> Cursor<'t> {
    /// At the first token. The last token must be [`TokenKind::End`].
    pub(super) fn new(text: &'t str, tokens: &'t [Token]) -> Cursor<'t> {
        Cursor { text, tokens, at: 0, depth: 0 }
    }

    /// At another token of the same text.
    pub(super) fn moved_to(&self, at: usize) -> Cursor<'t> {
        Cursor { text: self.text, tokens: self.tokens, at, depth: 0 }
    }

    /// The index of the next token.
    pub(super) fn index(&self) -> usize {
        self.at
    }

    /// The byte offset of the next token.
    pub(super) fn offset(&self) -> usize {
        self.tokens[self.at].start
    }

    pub(super) fn peek(&self) -> &'t TokenKind {
        &self.tokens[self.at].kind
    }

    /// The token behind the next one.
    pub(super) fn peek_second(&self) -> &'t TokenKind {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    /// Moves to the next token; stays at the end.
    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// An error at the next token.
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        self.error_at(self.offset(), message)
    }

    /// An error at a byte offset.
    pub(super) fn error_at<T>(&self, offset: usize, message: impl Into<String>) -> Parsed<T> {
        Err(TextError::at(self.text, offset, message))
    }

    /// An error that says what is needed instead of the next token.
    pub(super) fn expected<T>(&self, what: &str) -> Parsed<T> {
        self.error(format!("{what} is needed here, not {}", self.peek().describe()))
    }

    pub(super) fn at_punctuation(&self, text: &str) -> bool {
        matches!(self.peek(), TokenKind::Punctuation(it) if *it == text)
    }

    pub(super) fn at_word(&self, text: &str) -> bool {
        matches!(self.peek(), TokenKind::Word(it) if it == text)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_next = self.at_punctuation(text);
        if is_next {
            self.advance();
        }
        is_next
    }

    pub(super) fn eat_word(&mut self, text: &str) -> bool {
        let is_next = self.at_word(text);
        if is_next {
            self.advance();
        }
        is_next
    }

    pub(super) fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { self.expected(&format!("`{text}`")) }
    }

    pub(super) fn expect_word(&mut self, text: &str) -> Parsed<()> {
        if self.eat_word(text) { Ok(()) } else { self.expected(&format!("`{text}`")) }
    }

    /// Any word.
    pub(super) fn word(&mut self, what: &str) -> Parsed<&'t SmolStr> {
        match self.peek() {
            TokenKind::Word(word) => {
                self.advance();
                Ok(word)
            }
            _ => self.expected(what),
        }
    }

    pub(super) fn global(&mut self, what: &str) -> Parsed<&'t Name> {
        match self.peek() {
            TokenKind::Global(name) => {
                self.advance();
                Ok(name)
            }
            _ => self.expected(&format!("the name of {what}, such as `@name`,")),
        }
    }

    pub(super) fn local(&mut self) -> Parsed<&'t Name> {
        match self.peek() {
            TokenKind::Local(name) => {
                self.advance();
                Ok(name)
            }
            _ => self.expected("a local, such as `%name`,"),
        }
    }

    /// The name of a field or captured value: a word or string, perhaps with an ordinal.
    pub(super) fn member_name(&mut self) -> Parsed<Name> {
        let text = match self.peek() {
            TokenKind::Word(word) => word.clone(),
            TokenKind::String(text) => SmolStr::new(text),
            TokenKind::Ordinal(_) => SmolStr::default(),
            _ => return self.expected("a name"),
        };
        if !matches!(self.peek(), TokenKind::Ordinal(_)) {
            self.advance();
        }
        let ordinal = match self.peek() {
            TokenKind::Ordinal(ordinal) => {
                self.advance();
                *ordinal
            }
            _ => 0,
        };
        Ok(Name { text, ordinal })
    }

    pub(super) fn string(&mut self, what: &str) -> Parsed<&'t str> {
        match self.peek() {
            TokenKind::String(text) => {
                self.advance();
                Ok(text)
            }
            _ => self.expected(what),
        }
    }

    /// A number from 0 to 4294967295.
    pub(super) fn small_number(&mut self, what: &str) -> Parsed<u32> {
        match self.peek() {
            TokenKind::Integer(value) => match u32::try_from(*value) {
                Ok(value) => {
                    self.advance();
                    Ok(value)
                }
                Err(_) => self.error(format!("{what} is at most 4294967295")),
            },
            _ => self.expected(what),
        }
    }

    /// A number with its sign.
    pub(super) fn integer(&mut self) -> Parsed<i64> {
        let start = self.offset();
        let is_negative = self.eat("-");
        let TokenKind::Integer(magnitude) = *self.peek() else { return self.expected("an integer") };
        self.advance();
        match signed(magnitude, is_negative) {
            Some(value) => Ok(value),
            None => self.error_at(start, "this number does not fit 64 bits with a sign"),
        }
    }

    /// A source position.
    pub(super) fn span(&mut self) -> Option<SpanText> {
        let TokenKind::Span(span) = *self.peek() else { return None };
        self.advance();
        Some(span)
    }

    /// Items up to a closing bracket, with commas between and perhaps behind the last.
    pub(super) fn list(&mut self, close: &str, item: &mut dyn FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        while !self.eat(close) {
            item(self)?;
            if !self.eat(",") {
                return self.expect(close);
            }
        }
        Ok(())
    }

    /// Begins something nested.
    pub(super) fn enter(&mut self) -> Parsed<()> {
        if self.depth >= MAX_DEPTH {
            return self.error(format!("this is nested more than {MAX_DEPTH} levels deep"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Ends something nested.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// An integer constant. Numbers up to `u64::MAX` stand for their bits.
pub(super) fn signed(magnitude: u64, is_negative: bool) -> Option<i64> {
    if is_negative { 0_i64.checked_sub_unsigned(magnitude) } else { Some(magnitude.cast_signed()) }
}
