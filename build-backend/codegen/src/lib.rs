//! MIR to C++20 for the host and CUDA C++ for devices. One printer serves both: the code of a kernel is the same text on
//! the processor and on the device but for the spelling of a few operations, which is why they agree.
//!
//! Units include `apg.h` (the ABI) and `apg_program.h` (inline helpers), those of kernels `apg_together.h`, that of tables `apg_throw.h`, and nothing else; those with C++ code of the program also
//! what that code needs. Symbols and texts do not depend
//! on indices, so an unchanged unit is found in the cache.

mod call;
mod code;
mod constant_table;
mod control;
mod cross_unit_inline;
mod expr;
mod function;
mod kernel;
mod metadata;
mod names;
mod native;
mod operation;
mod stmt;
mod translation_unit;
mod unit;
mod writer;

#[cfg(test)]
mod tests;

pub use kernel::constant;
pub use translation_unit::{Unit, UnitKind};
pub use unit::{Emitted, emit};

// Profiles of the runtime read the code of closures from this slot.
const _: () = assert!(apg_mir::slot::CLOSURE_APPLY == apg_runtime::layout::CLOSURE_APPLY);

/// Headers that units include: name and text.
pub const HEADERS: [(&str, &str); 6] = [
    ("apg.h", apg_runtime::abi::HEADER),
    ("apg_program.h", include_str!("include/apg_program.h")),
    ("apg_throw.h", include_str!("include/apg_throw.h")),
    ("apg_together.h", include_str!("include/apg_together.h")),
    ("apg_native.h", include_str!("include/apg_native.h")),
    ("x10aux/config.h", include_str!("include/x10aux/config.h")),
];

/// Something in MIR that cannot be compiled: a defect of the compiler, or of the class library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmitError {
    /// The `.x10` file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for EmitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}
