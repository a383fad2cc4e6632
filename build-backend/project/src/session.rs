//! An analysis session: sources from the disk, the database over them, and the findings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::Checks;
use apg_analysis::SourceFile;
use apg_analysis::diagnostics::Severity;
use apg_analysis::rules::syntax;
use apg_analysis::{AnalysisHost, Program, closest};
use rayon::prelude::*;

use crate::c;
pub use crate::findings::file_findings;
pub use crate::load_failure::LoadFailure;
use crate::sources::{self, LoadError, Reason, Sources, display_path};
use apg_diagnostics::render::{Finding, Span};
use apg_toolchain::regular_file::ReadError;
use apg_toolchain::thread_pool;

/// Where packages are, and how constraints are checked.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Folders to look packages up in, after the program's own.
    pub source_path: Vec<PathBuf>,
    /// How constraints are checked.
    pub checks: Checks,
    /// Flags for the C compiler's preprocessor and of its language, as `-I` and `-std=`, in the user's order.
    pub c_flags: Vec<String>,
}

/// A checked program.
pub struct Checked {
    /// All findings, by file and position. Hints are for editors and left out.
    pub findings: Vec<Finding>,
    /// The files that were named, as they are shown.
    pub files: BTreeSet<String>,
    /// How many lines they have.
    pub lines: usize,
    /// What the device constructs of programs in C move, by file and position.
    pub transfers: Vec<c::TransferPlan>,
}

impl Checked {
    /// Whether errors prevent a build.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}

/// Checks the named files and folders.
pub fn check(paths: &[PathBuf], options: &Settings) -> Result<Checked, LoadFailure> {
    thread_pool::install(|| check_here(paths, options))
}

fn check_here(paths: &[PathBuf], options: &Settings) -> Result<Checked, LoadFailure> {
    let (c_files, paths) = c::partition(paths);
    let c_files = c::check(&c_files, &options.c_flags)?;
    if paths.is_empty() {
        return Ok(merge(Vec::new(), BTreeSet::new(), 0, c_files));
    }
    let sources = load(&paths, options)?;
    let (files, lines) = (named(&sources), lines(&sources));
    let mut host = host(sources, options);
    let roots = host.snapshot().roots();
    let mut findings: Vec<Finding> = Vec::new();
    read_declarations(&host, &roots);
    let mut rest = &roots[..];
    while !rest.is_empty() {
        let (batch, next) = rest.split_at(batch_length(&host, rest));
        findings.extend(batch_findings(&host, batch));
        rest = next;
        if !rest.is_empty() {
            host.forget_details(rest);
        }
    }
    // The process ends soon, and dropping the database would take long.
    std::mem::forget(host);
    Ok(merge(findings, files, lines, c_files))
}

/// The findings of all files, by file and position, without hints.
fn merge(
    mut findings: Vec<Finding>,
    mut files: BTreeSet<String>,
    mut lines: usize,
    c_files: Vec<c::CheckedFile>,
) -> Checked {
    let mut transfers = Vec::new();
    for file in c_files {
        findings.extend(file.findings);
        transfers.extend(file.transfers);
        files.insert(file.name);
        lines += file.lines;
    }
    findings.retain(|finding| finding.severity > Severity::Hint);
    findings.sort_by(|a, b| (&a.span.file, a.span.range.start).cmp(&(&b.span.file, b.span.range.start)));
    transfers.sort_by(|a, b| (&a.span.file, a.span.range.start).cmp(&(&b.span.file, b.span.range.start)));
    Checked { findings, files, lines, transfers }
}

/// Bytes of source that are checked before the trees and typed bodies of checked files are dropped. Larger
/// batches synchronise threads less often, smaller ones need less memory.
const BATCH_BYTES: usize = 1 << 20;

/// The number of leading files with [`BATCH_BYTES`] together.
fn batch_length(host: &AnalysisHost, files: &[SourceFile]) -> usize {
    let snapshot = host.snapshot();
    let mut size = 0;
    let full = files.iter().position(|file| {
        size += snapshot.source(*file).1.len();
        size >= BATCH_BYTES
    });
    full.map_or(files.len(), |last| last + 1)
}

/// Computes the declarations of all files in parallel. The first lookup would otherwise compute them one by
/// one.
fn read_declarations(host: &AnalysisHost, files: &[SourceFile]) {
    files.par_iter().for_each_with(host.snapshot(), |snapshot, file| {
        // A panic occurs again when the file is checked, and is reported there.
        let read = || snapshot.with(|db| apg_analysis::program::items::item_tree(db, *file).classes.len());
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    });
}

/// Checks files in parallel. Each worker has its own snapshot; all share computed results.
fn batch_findings(host: &AnalysisHost, batch: &[SourceFile]) -> Vec<Finding> {
    batch
        .par_iter()
        .map_with(host.snapshot(), |snapshot, file| file_findings(snapshot, *file))
        .flatten()
        .collect()
}

/// Checks only the syntax of the named files and folders.
pub fn check_syntax(paths: &[PathBuf]) -> Result<Checked, LoadFailure> {
    let sources = load(paths, &Settings::default())?;
    let findings_of = |path: &PathBuf| syntax_findings(path, &sources.files[path]);
    let findings = thread_pool::install(|| sources.roots.par_iter().flat_map_iter(findings_of).collect());
    Ok(Checked { files: named(&sources), lines: lines(&sources), findings, transfers: Vec::new() })
}

fn named(sources: &Sources) -> BTreeSet<String> {
    sources.roots.iter().map(|path| display_path(path)).collect()
}

/// The lines of the named files.
fn lines(sources: &Sources) -> usize {
    sources.roots.iter().map(|path| sources.files[path].lines().count()).sum()
}

fn load(paths: &[PathBuf], options: &Settings) -> Result<Sources, LoadFailure> {
    sources::load(paths, &options.source_path).map_err(|error| {
        let hints = similar_file(&error).map(|path| format!("did you mean `{}`?", path.display()));
        LoadFailure { message: error.to_string(), hints: hints.into_iter().collect() }
    })
}

/// An existing program whose name is similar, or the same without the extension.
fn similar_file(error: &LoadError) -> Option<PathBuf> {
    let Reason::Unreadable(ReadError::Missing) = error.reason else { return None };
    let wanted = error.path.file_stem()?.to_str()?;
    let folder = error.path.parent()?;
    let search_folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let paths = std::fs::read_dir(search_folder).ok()?.flatten().map(|entry| entry.path());
    let programs: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|it| it == "x10")).collect();
    let stems = || programs.iter().filter_map(|path| path.file_stem()?.to_str());
    let stem = stems().find(|stem| *stem == wanted).or_else(|| closest(wanted, stems()))?;
    Some(folder.join(format!("{stem}.x10")))
}

