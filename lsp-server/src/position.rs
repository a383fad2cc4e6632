//! Positions of the protocol (line and column in UTF-8, UTF-16 or UTF-32 units) and byte offsets.

use std::sync::Arc;

use apg_syntax::{TextRange, TextSize};
use tower_lsp_server::ls_types::{Position, PositionEncodingKind, Range};

/// The unit that columns are counted in, as agreed in `initialize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// What every client knows.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The best that the client offers: bytes need no counting.
    pub fn choose(offered: Option<&[PositionEncodingKind]>) -> Self {
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
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn units(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A text with the starts of its lines.
#[derive(Clone, Debug)]
pub struct LineText {
    text: Arc<str>,
    starts: Arc<[usize]>,
}

impl LineText {
    /// Finds the lines: LF, CR LF and CR end one, as the protocol says.
    pub fn new(text: Arc<str>) -> Self {
        let bytes = text.as_bytes();
        let ends_line = |at: usize| match bytes[at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let starts = std::iter::once(0).chain((0..bytes.len()).filter(|&at| ends_line(at)).map(|at| at + 1));
        Self { starts: starts.collect(), text }
    }

    /// The text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The position of a byte offset, moved back into the text and to a character's start if need be.
    pub fn position(&self, offset: TextSize, encoding: Encoding) -> Position {
        let mut offset = usize::from(offset).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let before = &self.text[self.starts[line]..offset];
        let character: usize = before.chars().map(|c| encoding.units(c)).sum();
        Position { line: saturate(line), character: saturate(character) }
    }

    /// The byte offset of a position. A column past the line's end is its end, a line past the last the end of the
    /// text, as the protocol says.
    pub fn offset(&self, position: Position, encoding: Encoding) -> TextSize {
        let Some(&start) = self.starts.get(position.line as usize) else { return size(self.text.len()) };
        let end = self.starts.get(position.line as usize + 1).copied().unwrap_or(self.text.len());
        let line = self.text[start..end].trim_end_matches(['\n', '\r']);
        let mut left = position.character as usize;
        for (at, c) in line.char_indices() {
            let units = encoding.units(c);
            if left < units {
                return size(start + at);
            }
            left -= units;
        }
        size(start + line.len())
    }

    /// A range in the protocol's form.
    pub fn range(&self, range: TextRange, encoding: Encoding) -> Range {
        Range { start: self.position(range.start(), encoding), end: self.position(range.end(), encoding) }
    }

    /// A byte range; one that ends before it starts is empty.
    pub fn text_range(&self, range: Range, encoding: Encoding) -> TextRange {
        let start = self.offset(range.start, encoding);
        let end = self.offset(range.end, encoding);
        TextRange::new(start, end.max(start))
    }
}

fn saturate(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn size(n: usize) -> TextSize {
    TextSize::from(saturate(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_the_agreed_unit() {
        let text = LineText::new("a\nx😀é|\r\nend".into());
        let bar = size(text.text().find('|').unwrap());
        for (encoding, column) in [(Encoding::Utf8, 7), (Encoding::Utf16, 4), (Encoding::Utf32, 3)] {
            let position = text.position(bar, encoding);
            assert_eq!((position.line, position.character), (1, column), "{encoding:?}");
            assert_eq!(text.offset(position, encoding), bar, "{encoding:?}");
        }
    }

    #[test]
    fn positions_outside_are_moved_inside() {
        let text = LineText::new("ab\r\ncd".into());
        let offset =
            |line, character| usize::from(text.offset(Position { line, character }, Encoding::Utf16));
        assert_eq!(offset(0, 99), 2);
        assert_eq!(offset(9, 0), 6);
        // Inside the two units of an emoji: its start.
        let emoji = LineText::new("😀".into());
        assert_eq!(usize::from(emoji.offset(Position { line: 0, character: 1 }, Encoding::Utf16)), 0);
    }

    #[test]
    fn the_best_offered_encoding_is_chosen() {
        assert_eq!(Encoding::choose(None), Encoding::Utf16);
        let offered = [PositionEncodingKind::UTF32, PositionEncodingKind::UTF8];
        assert_eq!(Encoding::choose(Some(&offered)), Encoding::Utf8);
        assert_eq!(Encoding::choose(Some(&offered[..1])), Encoding::Utf32);
    }
}
