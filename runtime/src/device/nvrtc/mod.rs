//! Run-time compilation of CUDA C++ (NVRTC).

pub(crate) mod compile;
pub(crate) mod resources;
