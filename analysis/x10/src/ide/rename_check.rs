//! Validation of a rename: analyses the renamed program in a separate database and compares it with the
//! original.
//!
//! This finds every change of meaning: new shadowing, accidental overriding, a type parameter that hides a
//! type.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_source::LineIndex;
use apg_syntax::{TextRange, TextSize};
use rustc_hash::{FxHashMap, FxHashSet};

use super::navigation_target::{declaration, symbol_at, token_symbols};
use super::references::{references, tokens};
use super::rename::Rename;
use crate::db::Db;
use crate::diagnostics::Severity;
use crate::file_diagnostics;
use crate::host::{Analysis, AnalysisHost};
use crate::ids::SourceFile;
use crate::inputs::{Checks, Library, Project};

/// A self-contained copy of a program with a rename of it: the originating database may change meanwhile.
pub struct RenameCheck {
    library: Vec<(PathBuf, Arc<str>)>,
    files: Vec<(PathBuf, Arc<str>)>,
    roots: Vec<PathBuf>,
    source_path: Vec<PathBuf>,
    checks: Checks,
    edits: FxHashMap<PathBuf, Vec<TextRange>>,
    declaration: (PathBuf, TextRange),
    /// The old and new path of the file that is renamed too.
    moved: Option<(PathBuf, PathBuf)>,
    new: String,
}

/// A range in a file.
type Place = (PathBuf, TextRange);

/// The observed meaning of a program, which a rename must preserve.
#[derive(Default)]
struct Meaning {
    /// The errors of each file: code, message and line.
    errors: FxHashMap<PathBuf, Vec<(&'static str, String, usize)>>,
    /// The declarations that occurrences of the new name refer to.
    names: FxHashMap<Place, Option<Place>>,
}

impl RenameCheck {
    /// Collects the input of the check; `None` if the rename edits nothing.
    pub fn new(db: &dyn Db, rename: &Rename, new: &str) -> Option<RenameCheck> {
        let project = Project::get(db);
        let sources = |files: &FxHashMap<PathBuf, SourceFile>| {
            files.iter().map(|(path, file)| (path.clone(), file.text(db).clone())).collect::<Vec<_>>()
        };
        let (file, range) = rename.declaration?;
        let mut edits: FxHashMap<PathBuf, Vec<TextRange>> = FxHashMap::default();
        for (file, range) in &rename.edits {
            edits.entry(file.path(db).clone()).or_default().push(*range);
        }
        edits.values_mut().for_each(|ranges| ranges.sort_by_key(|range| range.start()));
        let moved = rename.file.map(|file| {
            let path = file.path(db);
            (path.clone(), path.with_file_name(format!("{new}.x10")))
        });
        Some(RenameCheck {
            library: sources(Library::get(db).files(db)),
            files: sources(project.files(db)),
            roots: project.roots(db).iter().map(|root| root.path(db).clone()).collect(),
            source_path: project.source_path(db).to_vec(),
            checks: project.checks(db),
            edits,
            declaration: (file.path(db).clone(), range),
            moved,
            new: new.to_owned(),
        })
        .filter(|check| !check.edits.is_empty())
    }

    /// The reason to refuse the rename. `asks` receives each queried snapshot so that it can be cancelled;
    /// the result is meaningless then.
    pub fn refusal(&self, asks: &dyn Fn(&Analysis)) -> Option<String> {
        let mut host = AnalysisHost::new(self.library.clone());
        host.set_files(self.files.clone());
        host.set_roots(&self.roots);
        host.set_source_path(self.source_path.clone());
        host.set_checks(self.checks);
        let before = self.meaning(&host, &|path| path.to_owned(), asks);
        for (path, text) in &self.files {
            let moved = self.moved_path(path);
            if let Some(edits) = self.edits.get(path) {
                if moved != *path {
                    host.set_file(path, None);
                }
                host.set_file(&moved, Some(self.edited(text, edits).into()));
            }
        }
        let roots: Vec<PathBuf> = self.roots.iter().map(|path| self.moved_path(path)).collect();
        host.set_roots(&roots);
        let after = self.meaning(&host, &|path| self.moved_path(path), asks);
        // Changed references are reported first: they explain the conflict best.
        let names = self.other_names(&before, &after);
        names.or_else(|| self.other_uses(&host, asks)).or_else(|| new_error(&before, &after))
    }

    fn edited(&self, text: &str, edits: &[TextRange]) -> String {
        let mut edited = String::with_capacity(text.len());
        let mut end = 0;
        for range in edits {
            edited.push_str(&text[end..usize::from(range.start())]);
            edited.push_str(&self.new);
            end = usize::from(range.end());
        }
        edited + &text[end..]
    }

    fn moved_path(&self, path: &Path) -> PathBuf {
        match &self.moved {
            Some((from, to)) if from == path => to.clone(),
            _ => path.to_owned(),
        }
    }

