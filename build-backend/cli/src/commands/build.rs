//! `apg build`.

use std::path::PathBuf;

use apg_mir::text::{self, SpanDetail};
use apg_runtime::cache::Cache;
use clap::{Args, ValueEnum};

use super::remote::{self, OnOption};
use super::resources;
use crate::failure::{Failure, Outcome};
use crate::options::{Checks, NativeOptions, ReportOptions, SourceOptions};
use crate::output;
use crate::progress::Progress;
use crate::report;
use apg_project::build::{self, Options, Translated};
use apg_project::session;
use apg_toolchain::thread_pool;
use apg_toolchain::{Mode, Profile, Sanitizer, SharedObject};

/// Build a program, or print what it is compiled to
#[derive(Debug, Args)]
pub(crate) struct Build {
    /// The file that holds `main`
    file: PathBuf,

    /// Where to put the program: one file that runs alone [default: the file's name without `.x10`]
    #[arg(short, long, value_name = "OUT", conflicts_with = "emit")]
    output: Option<PathBuf>,

    /// Print an intermediate form instead
    #[arg(long, value_enum, value_name = "FORM")]
    emit: Option<Emit>,

    /// Optimise for this machine's processor
    #[arg(long)]
    release: bool,

    /// Compile for a debugger: every variable can be seen, nothing is optimised
    #[arg(long, conflicts_with_all = ["release", "sanitize"])]
    debug: bool,

    /// What the program checks while it runs
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    checks: Checks,

    /// Look for errors of memory, for what C++ leaves undefined, or for races, while the program runs
    #[arg(long, value_enum, value_name = "WHICH")]
    sanitize: Option<Sanitizer>,

    /// The class whose `main` is meant, if the file has several
    #[arg(long, value_name = "CLASS")]
    main: Option<String>,

    #[command(flatten)]
    sources: SourceOptions,

    #[command(flatten)]
    native: NativeOptions,

    #[command(flatten)]
    on: OnOption,

    #[command(flatten)]
    report: ReportOptions,
}

/// What `--emit` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The typed intermediate representation after all passes, as `apg-mir` reads it
    Mir,
    /// Kernels as loops over threads, with what the optimisations of kernels decided
    KernelIr,
    /// Host code
    Cpp,
    /// Device code
    Cuda,
    /// Device code compiled by NVRTC
    Ptx,
    /// What kernels need on each architecture: registers, shared and constant memory, spills, occupancy
    Resources,
}

/// The inputs of a build.
pub(crate) struct Request<'a> {
    /// The file that holds `main`.
    pub file: &'a PathBuf,
    /// The class whose `main` is meant.
    pub main: Option<&'a str>,
    /// Options of the translation.
    pub options: Options,
    /// Where packages are.
    pub sources: &'a SourceOptions,
    /// Options for the program's own C++ code.
    pub native: &'a NativeOptions,
    /// How findings are printed.
    pub report: ReportOptions,
}

/// Checks and translates; findings are printed. `Err` is the status to end with.
pub(crate) fn translate(
    request: &Request<'_>,
    progress: &Progress,
) -> Result<Result<Translated, u8>, Failure> {
    progress.stage("checking");
    let (host, file) = session::load_program(request.file, &request.sources.settings())?;
    let analysis = host.snapshot();
    match thread_pool::install(move || build::translate(&analysis, file, request.main, request.options)) {
        Ok(translated) => Ok(Ok(translated)),
        Err(build::Failure::Findings(findings)) => {
            progress.finish();
            report::print(request.report.message_format, &findings)?;
            Ok(Err(1))
        }
        Err(build::Failure::Toolchain(error)) => Err(build_failure(&error)),
    }
}

/// Compiles a translated program.
///
/// Errors in the program's C++ code are printed. `Err` is the status to end with.
pub(crate) fn compile(
    translated: &Translated,
    request: &Request<'_>,
    progress: &Progress,
) -> Result<Result<SharedObject, u8>, Failure> {
    let (mode, native) = (request.options.mode, request.native.resolve());
    match build::compile(translated, mode, &native, &Cache::default(), progress) {
        Ok(program) => Ok(Ok(program)),
        Err(build::Failure::Findings(findings)) => {
            progress.finish();
            report::print(request.report.message_format, &findings)?;
            Ok(Err(1))
        }
        Err(build::Failure::Toolchain(error)) => Err(build_failure(&error)),
    }
}

pub(crate) fn build_failure(error: &apg_toolchain::BuildError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

impl Build {
    pub(crate) fn run(self) -> Outcome {
        let progress = Progress::default();
        let profile = if self.release { Profile::Release } else { Profile::Portable };
        let mode = Mode { profile, sanitizer: self.sanitize, debug: self.debug };
        let request = Request {
            file: &self.file,
            main: self.main.as_deref(),
            options: Options { mode, unchecked: self.checks == Checks::None },
            sources: &self.sources,
            native: &self.native,
            report: self.report,
        };
        if let Some(on) = &self.on.on {
            return self.build_on(on, &request);
        }
        let translated = match translate(&request, &progress)? {
            Ok(translated) => translated,
            Err(status) => return Ok(status),
        };
        if let Some(form) = self.emit {
            progress.finish();
            return print(form, &translated);
        }
        let built = match compile(&translated, &request, &progress)? {
            Ok(object) => object,
            Err(status) => return Ok(status),
        };
        progress.finish();
        let output = self.output_file()?;
        apg_toolchain::write_bundle(&built.path, &output)
            .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", output.display())))?;
        Ok(0)
    }
}

impl Build {
    /// Where the program goes.
    fn output_file(&self) -> Result<PathBuf, Failure> {
        let output = self.output.clone().unwrap_or_else(|| self.file.with_extension(""));
        match output.is_dir() {
            true => Err(Failure::new(format!("`{}` is a folder", output.display()))
                .hint("name the program with `-o`")),
            false => Ok(output),
        }
    }

    /// Builds the program on a remote machine, for that machine.
    fn build_on(&self, on: &str, request: &Request<'_>) -> Outcome {
        let mut options = remote::CommandLine::default();
        options.choice("emit", self.emit).flag("release", self.release).flag("debug", self.debug);
        options.choice("checks", Some(self.checks)).choice("sanitize", self.sanitize);
        let output = if self.emit.is_some() { None } else { Some(self.output_file()?) };
        let program = remote::RemoteProgram { request, options, arguments: &[] };
        remote::build_on(on, &program, output)
    }
}

fn print(form: Emit, translated: &Translated) -> Outcome {
    let kernels = &translated.emitted.cuda;
    match form {
        Emit::Mir => output::text(text::print(&translated.mir, SpanDetail::Statements))?,
        Emit::KernelIr => translated.kernel_ir().iter().try_for_each(output::text)?,
        Emit::Cpp => {
            for unit in &translated.emitted.units {
                output::line(format_args!("// ---- {}\n{}", unit.name, unit.text))?;
            }
        }
        Emit::Cuda => kernels.iter().try_for_each(output::line)?,
        Emit::Ptx => {
            for text in kernels {
                let ptx = apg_runtime::device::ptx(text).map_err(Failure::new)?;
                output::line(ptx)?;
            }
        }
        Emit::Resources => resources::print(translated)?,
    }
    if kernels.is_empty() && matches!(form, Emit::KernelIr | Emit::Cuda | Emit::Ptx | Emit::Resources) {
        output::remark("note: this program has no @CUDA kernel")?;
    }
    Ok(0)
}
