//! The environment of a kernel: how its captures reach the kernel and are spelled in host code.

use crate::code::{Code, LocalSpelling, RailSpelling};
use apg_mir::*;

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
            KernelCaptureKind::Buffer { element } | KernelCaptureKind::ConstantBuffer { element } => {
                let ty = code.ty(element);
                Some(RailSpelling::new(format!("((const {ty} *){member}.data)"), format!("{member}.length")))
            }
            KernelCaptureKind::GlobalBuffer { .. } => {
                Some(RailSpelling::new(format!("{member}.handle"), format!("{member}.size")))
            }
        };
    }
}
