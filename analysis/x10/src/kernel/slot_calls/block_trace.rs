//! Traces of blocks: the calls of slots that each block of a kernel makes, in order, as far as it is known
//! (symbolic execution with the index of the block, King, CACM 1976).

use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::kernel::device_code::functions;
use crate::kernel::lower_expression::ThreadContext;

use apg_kernels::{Scope, Spread, Values};

use super::SlotAnalysis;

/// Blocks that are traced at most.
const MAX_TRACED_BLOCKS: i64 = 64;

/// What one block of a kernel calls.
pub(super) struct BlockTrace {
    /// The index of the block.
    pub block: i64,
    /// The calls, in order.
    pub events: Vec<Event>,
    /// Whether these are all.
    pub is_complete: bool,
}

/// A call of a slot by a block.
pub(super) struct Event {
    pub site: ExprId,
    /// The number of the slot, or a sample of it, as [`super::SlotAnalysis::sample_of_captured`].
    pub index: Option<i64>,
    /// The root of a collective operation, likewise.
    pub root: Option<Root>,
}

/// The root that a block names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// The rank of its own slot.
    Own,
    /// A rank.
    Rank(i64),
}

/// How execution continues behind a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    /// What follows is not known.
    Unknown,
}

impl SlotAnalysis<'_> {
    /// The traces of the blocks of a kernel; none if its number of blocks is not known.
    pub(super) fn trace_blocks(&self, position: usize) -> Vec<BlockTrace> {
        let kernel = self.kernels[position];
        let [axis] = &kernel.blocks[..] else { return Vec::new() };
        let Some(last) = self.constant(axis.last) else { return Vec::new() };
        let symbol = self.sample_of_captured(kernel);
        let trace = |block| {
            let known = axis.local.map(|local| (local, block)).into_iter().collect();
            let mut tracer = Tracer { analysis: self, known, symbol: &symbol, events: Vec::new() };
            let flow = tracer.stmt(kernel.body);
            BlockTrace { block, events: tracer.events, is_complete: flow != Flow::Unknown }
        };
        (0..=last.min(MAX_TRACED_BLOCKS - 1)).map(trace).collect()
    }
}

struct Tracer<'t, 'a> {
    analysis: &'t SlotAnalysis<'a>,
    /// The index of the block.
    known: Vec<(LocalId, i64)>,
    symbol: &'t dyn Fn(LocalId) -> Option<i64>,
    events: Vec<Event>,
}

