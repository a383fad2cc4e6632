//! Analysis of C files: the files among the named paths, the system's compiler, and the findings.

pub(crate) mod directive_macros;
mod forms;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_c_analysis::ide::{self, transfer_plans};
pub use apg_c_analysis::ide::{Size, Transfer};
use apg_c_analysis::{AnalysisHost, Diagnostic, FileSystem, Parsed, RootDatabase, SourceFile, Toolchain};
use apg_codegen::EmitError;
use apg_diagnostics::Severity;
use apg_diagnostics::render::{Finding, Span};
use apg_lower_c::{PresumedLines, SourceMap, Unsupported};
use apg_mir as mir;
use apg_runtime::cache::{self, Cache};
use apg_syntax::TextRange;
use apg_toolchain::regular_file;
use parking_lot::Mutex;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

pub use self::forms::{FileForms, translate_file_alone};
use crate::build::{self, Options, Translated};
pub use crate::c_devices::{
    DeviceProgram, Parallel, Placement, chosen_sources, simplified_sources, translate_distributed,
    translate_program,
};
use crate::compile_commands::normalize;
use crate::load_failure::LoadFailure;
use crate::sources::{MAX_SOURCE_BYTES, display_path};

/// Whether a path is one of a C file.
pub fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "c")
}

/// The C files that are named, and those in and below named folders; and the other paths.
pub(crate) fn partition(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut files, mut others) = (Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            if is_source(path) {
                files.push(path.clone())
            } else {
                others.push(path.clone())
            }
            continue;
        }
        let before = files.len();
        let mut has_others = false;
        find_sources(path, &mut files, &mut has_others);
        // A folder without any source is an error of the other languages.
        if has_others || files.len() == before {
            others.push(path.clone());
        }
    }
    (files, others)
}

/// The C files in and below a folder; hidden folders and links to folders are left out.
fn find_sources(folder: &Path, files: &mut Vec<PathBuf>, has_others: &mut bool) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !is_hidden => find_sources(&path, files, has_others),
            Ok(kind) if !kind.is_dir() && is_source(&path) => files.push(path),
            _ => *has_others |= path.extension().is_some_and(|it| it == "x10"),
        }
    }
}

/// Whether a path is one of a C header.
pub fn is_header(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "h")
}

/// Files of the disk, each read once, or as an editor has it.
#[derive(Debug, Default)]
pub struct Disk {
    files: Mutex<FxHashMap<PathBuf, Option<Arc<str>>>>,
    unsaved: Mutex<FxHashMap<PathBuf, Arc<str>>>,
}

impl Disk {
    /// Forgets what was read.
    pub fn forget(&self) {
        self.files.lock().clear();
    }

    /// Sets the text that an editor has of a file; `None`: that of the disk is read again.
    pub fn set_unsaved(&self, path: &Path, text: Option<Arc<str>>) {
        let mut unsaved = self.unsaved.lock();
        match text {
            Some(text) => unsaved.insert(path.to_owned(), text),
            None => unsaved.remove(path),
        };
    }

    fn unsaved(&self, path: &Path) -> Option<Arc<str>> {
        let unsaved = self.unsaved.lock();
        // `#include "../a.h"` names a file by a path with `..`.
        (!unsaved.is_empty()).then(|| unsaved.get(&normalize(path)).cloned())?
    }
}

impl FileSystem for Disk {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        if let Some(unsaved) = self.unsaved(path) {
            return Some(unsaved);
        }
        if let Some(known) = self.files.lock().get(path) {
            return known.clone();
        }
        let bytes = regular_file::read(path, MAX_SOURCE_BYTES).ok();
        let text: Option<Arc<str>> = bytes.map(|it| apg_c_analysis::decode(it).into());
        self.files.lock().insert(path.to_owned(), text.clone());
        text
    }
}

/// Flags of the C compiler for XcalableMP: the macro of its version (specification 1.4, November 2018), and
/// the folder of `xmp.h` in the cache, for programs without one of their own; without it if the cache cannot
/// be written, which a build reports.
pub fn xcalablemp_flags() -> Vec<String> {
    let (cache, text) = (Cache::default(), apg_runtime::xmp::USER_HEADER);
    let folder = cache.root().join("include").join(cache::key(&[text]));
    let version = "-D_XCALABLEMP=201811".to_owned();
    match cache.keep_text(&folder.join("xmp.h"), text) {
        Ok(()) => vec![version, "-idirafter".to_owned(), folder.display().to_string()],
        Err(_) => vec![version],
    }
}

