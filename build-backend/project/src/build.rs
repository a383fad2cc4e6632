//! The build of a program: check, lower, generate code, compile. Used by `apg run`, `apg build` and the
//! language server.

use std::path::Path;
use std::sync::Arc;

use apg_analysis::Analysis;
use apg_analysis::SourceFile;
use apg_analysis::diagnostics::Severity;

use crate::findings::file_findings;
use crate::sources::display_path;
use apg_codegen::{self as emit, Emitted};

pub use apg_codegen::HEADERS;
use apg_diagnostics::render::{Finding, Span};
use apg_lower_x10::{LowerError, MainTarget, lower};
use apg_mir as mir;
use apg_passes::kernel_ir::text as kernel_ir;
use apg_passes::pipeline::Pipeline;
use apg_runtime::cache::Cache;
use apg_toolchain::{BuildError, BuildObserver, Mode, NativeOptions, Profile, SharedObject};

/// Why a program was not built.
#[derive(Debug)]
pub enum Failure {
    /// The program has errors.
    Findings(Vec<Finding>),
    /// The toolchain failed.
    Toolchain(BuildError),
}

/// A program translated to C++ but not compiled.
#[derive(Debug)]
pub struct Translated {
    /// Its MIR after all passes.
    pub mir: mir::Program,
    /// C++ and CUDA C++.
    pub emitted: Emitted,
}

impl Translated {
    /// The kernel IR of each kernel as text.
    pub fn kernel_ir(&self) -> Vec<String> {
        self.emitted.kernels.iter().map(|it| kernel_ir::print(&self.mir, it)).collect()
    }
}

/// How a program is translated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How code is compiled.
    pub mode: Mode,
    /// Without checks of rail indices.
    pub unchecked: bool,
    /// Regions of C check bounds.
    pub checks_c: bool,
    /// The code names the line of every statement, for who reads it.
    pub all_lines: bool,
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
    let mir = lower_program(analysis, file, class, options)?;
    let errors = errors_in_used_files(analysis, file, &mir);
    if !errors.is_empty() {
        return Err(Failure::Findings(errors));
    }
    generate_code(mir, options).map_err(|errors| {
        Failure::Findings(errors.into_iter().map(|error| emit_finding(analysis, error)).collect())
    })
}

/// Checks the program whose `main` is in `file` and lowers it to MIR. Later steps need no database.
///
/// # Errors
/// [`Failure::Findings`] when the program has errors.
pub fn lower_program(
    analysis: &Analysis,
    file: SourceFile,
    class: Option<&str>,
    options: Options,
) -> Result<mir::Program, Failure> {
    let errors = error_findings(analysis, file);
    if !errors.is_empty() {
        return Err(Failure::Findings(errors));
    }
    let target = MainTarget { file, class: class.map(str::to_owned) };
    // Nothing changes the database while a command runs. The server catches cancellation outside.
    let lowered = analysis
        .with(|db| lower(db, &target))
        .unwrap_or_else(|cancelled| std::panic::resume_unwind(Box::new(cancelled)));
    let mut mir = lowered.map_err(|errors| Failure::Findings(lowering_findings(analysis, file, errors)))?;
    mir.unchecked = options.unchecked;
    mir.debug = options.mode.debug;
    Ok(mir)
}

/// Runs the pass pipeline and translates MIR to C++ and CUDA C++.
///
/// # Errors
/// A defect of the compiler.
pub fn generate_code(mut mir: mir::Program, options: Options) -> Result<Translated, Vec<emit::EmitError>> {
    let release = options.mode.profile == Profile::Release;
    Pipeline { optimize: release, debug: options.mode.debug }.run(&mut mir);
    mir::verify::debug_assert_valid_with_entries(&mir, &emit::entry_signature, "the pipeline");
    let emitted = emit::emit(&mir, release)?;
    Ok(Translated { mir, emitted })
}

/// Compiles and links what is not in the cache.
///
/// # Errors
/// [`Failure::Toolchain`].
pub fn compile(
    translated: &Translated,
    mode: Mode,
    native: &NativeOptions,
    cache: &Cache,
    observer: &dyn BuildObserver,
) -> Result<SharedObject, Failure> {
    let built =
        apg_toolchain::build(&translated.emitted.units, &emit::HEADERS, mode, native, cache, observer);
    built.map_err(|error| match native_code_findings(&error) {
        findings if findings.is_empty() => Failure::Toolchain(error),
        findings => Failure::Findings(findings),
    })
}