impl Tracer<'_, '_> {
    fn stmts(&mut self, stmts: &[StmtId]) -> Flow {
        for stmt in stmts {
            let flow = self.stmt(*stmt);
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    fn stmt(&mut self, stmt: StmtId) -> Flow {
        let analysis = self.analysis;
        if !self.concerns_slots(Node::Stmt(stmt)) {
            return Flow::Next;
        }
        match &analysis.context.stmt(stmt).kind {
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::Expr(expr) => self.expr(*expr),
            StmtKind::Let { init, .. } => init.map_or(Flow::Next, |it| self.expr(it)),
            StmtKind::If { condition, then, otherwise } => match self.condition(*condition) {
                Some(true) => self.stmt(*then),
                Some(false) => otherwise.map_or(Flow::Next, |it| self.stmt(it)),
                None => Flow::Unknown,
            },
            StmtKind::For { init, condition, update, body, .. } => {
                let parts = init.iter().map(|it| Node::Stmt(*it));
                let parts = parts.chain(condition.iter().chain(update).map(|it| Node::Expr(*it)));
                self.first_iteration(parts.collect(), *body)
            }
            StmtKind::ForIn { iterable, body, .. } => {
                self.first_iteration(vec![Node::Expr(*iterable)], *body)
            }
            StmtKind::While { condition, body, .. } => {
                self.first_iteration(vec![Node::Expr(*condition)], *body)
            }
            _ => Flow::Unknown,
        }
    }

    /// The first iteration of a loop that all blocks enter alike, if any does.
    fn first_iteration(&mut self, control: Vec<Node>, body: StmtId) -> Flow {
        let is_alike = control.into_iter().all(|it| !self.concerns_slots(it) && !self.mentions_block(it));
        if is_alike {
            self.stmt(body);
        }
        Flow::Unknown
    }

    fn expr(&mut self, expr: ExprId) -> Flow {
        if !self.concerns_slots(Node::Expr(expr)) {
            return Flow::Next;
        }
        let context = &self.analysis.context;
        match &context.expr(expr).kind {
            ExprKind::Conditional { .. } | ExprKind::ShortCircuit { .. } | ExprKind::Let { .. } => {
                Flow::Unknown
            }
            ExprKind::Assign { target: AssignTarget::Local(_), value } => self.expr(*value),
            kind => {
                for child in context.body.children(Node::Expr(expr)) {
                    let Node::Expr(child) = child else { return Flow::Unknown };
                    let flow = self.expr(child);
                    if flow != Flow::Next {
                        return flow;
                    }
                }
                match self.analysis.call_at(expr) {
                    Some(_) => self.add_event(expr),
                    None if matches!(kind, ExprKind::Call { method, .. } if self.is_communicating(*method)) =>
                    {
                        return Flow::Unknown;
                    }
                    None => {}
                }
                Flow::Next
            }
        }
    }

    fn add_event(&mut self, site: ExprId) {
        let Some(call) = self.analysis.call_at(site) else { return };
        let index = call.slot.index.and_then(|it| self.value(it));
        let root = call.root().and_then(|root| {
            let context = &self.analysis.context;
            match &context.expr(context.strip_coercions(root)).kind {
                ExprKind::Field { object, field } if field.name(context.semantics.db) == "rank" => {
                    let of = self.analysis.slot_origin(*object);
                    let same = of.slots.variable == call.slot.slots.variable
                        && of.index.and_then(|it| self.value(it)) == index;
                    (same && index.is_some()).then_some(Root::Own)
                }
                _ => self.value(root).map(Root::Rank),
            }
        });
        self.events.push(Event { site, index, root });
    }

    fn value(&self, expr: ExprId) -> Option<i64> {
        self.analysis.value_in(expr, &self.known, self.symbol)
    }

    /// Whether a condition holds that depends on the index of the block and on constants alone.
    fn condition(&self, condition: ExprId) -> Option<bool> {
        let context = &self.analysis.context;
        let threads = ThreadContext { this: Spread::Uniform, has_whole_warps: false };
        let value_of = |local: LocalId| self.known.iter().find(|it| it.0 == local).map(|it| it.1);
        let scope = Scope {
            is_symbol: &|local| value_of(local).is_some(),
            is_non_negative: &|_| false,
            values: &Values::default(),
            definitions: context,
        };
        scope.condition(&context.lower_test(condition, threads))?.evaluate(&value_of)
    }

    fn is_communicating(&self, method: crate::ids::MethodId) -> bool {
        let semantics = self.analysis.context.semantics;
        semantics.is_cuda(method) && functions::synchronizes_block(semantics.db, method)
    }

    /// Whether something makes calls of slots, or leaves the code around it.
    fn concerns_slots(&self, node: Node) -> bool {
        let context = &self.analysis.context;
        let mut found = false;
        context.body.walk(node, &mut |node| {
            found |= match node {
                Node::Stmt(stmt) => matches!(
                    context.stmt(stmt).kind,
                    StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_)
                ),
                Node::Expr(expr) => match context.expr(expr).kind {
                    ExprKind::Call { method, .. } => {
                        context.semantics.is_slot_call(method) || self.is_communicating(method)
                    }
                    _ => false,
                },
            };
            !found
        });
        found
    }

    fn mentions_block(&self, node: Node) -> bool {
        let context = &self.analysis.context;
        let mut open = vec![node];
        let mut seen = Vec::new();
        while let Some(node) = open.pop() {
            let mut found = false;
            context.body.walk(node, &mut |node| {
                if let Node::Expr(expr) = node
                    && let ExprKind::Local(local) = context.expr(expr).kind
                    && !seen.contains(&local)
                {
                    seen.push(local);
                    found |= self.known.iter().any(|it| it.0 == local);
                    open.extend(context.initialiser(local).map(Node::Expr));
                }
                !found
            });
            if found {
                return true;
            }
        }
        false
    }
}
