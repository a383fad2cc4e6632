//! Nodes, templates, distributions, alignments and shadows of XcalableMP (specification 1.4, chapter 4).

pub mod clauses;
mod communication;
mod effects;
pub mod loops;
mod model;
mod partition;
mod show;
mod show_loop;
mod stale_shadows;

pub use communication::communication;
pub use effects::{Effects, is_library, is_node_number};
pub use model::{
    Axis, Distribution, GlobalArray, Grid, GridKind, Model, Shadow, Width, directives, mappings, rank,
    subjects, target, width,
};
pub use partition::Partition;
pub use show::describe_array;
pub use show_loop::describe_loop;
pub use stale_shadows::{StaleRead, escaped_arrays, stale_reads};
