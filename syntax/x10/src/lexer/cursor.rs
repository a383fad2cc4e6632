//! Cursor of the lexer.

use apg_source::{TextRange, TextSize};

pub(super) struct Cursor<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, position: 0 }
    }

    pub(super) fn at_end(&self) -> bool {
        self.position >= self.text.len()
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The next byte; 0 at the end (as for a NUL, which begins no token either).
    pub(super) fn peek(&self) -> u8 {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.position + ahead).copied().unwrap_or(0)
    }

    pub(super) fn at_line_start(&self) -> bool {
        self.position == 0 || self.text.as_bytes()[self.position - 1] == b'\n'
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    pub(super) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.position]
    }

    /// The text up to `position`.
    pub(super) fn before(&self, position: usize) -> &'a str {
        &self.text[..position]
    }

    pub(super) fn range_from(&self, start: usize) -> TextRange {
        TextRange::new(TextSize::new(start as u32), TextSize::new(self.position as u32))
    }

    /// Advances by `count` bytes, which must end between two characters.
    pub(super) fn bump_by(&mut self, count: usize) {
        self.position += count;
        debug_assert!(self.text.is_char_boundary(self.position));
    }

    /// Goes back to `position`, which must be between two characters.
    pub(super) fn back_to(&mut self, position: usize) {
        self.position = position;
        debug_assert!(self.text.is_char_boundary(self.position));
    }

    /// Advances while `f` holds. `f` must treat all bytes from 0x80 alike.
    pub(super) fn bump_while(&mut self, f: impl Fn(u8) -> bool) {
        let bytes = self.text.as_bytes();
        while self.position < bytes.len() && f(bytes[self.position]) {
            self.position += 1;
        }
    }

    /// Advances by one character.
    pub(super) fn bump_char(&mut self) {
        self.position += self.rest().chars().next().map_or(0, char::len_utf8);
    }
}
