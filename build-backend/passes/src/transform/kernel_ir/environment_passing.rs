//! Passing of a kernel's environment to a device: by value, as parameters, or by a pointer.

use crate::kernel_ir::KernelIr;

/// Largest environment that is a parameter of the device function itself. Parameters have 4 KB, of which the
/// table of shared arrays needs a part.
const MAX_BY_VALUE_ENVIRONMENT_BYTES: usize = 3840;

/// Selects how the environment is passed.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.device.has_environment_by_value = ir.environment_bytes <= MAX_BY_VALUE_ENVIRONMENT_BYTES;
}
