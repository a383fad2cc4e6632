//! Nodes, templates, distributions, alignments and shadows of XcalableMP (specification 1.4, chapter 4).

pub mod clauses;
mod model;
mod show;

pub use model::{
    Axis, Distribution, GlobalArray, Grid, GridKind, Model, Shadow, Width, directives, mappings, rank,
    subjects, target, width,
};
pub use show::describe_array;
