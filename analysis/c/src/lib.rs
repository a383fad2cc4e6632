//! Analysis of C programs with OpenMP, OpenACC and XcalableMP directives: what concerns directives, places
//! and kernels, as queries of a salsa database. The rest of C is left to the compiler.
//!
//! A caller owns an [`AnalysisHost`], sets its sources, and queries snapshots of it on any thread. Layers,
//! each above those before it: [`hir`] (the program as data), `lower` (names and types), [`contexts`]
//! (selection of variants), [`sharing`] (data sharing of variables in regions), [`loops`] (canonical loops),
//! `facts` (what functions assign and call), [`race`] (data races), [`xmp`] (nodes, templates and global
//! arrays of XcalableMP), [`rules`] (problems, with words and fixes).

#![warn(clippy::print_stderr)]

mod check;
pub mod contexts;
mod db;
mod facts;
mod functions;
pub mod hir;
mod host;
pub mod ide;
pub mod initializers;
pub mod loops;
mod lower;
pub mod race;
pub mod rules;
pub mod sharing;
pub mod updates;
pub mod uses;
pub mod xmp;

pub use apg_c_syntax::{FileSystem, Toolchain, decode};
pub use check::file_diagnostics;
pub use db::{Db, Observer, Parsed, RootDatabase, SourceFile, parsed};
pub use host::{Analysis, AnalysisHost, Cancelled};

/// A diagnostic of a C file; other files are named by their paths.
pub type Diagnostic = apg_diagnostics::Diagnostic<std::path::PathBuf>;
