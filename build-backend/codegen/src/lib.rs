//! Code generation: MIR to C++20 for hosts and CUDA C++ for devices. One printer serves both: a kernel's code
//! is the same for CPUs and devices except for the spelling of a few operations, so that results agree.
//!
//! Units include `apg.h` (the ABI) and `apg_program.h` (inline helpers). In programs without objects it is
//! `apg_core.h` alone, or `apg_kernel.h` if there are kernels. Units of kernels include `apg_collectives.h`,
//! and `apg_team.h` for parallel regions,
//! that of metadata `apg_throw.h`; those with C++ code of the program what that code
//! names. Symbols and code do not depend on indices, so that an unchanged unit is found in the cache.

#![warn(clippy::print_stderr)]

mod call;
mod code;
mod constant_table;

mod control;
mod cross_unit_inline;
mod expr;
mod function;
mod kernel;
mod memory;
mod metadata;
mod names;
mod native;
mod operation;
mod stmt;
mod structs;
mod translation_unit;
mod unit;
mod writer;

#[cfg(test)]
mod tests;

pub use apg_passes::analysis::constants::constant_value;
pub use call::entry_signature;
pub use translation_unit::{Unit, UnitKind};
pub use unit::{Emitted, emit};

// The runtime's profiler reads the code of closures from this slot.
const _: () = assert!(apg_mir::slot::CLOSURE_APPLY == apg_runtime::layout::CLOSURE_APPLY);

/// Headers that units include: name and content.
pub const HEADERS: [(&str, &str); 9] = [
    ("apg.h", apg_runtime::abi::HEADER),
    ("apg_core.h", include_str!("include/apg_core.h")),
    ("apg_kernel.h", include_str!("include/apg_kernel.h")),
    ("apg_program.h", include_str!("include/apg_program.h")),
    ("apg_throw.h", include_str!("include/apg_throw.h")),
    ("apg_collectives.h", include_str!("include/apg_collectives.h")),
    ("apg_team.h", include_str!("include/apg_team.h")),
    ("apg_native.h", include_str!("include/apg_native.h")),
    ("x10aux/config.h", include_str!("include/x10aux/config.h")),
];

/// MIR that cannot be compiled: a defect of the compiler or of the class library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmitError {
    /// The source file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The message.
    pub message: String,
}

impl std::fmt::Display for EmitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}
