//! The C and C++ toolchain: from generated C++ to a shared object or a single-file program, and from C
//! programs to executables ([`c`]).
//!
//! Nothing here knows X10. Input is translation units and headers as strings. A unit is compiled once for a
//! given text, headers, flags and compiler; its object is in a content-addressed cache for this and other
//! programs.

#![warn(clippy::print_stderr)]

mod build;
mod bundle;
pub mod c;
mod compiler;
mod compiler_messages;
mod error;
mod include_deps;
mod native_options;
pub mod regular_file;
pub mod resources;
mod sanitizer;
pub mod thread_pool;

pub use build::{SharedObject, build, compile_units, unit_libraries};
pub use bundle::{Language, appended_program, write_bundle};
pub use compiler::{Compiler, find as find_compiler};
pub use compiler_messages::{CompilerMessage, parse_messages};
pub use error::BuildError;
pub use native_options::NativeOptions;
pub use sanitizer::{Sanitizer, is_loaded as is_sanitizer_loaded};

/// How code is optimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Fast compilation. Kernels are vectorised all the same.
    #[default]
    Dev,
    /// For a file that runs on other machines: no instructions that only this CPU has.
    Portable,
    /// Fast code for this machine's CPU.
    Release,
}

/// How a program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Mode {
    /// Optimisation.
    pub profile: Profile,
    /// Checks at run time by a sanitizer.
    pub sanitizer: Option<Sanitizer>,
    /// For a debugger: every variable is visible, nothing is optimised.
    pub debug: bool,
}

impl From<Profile> for Mode {
    fn from(profile: Profile) -> Self {
        Self { profile, ..Self::default() }
    }
}

/// Scripts for gdb that show X10 values. The first also works where gdb was built without Python, as some
/// cuda-gdb are.
pub const GDB_SCRIPTS: [(&str, &str); 2] =
    [("apg.gdb", include_str!("apg.gdb")), ("apg_gdb.py", include_str!("apg_gdb.py"))];

/// Receives the progress of a build. Methods may be called from several threads.
pub trait BuildObserver: Sync {
    /// `total` units are not in the cache and will be compiled.
    fn compiling(&self, total: usize);
    /// One of them is compiled.
    fn compiled(&self, name: &str);
}

/// Ignores all progress.
#[derive(Clone, Copy, Debug)]
pub struct SilentObserver;

impl BuildObserver for SilentObserver {
    fn compiling(&self, _: usize) {}
    fn compiled(&self, _: &str) {}
}