    /// The range of a place after the rename.
    fn moved(&self, (path, range): &Place) -> Place {
        let edits = self.edits.get(path).map(Vec::as_slice).unwrap_or_default();
        let length = TextSize::of(self.new.as_str());
        let mut start = range.start();
        for edit in edits.iter().filter(|edit| edit.end() <= range.start()) {
            start = start + length - edit.len();
        }
        let length = if edits.contains(range) { length } else { range.len() };
        (self.moved_path(path), TextRange::at(start, length))
    }

    /// The meaning of the files that the rename edits or that already contain the new name.
    fn meaning(
        &self,
        host: &AnalysisHost,
        moved: &dyn Fn(&Path) -> PathBuf,
        asks: &dyn Fn(&Analysis),
    ) -> Meaning {
        let mut meaning = Meaning::default();
        let snapshot = host.snapshot();
        asks(&snapshot);
        // Never cancelled by a change: this database has no other owner.
        let _ = snapshot.with(|db| {
            for (path, text) in &self.files {
                let is_touched = self.edits.contains_key(path);
                if !is_touched && !text.contains(&self.new) {
                    continue;
                }
                let Some(file) = snapshot.file(&moved(path)) else { continue };
                meaning.errors.insert(path.clone(), errors(db, file));
                for token in tokens(db, file, &self.new) {
                    let symbol = token_symbols(db, file, &token).into_iter().next();
                    let declared = symbol.and_then(|symbol| declaration(db, &symbol));
                    let declared = declared.map(|(file, range)| (file.path(db).clone(), range));
                    meaning.names.insert((file.path(db).clone(), token.text_range()), declared);
                }
            }
        });
        meaning
    }

    /// A location where the new name would not refer to the renamed declaration, or would newly refer to it.
    fn other_uses(&self, host: &AnalysisHost, asks: &dyn Fn(&Analysis)) -> Option<String> {
        let expected: FxHashSet<Place> = self
            .edits
            .iter()
            .flat_map(|(path, ranges)| ranges.iter().map(|range| self.moved(&(path.clone(), *range))))
            .collect();
        let snapshot = host.snapshot();
        asks(&snapshot);
        let (path, range) = self.moved(&self.declaration);
        let found = snapshot.with(|db| {
            let file = snapshot.file(&path)?;
            let (symbol, _) = symbol_at(db, file, range.start())?;
            let found = references(db, &snapshot.user_files(), &symbol).into_iter();
            let named = found.filter(|r| r.file.text(db)[r.range].trim_matches('`') == self.new);
            Some(named.map(|r| (r.file.path(db).clone(), r.range)).collect::<FxHashSet<Place>>())
        });
        let found = found.ok().flatten().unwrap_or_default();
        let text = |path: &Path| snapshot.file(path).map(|file| snapshot.source(file).1.clone());
        let new = &self.new;
        if let Some(place) = first(found.difference(&expected)) {
            return Some(format!(
                "there is already a `{new}`, which would become the same: at {}",
                shown(place, text)
            ));
        }
        let place = first(expected.difference(&found))?;
        Some(format!("`{new}` would stand for something else at {}", shown(place, text)))
    }

    /// An occurrence of the new name, not itself renamed, that would refer to another declaration.
    fn other_names(&self, before: &Meaning, after: &Meaning) -> Option<String> {
        let changed = before.names.iter().filter(|(place, declared)| {
            let expected = declared.as_ref().map(|declared| self.moved(declared));
            after.names.get(&self.moved(place)).is_some_and(|now| *now != expected)
        });
        let place = first(changed.map(|(place, _)| place))?;
        let text = |path: &Path| self.files.iter().find(|(p, _)| p == path).map(|(_, text)| text.clone());
        Some(format!("`{}` at {} would stand for something else", self.new, shown(place, text)))
    }
}

/// The first of some locations, so that the message is deterministic.
fn first<'a>(places: impl Iterator<Item = &'a Place>) -> Option<&'a Place> {
    places.min_by_key(|(path, range)| (path, range.start()))
}

/// `line 7 of a.x10`
fn shown((path, range): &Place, text: impl Fn(&Path) -> Option<Arc<str>>) -> String {
    let line = text(path).map_or(0, |text| LineIndex::new(&text).line(range.start())) + 1;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("line {line} of {name}")
}

fn errors(db: &dyn Db, file: SourceFile) -> Vec<(&'static str, String, usize)> {
    let found = file_diagnostics(db, file).into_iter().filter(|d| d.severity == Severity::Error);
    let lines = LineIndex::new(file.text(db));
    found.map(|d| (d.code, d.message.clone(), lines.line(d.range.start()) as usize + 1)).collect()
}

/// An error that only the renamed program has.
fn new_error(before: &Meaning, after: &Meaning) -> Option<String> {
    let mut paths: Vec<&PathBuf> = after.errors.keys().collect();
    paths.sort();
    for path in paths {
        let mut known: Vec<(&str, usize)> =
            before.errors.get(path).into_iter().flatten().map(|(code, _, line)| (*code, *line)).collect();
        for (code, message, line) in &after.errors[path] {
            match known.iter().position(|k| *k == (*code, *line)) {
                Some(at) => {
                    known.swap_remove(at);
                }
                None => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    return Some(format!("line {line} of {name} would be wrong: {message}"));
                }
            }
        }
    }
    None
}
