//! From a file to a shared object: check, lower, emit, compile. What `apg run`, `apg build` and the language server use.

use std::path::Path;

use apg_analysis::Analysis;
use apg_analysis::diagnostics::Severity;
use apg_analysis::ids::SourceFile;

use crate::session;
use crate::sources::shown;
use apg_codegen::{self as emit, Emitted};
use apg_diagnostics::render::{Finding, Span};
use apg_lower_x10::{LowerError, MainTarget, lower};
use apg_mir as mir;
use apg_passes::pipeline::Pipeline;
use apg_runtime::cache::Cache;
use apg_toolchain::{self as driver, BuildError, Built, Mode, NativeOptions, Observer, Profile};

/// Why a program was not built.
#[derive(Debug)]
pub enum Failure {
    /// The program has errors.
    Findings(Vec<Finding>),
    /// No shared object could be made of it.
    Driver(BuildError),
}

/// A program translated but not yet compiled.
#[derive(Debug)]
pub struct Translated {
    /// Typed, monomorphic, backend-neutral.
    pub mir: mir::Program,
    /// C++ and CUDA C++.
    pub emitted: Emitted,
}

/// How a program is translated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How code is compiled.
    pub mode: Mode,
    /// Indices of rails are not checked.
    pub unchecked: bool,
}

/// Checks and translates the program whose `main` is in `file`.
///
/// # Errors
/// [`Failure::Findings`] when the program has errors.
pub fn translate(
    analysis: &Analysis,
    file: SourceFile,
    class: Option<&str>,
    options: Options,
) -> Result<Translated, Failure> {
    let mir = lowered(analysis, file, class, options)?;
    let errors = errors_elsewhere(analysis, file, &mir);
    if !errors.is_empty() {
        return Err(Failure::Findings(errors));
    }
    emitted(mir, options).map_err(|errors| {
        Failure::Findings(errors.into_iter().map(|error| emit_finding(analysis, error)).collect())
    })
}

/// Checks the program whose `main` is in `file` and translates it to MIR, for which alone the database is needed.
///
/// # Errors
/// [`Failure::Findings`] when the program has errors.
pub fn lowered(
    analysis: &Analysis,
    file: SourceFile,
    class: Option<&str>,
    options: Options,
) -> Result<mir::Program, Failure> {
    let errors = errors_of(analysis, file);
    if !errors.is_empty() {
        return Err(Failure::Findings(errors));
    }
    let target = MainTarget { file, class: class.map(str::to_owned) };
    // Nothing changes the database while a command runs; the server catches cancellation outside, where it is no panic
    // that anyone should read of.
    let lowered = analysis
        .with(|db| lower(db, &target))
        .unwrap_or_else(|cancelled| std::panic::resume_unwind(Box::new(cancelled)));
    let mut mir = lowered.map_err(|errors| Failure::Findings(lower_findings(analysis, file, errors)))?;
    mir.unchecked = options.unchecked;
    mir.debug = options.mode.debug;
    Ok(mir)
}

/// Translates MIR to C++ and CUDA C++.
///
/// # Errors
/// What cannot be translated: a defect of ours.
pub fn emitted(mut mir: mir::Program, options: Options) -> Result<Translated, Vec<emit::EmitError>> {
    let release = options.mode.profile == Profile::Release;
    Pipeline { optimize: release, debug: options.mode.debug }.run(&mut mir);
    let emitted = emit::emit(&mir, release)?;
    Ok(Translated { mir, emitted })
}

/// Compiles and links what is not in the cache; the shared object.
///
/// # Errors
/// [`Failure::Driver`].
pub fn compile(
    translated: &Translated,
    mode: Mode,
    native: &NativeOptions,
    cache: &Cache,
    observer: &dyn Observer,
) -> Result<Built, Failure> {
    let built = driver::build(&translated.emitted.units, &emit::HEADERS, mode, native, cache, observer);
    built.map_err(|error| match native_findings(&error) {
        findings if findings.is_empty() => Failure::Driver(error),
        findings => Failure::Findings(findings),
    })
}

