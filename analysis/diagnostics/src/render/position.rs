//! Lines and columns as printers write them: from 1, columns in characters.

use apg_source::{ColumnUnit, LineIndex, TextSize};

use super::Span;

/// A line and a column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

impl Span {
    /// The positions of its start and its end.
    pub fn positions(&self) -> (Position, Position) {
        let index = LineIndex::new(&self.text);
        (position(&index, &self.text, self.range.start), position(&index, &self.text, self.range.end))
    }
}

/// The position of a byte offset of `text`; an offset past the end or inside a character is moved back.
pub fn position(index: &LineIndex, text: &str, offset: usize) -> Position {
    let offset = TextSize::try_from(offset.min(text.len())).unwrap_or_default();
    let at = index.line_column(text, offset, ColumnUnit::Utf32);
    Position { line: at.line + 1, column: at.column + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(text: &str, offset: usize) -> Position {
        position(&LineIndex::new(text), text, offset)
    }

    #[test]
    fn columns_count_characters_and_lines_end_in_lf_crlf_or_cr() {
        let text = "a\r\né b\rc\nd";
        let at = |needle: &str| start(text, text.find(needle).unwrap());
        assert_eq!(at("a"), Position { line: 1, column: 1 });
        assert_eq!(at("b"), Position { line: 2, column: 3 });
        assert_eq!(at("c"), Position { line: 3, column: 1 });
        assert_eq!(at("d"), Position { line: 4, column: 1 });
    }

    #[test]
    fn offsets_past_the_end_or_inside_a_character_are_moved_back() {
        assert_eq!(start("ab", 99), Position { line: 1, column: 3 });
        assert_eq!(start("é", 1), Position { line: 1, column: 1 });
    }
}
