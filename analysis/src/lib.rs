//! Analysis.
#![allow(missing_docs)]
pub mod body;
pub mod constraint;
pub mod db;
pub mod diagnostics;
pub mod flow;
pub mod ids;
pub mod infer;
pub mod item_tree;
pub mod kernel;
pub mod members;
pub mod place;
pub mod scope;
pub mod ty;
