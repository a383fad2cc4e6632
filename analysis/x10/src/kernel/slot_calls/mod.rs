//! Calls of slots in a body, and those that are wrong for certain: calls of slots that others own, receives
//! without room, collective operations that slots do not reach or disagree on (MPI 4.1, 3.2.4 and 6.14).
//!
//! Only what is seen in one body is judged: [`origin`] says which slot makes a call, [`block_trace`] what
//! each block of a kernel calls. Where a group or a slot leaves the body, others may make calls of it.

mod block_trace;
mod blocking_launch;
mod buffers;
mod collectives;
mod foreign_slots;
mod origin;
mod receives;

use std::sync::Arc;

use apg_kernels::Values;
use apg_kernels::index::evaluate;

use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, Owner, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::MethodId;
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::DeviceSemantics;
use crate::kernel::shape::recognise::kernels;
use crate::kernel::violation::Violation;
use crate::kernel::{Kernel, SymbolContext};

use origin::{Side, SlotOrigin};

/// What is wrong with calls of slots in a body.
#[salsa::tracked]
pub(crate) fn slot_violations(db: &dyn Db, owner: Owner) -> Arc<Vec<Violation>> {
    let semantics = DeviceSemantics::new(db);
    let result = semantics.body_of(owner);
    let body = &result.body;
    let Some(root) = body.root else { return Arc::default() };
    let is_call = |it: &crate::body::Expr| matches!(it.kind, ExprKind::Call { method, .. } if semantics.is_slot_call(method));
    if result.has_errors() || !body.exprs.iter().any(is_call) {
        return Arc::default();
    }
    let parents = Parents::of(body);
    let recognised = kernels(db, owner);
    let analysis = SlotAnalysis {
        context: KernelContext::new(&semantics, body, &parents, root),
        kernels: recognised.iter().filter_map(|it| it.kernel.as_ref()).collect(),
        calls: Vec::new(),
        is_closed: false,
    };
    let analysis = analysis.with_calls(root);
    let traces: Vec<_> = (0..analysis.kernels.len()).map(|it| analysis.trace_blocks(it)).collect();
    analysis.check_foreign_slots(&traces);
    analysis.check_collectives(&traces);
    analysis.check_receives();
    analysis.check_launches(&traces);
    analysis.check_buffers();
    Arc::new(analysis.context.into_violations())
}

/// The calls of slots in a body.
struct SlotAnalysis<'a> {
    context: KernelContext<'a>,
    kernels: Vec<&'a Kernel>,
    calls: Vec<SlotCall>,
    /// Whether all uses of groups and slots are seen.
    is_closed: bool,
}

/// A call of a slot.
struct SlotCall {
    site: ExprId,
    method: MethodId,
    name: String,
    slot: SlotOrigin,
    args: Vec<ExprId>,
    /// The kernel around it, by position.
    kernel: Option<usize>,
}

/// The positions of a buffer's arguments: the rail, the first index, the number of elements.
type BufferArguments = [usize; 3];

impl SlotCall {
    /// The argument with the rank that is sent to.
    fn destination(&self) -> Option<ExprId> {
        let sends = matches!(&*self.name, "send" | "asyncSend" | "sendRecv" | "sendRecvReplace");
        self.args.first().copied().filter(|_| sends)
    }

    /// The argument with the rank that is received from.
    fn source(&self) -> Option<ExprId> {
        let position = match &*self.name {
            "recv" | "asyncRecv" => 0,
            "sendRecv" => 4,
            "sendRecvReplace" => 1,
            _ => return None,
        };
        self.args.get(position).copied()
    }

    /// The argument with the root of a collective operation.
    fn root(&self) -> Option<ExprId> {
        let has_root = matches!(&*self.name, "broadcast" | "gather" | "scatter" | "reduce");
        self.args.first().copied().filter(|_| has_root)
    }

    fn sent(&self) -> Option<BufferArguments> {
        match &*self.name {
            "send" | "asyncSend" | "sendRecv" => Some([1, 2, 3]),
            "sendRecvReplace" => Some([2, 3, 4]),
            _ => None,
        }
    }