/// What the system's C compiler says of itself, for these flags. Without a compiler, headers are not found:
/// directives are checked all the same.
pub fn toolchain(flags: &[String]) -> Result<Toolchain, LoadFailure> {
    let compiler = std::env::var("CC").ok().filter(|it| !it.is_empty()).unwrap_or_else(|| "cc".to_owned());
    let mut arguments = vec!["-fopenmp".to_owned()];
    arguments.extend_from_slice(flags);
    arguments.extend(xcalablemp_flags());
    match Toolchain::request(&compiler, &arguments) {
        Ok(toolchain) => Ok(toolchain),
        // With flags of the user's the compiler's refusal is theirs to know.
        Err(message) if !flags.is_empty() => {
            Err(LoadFailure { message, hints: vec!["the flags are those of the C compiler".to_owned()] })
        }
        Err(_) => Ok(Toolchain::default()),
    }
}

/// The headers of the program itself, not of the system, that C files include by the preprocessor's account,
/// with macros in names of headers expanded. What cannot be read has none.
pub fn own_headers(sources: &[PathBuf], flags: &[String]) -> Vec<PathBuf> {
    let Ok(toolchain) = toolchain(flags).map(Arc::new) else { return Vec::new() };
    let disk = Arc::new(Disk::default());
    let of_file = |path: &PathBuf| -> Option<Vec<PathBuf>> {
        let (absolute, text) = read(path).ok()?;
        let mut host = AnalysisHost::new(disk.clone());
        let file = host.set_file(&absolute, text, &toolchain);
        let unit = &apg_c_analysis::parsed(host.database(), file).unit;
        let own = unit.files().iter().filter(|it| !it.is_system && it.path != absolute);
        Some(own.map(|it| it.path.clone()).collect())
    };
    sources.par_iter().filter(|it| is_source(it)).filter_map(of_file).flatten().collect()
}

/// A checked C file.
pub(crate) struct CheckedFile {
    pub(crate) name: String,
    pub(crate) lines: usize,
    pub(crate) findings: Vec<Finding>,
    pub(crate) transfers: Vec<TransferPlan>,
}

/// What a device construct moves.
#[derive(Debug)]
pub struct TransferPlan {
    /// Where the directive is.
    pub span: Span,
    /// The name of the directive.
    pub directive: String,
    /// The data.
    pub transfers: Vec<Transfer>,
}

/// Checks C files.
pub(crate) fn check(files: &[PathBuf], flags: &[String]) -> Result<Vec<CheckedFile>, LoadFailure> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let toolchain = Arc::new(toolchain(flags)?);
    let disk = Arc::new(Disk::default());
    files.par_iter().map(|path| check_file(path, &disk, &toolchain)).collect()
}

/// The edited text of each source; `None` of a source that stays as it is.
pub type EditedSources = Vec<Option<String>>;

/// A file of a program in C with XcalableMP.
struct DistributedFile {
    /// Its text with calls in place of its directives, if it has some.
    text: Option<String>,
    /// It includes `xmp.h`.
    uses_library: bool,
}

/// The sources of a program in C with XcalableMP, with calls in place of their directives. `None` if the
/// program has no directive, and does not include `xmp.h`. With devices, regions of accelerators are `target`
/// regions, which [`translate_distributed`] translates. The inner result has its errors, as that of
/// [`translate_program`].
///
/// # Errors
/// A file cannot be read, or the C compiler refuses the flags.
pub fn distribute_program(
    sources: &[PathBuf],
    flags: &[String],
    has_devices: bool,
) -> Result<Result<Option<EditedSources>, Vec<Finding>>, LoadFailure> {
    let (mut edited, mut errors, mut is_distributed) = (Vec::new(), Vec::new(), false);
    let mut compiler = None;
    for path in sources {
        // A coarray needs no directive: `int a:[*];`.
        let text = if is_source(path) { read(path)?.1 } else { Arc::default() };
        if !text.contains("xmp") && !text.contains(":[") {
            edited.push(None);
            continue;
        }
        let compiler = match &compiler {
            Some(known) => known,
            None => compiler.insert(Arc::new(toolchain(flags)?)),
        };
        match distribute_file(path, compiler, has_devices)? {
            Ok(DistributedFile { text, uses_library }) => {
                is_distributed |= text.is_some() || uses_library;
                edited.push(text);
            }
            Err(more) if names_xcalablemp(&text) => errors.extend(more),
            // The C compiler, whose program it is, says what is wrong with it.
            Err(_) => edited.push(None),
        }
    }
    Ok(if errors.is_empty() { Ok(is_distributed.then_some(edited)) } else { Err(errors) })
}

/// Whether a text has directives of XcalableMP, their header, or a coarray, and not just words that look like
/// these.
fn names_xcalablemp(text: &str) -> bool {
    let mut words = text.split_whitespace().peekable();
    let has_pragma = std::iter::from_fn(|| words.next().map(|it| (it, words.peek().copied())))
        .any(|(word, next)| word.ends_with("pragma") && next == Some("xmp"));
    has_pragma || ["_Pragma", "xmp.h", ":[*]"].into_iter().any(|it| text.contains(it))
}

