//! The sub-commands, one file each.

pub mod build;
pub mod check;
pub mod clean;
pub mod completions;
pub mod doctor;
pub mod explain;
mod fix;
pub mod fmt;
pub mod places;
mod resources;
pub mod run;
mod stats;
