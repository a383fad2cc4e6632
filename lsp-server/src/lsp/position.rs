//! Positions of the protocol (line and column in UTF-8, UTF-16 or UTF-32 units) and byte offsets.

use std::sync::Arc;

use apg_source::{ColumnUnit, LineColumn, LineIndex, TextRange, TextSize};
use tower_lsp_server::ls_types::{Position, PositionEncodingKind, Range, TextEdit};

/// The unit that columns are counted in, as agreed in `initialize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, which every client supports.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The cheapest unit that the client offers: bytes need no counting.
    pub(crate) fn choose(offered: Option<&[PositionEncodingKind]>) -> Self {
        let offers = |kind: &PositionEncodingKind| offered.is_some_and(|offered| offered.contains(kind));
        if offers(&PositionEncodingKind::UTF8) {
            Self::Utf8
        } else if offers(&PositionEncodingKind::UTF16) || !offers(&PositionEncodingKind::UTF32) {
            Self::Utf16
        } else {
            Self::Utf32
        }
    }

    /// The protocol's name.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn unit(self) -> ColumnUnit {
        match self {
            Self::Utf8 => ColumnUnit::Utf8,
            Self::Utf16 => ColumnUnit::Utf16,
            Self::Utf32 => ColumnUnit::Utf32,
        }
    }
}

/// A text with its lines. Clones share their memory.
#[derive(Clone, Debug)]
pub(crate) struct LineText {
    text: Arc<str>,
    lines: LineIndex,
}

impl LineText {
    /// A text with its lines.
    pub(crate) fn new(text: Arc<str>) -> Self {
        Self { lines: LineIndex::new(&text), text }
    }

    /// The text with `insert` in place of a range.
    pub(crate) fn replaced(&self, range: std::ops::Range<usize>, insert: &str) -> Self {
        let mut text = String::with_capacity(self.text.len() - range.len() + insert.len());
        text.push_str(&self.text[..range.start]);
        text.push_str(insert);
        text.push_str(&self.text[range.end..]);
        let lines = self.lines.edited(range, insert.len(), &text);
        Self { lines, text: text.into() }
    }

    /// The text.
    pub(crate) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The position of a byte offset, which is moved back into the text and to the start of a character if
    /// need be.
    pub(crate) fn position(&self, offset: TextSize, encoding: Encoding) -> Position {
        let position = self.lines.line_column(&self.text, offset, encoding.unit());
        Position { line: position.line, character: position.column }
    }

    /// The byte offset of a position. A column past the end of its line is the line's end, and a line past
    /// the last is the text's end, as the protocol says.
    pub(crate) fn offset(&self, position: Position, encoding: Encoding) -> TextSize {
        let position = LineColumn { line: position.line, column: position.character };
        self.lines.offset(&self.text, position, encoding.unit())
    }

    /// A range in the protocol's form.
    pub(crate) fn range(&self, range: TextRange, encoding: Encoding) -> Range {
        Range { start: self.position(range.start(), encoding), end: self.position(range.end(), encoding) }
    }

    /// An edit of this text, whose lines end as those of the text do.
    pub(crate) fn edit(&self, range: TextRange, insert: &str, encoding: Encoding) -> TextEdit {
        let first_line = self.lines.line_start(1).map_or("", |second| &self.text[..usize::from(second)]);
        let new_text = match insert.contains('\n') && first_line.ends_with("\r\n") {
            // Parts that were taken from the text have its line ends already.
            true => insert.replace("\r\n", "\n").replace('\n', "\r\n"),
            false => insert.to_owned(),
        };
        TextEdit { range: self.range(range, encoding), new_text }
    }

    /// A byte range, which is empty if its end is before its start.
    pub(crate) fn text_range(&self, range: Range, encoding: Encoding) -> TextRange {
        let start = self.offset(range.start, encoding);
        let end = self.offset(range.end, encoding);
        TextRange::new(start, end.max(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lf_cr_lf_and_cr_end_lines() {
        let text = LineText::new("a\r\nb\rc\nd😀|".into());
        for (offset, line) in [(0, 0), (3, 1), (5, 2), (7, 3)] {
            let position = text.position(TextSize::new(offset), Encoding::Utf16);
            assert_eq!((position.line, position.character), (line, 0));
            assert_eq!(text.offset(position, Encoding::Utf16), TextSize::new(offset));
        }
        let bar = TextSize::of("a\r\nb\rc\nd😀");
        let column = |encoding| text.position(bar, encoding).character;
        assert_eq!((column(Encoding::Utf8), column(Encoding::Utf16), column(Encoding::Utf32)), (5, 3, 2));
    }

    #[test]
    fn replaced_text_has_the_lines_of_the_new_text() {
        let text = LineText::new("a\nb\nc".into()).replaced(1..3, "\r\n\r");
        assert_eq!(&**text.text(), "a\r\n\r\nc");
        assert_eq!(text.position(TextSize::new(5), Encoding::Utf16), Position::new(2, 0));
    }

    #[test]
    fn inserted_lines_end_as_those_of_the_text() {
        let inserted = |text: &str, insert| {
            let at = TextRange::empty(TextSize::new(0));
            LineText::new(text.into()).edit(at, insert, Encoding::Utf16).new_text
        };
        assert_eq!(inserted("a;\r\nb;\r\n", "{\n  c;\r\n}\n"), "{\r\n  c;\r\n}\r\n");
        assert_eq!(inserted("a;\nb;\r\n", "{\n}"), "{\n}");
        assert_eq!(inserted("", "{\n}"), "{\n}");
    }

    #[test]
    fn cheapest_offered_encoding_is_chosen() {
        assert_eq!(Encoding::choose(None), Encoding::Utf16);
        let offered = [PositionEncodingKind::UTF32, PositionEncodingKind::UTF8];
        assert_eq!(Encoding::choose(Some(&offered)), Encoding::Utf8);
        assert_eq!(Encoding::choose(Some(&offered[..1])), Encoding::Utf32);
    }
}