/// The errors in C++ code of the user, where all of them have a place in a file that is there.
fn native_findings(error: &BuildError) -> Vec<Finding> {
    let BuildError::Native { message } = error else { return Vec::new() };
    let findings = driver::parse_messages(message).into_iter().map(native_finding);
    findings.collect::<Option<_>>().unwrap_or_default()
}

fn native_finding(message: driver::Message) -> Option<Finding> {
    let text = std::fs::read_to_string(&message.file).ok()?;
    let start: usize = text.split_inclusive('\n').take(message.line.checked_sub(1)?).map(str::len).sum();
    let line = text[start..].lines().next().unwrap_or_default();
    // Columns in an X10 file are those of generated code.
    let is_x10 = message.file.extension().is_some_and(|it| it == "x10");
    let at = message.column.checked_sub(1).filter(|at| !is_x10 && line.is_char_boundary(*at));
    let range = match at {
        Some(at) => {
            let word = line[at..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len() - at);
            start + at..start + (at + word.max(1)).min(line.len().max(at))
        }
        None => start + line.len() - line.trim_start().len()..start + line.trim_end().len(),
    };
    let mut notes = message.notes;
    notes.push(
        "this is what the C++ compiler says; docs/native.md tells what C++ code in a program may use".into(),
    );
    Some(Finding {
        code: "build/native-code",
        severity: Severity::Error,
        message: format!("in C++ code: {}", message.text),
        span: Span { file: shown(&message.file), text: text.into(), range },
        notes,
        related: Vec::new(),
        fixes: Vec::new(),
    })
}

fn errors_of(analysis: &Analysis, file: SourceFile) -> Vec<Finding> {
    let mut findings = session::file_findings(analysis, file);
    findings.retain(|finding| finding.severity == Severity::Error);
    findings
}

/// Errors of the user's other files that the program has code from: what has a meaning in spite of them is not what was meant.
fn errors_elsewhere(analysis: &Analysis, main: SourceFile, mir: &mir::Program) -> Vec<Finding> {
    let is_used = |file: &SourceFile| {
        let path = analysis.source(*file).0.display().to_string();
        *file != main && mir.files.contains(&path)
    };
    let used = analysis.user_files().into_iter().filter(is_used);
    used.flat_map(|file| errors_of(analysis, file)).collect()
}

/// Errors of lowering. Those in other files of the user are told as the checker tells them, where it does.
fn lower_findings(analysis: &Analysis, main: SourceFile, errors: Vec<LowerError>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut told: Vec<SourceFile> = Vec::new();
    for error in errors {
        let file = error.file.unwrap_or(main);
        if file != main && told.contains(&file) {
            continue;
        }
        let checked = if file == main { Vec::new() } else { errors_of(analysis, file) };
        if !checked.is_empty() {
            told.push(file);
            findings.extend(checked);
            continue;
        }
        let (path, text) = analysis.source(file);
        let range = error.range.map_or(0..0, Into::into);
        findings.push(Finding {
            code: error.code,
            severity: Severity::Error,
            message: error.message,
            span: Span { file: shown(path), text: text.clone(), range },
            notes: error.notes,
            related: Vec::new(),
            fixes: Vec::new(),
        });
    }
    findings
}

/// A defect of ours, told with the line that shows it.
fn emit_finding(analysis: &Analysis, error: emit::EmitError) -> Finding {
    let file = analysis.file(Path::new(&error.file));
    let text = file.map_or_else(|| "".into(), |file| analysis.source(file).1.clone());
    let line = usize::try_from(error.line).unwrap_or(1).max(1);
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let length = text[start..].find('\n').unwrap_or(text.len() - start);
    Finding {
        code: "internal/code-generation",
        severity: Severity::Error,
        message: error.message,
        span: Span { file: shown(Path::new(&error.file)), text, range: start..start + length },
        notes: vec!["this is a fault of apg, not of the program; please report it".into()],
        related: Vec::new(),
        fixes: Vec::new(),
    }
}
