//! Calls of slots in a body, and those that are wrong for certain: calls of slots that others own, receives
//! without room, collective operations that slots do not reach or disagree on (MPI 4.1, 3.2.4 and 6.14).
//!
//! What is seen in one body is judged, and in static functions that it calls, by [`summary`]: [`origin`] says
//! which slot makes a call, [`block_trace`] what each block of a kernel calls. Where a group or a slot leaves
//! this code, others may make calls of it.

mod block_trace;
mod blocking_launch;
mod buffers;
mod call;
mod collectives;
mod foreign_slots;
mod operand;
mod origin;
mod receives;
mod steps;
mod summary;

use std::sync::Arc;

use apg_syntax::TextRange;

use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{Expr, ExprId, ExprKind, LocalId, Owner, StmtId, StmtKind};
use crate::db::Db;
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::DeviceSemantics;
use crate::kernel::shape::recognise::kernels;
use crate::kernel::violation::Violation;
use crate::kernel::{Kernel, Recognised};
use crate::rules::ProblemData;

use block_trace::BlockTrace;
use call::SlotCall;
use operand::Operand;
use summary::Callee;

/// What is wrong with calls of slots in a body, and in functions that it calls.
#[salsa::tracked]
pub(crate) fn slot_violations(db: &dyn Db, owner: Owner) -> Arc<Vec<Violation>> {
    let semantics = DeviceSemantics::new(db);
    let result = semantics.body_of(owner);
    let body = &result.body;
    let Some(root) = body.root else { return Arc::default() };
    let is_slot = |it: &Expr| origin::is_slot_type(&semantics, it.ty);
    if result.has_errors() || !body.exprs.iter().any(is_slot) {
        return Arc::default();
    }
    let parents = Parents::of(body);
    let context = KernelContext::new(&semantics, body, &parents, root);
    let analysis = SlotAnalysis::new(context, kernels(db, owner), root);
    if analysis.calls.is_empty() {
        return Arc::default();
    }
    let traces: Vec<_> = (0..analysis.kernels.len()).map(|it| analysis.trace_blocks(it)).collect();
    analysis.check_foreign_slots(&traces);
    analysis.check_collectives(&traces);
    analysis.check_receives(&traces);
    analysis.check_launches(&traces);
    analysis.check_buffers(&traces);
    Arc::new(analysis.context.into_violations())
}

/// The calls of slots in a body.
struct SlotAnalysis<'a> {
    context: KernelContext<'a>,
    kernels: Vec<&'a Kernel>,
    /// Functions that the body calls, of which summaries are known.
    callees: Vec<Callee>,
    /// The calls of the body, and of these functions.
    calls: Vec<SlotCall>,
    /// Whether all uses of groups and slots are seen.
    is_closed: bool,
}

impl<'a> SlotAnalysis<'a> {
    fn new(context: KernelContext<'a>, recognised: &'a [Recognised], root: StmtId) -> Self {
        let kernels = recognised.iter().filter_map(|it| it.kernel.as_ref()).collect();
        let mut analysis =
            SlotAnalysis { context, kernels, callees: Vec::new(), calls: Vec::new(), is_closed: false };
        let body = analysis.context.body;
        // Code of a kernel that is refused has been reported.
        let is_refused =
            |it: StmtId| recognised.iter().any(|kernel| kernel.at == it && kernel.kernel.is_none());
        let mut is_complete = true;
        body.walk(Node::Stmt(root), &mut |node| {
            match node {
                Node::Expr(site) => analysis.add_calls(site),
                Node::Stmt(stmt) if is_refused(stmt) => {
                    is_complete = false;
                    return false;
                }
                Node::Stmt(_) => {}
            }
            true
        });
        analysis.is_closed = is_complete && analysis.is_closed_body();
        analysis
    }

    /// Adds the calls of slots that an expression makes, itself or by a function.
    fn add_calls(&mut self, site: ExprId) {
        let body = self.context.body;
        let db = self.context.semantics.db;
        if let ExprKind::Call { method, receiver: Some(receiver), args, .. } = &body.expr(site).kind
            && self.context.semantics.is_slot_call(*method)
        {
            self.calls.push(SlotCall {
                site,
                method: *method,
                name: method.name(db).to_string(),
                slot: self.slot_origin(*receiver),
                args: args.iter().copied().map(Operand::Expr).collect(),
                kernel: self.kernel_around(site),
                callee: None,
            });
        } else if let Some((method, args)) = self.summarised(site) {
            let callee = self.callee(site, method, args);
            let calls = self.calls_of(&callee);
            self.calls.extend(calls);
            self.callees.push(callee);
        }
    }

    /// The kernel around an expression, by position.
    fn kernel_around(&self, site: ExprId) -> Option<usize> {
        self.kernels.iter().position(|it| self.is_inside(Node::Expr(site), it.at))
    }

    fn is_inside(&self, node: Node, stmt: StmtId) -> bool {
        self.context.parents.ancestors(node).any(|it| it == Node::Stmt(stmt))
    }

    /// The call that an expression of the body is, by position.
    fn own_call(&self, site: ExprId) -> Option<usize> {
        self.calls.iter().position(|it| it.site == site && it.callee.is_none())
    }

    /// Whether code that reaches a call makes it: one of a function may depend on the function's arguments.
    fn is_made(&self, position: usize, traces: &[Vec<BlockTrace>]) -> bool {
        let mut events = traces.iter().flatten().flat_map(|it| &it.events);
        self.calls[position].is_certain() || events.any(|it| it.call == position && !it.is_in_loop)
    }

    /// The calls that are made, see [`SlotAnalysis::is_made`].
    fn made_calls<'t>(&'t self, traces: &'t [Vec<BlockTrace>]) -> impl Iterator<Item = &'t SlotCall> {
        let all = self.calls.iter().enumerate();
        all.filter(|it| self.is_made(it.0, traces)).map(|it| it.1)
    }

    /// Reports a problem of a call; where a function makes it, also there.
    fn report(&self, call: &SlotCall, range: TextRange, data: impl Into<ProblemData>) {
        let mut violation = self.context.violation(range, data);
        if let Some(place) = &call.callee {
            let message = format!("`{}` is called here", self.context.semantics.method_name(call.method));
            violation = violation.related(place.method, place.range, message);
        }
        self.context.report(violation);
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
