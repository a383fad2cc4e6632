//! Notes at unknown names that an unreadable file may declare.

use crate::db::Db;
use crate::diagnostics::Diagnostic;
use crate::ids::SourceFile;
use crate::inputs::Project;
use crate::rules::name::{unknown_import, unknown_type, unresolved, unresolved_member};

/// Adds a note if the file with the name of an unknown type could not be read.
pub(super) fn add_unreadable_file_notes(db: &dyn Db, file: SourceFile, all: &mut [Diagnostic]) {
    let rules = [&unknown_import::RULE, &unknown_type::RULE, &unresolved::RULE, &unresolved_member::RULE];
    let unknown = all.iter_mut().filter(|it| rules.iter().any(|rule| rule.code == it.code));
    for diagnostic in unknown {
        let range: std::ops::Range<usize> = diagnostic.range.into();
        let text = file.text(db).get(range).unwrap_or_default();
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let names = || text.split(|c| !is_name(c)).filter(|name| !name.is_empty());
        let found = Project::get(db).unread(db).iter().find(|(path, _)| {
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            names().any(|name| stem == Some(name))
        });
        if let Some((_, why)) = found {
            diagnostic.notes.push(format!("a file that may declare it was not read: {why}"));
        }
    }
}
