//! Running the analysis over the files of one test, with a fresh database and the class library of this
//! repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::check::file_diagnostics;
use apg_analysis::diagnostics::{Diagnostic, Fix, Severity};
use apg_analysis::program::body::Owner;
use apg_analysis::program::body::owner_body;
use apg_analysis::program::body::{ExprKind, StmtKind};
use apg_analysis::program::items::{Item, item_offset};
use apg_analysis::program::items::{all_classes, fields, methods};
use apg_analysis::program::ty::{ConstraintTerm, Ty};
use apg_analysis::{Checks, Library, Project};
use apg_analysis::{Db, RootDatabase};
use apg_analysis::{FileOrigin, SourceFile};
use apg_syntax::TextSize;
use salsa::Setter;

use crate::expectation::{Finding, Kind};

/// The files of a test, analysed.
pub(crate) struct Analysed {
    db: RootDatabase,
    files: Vec<SourceFile>,
    /// The diagnostics of each file.
    pub diagnostics: Vec<Vec<Diagnostic>>,
}

/// The class library's files by package path.
fn library() -> &'static [(PathBuf, Arc<str>)] {
    fn add(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, Arc<str>)>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                add(root, &path, files);
            } else if path.extension().is_some_and(|extension| extension == "x10") {
                let text = fs::read_to_string(&path).expect("a readable library file");
                files.push((path.strip_prefix(root).expect("below the root").to_owned(), text.into()));
            }
        }
    }
    static FILES: std::sync::OnceLock<Vec<(PathBuf, Arc<str>)>> = std::sync::OnceLock::new();
    FILES.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime/x10");
        let mut files = Vec::new();
        add(&root, &root, &mut files);
        files
    })
}

/// Analyses files, all of them named on the command line.
pub(crate) fn analyse(sources: &[(String, String)]) -> Analysed {
    let mut db = RootDatabase::default();
    let library = library()
        .iter()
        .map(|(path, text)| {
            (path.clone(), SourceFile::new(&db, path.clone(), FileOrigin::Library, text.clone()))
        })
        .collect();
    Library::get(&db).set_files(&mut db).to(Arc::new(library));
    let files: Vec<SourceFile> = sources
        .iter()
        .map(|(name, text)| {
            SourceFile::new(&db, Path::new("/test").join(name), FileOrigin::User, text.as_str().into())
        })
        .collect();
    let by_path = files.iter().map(|file| (file.path(&db).clone(), *file)).collect();
    let project = Project::get(&db);
    project.set_files(&mut db).to(Arc::new(by_path));
    project.set_roots(&mut db).to(Arc::new(files.clone()));
    // As X10's tests do: a comment says how constraints are checked.
    let asks = |option: &str| {
        let mut lines = sources.iter().flat_map(|(_, text)| text.lines());
        lines.any(|line| line.trim().strip_prefix("// OPTIONS:").is_some_and(|rest| rest.contains(option)))
    };
    let checks = Checks { is_static: asks("-STATIC_CHECKS"), infers_guards: asks("-CONSTRAINT_INFERENCE") };
    project.set_checks(&mut db).to(checks);
    let diagnostics = files.iter().map(|file| file_diagnostics(&db, *file)).collect();
    Analysed { db, files, diagnostics }
}

impl Analysed {
    /// The diagnostics of each file if the files had these sources.
    pub(crate) fn with_sources(&mut self, sources: &[String]) -> Vec<Vec<Diagnostic>> {
        let old: Vec<Arc<str>> = self.files.iter().map(|file| file.text(&self.db).clone()).collect();
        self.set_sources(sources.iter().map(|text| text.as_str().into()));
        let diagnostics = self.files.iter().map(|file| file_diagnostics(&self.db, *file)).collect();
        self.set_sources(old.into_iter());
        diagnostics
    }

    fn set_sources(&mut self, sources: impl Iterator<Item = Arc<str>>) {
        for (file, text) in self.files.iter().zip(sources) {
            file.set_text(&mut self.db).to(text);
        }
    }

