//! What could be done to the code at a place: refactorings, one a file. Unlike fixes they need nothing to be wrong.

mod explicit_type;
mod extract_variable;
mod implement;
mod imports;
mod lines;
mod wrap;

use apg_syntax::{SyntaxNode, TextRange};

use crate::db::{Db, parse};
use crate::diagnostics::TextEdit;
use crate::ids::SourceFile;

pub use imports::organized_imports;

/// A refactoring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assist {
    /// What it does, for a menu.
    pub title: String,
    /// Where in the menu it belongs.
    pub kind: AssistKind,
    /// Its edits.
    pub edits: Vec<TextEdit>,
}

/// The sorts of refactorings, as menus have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssistKind {
    /// Makes something new of a piece of code.
    Extract,
    /// Says the same in other words, or the same elsewhere.
    Rewrite,
    /// Mends what is incomplete.
    QuickFix,
}

/// What an assist looks at.
struct Place<'db> {
    db: &'db dyn Db,
    file: SourceFile,
    root: SyntaxNode,
    /// The selection; empty for a cursor.
    range: TextRange,
}

impl Place<'_> {
    fn text(&self) -> &str {
        self.file.text(self.db)
    }

    fn edit(&self, range: TextRange, text: impl Into<String>) -> TextEdit {
        TextEdit { file: Some(self.file), range, text: text.into() }
    }
}

/// The refactorings that apply to a selection.
pub fn assists(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<Assist> {
    let root = parse(db, file).syntax();
    if range.end() > root.text_range().end() {
        return Vec::new();
    }
    let place = Place { db, file, root, range };
    let mut all = Vec::new();
    all.extend(implement::missing_methods(&place));
    all.extend(extract_variable::extract_variable(&place));
    all.extend(explicit_type::explicit_type(&place));
    all.extend(wrap::wrap(&place));
    all
}
