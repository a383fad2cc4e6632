//! Operations of the threads of a warp or block, and numbers of threads.

use apg_syntax::TextRange;

use super::function::Builder;
use super::operands::{expr, int, operation, zero};
use crate::mir::{self, ExprKind, LocalId, Operation, Together};

/// Threads of a warp.
const WARP: i64 = 32;

impl Builder<'_, '_> {
    /// Notes the axes of a kernel, so that its threads can be numbered.
    pub(super) fn number_axes(
        &mut self,
        block_locals: &[LocalId],
        blocks: &[mir::Expr],
        thread_locals: &[LocalId],
        threads: &[mir::Expr],
    ) {
        let axes = |it: &Self, locals: &[LocalId], extents: &[mir::Expr]| {
            locals.iter().zip(extents).map(|(local, extent)| (it.local(*local), extent.clone())).collect()
        };
        let (blocks, threads) = (axes(self, block_locals, blocks), axes(self, thread_locals, threads));
        if let Some(kernel) = &mut self.kernel {
            (kernel.blocks, kernel.threads) = (blocks, threads);
        }
    }

    /// An operation of all threads of a warp or block. Outside of a kernel there is one thread.
    pub(super) fn expand_together(
        &mut self,
        scope: &str,
        name: &str,
        args: Vec<mir::Expr>,
        machine: mir::Ty,
        range: TextRange,
    ) -> mir::Expr {
        let (Some(together), Some(first)) = (Together::from_name(scope, name), args.first().cloned()) else {
            return self.unknown(&format!("{scope}.{name}"), machine, range);
        };
        if self.kernel.is_none() {
            return self.alone(name, first, machine);
        }
        let args = args.into_iter().map(|it| self.save(it)).collect();
        // Always a statement of its own: that is where the threads meet.
        let value = expr(machine, ExprKind::Together { operation: together, args });
        self.save(value)
    }

    /// What the operation gives a thread without others.
    fn alone(&mut self, name: &str, value: mir::Expr, machine: mir::Ty) -> mir::Expr {
        match name {
            "exclusive" => zero(machine),
            "ballot" | "count" => {
                let (then, otherwise) = (Box::new(int(machine, 1)), Box::new(int(machine, 0)));
                expr(machine, ExprKind::Select { condition: Box::new(value), then, otherwise })
            }
            _ => value,
        }
    }

    /// The number of this thread in its warp, block or kernel, or how many there are.
    pub(super) fn thread_number(&mut self, name: &str, machine: mir::Ty, range: TextRange) -> mir::Expr {
        let Some(kernel) = &self.kernel else {
            return int(machine, i64::from(matches!(name, "count" | "grid_size")));
        };
        let (blocks, threads) = (&kernel.blocks, &kernel.threads);
        let long = |operation_, a, b| operation(operation_, mir::Ty::I64, vec![a, b]);
        let value = match name {
            "rank" => rank(threads),
            "lane" => long(Operation::And, rank(threads), int(mir::Ty::I64, WARP - 1)),
            "warp" => long(Operation::Shr, rank(threads), int(mir::Ty::I64, WARP.trailing_zeros().into())),
            "count" => count(threads),
            "grid_size" => long(Operation::Mul, count(blocks), count(threads)),
            "grid_index" => {
                let before = long(Operation::Mul, rank(blocks), count(threads));
                long(Operation::Add, before, rank(threads))
            }
            _ => return self.unknown(&format!("thread.{name}"), machine, range),
        };
        convert(value, machine)
    }
}

/// The number of an element, the last axis first.
fn rank(axes: &[(mir::Expr, mir::Expr)]) -> mir::Expr {
    let mut all = int(mir::Ty::I64, 0);
    for (position, (index, extent)) in axes.iter().enumerate() {
        let index = convert(index.clone(), mir::Ty::I64);
        all = match position {
            0 => index,
            _ => {
                let before = operation(Operation::Mul, mir::Ty::I64, vec![all, extent.clone()]);
                operation(Operation::Add, mir::Ty::I64, vec![before, index])
            }
        };
    }
    all
}

/// How many elements.
fn count(axes: &[(mir::Expr, mir::Expr)]) -> mir::Expr {
    let product = |all, extent| operation(Operation::Mul, mir::Ty::I64, vec![all, extent]);
    let extents = axes.iter().map(|it| convert(it.1.clone(), mir::Ty::I64));
    extents.reduce(product).unwrap_or_else(|| int(mir::Ty::I64, 1))
}

/// In another width. A number of threads that is another type before is not widened and narrowed again.
fn convert(value: mir::Expr, machine: mir::Ty) -> mir::Expr {
    if value.ty == machine {
        return value;
    }
    match value.kind {
        ExprKind::Operation { operation: Operation::Convert, ref args }
            if args.len() == 1 && args[0].ty == machine =>
        {
            args[0].clone()
        }
        ExprKind::Int(number) => int(machine, number),
        _ => operation(Operation::Convert, machine, vec![value]),
    }
}
