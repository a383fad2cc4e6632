//! Passes over kernels: transformations of their MIR, and the analyses and transformations of the loops over
//! threads that CPUs execute.

pub mod access_stride;
pub mod access_summary;
pub mod affine;
pub mod block_interchange;
pub mod def_use;
pub mod expressions;
pub mod facts;
pub mod grid_stride;
pub mod index_set_split;
pub mod induction;
pub mod init_barrier;
pub(crate) mod inline;
pub mod jumps;
pub(crate) mod limit_unrolling;
pub mod locals;
pub mod loop_fission;
pub mod pointer_rotation;
pub mod ranges;
pub mod region_formation;
pub mod region_node;
pub(crate) mod remat_captures;
pub mod rematerialize;
pub mod shared_init;
pub(crate) mod structurize_continue;
pub mod unroll_collectives;
pub mod unroll_factors;
pub mod unswitch;
pub mod warp_regions;
