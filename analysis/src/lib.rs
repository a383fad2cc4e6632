//! Analysis.
#![allow(missing_docs)]
pub mod body;
pub mod db;
pub mod diagnostics;
pub mod ids;
pub mod kernel;
pub mod ty;
