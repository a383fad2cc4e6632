//! Open documents. Their text is the client's, whatever the file on the disk has.

use std::path::PathBuf;

use tower_lsp_server::ls_types::{TextDocumentContentChangeEvent, Uri};

use crate::lsp::position::{Encoding, LineText};
use crate::lsp::uri;
use crate::workspace::{self, library};

/// An open document.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// The URI as the client writes it.
    pub uri: Uri,
    /// The path that the database knows it by.
    pub path: PathBuf,
    /// The client's version number, sent back with diagnostics.
    pub version: i32,
    /// The text with its lines.
    pub text: LineText,
    /// The number of the edit that made this text, of all edits of the session.
    pub revision: u64,
}

/// The path that a document is known by: that of its file, the package path in the class library, and a
/// virtual path for a document that is in no file of this machine.
pub(crate) fn document_path(uri: &Uri) -> PathBuf {
    uri::to_path(uri).map_or_else(|| uri::virtual_path(uri), |path| library::package_path(&path))
}

impl Document {
    /// Whether the document is too large to be analysed.
    pub(crate) fn is_too_large(&self) -> bool {
        self.text.text().len() > workspace::MAX_ANALYZED_BYTES
    }

    /// Applies the changes of one `didChange` in order; each refers to the text after the changes before it.
    pub(crate) fn change(
        &mut self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
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
    fn each_change_refers_to_the_text_after_the_one_before() {
        let mut document = Document {
            uri: Uri::from_str("file:///a.x10").unwrap(),
            path: "/a.x10".into(),
            version: 1,
            text: LineText::new("val é = 1;\nval b = 2;".into()),
            revision: 0,
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
