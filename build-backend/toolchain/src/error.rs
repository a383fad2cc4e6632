//! Errors of a build.

use std::fmt;
use std::path::PathBuf;

use apg_runtime::cache::CacheError;

use crate::compiler_messages::describe_link_errors;
use crate::regular_file::ReadError;

/// Why a build failed.
#[derive(Debug)]
pub enum BuildError {
    /// There is no C++ compiler.
    NoCompiler {
        /// The value of `$CXX`, if it is set.
        cxx: Option<String>,
    },
    /// The compiler rejected generated code: a defect of apg.
    Rejected {
        /// The unit, or "linking".
        what: String,
        /// Output of the compiler. `#line` directives make it name the `.x10` file.
        message: String,
    },
    /// The compiler or linker had too little memory.
    OutOfMemory {
        /// The unit, or "linking".
        what: String,
    },
    /// The compiler rejected C++ code of the user, or did not find something that it needs.
    Native {
        /// Output of the compiler.
        message: String,
    },
    /// A file of C++ code is no regular file, or too large.
    NativeFile {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: ReadError,
    },
    /// The linker does not find a library, or a symbol that C++ code of the user refers to.
    NativeLink {
        /// Output of the linker.
        message: String,
    },
    /// The compiler has no library for a sanitizer.
    NoSanitizer {
        /// The compiler.
        compiler: String,
        /// The library.
        library: String,
    },
    /// The build cache cannot be used.
    Cache(CacheError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCompiler { cxx: Some(cxx) } => {
                write!(f, "the C++ compiler `{cxx}` (from $CXX) does not run")
            }
            Self::NoCompiler { cxx: None } => {
                f.write_str("no C++ compiler was found: neither c++, g++ nor clang++ is on the PATH")
            }
            Self::Rejected { what, message } => {
                write!(
                    f,
                    "the C++ compiler refused {what}; this is a fault of apg, please report it\n{}",
                    message.trim_end()
                )
            }
            Self::OutOfMemory { what } => write!(f, "the C++ compiler ran out of memory ({what})"),
            Self::Native { message } => {
                write!(f, "the C++ compiler refused the program's C++ code\n{}", message.trim_end())
            }
            Self::NativeFile { file, why } => {
                write!(f, "the program's C++ code cannot be compiled: `{}` {why}", file.display())
            }
            Self::NativeLink { message } => f.write_str(&describe_link_errors(message)),
            Self::NoSanitizer { compiler, library } => {
                write!(f, "the C++ compiler {compiler} comes without `{library}`, which `--sanitize` needs")
            }
            Self::Cache(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<CacheError> for BuildError {
    fn from(error: CacheError) -> Self {
        Self::Cache(error)
    }
}

impl BuildError {
    /// Advice for the user.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoCompiler { .. } => Some(
                "install one (Debian, Ubuntu: `apt install g++`; Fedora: `dnf install gcc-c++`; macOS: `xcode-select --install`), \
                 or set CXX to its path",
            ),
            Self::Cache(error) => Some(error.hint()),
            Self::OutOfMemory { .. } => Some(
                "raise the limit (`ulimit -v`, a container's), end other programs, or build on a machine with more memory",
            ),
            Self::NoSanitizer { .. } => Some(
                "install it (Debian, Ubuntu: it is part of g++; Fedora: `dnf install libasan libubsan libtsan`), or set CXX to GCC",
            ),
            Self::NativeLink { message } if message.contains("cannot find -l") => Some(
                "install the library with its files for development (Debian, Ubuntu: a package that ends in `-dev`), or name its \
                 folder with `-L DIR`",
            ),
            Self::NativeLink { .. } => Some(
                "link the library that defines it with `-l NAME`, or name the C++ file that does in \
                 `@NativeCPPCompilationUnit`",
            ),
            Self::Native { .. } => Some("what C++ code in an X10 program may use is in docs/native.md"),
            Self::Rejected { .. } | Self::NativeFile { .. } => None,
        }
    }
}