/// A database of these files and the class library.
fn host(sources: Sources, options: &Settings) -> AnalysisHost {
    let library = apg_runtime::class_library::files();
    let library = library.into_iter().map(|(path, text)| (path.to_owned(), Arc::from(text)));
    let Sources { files, roots, source_path, unread } = sources;
    let files = files.into_iter().collect();
    AnalysisHost::fixed(library, Program { files, roots, source_path, checks: options.checks, unread })
}

fn syntax_findings(path: &Path, text: &Arc<str>) -> Vec<Finding> {
    let parse = apg_syntax::parse(text);
    let errors = parse.errors().iter().map(|error| Finding {
        code: syntax::error::RULE.code,
        severity: Severity::Error,
        message: error.message.to_string(),
        span: Span { file: display_path(path), text: text.clone(), range: error.range.into() },
        notes: error.hint.iter().map(ToString::to_string).collect(),
        related: Vec::new(),
        fixes: Vec::new(),
    });
    errors.collect()
}

/// Reads the program whose `main` is in `path`, unchecked.
pub fn load_program(path: &Path, options: &Settings) -> Result<(AnalysisHost, SourceFile), LoadFailure> {
    if path.is_dir() {
        let error = LoadError { path: path.to_owned(), reason: Reason::Folder };
        return Err(LoadFailure::new(error.to_string()));
    }
    let sources = load(&[path.to_owned()], options)?;
    let root = sources.roots[0].clone();
    let host = host(sources, options);
    let file = host
        .snapshot()
        .file(&root)
        .ok_or_else(|| LoadFailure::new(format!("`{}` was not read", root.display())))?;
    Ok((host, file))
}
