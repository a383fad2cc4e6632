//! Line index: conversion between byte offsets and lines with columns.

use std::ops::Range;
use std::sync::Arc;

use text_size::TextSize;

/// The unit that columns are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnUnit {
    /// Bytes.
    Utf8,
    /// UTF-16 code units.
    Utf16,
    /// Characters (Unicode scalar values).
    Utf32,
}

impl ColumnUnit {
    fn width(self, character: char) -> usize {
        match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A line and a column, both counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// The line, from 0.
    pub line: u32,
    /// The column, from 0, in a [`ColumnUnit`].
    pub column: u32,
}

/// The starts of the lines of a text. A line ends in LF, CR LF or CR. Clones share their memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    starts: Arc<[u32]>,
}

impl LineIndex {
    /// The index of `text`.
    pub fn new(text: &str) -> LineIndex {
        let mut starts = vec![0];
        push_line_starts(text.as_bytes(), 0..text.len(), &mut starts);
        LineIndex { starts: starts.into() }
    }

    /// The index of `new_text`, which has `inserted_len` bytes in place of the bytes `replaced` of the text
    /// that this index belongs to. Only the lines around the replacement are searched.
    pub fn edited(&self, replaced: Range<usize>, inserted_len: usize, new_text: &str) -> LineIndex {
        let inserted_end = replaced.start + inserted_len;
        // A line end has at most two characters, so line starts before the replacement and behind it keep
        // their text.
        let kept = self.starts.partition_point(|start| (*start as usize) < replaced.start).max(1);
        let mut starts = Vec::with_capacity(self.starts.len() + 1);
        starts.extend_from_slice(&self.starts[..kept]);
        push_line_starts(new_text.as_bytes(), self.starts[kept - 1] as usize..inserted_end, &mut starts);
        let behind = self.starts.partition_point(|start| *start as usize <= replaced.end);
        starts.extend(
            self.starts[behind..].iter().map(|start| to_u32(*start as usize - replaced.end + inserted_end)),
        );
        LineIndex { starts: starts.into() }
    }

    /// The number of lines: one more than the text has line ends.
    pub fn line_count(&self) -> u32 {
        to_u32(self.starts.len())
    }

    /// The line of a byte offset, from 0. An offset past the end is in the last line.
    #[inline]
    pub fn line(&self, offset: TextSize) -> u32 {
        let offset = u32::from(offset);
        self.starts.partition_point(|start| *start <= offset) as u32 - 1
    }

    /// The offset at which a line starts; `None` past the last line.
    pub fn line_start(&self, line: u32) -> Option<TextSize> {
        self.starts.get(line as usize).map(|start| TextSize::new(*start))
    }

    /// Line and column of a byte offset of `text`, the text of this index. An offset past the end or inside a
    /// character is moved back.
    pub fn line_column(&self, text: &str, offset: TextSize, unit: ColumnUnit) -> LineColumn {
        let offset = text.floor_char_boundary(usize::from(offset));
        let line = self.line(TextSize::new(to_u32(offset)));
        let before = &text[self.starts[line as usize] as usize..offset];
        let column = match unit {
            ColumnUnit::Utf8 => before.len(),
            _ => before.chars().map(|character| unit.width(character)).sum(),
        };
        LineColumn { line, column: to_u32(column) }
    }

    /// The byte offset of a position in `text`, the text of this index. A column past the end of its line is
    /// the line's end, a line past the last is the text's end, and a column inside a character is that
    /// character's start.
    pub fn offset(&self, text: &str, position: LineColumn, unit: ColumnUnit) -> TextSize {
        let Some(start) = self.line_start(position.line) else { return TextSize::of(text) };
        let end = position.line.checked_add(1).and_then(|next| self.line_start(next));
        let line = &text[usize::from(start)..end.map_or(text.len(), usize::from)];
        let line = line.trim_end_matches(['\n', '\r']);
        let mut remaining = position.column as usize;
        for (at, character) in line.char_indices() {
            let width = unit.width(character);
            if remaining < width {
                return start + TextSize::new(to_u32(at));
            }
            remaining -= width;
        }
        start + TextSize::of(line)
    }
}

/// Appends the starts of the lines that end in `range`.
fn push_line_starts(text: &[u8], range: Range<usize>, starts: &mut Vec<u32>) {
    let offset = range.start;
    let ends = memchr::memchr2_iter(b'\n', b'\r', &text[range]).map(|at| offset + at);
    let ends = ends.filter(|&at| text[at] == b'\n' || text.get(at + 1) != Some(&b'\n'));
    starts.extend(ends.map(|at| to_u32(at + 1)));
}

/// Sources are shorter than 4 GiB: their ranges are of 32 bits.
fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, needle: char) -> TextSize {
        TextSize::new(text.find(needle).unwrap() as u32)
    }

    #[test]
    fn lf_cr_lf_and_cr_end_lines() {
        let text = "a\r\né b\rc\nd";
        let index = LineIndex::new(text);
        let position = |needle| {
            let position = index.line_column(text, at(text, needle), ColumnUnit::Utf32);
            (position.line, position.column)
        };
        assert_eq!(
            (position('a'), position('b'), position('c'), position('d')),
            ((0, 0), (1, 2), (2, 0), (3, 0))
        );
        assert_eq!(index.line_count(), 4);
    }

    #[test]
    fn columns_count_the_given_unit() {
        let text = "a\nx😀é|\r\nend";
        let index = LineIndex::new(text);
        let bar = at(text, '|');
        for (unit, column) in [(ColumnUnit::Utf8, 7), (ColumnUnit::Utf16, 4), (ColumnUnit::Utf32, 3)] {
            let position = index.line_column(text, bar, unit);
            assert_eq!(position, LineColumn { line: 1, column }, "{unit:?}");
            assert_eq!(index.offset(text, position, unit), bar, "{unit:?}");
        }
    }

    #[test]
    fn positions_outside_are_moved_inside() {
        let offset = |text: &str, line, column| {
            u32::from(LineIndex::new(text).offset(text, LineColumn { line, column }, ColumnUnit::Utf16))
        };
        assert_eq!(
            (offset("ab\r\ncd", 0, 99), offset("ab\r\ncd", 9, 0), offset("ab", u32::MAX, 0)),
            (2, 6, 2)
        );
        // Inside the two units of one character.
        assert_eq!(offset("😀", 0, 1), 0);
        let end = LineIndex::new("ab").line_column("ab", TextSize::new(99), ColumnUnit::Utf32);
        assert_eq!(end, LineColumn { line: 0, column: 2 });
        let inside = LineIndex::new("é").line_column("é", TextSize::new(1), ColumnUnit::Utf32);
        assert_eq!(inside, LineColumn { line: 0, column: 0 });
    }

    #[test]
    fn edited_index_equals_index_of_the_new_text() {
        let parts = ["a", "\n", "\r", "\r\n", "é", ""];
        let text = "x\r\ny\n\rz\r\n";
        let old = LineIndex::new(text);
        for start in 0..=text.len() {
            for end in start..=text.len() {
                for (first, second) in parts.iter().flat_map(|a| parts.iter().map(move |b| (a, b))) {
                    let insert = format!("{first}{second}");
                    let mut new = text.to_owned();
                    new.replace_range(start..end, &insert);
                    let edited = old.edited(start..end, insert.len(), &new);
                    assert_eq!(edited, LineIndex::new(&new), "{new:?}: {start}..{end} {insert:?}");
                }
            }
        }
    }
}
