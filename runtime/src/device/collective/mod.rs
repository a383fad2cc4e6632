//! Collective operations between devices (NCCL).

pub mod group;
pub(crate) mod nccl;
