//! Accesses to buffers between the begin of a send or receive and the wait for its end (MPI 4.1, 3.7.2).

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::rules::slots::buffer_in_use::BufferInUse;

use super::{SlotAnalysis, SlotCall};

/// Threads of a block that are tried.
const MAX_THREADS: i64 = 1024;

impl SlotAnalysis<'_> {
    pub(super) fn check_buffers(&self) {
        for call in self.calls.iter().filter(|it| it.name.starts_with("async")) {
            let Some(Node::Stmt(begin)) = self.context.parents.ancestors(Node::Expr(call.site)).find(
                |it| matches!(it, Node::Stmt(stmt) if !matches!(self.context.stmt(*stmt).kind, StmtKind::Expr(_))),
            ) else {
                continue;
            };
            let StmtKind::Let { local: request, .. } = self.context.stmt(begin).kind else { continue };
            let Some((stmts, position)) = self.statement_list(begin) else { continue };
            let later = stmts[position + 1..].iter();
            let found =
                later.take_while(|it| !self.mentions(**it, request)).find_map(|it| self.access(*it, call));
            if let Some((access, rail, is_store)) = found {
                let data = BufferInUse {
                    method: call.method,
                    rail,
                    is_store,
                    begin: self.context.expr(call.site).range,
                };
                self.context.report_at(self.context.expr(access).range, data);
            }
        }
    }

    fn mentions(&self, stmt: StmtId, local: LocalId) -> bool {
        let mut found = false;
        self.context.body.walk(Node::Stmt(stmt), &mut |node| {
            found |= matches!(node, Node::Expr(it) if matches!(self.context.expr(it).kind, ExprKind::Local(used) if used == local))
                || matches!(node, Node::Stmt(it) if matches!(self.context.stmt(it).kind, StmtKind::Return(_)));
            !found
        });
        found
    }

    /// The first access of a statement to an element of the call's buffer that a thread makes for certain.
    fn access(&self, stmt: StmtId, call: &SlotCall) -> Option<(ExprId, LocalId, bool)> {
        let [rail, first, count] = call.sent().or_else(|| call.received())?;
        let rail = self.context.named_local(call.args[rail])?;
        let is_receive = call.received().is_some();
        if !matches!(self.context.stmt(stmt).kind, StmtKind::Expr(_) | StmtKind::Let { .. }) {
            return None;
        }
        let mut found = None;
        self.context.body.walk(Node::Stmt(stmt), &mut |node| {
            let Node::Expr(expr) = node else { return true };
            match &self.context.expr(expr).kind {
                ExprKind::Closure(_) | ExprKind::Conditional { .. } | ExprKind::ShortCircuit { .. } => false,
                ExprKind::Call { method, receiver: Some(receiver), args, .. } => {
                    let is_store = match method.name(self.context.semantics.db).as_str() {
                        "operator()=" => true,
                        "operator()" if is_receive => false,
                        _ => return found.is_none(),
                    };
                    let is_buffer = self.context.named_local(*receiver) == Some(rail);
                    let range = (call.args[first], call.args[count]);
                    if is_buffer && args.first().is_some_and(|it| self.is_in_range(*it, range, call.kernel)) {
                        found = found.or(Some((expr, rail, is_store)));
                    }
                    found.is_none()
                }
                _ => found.is_none(),
            }
        });
        found
    }

    /// Whether an index is that of an element of a range, for some thread of a block.
    fn is_in_range(&self, index: ExprId, (first, count): (ExprId, ExprId), kernel: Option<usize>) -> bool {
        let kernel = kernel.map(|it| self.kernels[it]);
        let axis = kernel.and_then(|it| match &it.threads[..] {
            [axis] => Some((axis.local?, self.constant(axis.last)?)),
            _ => None,
        });
        let threads = axis.map_or(0, |it| it.1.clamp(0, MAX_THREADS));
        let thread = axis.map(|it| it.0);
        // Other variables that are assigned once have the same value in both.
        let sample = |local: LocalId| {
            let is_fixed = !self.context.local(local).mutable && Some(local) != thread && {
                let definition = self.context.initialiser(local);
                definition.is_none_or(|it| self.context.constant(it).is_none() && !self.is_computed(it))
            };
            let is_axis = kernel.is_some_and(|it| it.threads.iter().any(|axis| axis.local == Some(local)));
            (is_fixed && !is_axis).then(|| 1_000_003 + 7_919 * i64::from(local.0))
        };
        let count = self.value_in(count, &[], &sample);
        (0..=threads).any(|number| {
            let known: Vec<_> = thread.map(|it| (it, number)).into_iter().collect();
            let value = |expr| self.value_in(expr, &known, &sample);
            let Some(offset) = value(index).zip(value(first)).map(|it| it.0 - it.1) else { return false };
            // Where the number of elements is a sample, the first one is in the range if any is.
            match count {
                Some(count) if count < 1_000_003 => (0..count).contains(&offset),
                Some(_) => offset == 0,
                None => false,
            }
        })
    }

    /// Whether the definition of a variable is arithmetic on others.
    fn is_computed(&self, definition: ExprId) -> bool {
        self.value_in(definition, &[], &|local| (!self.context.local(local).mutable).then_some(1)).is_some()
    }
}
