//! Which functions the device needs too: those that kernels call, and those that they call.

use rustc_hash::FxHashSet;

use super::Lowerer;
use crate::mir::{self, ExprKind, visit};

impl Lowerer<'_> {
    /// Marks the functions reached from kernels.
    pub(super) fn mark_device_functions(&mut self) {
        let mut pending = Vec::new();
        for kernel in &self.program.kernels {
            visit::walk_stmts(&kernel.body, &mut |it| note(it, &mut pending));
            for shared in &kernel.shared {
                match &shared.init {
                    mir::SharedInit::Function { setup, value, .. } => {
                        visit::walk_stmts(setup, &mut |it| note(it, &mut pending));
                        visit::walk(value, &mut |it| note(it, &mut pending));
                    }
                    mir::SharedInit::Value(value) => visit::walk(value, &mut |it| note(it, &mut pending)),
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
            visit::walk_stmts(&function.body, &mut |it| note(it, &mut pending));
        }
    }
}

fn note(expr: &mir::Expr, calls: &mut Vec<mir::FunctionId>) {
    if let ExprKind::Call { function, .. } = &expr.kind {
        calls.push(*function);
    }
}