/// Translates the XcalableMP directives of a file.
fn distribute_file(
    path: &Path,
    compiler: &Arc<Toolchain>,
    has_devices: bool,
) -> Result<Result<DistributedFile, Vec<Finding>>, LoadFailure> {
    Ok(AnalysedFile::read(path, compiler)?.distribute(&path.display().to_string(), has_devices))
}

/// A C file whose directives are analysed. It needs no database any more.
#[derive(Debug)]
pub struct AnalysedFile {
    /// Its number among the sources of the program.
    pub(crate) number: usize,
    pub(crate) path: PathBuf,
    parsed: Arc<Parsed>,
    /// With what it was read.
    compiler: Arc<Toolchain>,
    /// Its errors.
    errors: Vec<Finding>,
    /// What the user has written, if its directives are written out.
    source: Option<Source>,
}

/// The text of the user, and the way to it.
#[derive(Debug)]
struct Source {
    text: Arc<str>,
    map: SourceMap,
}

impl AnalysedFile {
    pub(crate) fn read(path: &Path, compiler: &Arc<Toolchain>) -> Result<AnalysedFile, LoadFailure> {
        let (path, text) = read(path)?;
        Ok(AnalysedFile::of_text(&path, text, compiler))
    }

    /// The file with directives of macros [written out](apg_lower_c::written_directives). `None` if it has no
    /// such directives, or if the text would not be the same program.
    pub(crate) fn written_out(&self) -> Option<AnalysedFile> {
        let written = apg_lower_c::written_directives(self.parsed().ok()?)?;
        let file = AnalysedFile::of_text(&self.path, written.text.into(), &self.compiler);
        if !file.errors.is_empty() || !apg_lower_c::are_same_tokens(&self.parsed, &file.parsed) {
            return None;
        }
        let source = Source { text: self.text(), map: written.map };
        Some(AnalysedFile { number: self.number, source: Some(source), ..file })
    }

    /// The file [written out](AnalysedFile::written_out), or as it is.
    pub(crate) fn with_written_directives(self) -> AnalysedFile {
        self.written_out().unwrap_or(self)
    }

    /// Findings of the file at their places in the user's text.
    fn in_source(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        let Some(source) = &self.source else { return findings };
        let move_span = |span: &mut Span| {
            span.range = source.map.source_range(span.range.clone());
            span.text = Arc::clone(&source.text);
        };
        for finding in &mut findings {
            move_span(&mut finding.span);
            finding.related.iter_mut().for_each(|it| move_span(&mut it.0));
            finding.fixes.iter_mut().flat_map(|it| &mut it.1).for_each(|it| move_span(&mut it.0));
        }
        findings
    }

    /// A file with another text than it has.
    pub(crate) fn of_text(path: &Path, text: Arc<str>, compiler: &Arc<Toolchain>) -> AnalysedFile {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut host = AnalysisHost::new(Arc::new(Disk::default()));
        let file = host.set_file(&path, text, compiler);
        AnalysedFile::new(host.database(), file)
    }

    /// Asks a database for what translation needs of a file.
    pub fn new(db: &RootDatabase, file: SourceFile) -> AnalysedFile {
        let (path, text) = (file.path(db).clone(), file.text(db));
        let diagnostics = apg_c_analysis::file_diagnostics(db, file);
        let errors = diagnostics.iter().filter(|it| it.severity == Severity::Error);
        let errors = errors.map(|it| finding(&path, text, it)).collect();
        let (parsed, compiler) = (apg_c_analysis::parsed(db, file).clone(), file.toolchain(db).clone());
        AnalysedFile { number: 0, path, parsed, compiler, errors, source: None }
    }

    /// Its names and types, or its errors.
    pub(crate) fn parsed(&self) -> Result<&Parsed, Vec<Finding>> {
        if self.errors.is_empty() { Ok(&self.parsed) } else { Err(self.errors.clone()) }
    }

    /// How many lines it has.
    pub fn line_count(&self) -> usize {
        self.parsed.text().lines().count()
    }

    pub(crate) fn text(&self) -> Arc<str> {
        self.parsed.text().into()
    }

    /// Translates its XcalableMP directives; `name` is the file in messages. With devices, regions of
    /// accelerators are `target` regions.
    fn distribute(&self, name: &str, has_devices: bool) -> Result<DistributedFile, Vec<Finding>> {
        let parsed = self.parsed()?;
        let header = Some(OsStr::new("xmp.h"));
        let uses_library = parsed.unit.files().iter().any(|it| it.path.file_name() == header);
        let edited = apg_lower_c::distribute(parsed, name, has_devices);
        edited.map(|text| DistributedFile { text, uses_library }).map_err(|reasons| {
            let mut findings = self.findings(reasons, None);
            findings.iter_mut().for_each(|it| it.code = "build/xcalablemp");
            findings
        })
    }

