//! The environment of a kernel: how its captures reach the kernel and are spelled in host code.

use crate::code::{Code, LocalSpelling, RailSpelling};
use apg_mir::*;

/// Largest environment that is a parameter of the device function itself. Parameters have 4 KB, of which the
/// table of shared rails needs a part.
const MAX_BY_VALUE_ENVIRONMENT_BYTES: usize = 3840;

/// Whether the environment is a parameter of the device function rather than a pointer.
pub(crate) fn passes_environment_by_value(program: &Program, kernel: &Kernel) -> bool {
    let sizes = kernel.captures.iter().map(|capture| match capture.kind {
        KernelCaptureKind::Scalar(ty) => max_size(program, ty),
        KernelCaptureKind::Rail { .. } | KernelCaptureKind::ConstantRail { .. } => 16,
        KernelCaptureKind::GlobalRail { .. } => 24,
    });
    sizes.sum::<usize>() <= MAX_BY_VALUE_ENVIRONMENT_BYTES
}

/// Upper bound of the bytes of a value, padding included.
fn max_size(program: &Program, ty: Ty) -> usize {
    match ty {
        Ty::Struct(id) => program.structs[id.index()].fields.iter().map(|it| max_size(program, it.ty)).sum(),
        _ => 8,
    }
}

/// Spells captures for host code with the environment in `env`.
pub(super) fn spell_captures(code: &mut Code<'_>, kernel: &Kernel) {
    code.locals = kernel
        .locals
        .iter()
        .enumerate()
        .map(|(index, local)| LocalSpelling::new(format!("env->m{index}"), local.ty))
        .collect();
    for (index, capture) in kernel.captures.iter().enumerate() {
        let member = format!("env->m{index}");
        code.locals[index].rail = match capture.kind {
            KernelCaptureKind::Scalar(_) => None,
            KernelCaptureKind::Rail { element } | KernelCaptureKind::ConstantRail { element } => {
                let ty = code.ty(element);
                Some(RailSpelling::new(format!("((const {ty} *){member}.data)"), format!("{member}.length")))
            }
            KernelCaptureKind::GlobalRail { .. } => {
                Some(RailSpelling::new(format!("{member}.handle"), format!("{member}.size")))
            }
        };
    }
}
