//! The apg runtime: places, activities, memory and devices of a running X10 program.
//!
//! A compiled program is a shared object that this crate loads ([`mod@run`]); the two speak through the
//! tables of `include/apg.h`, whose functions are listed in [`abi`].

#![warn(clippy::print_stderr)]

// First: its macro is used by name below.
#[macro_use]
pub mod base;

pub mod abi;
pub mod apgas;
pub mod cache;
pub mod class_library;
pub mod cluster;
pub mod device;
pub mod heap;
pub mod layout;
mod live_view;
mod natives;
pub mod net;
pub mod offload;
pub mod profile;
pub mod program;
pub mod run;
pub mod scheduler;
pub mod serialize;
pub mod slots;
#[cfg(test)]
mod testing;
pub mod topology;
pub mod xmp;

pub use run::{ExitStatus, Image, RunOptions, Runtime, run};
