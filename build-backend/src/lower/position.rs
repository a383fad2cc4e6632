//! From byte offsets to lines.

use apg_analysis::ids::{FileOrigin, SourceFile};

use std::rc::Rc;

use super::Lowerer;
use crate::mir;

/// Where the lines of a file start.
#[derive(Debug)]
pub(super) struct FileLines {
    file: mir::FileId,
    starts: Vec<u32>,
}

impl FileLines {
    fn new(file: mir::FileId, text: &str) -> FileLines {
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|it| it.1 == b'\n').map(|it| it.0 as u32 + 1));
        FileLines { file, starts }
    }

    /// The position of a byte offset.
    pub(super) fn position(&self, offset: u32) -> mir::Position {
        let line = self.starts.partition_point(|it| *it <= offset) as u32;
        mir::Position { file: self.file, line: line.max(1) }
    }
}

impl Lowerer<'_> {
    /// The lines of a file, which becomes one of the program's.
    pub(super) fn lines(&mut self, file: SourceFile) -> Rc<FileLines> {
        if let Some(known) = self.files.get(&file) {
            return known.clone();
        }
        let id = mir::FileId(self.program.files.len() as u32);
        self.program.files.push(file.path(self.db).display().to_string());
        if file.origin(self.db) == FileOrigin::Library {
            self.program.library.push(id);
        }
        self.native_file(file, id);
        let lines = Rc::new(FileLines::new(id, file.text(self.db)));
        self.files.insert(file, lines.clone());
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_one_based_lines() {
        let lines = FileLines::new(mir::FileId(0), "a\nbc\n\nd");
        let line = |offset| lines.position(offset).line;
        assert_eq!((line(0), line(1), line(2), line(4), line(5), line(6), line(99)), (1, 1, 2, 2, 3, 4, 4));
    }
}
