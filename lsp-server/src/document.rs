//! Documents that the client has open: their text is the client's, whatever the disk says.

use std::path::PathBuf;

use tower_lsp_server::ls_types::{TextDocumentContentChangeEvent, Uri};

use crate::position::{Encoding, LineText};

/// What is larger is not analysed: the editor would wait for minutes, and analysis takes a hundred bytes for each of the source's.
pub const LARGEST: usize = 8 << 20;

/// An open document.
#[derive(Clone, Debug)]
pub struct Document {
    /// As the client names it.
    pub uri: Uri,
    /// The file.
    pub path: PathBuf,
    /// The client's version number, sent back with diagnostics.
    pub version: i32,
    /// Its text.
    pub text: LineText,
    /// The number of the edit, of all there were, that gave it this text.
    pub stamp: u64,
}

impl Document {
    /// It is too large to be analysed.
    pub fn is_too_large(&self) -> bool {
        self.text.text().len() > LARGEST
    }

    /// Applies the changes of one `didChange`, in order; each is relative to the text that the ones before it left.
    pub fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>, encoding: Encoding) {
        for change in changes {
            self.text = match change.range {
                None => LineText::new(change.text.into()),
                Some(range) => self.text.replaced(self.text.text_range(range, encoding).into(), &change.text),
            };
        }
        self.version = version;
    }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use tower_lsp_server::ls_types::{Position, Range};

    use super::*;

    fn edit(line: u32, from: u32, to: u32, text: &str) -> TextDocumentContentChangeEvent {
        let range = Range { start: Position::new(line, from), end: Position::new(line, to) };
        TextDocumentContentChangeEvent { range: Some(range), range_length: None, text: text.into() }
    }

    #[test]
    fn changes_apply_one_after_the_other() {
        let mut document = Document {
            uri: Uri::from_str("file:///a.x10").unwrap(),
            path: "/a.x10".into(),
            version: 1,
            text: LineText::new("val é = 1;\nval b = 2;".into()),
            stamp: 0,
        };
        document.change(
            2,
            vec![edit(0, 4, 5, "x😀"), edit(0, 7, 7, "y"), edit(1, 0, 4, "")],
            Encoding::Utf16,
        );
        assert_eq!(&**document.text.text(), "val x😀y = 1;\nb = 2;");
        assert_eq!(document.version, 2);
        document.change(
            3,
            vec![TextDocumentContentChangeEvent { range: None, range_length: None, text: "new".into() }],
            Encoding::Utf16,
        );
        assert_eq!(&**document.text.text(), "new");
    }
}
