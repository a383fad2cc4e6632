//! Analysis.
#![allow(missing_docs)]
pub mod body;
pub mod constraint;
pub mod db;
pub mod diagnostics;
pub mod host;
pub mod ids;
pub mod item_tree;
pub mod kernel;
pub mod members;
pub mod scope;
pub mod ty;

pub use host::{Analysis, AnalysisHost, Cancelled};
