//! Errors of the build of a C program.

use std::fmt;
use std::io;
use std::path::PathBuf;

use apg_runtime::cache::CacheError;

use super::compiler::CCompiler;
use crate::include_deps::Unreadable;
use crate::regular_file::ReadError;

/// Why a C program was not built.
#[derive(Debug)]
pub enum CBuildError {
    /// There is no C compiler.
    NoCompiler {
        /// The value of `$CC`, if it is set.
        variable: Option<String>,
    },
    /// The compiler does not compile or link programs with OpenMP.
    NoOpenMp {
        /// Its path.
        compiler: String,
        /// What it says.
        reason: String,
    },
    /// The compiler cannot be started.
    CannotStart {
        /// Its path.
        compiler: String,
        /// The reason.
        reason: String,
    },
    /// A source, object or library is no regular file, or too large.
    File {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: ReadError,
    },
    /// A source is not text.
    NotText {
        /// The file.
        file: PathBuf,
        /// The line of the first zero byte, from 1.
        line: usize,
    },
    /// The compiler refuses the program.
    Rejected {
        /// Its output, of all files.
        output: String,
    },
    /// The linker refuses the program.
    Unlinked {
        /// Output of the linker.
        output: String,
    },
    /// The compiler or linker had too little memory.
    OutOfMemory,
    /// The build cache cannot be used.
    Cache(CacheError),
}

impl CBuildError {
    pub(super) fn cannot_start(compiler: &CCompiler, error: &io::Error) -> Self {
        Self::CannotStart { compiler: compiler.path().display().to_string(), reason: error.to_string() }
    }

    /// Output of the compiler or linker, which says what is wrong.
    pub fn output(&self) -> Option<&str> {
        match self {
            Self::Rejected { output } | Self::Unlinked { output } => Some(output),
            _ => None,
        }
    }

    /// Advice for the user.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoCompiler { .. } => Some(
                "install one (Debian, Ubuntu: `apt install gcc`; Fedora: `dnf install gcc`; macOS: `brew install gcc`), \
                 or set CC to its path",
            ),
            Self::NoOpenMp { .. } => Some(
                "GCC brings its OpenMP with it (`apt install gcc`); clang needs `libomp-dev`; CC names another compiler",
            ),
            Self::Unlinked { output } if output.contains("cannot find -l") => Some(
                "install the library with its files for development (Debian, Ubuntu: a package that ends in `-dev`), or name its \
                 folder with `-L DIR`",
            ),
            Self::Unlinked { output } if output.contains("undefined reference") => Some(
                "name the file that defines it, or link its library with `-lNAME` (`-lm` for mathematical functions)",
            ),
            Self::OutOfMemory => Some(
                "raise the limit (`ulimit -v`, a container's), end other programs, or build on a machine with more memory",
            ),
            Self::Cache(error) => Some(error.hint()),
            _ => None,
        }
    }
}

impl fmt::Display for CBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCompiler { variable: Some(variable) } => {
                write!(f, "the C compiler `{variable}` (from $CC) does not run")
            }
            Self::NoCompiler { variable: None } => {
                f.write_str("no C compiler was found: neither cc, gcc nor clang is on the PATH")
            }
            Self::NoOpenMp { compiler, reason } => {
                write!(f, "the C compiler {compiler} has no OpenMP, by which C programs run: {reason}")
            }
            Self::CannotStart { compiler, reason } => {
                write!(f, "the C compiler {compiler} cannot be started: {reason}")
            }
            Self::File { file, why } => write!(f, "`{}` {why}", file.display()),
            Self::NotText { file, line } => {
                write!(f, "`{}` is not the text of a C program: line {line} has a zero byte", file.display())
            }
            Self::Rejected { .. } => f.write_str("the C compiler refuses the program"),
            Self::Unlinked { .. } => f.write_str("the program cannot be linked"),
            Self::OutOfMemory => f.write_str("the C compiler ran out of memory"),
            Self::Cache(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CBuildError {}

impl From<Unreadable> for CBuildError {
    fn from(error: Unreadable) -> Self {
        Self::File { file: error.file, why: error.why }
    }
}

impl From<CacheError> for CBuildError {
    fn from(error: CacheError) -> Self {
        Self::Cache(error)
    }
}
