//! `apg build`.

use std::ffi::OsString;
use std::path::PathBuf;

use apg_diagnostics::Severity;
use apg_mir::text::{self, SpanDetail};
use apg_runtime::cache::Cache;
use clap::{Args, ValueEnum};

use super::c_program::{CProgram, Inputs};
use super::remote::{self, OnOption};
use super::resources;
use crate::failure::{Failure, Outcome, build_failure};
use crate::options::{ProgramOptions, Request};
use crate::output;
use crate::progress::Progress;
use crate::report;
use apg_project::build::{self, Translated};
use apg_project::session;
use apg_toolchain::thread_pool;
use apg_toolchain::{Language, Profile, SharedObject};

/// Build a program, or print what it is compiled to
#[derive(Debug, Args)]
pub(crate) struct Build {
    #[command(flatten)]
    program: ProgramOptions,

    /// Further files of a program in C
    #[arg(value_name = "FILES")]
    files: Vec<PathBuf>,

    /// Where to put the program: one file that runs alone [default: the first file's name without its
    /// extension]
    #[arg(short, long, value_name = "OUT", conflicts_with = "emit")]
    output: Option<PathBuf>,

    /// Print an intermediate form instead
    #[arg(long, value_enum, value_name = "FORM")]
    emit: Option<Emit>,

    /// Compile for a debugger: every variable can be seen, nothing is optimised
    #[arg(long, conflicts_with_all = ["release", "sanitize"])]
    debug: bool,

    #[command(flatten)]
    on: OnOption,
}

/// What `--emit` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The typed intermediate representation after all passes, as `apg-mir` reads it
    Mir,
    /// Kernels as loops over threads, with what the optimisations of kernels decided
    KernelIr,
    /// Host code in C++
    Cpp,
    /// The text of a file in C that the C compiler gets: with calls in place of its directives about devices
    C,
    /// Device code
    Cuda,
    /// Device code compiled by NVRTC
    Ptx,
    /// What kernels need on each architecture: registers, shared and constant memory, spills, occupancy
    Resources,
}

/// Checks and translates; findings are printed. `Err` is the status to end with.
fn translate(request: &Request<'_>, progress: &Progress) -> Result<Result<Translated, u8>, Failure> {
    progress.stage("checking");
    let (host, file) = session::load_program(&request.program.file, &request.program.sources.settings())?;
    let analysis = host.snapshot();
    let main = request.program.main.as_deref();
    match thread_pool::install(move || build::translate(&analysis, file, main, request.options)) {
        Ok(translated) => Ok(Ok(translated)),
        Err(build::Failure::Findings(findings)) => {
            progress.finish();
            report::print(request.program.report.message_format, &findings)?;
            Ok(Err(1))
        }
        Err(build::Failure::Toolchain(error)) => Err(build_failure(&error)),
    }
}

/// Compiles a translated program.
///
/// Errors in the program's C++ code are printed. `Err` is the status to end with.
fn compile(
    translated: &Translated,
    request: &Request<'_>,
    progress: &Progress,
) -> Result<Result<SharedObject, u8>, Failure> {
    let (mode, native) = (request.options.mode, request.program.native.resolve());
    match build::compile(translated, mode, &native, &Cache::default(), progress) {
        Ok(program) => Ok(Ok(program)),
        Err(build::Failure::Findings(findings)) => {
            progress.finish();
            report::print(request.program.report.message_format, &findings)?;
            Ok(Err(1))
        }
        Err(build::Failure::Toolchain(error)) => Err(build_failure(&error)),
    }
}

/// Translates and compiles. `Err` is the status to end with.
pub(crate) fn build(request: &Request<'_>, progress: &Progress) -> Result<Result<SharedObject, u8>, Failure> {
    match translate(request, progress)? {
        Ok(translated) => compile(&translated, request, progress),
        Err(status) => Ok(Err(status)),
    }
}

impl Build {
    /// With these options of the C compiler.
    pub(crate) fn with_c_options(mut self, c_options: Vec<Vec<String>>) -> Self {
        self.program.c_options = c_options;
        self
    }

