//! Static objects of functions that code of devices reaches: the table at the end of the file names them by
//! their names in assembler code (GCC manual, "Asm Labels").

use super::{Host, ParallelKernels};
use crate::spelling::end_of_declarator;

impl Host<'_> {
    /// Gives the objects these names. The compiler keeps them, and knows that other code changes them.
    pub(super) fn name_statics(&mut self, kernels: ParallelKernels<'_>) {
        let statics = if kernels.symbols.is_empty() { &[][..] } else { &kernels.regions.tables.statics };
        for (variable, name) in statics {
            if let Some(at) = end_of_declarator(self.parsed, self.parsed.program.variable(*variable)) {
                self.edits.insert(at, &format!(" __asm__(\"{name}\") __attribute__((used)) "));
            }
        }
    }
}
