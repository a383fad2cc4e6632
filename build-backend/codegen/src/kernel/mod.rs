//! Code of kernels: CUDA C++ for devices, and work-item loops in C++ for CPUs.
//!
//! `apg_passes` forms the kernel IR, transforms it and proves accesses in bounds; `cpu` and `cuda` print it.

mod check;
mod cpu;
mod cuda;
mod device_functions;
mod device_slot_calls;
mod environment;
mod fills;
mod host;
mod launch_conditions;
mod software_pipeline;

pub(crate) use cuda::{DeviceCode, print_cuda_source};
pub(crate) use host::print_host_unit;
