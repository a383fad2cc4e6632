//! Analysis of X10 programs: all static properties of a program, as queries of a salsa database over its
//! sources. No I/O happens here.
//!
//! A caller owns an [`AnalysisHost`], sets its sources, and queries snapshots of it ([`Analysis`]) on any
//! thread: for [`file_diagnostics`], for editor features ([`ide`], plain data), and for the [`program`] to
//! compile.
//!
//! Layers, each above those before it: `ids`, `item_tree` (declarations without positions), `ty` (types as
//! data), `constraint` (solver), `scope` (name resolution), `signature` (written types and constraints),
//! `relate` (subtyping and entailment), `members` (overload resolution), `body`, `infer` (typed bodies),
//! `flow` and `place`, `kernel`, [`rules`] (messages and fixes of problems), [`check`] (the diagnostics of a
//! file) and [`ide`].

#![warn(clippy::print_stderr)]

mod body;
pub mod check;
mod constraint;
mod db;
pub mod diagnostics;
#[cfg(test)]
pub(crate) mod fixture;
mod flow;
mod host;
pub mod ide;
mod ids;
mod infer;
mod inputs;
mod item_tree;
mod kernel;
mod members;
mod place;
pub mod program;
mod relate;
pub mod rules;
mod scope;
mod signature;
mod split_inputs;
mod suggest;
mod ty;

pub use apg_syntax::closest;
pub use check::file_diagnostics;
pub use db::{Db, EventCallback, RootDatabase};
pub use host::{Analysis, AnalysisHost, Cancelled, Canceller, Program};
pub use ids::{FileOrigin, SourceFile};
pub use inputs::{Checks, Library, MAX_KEPT_TREES, Project, library_file, parse};