    pub(crate) fn generate_code(
        &self,
        mut mir: mir::Program,
        options: Options,
    ) -> Result<Translated, Vec<Finding>> {
        mir.debug = options.mode.debug;
        mir.emit_all_lines = options.all_lines;
        build::generate_code(mir, options).map_err(|errors| {
            let lines = PresumedLines::new(self.parsed.text());
            let finding = |error: EmitError| {
                let line = lines.first_line_with(usize::try_from(error.line).unwrap_or(1));
                let error = EmitError { line: line.try_into().unwrap_or(1), ..error };
                build::generation_finding(&self.path, self.text(), error)
            };
            self.in_source(errors.into_iter().map(finding).collect())
        })
    }

    /// What has no device form, each reason once: errors, or warnings with what happens instead.
    pub(crate) fn findings(&self, mut reasons: Vec<Unsupported>, instead: Option<&str>) -> Vec<Finding> {
        reasons.sort_by_key(|it| it.range.start());
        reasons.dedup();
        let findings = reasons.into_iter().map(|it| unsupported(&self.path, &self.parsed, it, instead));
        self.in_source(findings.collect())
    }
}

/// What a region does that has no device form.
fn unsupported(path: &Path, parsed: &Parsed, reason: Unsupported, instead: Option<&str>) -> Finding {
    let range = parsed.spelled(reason.range).unwrap_or_default();
    Finding {
        code: "build/target-region",
        severity: if instead.is_some() { Severity::Warning } else { Severity::Error },
        message: format!("{}: {}", reason.message, reason.advice),
        span: Span { file: display_path(path), text: parsed.text().into(), range: range.into() },
        notes: instead.map(str::to_owned).into_iter().collect(),
        related: Vec::new(),
        fixes: Vec::new(),
    }
}

/// The absolute path and the text of a file.
pub(crate) fn read(path: &Path) -> Result<(PathBuf, Arc<str>), LoadFailure> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let bytes = regular_file::read(path, MAX_SOURCE_BYTES).map_err(|why| {
        let shown = path.display();
        let message = match why {
            regular_file::ReadError::Missing => format!("there is no file `{shown}`"),
            why => format!("`{shown}` {why}"),
        };
        LoadFailure { message, hints: Vec::new() }
    })?;
    Ok((absolute, apg_c_analysis::decode(bytes).into()))
}

fn check_file(path: &Path, disk: &Arc<Disk>, toolchain: &Arc<Toolchain>) -> Result<CheckedFile, LoadFailure> {
    let (absolute, text) = read(path)?;
    let mut host = AnalysisHost::new(disk.clone());
    let file = host.set_file(&absolute, text.clone(), toolchain);
    let diagnostics = apg_c_analysis::file_diagnostics(host.database(), file);
    let findings = diagnostics.iter().map(|it| finding(&absolute, &text, it)).collect();
    let plans = transfer_plans(apg_c_analysis::parsed(host.database(), file));
    let plan = |it: ide::TransferPlan| {
        let span = Span { file: display_path(&absolute), text: text.clone(), range: it.range.into() };
        TransferPlan { span, directive: it.directive, transfers: it.transfers }
    };
    let transfers = plans.into_iter().map(plan).collect();
    Ok(CheckedFile { name: display_path(&absolute), lines: text.lines().count(), findings, transfers })
}

/// A diagnostic with its sources. All its places are in the main file.
fn finding(path: &Path, text: &Arc<str>, diagnostic: &Diagnostic) -> Finding {
    let span = |range: TextRange| Span { file: display_path(path), text: text.clone(), range: range.into() };
    Finding {
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: diagnostic.message.clone(),
        span: span(diagnostic.range),
        notes: diagnostic.notes.clone(),
        related: diagnostic.related.iter().map(|it| (span(it.range), it.message.clone())).collect(),
        fixes: diagnostic
            .fixes
            .iter()
            .map(|fix| {
                let edits = fix.edits.iter().map(|it| (span(it.range), it.text.clone()));
                (fix.title.clone(), edits.collect())
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_look_like_xcalablemp_are_none() {
        for text in ["#pragma xmp nodes p[*]", "#  pragma\txmp barrier", "#include <xmp.h>", "int a:[*];"] {
            assert!(names_xcalablemp(text), "{text}");
        }
        for text in ["int xmp;", "char *set = \"[^:[:space:]]\";", "#pragma omp parallel // xmp"] {
            assert!(!names_xcalablemp(text), "{text}");
        }
    }
}
