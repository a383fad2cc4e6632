//! Source positions of statements and expressions.

use std::rc::Rc;

use apg_analysis::program::body::{ExprId, ExprKind};
use apg_analysis::{FileOrigin, SourceFile};
use apg_source::{LineIndex, TextSize};

use crate::Lowerer;
use crate::builder::function::Builder;
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

    /// The position of a byte offset.
    pub(crate) fn position(&self, offset: u32) -> mir::Position {
        mir::Position { file: self.file, line: self.index.line(TextSize::new(offset)) + 1 }
    }
}

impl Builder<'_, '_> {
    /// The position of an expression. If an operand comes first, this is the position of the name or operator
    /// after it.
    pub(crate) fn position_of(&self, id: ExprId) -> mir::Position {
        let node = self.source.body.expr(id);
        let position = |offset: TextSize| self.source.lines.position(self.source.base + u32::from(offset));
        let (start, end) = (node.range.start(), node.range.end());
        let first = match &node.kind {
            ExprKind::Call { receiver: Some(first), .. } | ExprKind::Field { object: first, .. } => *first,
            ExprKind::ClosureCall { closure, .. } => *closure,
            _ => return position(start),
        };
        let first = self.source.body.expr(first).range;
        // A prefix, or an operator that is not written.
        if first.end() <= start || first.end() >= end || position(start) == position(end) {
            return position(start);
        }
        let text = self.source.file.text(self.lowerer.db);
        let from = (self.source.base + u32::from(first.end())) as usize;
        let gap = text.get(from..).map_or(0, gap);
        position(first.end() + TextSize::new(gap as u32))
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
        let line = |offset| lines.position(offset).line;
        assert_eq!((line(0), line(1), line(2), line(4), line(5), line(6), line(99)), (1, 1, 2, 2, 3, 4, 4));
    }

    #[test]
    fn lf_cr_lf_and_cr_end_lines() {
        let lines = FileLines::new(mir::FileId(0), "a\r\nb\rc\nd");
        assert_eq!([0, 3, 5, 7].map(|offset| lines.position(offset).line), [1, 2, 3, 4]);
    }
}
