//! Everything that is known of X10 programs without running them: a salsa database over source texts.
//!
//! Layers, each on those above: [`item_tree`] (signatures without positions), [`scope`] (names), [`ty`] and
//! [`constraint`] (types), [`members`] (what a call means), [`infer`] (typed bodies), [`flow`] and [`place`],
//! [`kernel`], [`check`] (the findings of a file) and [`ide`]. The public face is [`host`]. No I/O happens here.

pub mod body;
pub mod check;
pub mod constraint;
pub mod db;
pub mod diagnostics;
#[cfg(test)]
pub(crate) mod fixture;
pub mod flow;
pub mod host;
pub mod ide;
pub mod ids;
pub mod infer;
pub mod inputs;
pub mod item_tree;
pub mod kernel;
pub mod members;
pub mod place;
pub mod relate;
pub mod rules;
pub mod scope;
pub mod signature;
pub(crate) mod split_inputs;
pub mod suggest;
pub mod ty;

pub use apg_syntax::closest;
pub use check::file_diagnostics;
pub use host::{Analysis, AnalysisHost, Cancelled, Canceller, Program};
