//! `apg build --emit resources`: what each kernel needs of a multiprocessor, by architecture, computed
//! without a GPU.

use apg_runtime::device;

use crate::failure::Failure;
use crate::output;
use apg_project::build::Translated;

/// Prints a paragraph for each kernel.
pub(super) fn print(translated: &Translated) -> Result<(), Failure> {
    let found = apg_toolchain::resources::kernels(
        &translated.mir,
        &translated.emitted.cuda,
        &device::architectures(),
    )
    .map_err(Failure::new)?;
    for kernel in found {
        output::line(kernel.describe())?;
    }
    Ok(())
}
