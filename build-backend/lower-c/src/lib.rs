//! Lowering of C with OpenMP: `target` regions (OpenMP 5.2, section 13.8) and the functions that they call
//! become kernels and device functions of MIR's core and gpu dialects.
//!
//! A region is a kernel whose threads share the iterations of its loops by a grid-stride loop. What a region
//! refers to outside of it is a capture: scalars by value, mapped objects by their address on the device.
//! Code outside of regions stays with the C compiler, which gets the file with calls of the runtime in place
//! of directives about devices ([`offload`]).

#![warn(clippy::print_stderr)]

mod array_lengths;
mod atomic;
mod atomic_forms;
mod bit_field;
mod block_team;
mod body;
mod bounds;
mod c_library;
mod call;
mod call_graph;
mod call_pointer;
mod changes;
mod conversion;
mod data;
mod declare_target;
mod default_map;
mod device_library;
mod ending;
mod expression;
mod file;
mod host;
mod initializer;
mod launch;
mod library;
mod literal;
mod loops;
mod lvalue;
mod moved;
mod nested;
mod operators;
mod pragma_operators;
mod presumed_lines;
mod questions;
mod recursion;
mod reduction;
mod reduction_clause;
mod region;
mod routines;
mod schedule;
mod shape;
mod source_map;
mod sources;
mod spelling;
mod statement;
mod switch;
mod tables;
mod team;
mod tiles;
mod types;
mod unit;
mod unsupported;
mod variable_length;
mod variants;
mod xmp;

pub use file::{HostRegion, PlacedRegions, lower, place_regions};
pub use host::{Offloaded, ParallelKernels, host_choices, host_text, offload};
pub use pragma_operators::{WrittenFile, are_same_tokens, written_directives};
pub use presumed_lines::PresumedLines;
pub use questions::ThreadWord;
pub use source_map::SourceMap;
pub use sources::{Definition, FileNumber, FileObject, ReachedObject, Source};
pub use team::{ParallelRegions, Taken, functions_with_openmp, lower_parallel};
pub use unit::FunctionNames;
pub use unsupported::Unsupported;
pub use xmp::distribute;