/// The errors in C++ code of the user, if all of them are in files that exist.
fn native_code_findings(error: &BuildError) -> Vec<Finding> {
    let BuildError::Native { message } = error else { return Vec::new() };
    let errors = apg_toolchain::parse_messages(message).into_iter().filter(|it| !it.is_warning);
    let findings = errors.map(|message| {
        let mut finding = compiler_finding("build/native-code", message)?;
        finding.message = format!("in C++ code: {}", finding.message);
        finding.notes.push(
            "this is what the C++ compiler says; docs/native.md tells what C++ code in a program may use"
                .into(),
        );
        Some(finding)
    });
    findings.collect::<Option<_>>().unwrap_or_default()
}

/// What the C compiler says of the user's files.
pub fn c_compiler_findings(output: &str) -> Vec<Finding> {
    let messages = apg_toolchain::parse_messages(output).into_iter();
    messages.filter_map(|it| compiler_finding("build/c-compiler", it)).collect()
}

/// A message of a compiler as a finding, if its file can be read.
fn compiler_finding(code: &'static str, message: apg_toolchain::CompilerMessage) -> Option<Finding> {
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
    Some(Finding {
        code,
        severity: if message.is_warning { Severity::Warning } else { Severity::Error },
        message: message.message,
        span: Span { file: display_path(&message.file), text: text.into(), range },
        notes: message.notes,
        related: Vec::new(),
        fixes: Vec::new(),
    })
}

fn error_findings(analysis: &Analysis, file: SourceFile) -> Vec<Finding> {
    let mut findings = file_findings(analysis, file);
    findings.retain(|finding| finding.severity == Severity::Error);
    findings
}

/// Errors of the user's other files that the program contains code of.
fn errors_in_used_files(analysis: &Analysis, main: SourceFile, mir: &mir::Program) -> Vec<Finding> {
    let is_used = |file: &SourceFile| {
        let path = analysis.source(*file).0.display().to_string();
        *file != main && mir.files.contains(&path)
    };
    let used = analysis.user_files().into_iter().filter(is_used);
    used.flat_map(|file| error_findings(analysis, file)).collect()
}

/// Findings for errors of lowering. For other files of the user, errors of the checker take precedence.
fn lowering_findings(analysis: &Analysis, main: SourceFile, errors: Vec<LowerError>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut reported: Vec<SourceFile> = Vec::new();
    for error in errors {
        let file = error.file.unwrap_or(main);
        if file != main && reported.contains(&file) {
            continue;
        }
        let checked = if file == main { Vec::new() } else { error_findings(analysis, file) };
        if !checked.is_empty() {
            reported.push(file);
            findings.extend(checked);
            continue;
        }
        let (path, text) = analysis.source(file);
        let range = error.range.map_or(0..0, Into::into);
        findings.push(Finding {
            code: error.code,
            severity: Severity::Error,
            message: error.message,
            span: Span { file: display_path(path), text: text.clone(), range },
            notes: error.notes,
            related: Vec::new(),
            fixes: Vec::new(),
        });
    }
    findings
}

fn emit_finding(analysis: &Analysis, error: emit::EmitError) -> Finding {
    let path = error.file.clone();
    let file = analysis.file(Path::new(&path));
    let text = file.map_or_else(|| "".into(), |file| analysis.source(file).1.clone());
    generation_finding(Path::new(&path), text, error)
}

/// A finding for a defect of the compiler, at the line of a file that triggers it.
pub(crate) fn generation_finding(path: &Path, text: Arc<str>, error: emit::EmitError) -> Finding {
    let line = usize::try_from(error.line).unwrap_or(1).max(1);
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let length = text[start..].find('\n').unwrap_or(text.len() - start);
    Finding {
        code: "internal/code-generation",
        severity: Severity::Error,
        message: error.message,
        span: Span { file: display_path(path), text, range: start..start + length },
        notes: vec!["this is a fault of apg, not of the program; please report it".into()],
        related: Vec::new(),
        fixes: Vec::new(),
    }
}
