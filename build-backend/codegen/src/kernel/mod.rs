//! Code of kernels: CUDA C++ for devices, and work-item loops in C++ for CPUs.
//!
//! `regions` divides a kernel's body into parallel regions, `bounds` proves accesses in bounds. The files
//! named by transformations recognise where these apply; `cpu` and `cuda` print the functions.

mod access_stride;
mod access_summary;
mod affine;
pub(crate) mod block_interchange;
mod bounds;
mod check;
mod cpu;
mod cuda;
pub(crate) mod decisions;
mod def_use;
mod device_functions;
mod environment;
mod expressions;
mod fills;
mod grid_stride;
mod host;
mod index_set_split;
mod induction;
pub(crate) mod init_barrier;
mod jumps;
mod locals;
mod loop_fission;
mod pointer_rotation;
pub(crate) mod region_node;
pub(crate) mod regions;
mod rematerialize;
mod shared_init;
mod software_pipeline;
mod unroll_collectives;
mod unroll_factors;
mod unswitch;
mod warp_regions;

pub(crate) use bounds::depends_on_launch;
pub(crate) use cuda::{DeviceCode, print_cuda_source};
pub(crate) use environment::passes_environment_by_value;
pub(crate) use host::print_host_unit;
