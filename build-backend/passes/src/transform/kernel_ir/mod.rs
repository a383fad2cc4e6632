//! Formation of the kernel IR, and the passes over it.

pub(crate) mod block_interchange;
pub(crate) mod capture_aliases;
pub(crate) mod constant_loads;
pub(crate) mod environment_passing;
mod grid_stride;
pub(crate) mod index_set_split;
pub(crate) mod integer_widths;
pub(crate) mod jam_iterations;
pub(crate) mod lane_demand;
pub(crate) mod loop_fission;
pub(crate) mod pointer_rotation;
pub(crate) mod prefetch;
pub(crate) mod private_sums;
pub(crate) mod region_formation;
mod rematerialize;
pub(crate) mod scalar_expansion;
pub(crate) mod shared_init;
pub(crate) mod software_pipeline;
pub(crate) mod stream_prefetch;
mod strided_loops;
pub(crate) mod transpose_loads;
pub(crate) mod uniform_loads;
pub(crate) mod unroll_and_jam;
pub(crate) mod unroll_collectives;
pub(crate) mod unroll_factors;
pub(crate) mod unswitch;
