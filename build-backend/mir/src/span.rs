//! Source spans: ranges of lines and columns.

use super::FileId;

/// A line and a column, both counted from 1; columns are in bytes of UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A range of a source file, for diagnostics, `#line` and stack traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first character.
    pub start: LineColumn,
    /// After the last character; `start` for an empty range.
    pub end: LineColumn,
}

impl Span {
    /// The empty range at the start of a line, for code that has no text of its own.
    pub fn of_line(file: FileId, line: u32) -> Span {
        let start = LineColumn { line, column: 1 };
        Span { file, start, end: start }
    }

    /// The line that the range starts in, from 1: the line that backtraces and debuggers show.
    #[inline]
    pub fn line(self) -> u32 {
        self.start.line
    }

    /// Whether two ranges start in the same line of one file.
    pub fn starts_in_line_of(self, other: Span) -> bool {
        self.file == other.file && self.line() == other.line()
    }
}
