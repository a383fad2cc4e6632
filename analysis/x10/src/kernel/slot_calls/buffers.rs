//! Accesses to buffers between the begin of a send or receive and the wait for its end (MPI 4.1, 3.7.2).

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::kernel::device_semantics::TypeCategory;
use crate::rules::slots::buffer_in_use::BufferInUse;

use super::SlotAnalysis;
use super::block_trace::BlockTrace;
use super::call::SlotCall;
use super::operand::{Arguments, Operand, ParameterValue};
use super::summary::slot_summary;

/// Threads of a block that are tried.
const MAX_THREADS: i64 = 1024;

/// An access to an element of a rail.
pub(super) struct Access {
    /// The expression of the body that makes it.
    pub site: ExprId,
    /// The variable with the rail.
    pub rail: Option<LocalId>,
    pub index: Operand,
    pub is_store: bool,
}

impl SlotAnalysis<'_> {
    pub(super) fn check_buffers(&self, traces: &[Vec<BlockTrace>]) {
        let begins_here = |it: &&SlotCall| {
            it.name.starts_with("async") && it.callee.as_ref().is_none_or(|it| it.is_returned)
        };
        for call in self.made_calls(traces).filter(begins_here) {
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
            if let Some((access, rail)) = found {
                let data = BufferInUse {
                    method: call.method,
                    rail,
                    is_store: access.is_store,
                    begin: self.context.expr(call.site).range,
                };
                self.report(call, self.context.expr(access.site).range, data);
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

    /// The first access of a statement to an element of the call's buffer that a thread makes for certain,
    /// and the buffer.
    fn access(&self, stmt: StmtId, call: &SlotCall) -> Option<(Access, LocalId)> {
        let [rail, first, count] = call.sent().or_else(|| call.received())?;
        let rail = self.named_local(call.args.get(rail)?)?;
        let range = (call.args.get(first)?, call.args.get(count)?);
        let is_receive = call.received().is_some();
        if !matches!(self.context.stmt(stmt).kind, StmtKind::Expr(_) | StmtKind::Let { .. }) {
            return None;
        }
        let mut found = None;
        self.for_each_access(Node::Stmt(stmt), &mut |it| {
            let conflicts = it.rail == Some(rail) && (it.is_store || is_receive);
            if found.is_none() && conflicts && self.is_in_range(&it.index, range, call.kernel) {
                found = Some((it, rail));
            }
        });
        found
    }

    /// Calls `visit` for the accesses to elements that code makes whenever it runs, itself or by static
    /// functions.
    pub(super) fn for_each_access(&self, node: Node, visit: &mut dyn FnMut(Access)) {
        self.context.body.walk(node, &mut |node| {
            let Node::Expr(site) = node else { return true };
            match &self.context.expr(site).kind {
                ExprKind::Closure(_) | ExprKind::Conditional { .. } | ExprKind::ShortCircuit { .. } => {
                    return false;
                }
                ExprKind::Call { method, receiver: Some(receiver), args, .. } => {
                    let name = method.name(self.context.semantics.db);
                    if let (true, Some(index)) = (name.starts_with("operator()"), args.first()) {
                        let rail = self.context.named_local(*receiver);
                        let is_store = name == "operator()=";
                        visit(Access { site, rail, index: Operand::Expr(*index), is_store });
                    }
                }
                ExprKind::Call { method, args, .. }
                    if self.context.semantics.is_static(*method)
                        && args.iter().any(|it| self.is_rail(*it)) =>
                {
                    let summary = slot_summary(self.context.semantics.db, *method);
                    let parameters = summary.parameters.iter().copied();
                    let arguments: Arguments = parameters.zip(args.iter().copied()).collect();
                    for it in &summary.accesses {
                        let operand = |value| Operand::OfCallee { value, arguments: arguments.clone() };
                        let rail = ParameterValue { parameter: Some(it.rail), ..ParameterValue::default() };
                        let rail = self.named_local(&operand(rail));
                        visit(Access { site, rail, index: operand(it.index.clone()), is_store: it.is_store });
                    }
                }
                _ => {}
            }
            true
        });
    }

    fn is_rail(&self, expr: ExprId) -> bool {
        let category = self.context.semantics.category(self.context.expr(expr).ty);
        matches!(category, TypeCategory::Rail(_) | TypeCategory::GlobalRail(_))
    }

    /// Whether an index is that of an element of a range, for some thread of a block.
    fn is_in_range(
        &self,
        index: &Operand,
        (first, count): (&Operand, &Operand),
        kernel: Option<usize>,
    ) -> bool {
        let kernel = kernel.map(|it| self.kernels[it]);
        let axis = kernel.and_then(|it| match &it.threads[..] {
            [axis] => Some((axis.local?, self.constant(&Operand::Expr(axis.last))?)),
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
            let value = |operand| self.value_in(operand, &known, &sample);
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
        let symbol = |local: LocalId| (!self.context.local(local).mutable).then_some(1);
        self.expr_value_in(definition, &[], &symbol).is_some()
    }
}
