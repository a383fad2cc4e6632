//! The apg runtime: places, activities, memory and devices of a running X10 program.
//!
//! A compiled program is a shared object that this crate loads ([`mod@run`]); the two speak through the tables of
//! `include/apg.h`, whose functions are listed in [`abi`].

// First: its macro is used by name below.
#[macro_use]
mod remark;

pub mod abi;
pub mod activity;
pub mod cache;
pub mod device;
pub mod distributed;
pub mod interrupt;
pub mod layout;
pub mod library;
pub mod limits;
mod live_view;
mod lost_output;
pub mod memory;
mod natives;
pub mod origin;
pub mod out_of_memory;
pub mod profile;
pub mod program;
pub mod run;
pub mod sanitizer;
pub mod serialize;
mod signals;
pub mod size;
pub mod temp_files;
#[cfg(test)]
mod testing;
pub mod topology;
pub mod transport;

pub use run::{Image, RunOptions, run};
