//! Fixes that move statements between blocks and threads to where they belong.

use apg_syntax::{TextRange, TextSize};

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::kernel::context::KernelContext;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, Fragment, text};
use crate::kernel::limits::COMMON_SHARED_MEMORY_BYTES;

impl KernelContext<'_> {
    /// Moves a value of a block before the `at` if it is the same for all blocks, otherwise into the threads.
    pub(crate) fn relocate_block_value(
        &self,
        stmt: StmtId,
        local: LocalId,
        init: ExprId,
    ) -> Option<FixTemplate> {
        if self.local(local).mutable || self.uses_inner(init) {
            return self.move_into_threads(stmt, local, init);
        }
        self.move_value_before_at(stmt, local, init)
    }

    /// Moves `val x = e` before the `at`, if the host can evaluate `e` there and the kernel can capture `x`.
    pub(crate) fn move_value_before_at(
        &self,
        stmt: StmtId,
        local: LocalId,
        init: ExprId,
    ) -> Option<FixTemplate> {
        let name = &self.local(local).name;
        let is_only = self.body.locals.iter().filter(|it| it.name == *name).count() == 1;
        let movable = is_only && self.can_capture(self.local(local).ty) && self.is_movable(init);
        movable.then(|| self.move_out_of_at(stmt, false)).flatten()
    }

    /// Moves a print statement after the statement around the `at`, if that waits for the kernel.
    pub(crate) fn move_print_after_at(&self, stmt: StmtId) -> Option<FixTemplate> {
        (self.is_movable_print(stmt) && self.completes_before_next_statement())
            .then(|| self.move_out_of_at(stmt, true))
            .flatten()
    }

    /// Whether the statement after the one around the `at` runs only when the kernel has completed.
    pub(crate) fn completes_before_next_statement(&self) -> bool {
        let mut node = Node::Stmt(self.at);
        let mut starts = false;
        while let Some(Node::Stmt(around)) = self.parents.parent(node) {
            match self.stmt(around).kind {
                StmtKind::Async { .. } => starts = true,
                StmtKind::Finish { .. } => starts = false,
                StmtKind::Labeled { .. } => {}
                _ => break,
            }
            node = Node::Stmt(around);
        }
        !starts
    }

    /// Whether each thread computes the same value as its block: arithmetic on constants.
    fn is_thread_invariant(&self, expr: ExprId) -> bool {
        let mut same = true;
        self.body.walk(Node::Expr(expr), &mut |node| {
            same &= match node {
                Node::Expr(part) => match &self.expr(part).kind {
                    ExprKind::Literal(_) | ExprKind::Coerce { .. } | ExprKind::StaticField(_) => true,
                    ExprKind::Local(local) => !self.local(*local).mutable,
                    ExprKind::Field { field, .. } => !self.semantics.is_mutable_field(*field),
                    ExprKind::Conditional { .. } | ExprKind::ShortCircuit { .. } | ExprKind::Equal { .. } => {
                        true
                    }
                    ExprKind::Call { method, .. } => {
                        self.semantics.is_pure(*method)
                            && self.expr(part).ty.primitive(self.semantics.db).is_some()
                            && !self.semantics.is_cuda(*method)
                    }
                    _ => false,
                },
                Node::Stmt(_) => false,
            };
            same
        });
        same
    }

    /// Moves a value of a block to the start of the thread code, if it has no other uses.
    fn move_into_threads(&self, stmt: StmtId, local: LocalId, init: ExprId) -> Option<FixTemplate> {
        // A variable that threads assign is shared by them.
        if !self.is_unassigned_in_kernel(local) || !self.is_thread_invariant(init) {
            return None;
        }
        let behind = self.stmt(stmt).range.end();
        let threads = self.first_activity(behind)?;
        let range = self.stmt(threads).range;
        let mut only_there = true;
        self.walk_kernel(&mut |node| {
            if let Node::Expr(expr) = node
                && matches!(self.expr(expr).kind, ExprKind::Local(used) if used == local)
            {
                only_there &= range.contains_range(self.expr(expr).range);
            }
        })?;
        let StmtKind::Async { body, .. } = self.stmt(threads).kind else { return None };
        let is_block = matches!(self.stmt(body).kind, StmtKind::Block(_));
        let first = self.flat_statements(body).first().copied().filter(|_| is_block && only_there)?;
        let to = self.stmt(first).range.start();
        let title = "Compute it in each thread";
        if self.is_in_multi_declaration(first) {
            // In `val x = 1, y = 2` the first statement is `x = 1`: insert after the brace.
            let brace = self.stmt(body).range.start() + TextSize::of('{');
            let fragments = vec![Fragment::NewLine(to), Fragment::Source(self.stmt(stmt).range)];
            return self.relocation(
                stmt,
                EditTemplate { range: TextRange::empty(brace), text: fragments },
                title,
            );
        }
        self.move_before(stmt, to, title)
    }

    /// Moves a misplaced rail before the threads of each block, if its operands are available there.
    pub(crate) fn move_into_block(&self, stmt: StmtId, title: &str) -> Option<FixTemplate> {
        let StmtKind::Async { body, .. } = self.stmt(self.first_activity(TextSize::new(0))?).kind else {
            return None;
        };
        let waits = |stmt: &StmtId| matches!(self.stmt(*stmt).kind, StmtKind::Finish { .. });
        let to = self.stmt(self.flat_statements(body).into_iter().find(waits)?).range.start();
        let mut known =
            matches!(self.stmt(body).kind, StmtKind::Block(_)) && self.is_block_invariant_rail(stmt);
        self.body.walk(Node::Stmt(stmt), &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Local(used) = self.expr(expr).kind
                && self.inner.contains(&used)
            {
                known &= self.local(used).range.end() <= to;
            }
            known
        });
        if !known {
            return None;
        }
        self.move_before(stmt, to, title)
    }

    /// Whether each block can make the rail: its length and initial value are known to the host.
    fn is_block_invariant_rail(&self, stmt: StmtId) -> bool {
        let StmtKind::Let { local, init: Some(init) } = self.stmt(stmt).kind else { return false };
        let Some((args, element)) = self.new_rail(self.strip_coercions(init)) else { return false };
        let bytes = args.first().and_then(|it| self.constant(*it)).zip(self.semantics.size(element));
        let fits = bytes.is_none_or(|(count, size)| {
            u64::try_from(count).is_ok_and(|count| count.saturating_mul(size) <= COMMON_SHARED_MEMORY_BYTES)
        });
        let is_known = |it: &ExprId| self.is_movable(*it) || self.is_auto_value(*it);
        fits && !self.local(local).mutable
            && self.can_capture(self.local(local).ty)
            && args.iter().all(is_known)
    }

    /// The first `async` of the kernel from an offset on.
    fn first_activity(&self, from: TextSize) -> Option<StmtId> {
        let mut first = None;
        self.walk_kernel(&mut |node| {
            if let Node::Stmt(stmt) = node
                && matches!(self.stmt(stmt).kind, StmtKind::Async { .. })
                && self.stmt(stmt).range.start() >= from
                && first.is_none_or(|other| self.stmt(stmt).range.start() < self.stmt(other).range.start())
            {
                first = Some(stmt);
            }
        })?;
        first
    }

    /// Visits all nodes of the kernel.
    fn walk_kernel(&self, visit: &mut dyn FnMut(Node)) -> Option<()> {
        let StmtKind::At { body, .. } = self.stmt(self.at).kind else { return None };
        self.body.walk(Node::Stmt(body), &mut |node| {
            visit(node);
            true
        });
        Some(())
    }

    /// Moves a statement to an offset.
    fn move_before(&self, stmt: StmtId, to: TextSize, title: &str) -> Option<FixTemplate> {
        let fragments = vec![Fragment::Source(self.stmt(stmt).range), Fragment::NewLine(to)];
        self.relocation(stmt, EditTemplate { range: TextRange::empty(to), text: fragments }, title)
    }

    fn relocation(&self, stmt: StmtId, insertion: EditTemplate, title: &str) -> Option<FixTemplate> {
        let range = self.stmt(stmt).range;
        if self.is_in_multi_declaration(stmt) || range.contains_inclusive(insertion.range.start()) {
            return None;
        }
        let removal = EditTemplate { range, text: Vec::new() };
        Some(FixTemplate::edits(vec![text(title)], vec![removal, insertion]))
    }
}
