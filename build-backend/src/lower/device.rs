//! Which functions the device needs too: those that kernels call, and those that they call.

use rustc_hash::FxHashSet;

use super::Lowerer;
use crate::mir::{self, ExprKind, walk};

impl Lowerer<'_> {
    /// Marks the functions reached from kernels.
    pub(super) fn mark_device_functions(&mut self) {
        let mut pending = Vec::new();
        for kernel in &self.program.kernels {
            walk::visit_exprs(&kernel.body, &mut |it, _| note(it, &mut pending));
            for shared in &kernel.shared {
                match &shared.init {
                    mir::SharedInit::Function { setup, value, .. } => {
                        walk::visit_exprs(setup, &mut |it, _| note(it, &mut pending));
                        note_value(value, &mut pending);
                    }
                    mir::SharedInit::Value(value) => note_value(value, &mut pending),
                    mir::SharedInit::Zero | mir::SharedInit::Copy(_) => {}
                }
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            let function = &mut self.program.functions[id.index()];
            function.device = true;
            walk::visit_exprs(&function.body, &mut |it, _| note(it, &mut pending));
        }
    }
}

fn note(expr: &mir::Expr, calls: &mut Vec<mir::FunctionId>) {
    if let ExprKind::Call { function, .. } = &expr.kind {
        calls.push(*function);
    }
}

fn note_value(value: &mir::Expr, calls: &mut Vec<mir::FunctionId>) {
    note(value, calls);
    for child in walk::children(&value.kind) {
        note_value(child, calls);
    }
}
