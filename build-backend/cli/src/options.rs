//! Options that several commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use apg_project::build::Options;
use apg_project::session::Settings;
use apg_toolchain::{Mode, Profile, Sanitizer};

use crate::failure::Failure;
use crate::report::MessageFormat;

/// Where sources are and how findings are printed.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SourceOptions {
    /// A folder to look packages up in, after the program's own; may be given several times
    #[arg(long, value_name = "DIR")]
    pub source_path: Vec<PathBuf>,

    /// Constraints that do not follow from what is known are errors, not checked when the program runs
    #[arg(long)]
    pub static_checks: bool,

    /// Infer the conditions of methods marked @InferGuard from their code
    #[arg(long)]
    pub constraint_inference: bool,
}

impl SourceOptions {
    /// As settings of a session.
    pub(crate) fn settings(&self) -> Settings {
        let checks =
            apg_analysis::Checks { is_static: self.static_checks, infers_guards: self.constraint_inference };
        Settings { source_path: self.source_path.clone(), checks, c_flags: Vec::new() }
    }
}

/// A program, and how it is built.
#[derive(Clone, Debug, Args)]
pub(crate) struct ProgramOptions {
    /// The file that holds `main`; of a program in C the first of its files (`.c`, `.o`, `.a`), among which
    /// options of the C compiler may stand
    pub file: PathBuf,

    /// Optimise for this machine's processor
    #[arg(long)]
    pub release: bool,

    /// What the program checks while it runs: for a program in X10 everything unless `none` is given; for one
    /// in C with `all` the bounds of arrays and of the device's memory in regions that run on devices
    #[arg(long, value_enum, value_name = "WHICH")]
    pub checks: Option<Checks>,

    /// Look for errors of memory, for what C++ leaves undefined, or for races, while the program runs
    #[arg(long, value_enum, value_name = "WHICH")]
    pub sanitize: Option<Sanitizer>,

    /// The class whose `main` is meant, if the file has several
    #[arg(long, value_name = "CLASS")]
    pub main: Option<String>,

    #[command(flatten)]
    pub sources: SourceOptions,

    #[command(flatten)]
    pub native: NativeOptions,

    /// For people, or for tools (`apg run`: a stream of JSON events)
    #[command(flatten)]
    pub report: ReportOptions,

    /// Where `parallel` regions of a program in C run
    #[arg(long, value_enum, value_name = "WHERE")]
    pub parallel: Option<Parallel>,

    /// Options of the C compiler, each a word, or two.
    #[arg(skip)]
    pub c_options: Vec<Vec<String>>,
}

impl ProgramOptions {
    /// Options that have no meaning for a program in C, and whether they are set.
    pub(crate) fn only_x10(&self) -> [(&'static str, bool); 6] {
        [
            ("--main", self.main.is_some()),
            ("--source-path", !self.sources.source_path.is_empty()),
            ("--static-checks", self.sources.static_checks),
            ("--constraint-inference", self.sources.constraint_inference),
            ("--cxx-prearg", !self.native.cxx_prearg.is_empty()),
            ("--cxx-postarg", !self.native.cxx_postarg.is_empty()),
        ]
    }

    /// Reports options that have no meaning for a program in X10.
    pub(crate) fn check_x10(&self) -> Result<(), Failure> {
        match self.parallel {
            None => Ok(()),
            Some(_) => Err(Failure::misuse("`--parallel` is for programs in C with OpenMP").hint(
                "kernels of a program in X10 run at the places that it sends them to; `--accels` says which there are",
            )),
        }
    }

    /// What is built: with the profile `otherwise` unless `--release` is given, for a debugger if `debug`.
    pub(crate) fn request(&self, otherwise: Profile, debug: bool) -> Request<'_> {
        let profile = if self.release { Profile::Release } else { otherwise };
        let mode = Mode { profile, sanitizer: self.sanitize, debug };
        Request {
            program: self,
            options: Options {
                mode,
                unchecked: self.checks == Some(Checks::None),
                checks_c: self.checks == Some(Checks::All),
                ..Options::default()
            },
        }
    }
}

/// The input of a build.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The program.
    pub program: &'a ProgramOptions,
    /// Options of the translation.
    pub options: Options,
}

/// Where OpenMP's `parallel` regions of a program in C run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Parallel {
    /// On this machine's CPUs, by the C compiler's OpenMP
    #[default]
    Host,
    /// As kernels on a GPU, or with `--accels cpu` on the CPUs as a device
    Device,
}

/// What a program checks while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Checks {
    /// Everything
    All,
    /// Not the indices of rails: one outside its rail is undefined
    None,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct ReportOptions {
    /// For people, or for tools
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub message_format: MessageFormat,
}

/// Options of the C++ compiler for the program's own C++ code (docs/native.md).
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "C++ code of the program")]
pub(crate) struct NativeOptions {
    /// A folder to look for headers in; may be given several times, as all of these
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,

    /// Define a macro for the C++ code
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,

    /// A folder to look for libraries in, now and when the program runs
    #[arg(short = 'L', value_name = "DIR")]
    pub library_path: Vec<PathBuf>,

    /// Link a library, such as `openblas`
    #[arg(short = 'l', value_name = "NAME")]
    pub library: Vec<String>,

    /// An option of the C++ compiler in front of the files, such as `-fopenmp`
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub cxx_prearg: Vec<String>,

    /// An option of the linker behind the files, such as `-Wl,--allow-multiple-definition`, or a library's
    /// path
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub cxx_postarg: Vec<String>,
}

impl NativeOptions {
    /// As the toolchain's options, with absolute paths.
    pub(crate) fn resolve(&self) -> apg_toolchain::NativeOptions {
        let absolute = |folders: &[PathBuf]| -> Vec<PathBuf> {
            folders.iter().map(|it| std::path::absolute(it).unwrap_or_else(|_| it.clone())).collect()
        };
        apg_toolchain::NativeOptions {
            include_folders: absolute(&self.include),
            macros: self.define.clone(),
            library_folders: absolute(&self.library_path),
            libraries: self.library.clone(),
            before: self.cxx_prearg.clone(),
            after: self.cxx_postarg.clone(),
        }
    }
}
