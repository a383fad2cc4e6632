//! Operations of the threads of a warp or block, and numbers of threads.

use apg_syntax::TextRange;

use crate::builder::function::Builder;
use crate::builder::operands::{expr, int, zero};
use apg_mir::thread_index::ThreadIndex;
use apg_mir::{self as mir, CollectiveOp, ExprKind, LocalId};

impl Builder<'_, '_> {
    /// Notes the axes of a kernel, so that its threads can be numbered.
    pub(crate) fn number_axes(
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
    pub(crate) fn expand_together(
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
            return self.alone(name, first, machine);
        }
        let save = |it: mir::Expr| if matches!(it.kind, ExprKind::Local(_)) { it } else { self.save(it) };
        let args = args.into_iter().map(save).collect();
        // Always a statement of its own: that is where the threads meet.
        let value = expr(machine, ExprKind::Collective { operation: together, args });
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
    pub(crate) fn thread_number(&mut self, name: &str, machine: mir::Ty, range: TextRange) -> mir::Expr {
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
