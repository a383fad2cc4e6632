//! Source spans of statements and expressions.

use std::rc::Rc;

use apg_analysis::program::body::{ExprId, ExprKind};
use apg_analysis::{FileOrigin, SourceFile};
use apg_source::{LineIndex, TextRange, TextSize};

use crate::Lowerer;
use crate::builder::function::{Builder, Source};
use apg_mir as mir;

/// The lines of a file of the program.
#[derive(Debug)]
pub(crate) struct FileLines {
    pub file: mir::FileId,
    index: LineIndex,
}

impl FileLines {
    fn new(file: mir::FileId, text: &str) -> FileLines {
        FileLines { file, index: LineIndex::new(text) }
    }

    /// The span of a range of byte offsets.
    pub(crate) fn span(&self, range: TextRange) -> mir::Span {
        mir::Span {
            file: self.file,
            start: self.line_column(range.start()),
            end: self.line_column(range.end()),
        }
    }

    /// The empty span at a byte offset.
    pub(crate) fn span_at(&self, offset: u32) -> mir::Span {
        self.span(TextRange::empty(TextSize::new(offset)))
    }

    fn line_column(&self, offset: TextSize) -> mir::LineColumn {
        let line = self.index.line(offset);
        let start = self.index.line_start(line).unwrap_or_default();
        mir::LineColumn { line: line + 1, column: u32::from(offset - start) + 1 }
    }
}

impl Source {
    /// The span of a range of its body.
    pub(crate) fn span(&self, range: TextRange) -> mir::Span {
        self.lines.span(range + TextSize::new(self.base))
    }
}

impl Builder<'_, '_> {
    /// The span of an expression. If an operand comes first, on an earlier line, it starts at the name or
    /// operator after it: that is the line to show in a backtrace.
    pub(crate) fn span_of(&self, id: ExprId) -> mir::Span {
        let node = self.source.body.expr(id);
        let (start, end) = (node.range.start(), node.range.end());
        let from = |start: TextSize| self.source.span(TextRange::new(start.min(end), end));
        let whole = from(start);
        let first = match &node.kind {
            ExprKind::Call { receiver: Some(first), .. } | ExprKind::Field { object: first, .. } => *first,
            ExprKind::ClosureCall { closure, .. } => *closure,
            _ => return whole,
        };
        let first = self.source.body.expr(first).range;
        // A prefix, or an operator that is not written.
        if first.end() <= start || first.end() >= end || whole.start.line == whole.end.line {
            return whole;
        }
        let text = self.source.file.text(self.lowerer.db);
        let after = (self.source.base + u32::from(first.end())) as usize;
        let gap = text.get(after..).map_or(0, gap);
        from(first.end() + TextSize::new(gap as u32))
    }
}

/// The length of leading blanks, comments and closing parentheses.
fn gap(text: &str) -> usize {
    let mut rest = text;
    loop {
        let after = rest.trim_start_matches(|it: char| it.is_whitespace() || it == ')');
        let skipped = if after.starts_with("//") {
            after.find('\n').unwrap_or(after.len())
        } else if after.starts_with("/*") {
            after.find("*/").map_or(after.len(), |it| it + 2)
        } else {
            return text.len() - after.len();
        };
        rest = &after[skipped..];
    }
}

impl Lowerer<'_> {
    /// The lines of a file, which is added to the program.
    pub(crate) fn lines(&mut self, file: SourceFile) -> Rc<FileLines> {
        if let Some(known) = self.files.get(&file) {
            return known.clone();
        }
        let id = mir::FileId(self.program.files.len() as u32);
        self.program.files.push(file.path(self.db).display().to_string());
        if file.origin(self.db) == FileOrigin::Library {
            self.program.library.push(id);
        }
        let lines = Rc::new(FileLines::new(id, file.text(self.db)));
        self.native_file(file, &lines);
        self.files.insert(file, lines.clone());
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gap_covers_blanks_comments_and_parentheses() {
        assert_eq!(gap(".a"), 0);
        assert_eq!(gap(" )\n // a.b()\n /* .c */ .a"), " )\n // a.b()\n /* .c */ ".len());
        assert_eq!((gap("// at the end"), gap("/* open"), gap("")), (13, 7, 0));
    }

    #[test]
    fn lines_are_counted_from_1() {
        let lines = FileLines::new(mir::FileId(0), "a\nbc\n\nd");
        let line = |offset| lines.span_at(offset).line();
        assert_eq!((line(0), line(1), line(2), line(4), line(5), line(6), line(99)), (1, 1, 2, 2, 3, 4, 4));
    }

    #[test]
    fn lf_cr_lf_and_cr_end_lines() {
        let lines = FileLines::new(mir::FileId(0), "a\r\nb\rc\nd");
        assert_eq!([0, 3, 5, 7].map(|offset| lines.span_at(offset).line()), [1, 2, 3, 4]);
    }
}
