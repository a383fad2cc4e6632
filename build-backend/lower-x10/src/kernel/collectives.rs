//! Collective operations of warps and blocks, and thread indices.

use apg_syntax::TextRange;

use crate::builder::function::Builder;
use crate::builder::operands::{expr, int, zero};
use apg_mir::thread_index::ThreadIndex;
use apg_mir::{self as mir, CollectiveOp, ExprKind, LocalId};

impl Builder<'_, '_> {
    /// Records the axes of a kernel for the expansion of thread indices.
    pub(crate) fn record_axes(
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

    /// A collective operation. Outside of a kernel there is one thread.
    pub(crate) fn expand_collective(
        &mut self,
        scope: &str,
        name: &str,
        args: Vec<mir::Expr>,
        machine: mir::Ty,
        range: TextRange,
    ) -> mir::Expr {
        let (Some(together), Some(first)) = (CollectiveOp::from_name(scope, name), args.first().cloned())
        else {
            return self.unknown(&format!("{scope}.{name}"), machine, range);
        };
        if !self.is_device_code() {
            return self.single_thread_result(name, first, machine);
        }
        let save = |it: mir::Expr| if matches!(it.kind, ExprKind::Local(_)) { it } else { self.save(it) };
        let args = args.into_iter().map(save).collect();
        // Collectives are statements of their own.
        let value = expr(machine, ExprKind::Collective { operation: together, args });
        self.save(value)
    }

    /// The result of a collective with one thread.
    fn single_thread_result(&mut self, name: &str, value: mir::Expr, machine: mir::Ty) -> mir::Expr {
        match name {
            "exclusive" => zero(machine),
            "ballot" | "count" => {
                let (then, otherwise) = (Box::new(int(machine, 1)), Box::new(int(machine, 0)));
                expr(machine, ExprKind::Select { condition: Box::new(value), then, otherwise })
            }
            _ => value,
        }
    }

    /// An index of this thread in its warp, block or kernel, or a number of threads.
    pub(crate) fn expand_thread_index(
        &mut self,
        name: &str,
        machine: mir::Ty,
        range: TextRange,
    ) -> mir::Expr {
        let Some(number) = ThreadIndex::from_name(name) else {
            return self.unknown(&format!("thread.{name}"), machine, range);
        };
        match &self.kernel {
            Some(kernel) => number.expand(&kernel.blocks, &kernel.threads, machine),
            None if self.kernel_only => expr(machine, ExprKind::ThreadIndex(number)),
            None => int(machine, number.of_single_thread()),
        }
    }
}