    fn received(&self) -> Option<BufferArguments> {
        match &*self.name {
            "recv" | "asyncRecv" => Some([1, 2, 3]),
            "sendRecv" => Some([5, 6, 7]),
            "sendRecvReplace" => Some([2, 3, 4]),
            _ => None,
        }
    }

    /// The argument with the tag; `None` is tag 0.
    fn tag(&self) -> Option<ExprId> {
        let may_have_tag = matches!(&*self.name, "send" | "asyncSend" | "recv" | "asyncRecv");
        self.args.get(4).copied().filter(|_| may_have_tag)
    }

    fn is_collective(&self) -> bool {
        let names =
            ["barrier", "broadcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce"];
        names.contains(&&*self.name)
    }

    /// Whether all slots of the group take part.
    fn is_collective_of_group(&self) -> bool {
        self.is_collective() && !self.slot.is_subgroup
    }

    fn is_of(&self, group: LocalId, side: Side) -> bool {
        self.slot.group() == Some(group) && self.slot.side() == Some(side)
    }
}

impl<'a> SlotAnalysis<'a> {
    fn with_calls(mut self, root: StmtId) -> Self {
        let context = &self.context;
        let mut calls = Vec::new();
        context.body.walk(Node::Stmt(root), &mut |node| {
            if let Node::Expr(site) = node
                && let ExprKind::Call { method, receiver: Some(receiver), args, .. } =
                    &context.expr(site).kind
                && context.semantics.is_slot_call(*method)
            {
                calls.push(SlotCall {
                    site,
                    method: *method,
                    name: method.name(context.semantics.db).to_string(),
                    slot: self.slot_origin(*receiver),
                    args: args.clone(),
                    kernel: self.kernels.iter().position(|it| self.is_inside(node, it.at)),
                });
            }
            true
        });
        self.is_closed = self.is_closed_body();
        self.calls = calls;
        self
    }

    fn is_inside(&self, node: Node, stmt: StmtId) -> bool {
        self.context.parents.ancestors(node).any(|it| it == Node::Stmt(stmt))
    }

    fn call_at(&self, site: ExprId) -> Option<&SlotCall> {
        self.calls.iter().find(|it| it.site == site)
    }

    /// The value of an integer expression where some variables have known values. `symbol` is the value of
    /// other variables that are assigned once outside of the code in question.
    fn value_in(
        &self,
        expr: ExprId,
        known: &[(LocalId, i64)],
        symbol: &dyn Fn(LocalId) -> Option<i64>,
    ) -> Option<i64> {
        let value_of =
            |local: LocalId| known.iter().find(|it| it.0 == local).map(|it| it.1).or_else(|| symbol(local));
        let form = self.context.affine(
            expr,
            &SymbolContext {
                is_symbol: &|local| value_of(local).is_some(),
                is_non_negative: &|_| false,
                values: &Values::default(),
            },
        )?;
        evaluate(&form, &value_of)
    }

    /// The value of an expression that literals determine.
    fn constant(&self, expr: ExprId) -> Option<i64> {
        self.value_in(expr, &[], &|_| None)
    }

    /// A sample of the value of a variable that a kernel captures.
    fn sample_of_captured(&self, kernel: &Kernel) -> impl Fn(LocalId) -> Option<i64> + use<'_, 'a> {
        let inner = crate::kernel::context::declared_below(self.context.body, Node::Stmt(kernel.at));
        move |local| {
            let is_known = self.context.local(local).mutable || inner.contains(&local);
            // Large and without common divisors, so that different sums of variables have different samples.
            (!is_known).then(|| 1_000_003 + 7_919 * i64::from(local.0))
        }
    }

    /// The statements of the block in which a statement is, and its position.
    fn statement_list(&self, stmt: StmtId) -> Option<(&'a [StmtId], usize)> {
        let Some(Node::Stmt(around)) = self.context.parents.parent(Node::Stmt(stmt)) else { return None };
        let StmtKind::Block(stmts) = &self.context.stmt(around).kind else { return None };
        Some((stmts, stmts.iter().position(|it| *it == stmt)?))
    }
}
