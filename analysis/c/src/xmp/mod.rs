//! Nodes, templates, distributions, alignments and shadows of XcalableMP (specification 1.4, chapter 4).

pub mod clauses;
mod effects;
pub mod loops;
mod model;
mod partition;
mod show;
mod stale_shadows;

pub use effects::{Effects, is_library, is_node_number};
pub use model::{
    Axis, Distribution, GlobalArray, Grid, GridKind, Model, Shadow, Width, directives, mappings, rank,
    subjects, target, width,
};
pub use partition::Partition;
pub use show::describe_array;
pub use stale_shadows::{StaleRead, escaped_arrays, stale_reads};