    pub(crate) fn run(self) -> Outcome {
        let words = [&self.program.file].into_iter().chain(&self.files);
        let words: Vec<OsString> = words.map(|it| it.clone().into_os_string()).collect();
        if let Some(inputs) = Inputs::take(&words)? {
            return self.build_c(inputs);
        }
        if let Some(other) = self.files.first() {
            let what = "a program in X10 has one file that holds `main`";
            return Err(Failure::misuse(format!("`{}`: {what}", other.display()))
                .hint("the files of its other classes are found by their names"));
        }
        self.program.check_x10()?;
        let progress = Progress::default();
        let request = self.program.request(Profile::Portable, self.debug);
        if let Some(on) = &self.on.on {
            return self.build_on(on, &request);
        }
        let translated = match translate(&request, &progress)? {
            Ok(translated) => translated,
            Err(status) => return Ok(status),
        };
        if let Some(form) = self.emit {
            progress.finish();
            if form == Emit::C {
                return Err(Failure::misuse("`--emit c` is for programs in C")
                    .hint("`--emit cpp` prints the host code of one in X10"));
            }
            return print(form, &[translated], "@CUDA kernel");
        }
        let built = match compile(&translated, &request, &progress)? {
            Ok(object) => object,
            Err(status) => return Ok(status),
        };
        progress.finish();
        let output = self.output_file()?;
        apg_toolchain::write_bundle(&built.path, Language::X10, &output)
            .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", output.display())))?;
        Ok(0)
    }
}

impl Build {
    /// Builds a program in C.
    fn build_c(self, inputs: Inputs) -> Outcome {
        let program = CProgram { inputs, program: self.program, is_debug: self.debug };
        program.check_options(&[])?;
        if let Some(on) = &self.on.on {
            let mut emitted = remote::CommandLine::default();
            emitted.choice("emit", self.emit);
            return program.build_on(on, self.output, emitted);
        }
        let Some(form) = self.emit else { return program.build(self.output) };
        let forms = match program.translate_alone()? {
            Ok(forms) => forms,
            Err(status) => return Ok(status),
        };
        if form == Emit::C {
            program.print_host_regions(forms.on_host, Severity::Warning)?;
            output::text(&forms.host_text)?;
            return Ok(0);
        }
        let is_refused = !forms.on_host.is_empty();
        program.print_host_regions(forms.on_host, Severity::Error)?;
        if !is_refused || !forms.regions.is_empty() {
            print(form, &forms.regions, program.region_name())?;
        }
        Ok(u8::from(is_refused))
    }

    /// Where the program goes.
    fn output_file(&self) -> Result<PathBuf, Failure> {
        let output = self.output.clone().unwrap_or_else(|| self.program.file.with_extension(""));
        match output.is_dir() {
            true => Err(Failure::new(format!("`{}` is a folder", output.display()))
                .hint("name the program with `-o`")),
            false => Ok(output),
        }
    }

    /// Builds the program on a remote machine, for that machine.
    fn build_on(&self, on: &str, request: &Request<'_>) -> Outcome {
        let mut options = remote::CommandLine::default();
        options.choice("emit", self.emit).flag("debug", self.debug);
        let output = if self.emit.is_some() { None } else { Some(self.output_file()?) };
        let program = remote::RemoteProgram { request, options, arguments: &[] };
        remote::build_on(on, &program, output)
    }
}

/// Prints a form of the parts of a program; `kernel` is what its language calls a kernel.
fn print(form: Emit, parts: &[Translated], kernel: &str) -> Outcome {
    parts.iter().try_for_each(|it| print_part(form, it))?;
    let is_about_kernels = matches!(form, Emit::KernelIr | Emit::Cuda | Emit::Ptx | Emit::Resources);
    if is_about_kernels && parts.iter().all(|it| it.emitted.cuda.is_empty()) || parts.is_empty() {
        output::remark(format_args!("note: this program has no {kernel}"))?;
    }
    Ok(0)
}

fn print_part(form: Emit, translated: &Translated) -> Result<(), Failure> {
    let kernels = &translated.emitted.cuda;
    match form {
        Emit::Mir => output::text(text::print(&translated.mir, SpanDetail::Statements)),
        Emit::KernelIr => translated.kernel_ir().iter().try_for_each(output::text),
        // Of C files alone.
        Emit::C => Ok(()),
        Emit::Cpp => {
            let mut units = translated.emitted.units.iter();
            units.try_for_each(|unit| output::line(format_args!("// ---- {}\n{}", unit.name, unit.text)))
        }
        Emit::Cuda => kernels.iter().try_for_each(output::line),
        Emit::Ptx => kernels
            .iter()
            .try_for_each(|text| output::line(apg_runtime::device::ptx(text).map_err(Failure::new)?)),
        Emit::Resources => resources::print(translated),
    }
}