    /// The diagnostics of all files.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().flatten()
    }

    /// The diagnostics of a file as findings.
    pub(crate) fn findings(&self, file: usize) -> Vec<Finding> {
        let text = self.files[file].text(&self.db);
        self.diagnostics[file]
            .iter()
            .map(|diagnostic| Finding {
                line: line_of(text, diagnostic.range.start()),
                kind: match diagnostic.severity {
                    Severity::Error => Kind::Error,
                    Severity::Warning => Kind::Warning,
                    Severity::Info => Kind::Info,
                    Severity::Hint => Kind::Hint,
                },
                code: diagnostic.code.to_owned(),
                text: diagnostic.message.clone(),
                fixes: diagnostic.fixes.len(),
            })
            .collect()
    }

    /// All fixes of a file.
    pub(crate) fn fixes(&self, file: usize) -> Vec<Fix> {
        self.diagnostics[file].iter().flat_map(|diagnostic| diagnostic.fixes.clone()).collect()
    }

    /// The type or place of what is declared on a line, else of the longest expression that starts there.
    pub(crate) fn about(&self, file: usize, line: usize, kind: Kind) -> Option<Finding> {
        let db = &self.db;
        let text = self.files[file].text(db);
        let mut best: Option<(TextSize, Ty)> = None;
        for class in all_classes(db, self.files[file]) {
            let methods =
                methods(db, *class).iter().map(|method| (Owner::Method(*method), Item::Method(*method)));
            let fields = fields(db, *class).iter().map(|field| (Owner::Field(*field), Item::Field(*field)));
            for (owner, item) in methods.chain(fields) {
                let offset = item_offset(db, item);
                let body = &owner_body(db, owner).body;
                for stmt in &body.stmts {
                    if let StmtKind::Let { local, .. } = stmt.kind
                        && line_of(text, stmt.range.start() + offset) == line
                        && !body.local(local).name.starts_with('$')
                    {
                        return Some(self.finding(line, kind, body.local(local).ty));
                    }
                }
                for expr in
                    body.exprs.iter().filter(|expr| line_of(text, expr.range.start() + offset) == line)
                {
                    let longer = best.is_none_or(|(length, _)| expr.range.len() >= length);
                    if longer && !matches!(expr.kind, ExprKind::Error) {
                        best = Some((expr.range.len(), expr.ty));
                    }
                }
            }
        }
        best.map(|(_, ty)| self.finding(line, kind, ty))
    }

    fn finding(&self, line: usize, kind: Kind, ty: Ty) -> Finding {
        let text = match kind {
            Kind::Place => place(&self.db, ty),
            _ => ty.display(&self.db).to_string(),
        };
        Finding { line, kind, code: String::new(), text, fixes: 0 }
    }
}

/// Where a value of the type lives: what its constraint says of its home, else here.
fn place(db: &dyn Db, ty: Ty) -> String {
    let homes =
        ty.constraint(db).into_iter().flat_map(|constraint| &constraint.terms).find_map(|term| match term {
            ConstraintTerm::Equal(a, b) => [(a, b), (b, a)].into_iter().find_map(|(home, place)| {
                let is_home = home.fields.last().is_some_and(|field| field.starts_with("home"));
                is_home.then(|| place.to_string())
            }),
            _ => None,
        });
    let global = ty.as_class(db).is_some_and(|(class, _)| class.name(db).starts_with("Global"));
    homes.unwrap_or_else(|| if global { "unknown".to_owned() } else { "here".to_owned() })
}

/// The line of an offset, counted from 0.
fn line_of(text: &str, offset: TextSize) -> usize {
    text.get(..usize::from(offset)).unwrap_or(text).matches('\n').count()
}

/// The sources of all files with a fix of one of them applied.
pub(crate) fn apply(analysed: &Analysed, of: usize, fix: &Fix) -> Vec<String> {
    let mut sources: Vec<String> =
        analysed.files.iter().map(|file| file.text(&analysed.db).to_string()).collect();
    let mut edits: Vec<_> = fix.edits.iter().collect();
    // From the back, so that offsets stay right; of two at one place the first stays first.
    edits.reverse();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.range.start()));
    for edit in edits {
        let file = edit.file.unwrap_or(analysed.files[of]);
        if let Some(index) = analysed.files.iter().position(|known| *known == file) {
            sources[index]
                .replace_range(usize::from(edit.range.start())..usize::from(edit.range.end()), &edit.text);
        }
    }
    sources
}
