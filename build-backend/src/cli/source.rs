//! From paths to a checked program: files from the disk, the database over them, and its findings with their texts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::diagnostics::{Diagnostic, Severity, syntax};
use apg_analysis::ids::SourceFile;
use apg_analysis::{Analysis, AnalysisHost};
use rayon::prelude::*;

use super::Failure;
use super::options::SourceOptions;
use crate::project::{self, Sources, shown};
use crate::report::{Finding, Span};

/// A checked program.
pub struct Checked {
    /// All findings, by file and position. Hints are for editors and left out.
    pub findings: Vec<Finding>,
    /// How many files were named.
    pub files: usize,
    /// How many lines they have.
    pub lines: usize,
}

impl Checked {
    /// Whether something must be mended before the program can be built.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}

/// Checks the named files and folders.
pub fn check(paths: &[PathBuf], options: &SourceOptions) -> Result<Checked, Failure> {
    let sources = load(paths, options)?;
    let (files, lines) = (sources.roots.len(), lines(&sources));
    let mut host = host(sources);
    host.set_checks(options.checks());
    let snapshot = host.snapshot();
    // A snapshot of its own for each worker: files are checked in parallel and share what they compute.
    let mut findings: Vec<Finding> = snapshot
        .roots()
        .into_par_iter()
        .map_with(snapshot.clone(), |snapshot, file| file_findings(snapshot, file))
        .flatten()
        .collect();
    drop(snapshot);
    findings.retain(|finding| finding.severity > Severity::Hint);
    findings.sort_by(|a, b| (&a.span.file, a.span.range.start).cmp(&(&b.span.file, b.span.range.start)));
    Ok(Checked { findings, files, lines })
}

/// Checks the syntax of the named files and folders, alone.
pub fn check_syntax(paths: &[PathBuf]) -> Result<Checked, Failure> {
    let sources = load(paths, &SourceOptions::default())?;
    let findings =
        sources.roots.par_iter().flat_map_iter(|path| syntax_findings(path, &sources.files[path])).collect();
    Ok(Checked { files: sources.roots.len(), lines: lines(&sources), findings })
}

/// The lines of the named files.
fn lines(sources: &Sources) -> usize {
    sources.roots.iter().map(|path| sources.files[path].lines().count()).sum()
}

fn load(paths: &[PathBuf], options: &SourceOptions) -> Result<Sources, Failure> {
    project::load(paths, &options.source_path).map_err(|error| Failure::new(error.to_string()))
}

/// A database of these files and the class library.
pub fn host(sources: Sources) -> AnalysisHost {
    let library = apg_runtime::library::files();
    let mut host =
        AnalysisHost::new(library.into_iter().map(|(path, text)| (path.to_owned(), Arc::from(text))));
    host.set_files(sources.files);
    host.set_roots(&sources.roots);
    host.set_source_path(sources.source_path);
    host
}

fn syntax_findings(path: &Path, text: &Arc<str>) -> Vec<Finding> {
    let parse = apg_syntax::parse(text);
    let errors = parse.errors().iter().map(|error| Finding {
        code: syntax::error::RULE.code,
        severity: Severity::Error,
        message: error.message.to_string(),
        span: Span { file: shown(path), text: text.clone(), range: error.range.into() },
        notes: error.hint.iter().map(ToString::to_string).collect(),
        related: Vec::new(),
        fixes: Vec::new(),
    });
    errors.collect()
}

/// All findings of one file.
pub fn file_findings(analysis: &Analysis, file: SourceFile) -> Vec<Finding> {
    // Nothing changes the host while a command runs, so that nothing is cancelled.
    let diagnostics =
        analysis.with(|db| apg_analysis::file_diagnostics(db, file).to_vec()).unwrap_or_default();
    diagnostics.into_iter().map(|diagnostic| finding(analysis, file, diagnostic)).collect()
}

fn finding(analysis: &Analysis, file: SourceFile, diagnostic: Diagnostic) -> Finding {
    let span = |file: SourceFile, range: apg_syntax::TextRange| {
        let (path, text) = analysis.source(file);
        Span { file: shown(path), text: text.clone(), range: range.into() }
    };
    let related =
        diagnostic.related.into_iter().map(|related| (span(related.file, related.range), related.message));
    let fixes = diagnostic.fixes.into_iter().map(|fix| {
        let edits =
            fix.edits.into_iter().map(|edit| (span(edit.file.unwrap_or(file), edit.range), edit.text));
        (fix.title, edits.collect())
    });
    Finding {
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: diagnostic.message,
        span: span(file, diagnostic.range),
        notes: diagnostic.notes,
        related: related.collect(),
        fixes: fixes.collect(),
    }
}

/// Reads the program whose `main` is in `path`, unchecked.
pub fn load_program(path: &Path, options: &SourceOptions) -> Result<(AnalysisHost, SourceFile), Failure> {
    if path.is_dir() {
        let error = project::LoadError { path: path.to_owned(), reason: project::Reason::Folder };
        return Err(Failure::new(error.to_string()));
    }
    let sources = load(&[path.to_owned()], options)?;
    let root = sources.roots[0].clone();
    let mut host = host(sources);
    host.set_checks(options.checks());
    let file = host
        .snapshot()
        .file(&root)
        .ok_or_else(|| Failure::new(format!("`{}` was not read", root.display())))?;
    Ok((host, file))
}
