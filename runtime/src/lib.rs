//! The apg runtime: places, activities, memory and devices of a running X10 program.
//!
//! A compiled program is a shared object that this crate loads; the two speak through the tables of `include/apg.h`.
#![allow(missing_docs)]

pub mod layout;
pub mod serialize;
pub mod topology;
pub mod transport;
