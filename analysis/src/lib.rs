//! Analysis.
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
pub mod item_tree;
pub mod kernel;
pub mod members;
pub mod place;
pub mod scope;
pub mod ty;

pub use check::file_diagnostics;
pub use host::{Analysis, AnalysisHost, Cancelled};
