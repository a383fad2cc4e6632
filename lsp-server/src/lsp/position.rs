//! Positions of the protocol (line and column in UTF-8, UTF-16 or UTF-32 units) and byte offsets.

use std::sync::Arc;

use apg_syntax::{TextRange, TextSize};
use tower_lsp_server::ls_types::{Position, PositionEncodingKind, Range, TextEdit};

/// The unit that columns are counted in, as agreed in `initialize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Encoding {
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
        let mut starts = vec![0];
        add_starts(text.as_bytes(), 0, text.len(), &mut starts);
        Self { starts: starts.into(), text }
    }

    /// The text with `insert` in place of a range: only around that lines are looked for again.
    pub fn replaced(&self, range: std::ops::Range<usize>, insert: &str) -> Self {
        let mut text = String::with_capacity(self.text.len() - range.len() + insert.len());
        text.push_str(&self.text[..range.start]);
        text.push_str(insert);
        let inserted = text.len();
        text.push_str(&self.text[range.end..]);
        // What ends a line is two characters at most: before a start that lies before the edit, and behind
        // the edit, it is what it was.
        let kept = self.starts.partition_point(|start| *start < range.start).max(1);
        let mut starts = Vec::with_capacity(self.starts.len() + 1);
        starts.extend_from_slice(&self.starts[..kept]);
        add_starts(text.as_bytes(), self.starts[kept - 1], inserted, &mut starts);
        let behind = self.starts.partition_point(|start| *start <= range.end);
        starts.extend(self.starts[behind..].iter().map(|start| start - range.end + inserted));
        Self { starts: starts.into(), text: text.into() }
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

    /// The byte offset of a position. A column past the line's end is its end, a line past the last the end
    /// of the text, as the protocol says.
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

    /// An edit of this text, whose lines end as those of the text do.
    pub fn edit(&self, range: TextRange, insert: &str, encoding: Encoding) -> TextEdit {
        let first_end = self.starts.get(1).map_or("", |second| &self.text[..*second]);
        let new_text = match insert.contains('\n') && first_end.ends_with("\r\n") {
            // What was taken from the text has its line ends already.
            true => insert.replace("\r\n", "\n").replace('\n', "\r\n"),
            false => insert.to_owned(),
        };
        TextEdit { range: self.range(range, encoding), new_text }
    }

    /// A byte range, which is empty if its end is before its start.
    pub fn text_range(&self, range: Range, encoding: Encoding) -> TextRange {
        let start = self.offset(range.start, encoding);
        let end = self.offset(range.end, encoding);
        TextRange::new(start, end.max(start))
    }
}

/// Adds where the lines start that are ended between two places: by LF, CR LF or CR.
fn add_starts(text: &[u8], from: usize, to: usize, starts: &mut Vec<usize>) {
    let ends = memchr::memchr2_iter(b'\n', b'\r', &text[from..to]).map(|at| from + at);
    let ends = ends.filter(|&at| text[at] == b'\n' || text.get(at + 1) != Some(&b'\n'));
    starts.extend(ends.map(|at| at + 1));
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
    fn what_is_inserted_ends_its_lines_as_the_text_does() {
        let inserted = |text: &str, insert| {
            let at = TextRange::empty(TextSize::new(0));
            LineText::new(text.into()).edit(at, insert, Encoding::Utf16).new_text
        };
        assert_eq!(inserted("a;\r\nb;\r\n", "{\n  c;\r\n}\n"), "{\r\n  c;\r\n}\r\n");
        assert_eq!(inserted("a;\nb;\r\n", "{\n}"), "{\n}");
        assert_eq!(inserted("", "{\n}"), "{\n}");
    }

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
    fn lines_after_an_edit_are_those_of_the_new_text() {
        let pieces = ["a", "\n", "\r", "\r\n", "é", ""];
        let text = "x\r\ny\n\rz\r\n";
        let old = LineText::new(text.into());
        for start in 0..=text.len() {
            for end in start..=text.len() {
                for (first, second) in pieces.iter().flat_map(|a| pieces.iter().map(move |b| (a, b))) {
                    let insert = format!("{first}{second}");
                    let new = old.replaced(start..end, &insert);
                    let mut whole = text.to_owned();
                    whole.replace_range(start..end, &insert);
                    let fresh = LineText::new(whole.into());
                    assert_eq!(new.text(), fresh.text());
                    assert_eq!(new.starts, fresh.starts, "{:?}: {start}..{end} {insert:?}", new.text());
                }
            }
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
