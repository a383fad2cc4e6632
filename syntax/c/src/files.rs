//! Files of a translation unit: access through a trait, so that unsaved text of an editor is read too.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads files. A path that has no file gives `None`.
pub trait FileSystem {
    /// The text of a file; see [`decode`] for sources that are not UTF-8.
    fn read(&self, path: &Path) -> Option<Arc<str>>;
}

/// The files of the disk.
#[derive(Debug, Default, Clone, Copy)]
pub struct Disk;

impl FileSystem for Disk {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        if !path.is_file() {
            return None;
        }
        std::fs::read(path).ok().map(|bytes| decode(bytes).into())
    }
}

/// The text of any bytes: UTF-8, or else Latin-1, in which each byte is a character.
pub fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect())
}

/// A file of a translation unit, by the order in which files are first read. 0 is the text of the predefined
/// macros, 1 the main file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

impl FileId {
    /// The predefined macros.
    pub const PREDEFINED: FileId = FileId(0);
    /// The main file.
    pub const MAIN: FileId = FileId(1);
}

/// A range of bytes as they are written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The range from the start of this span to the end of `other`, if both are of one file; this one
    /// otherwise.
    pub fn to(self, other: Span) -> Span {
        if self.file == other.file && other.end >= self.start {
            Span { end: other.end, ..self }
        } else {
            self
        }
    }

    /// The range without its file.
    pub fn range(self) -> apg_source::TextRange {
        apg_source::TextRange::new(self.start.into(), self.end.into())
    }
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path under which it was found.
    pub path: PathBuf,
    /// Its text.
    pub text: Arc<str>,
    /// A header of the system: nothing is reported in it, bodies of its functions are not parsed.
    pub is_system: bool,
    /// The `#include` that first included it.
    pub included_at: Option<Span>,
}
