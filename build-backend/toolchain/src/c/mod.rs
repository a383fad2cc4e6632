//! C programs: the user's translation units compiled by the system's C compiler with its OpenMP.
//!
//! The compiler gets the user's text and options as they are, so that a program is what
//! `cc -fopenmp` makes of it. An object is in a content-addressed cache for a given source, headers, options
//! and compiler.

mod build;
mod compiler;
mod dependencies;
mod error;
mod options;
mod user_files;

pub use build::{Executable, Objects, build, compile};
pub use compiler::{CCompiler, find};
pub use error::CBuildError;
pub use options::{CBuild, Form, SharedForm, Support};
