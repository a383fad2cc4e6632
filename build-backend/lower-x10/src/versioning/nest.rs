//! Scan of a counted loop: its accesses, variables and inner counted loops.

use apg_analysis::program::body::Node;
use apg_analysis::program::body::{
    AssignTarget, ExprId, ExprKind as Source, Iteration, Literal, LocalId, StmtId, StmtKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Axis, CountedLoop, Invariant, compare};
use crate::builder::function::Builder;
use crate::builder::operands::int;
use apg_mir::{self as mir, Operation};

/// Size of the largest loop that is versioned.
const MAX_VERSIONED_NODES: usize = 400;
/// Largest end of a variable with a step above 1, which keeps it from overflowing.
const MAX_STEPPED_END: i64 = 1 << 62;
const MAX_STEP: i64 = 1 << 30;

/// Facts about a loop.
pub(super) struct LoopScan {
    pub counted: CountedLoop,
    /// `val`s of the body, with their values.
    pub values: FxHashMap<LocalId, ExprId>,
    /// Locals declared in the body.
    pub declared: FxHashSet<LocalId>,
    /// Variables that are assigned.
    pub assigned: FxHashSet<LocalId>,
    /// Inner loops that may be counted, outer ones first.
    loops: Vec<StmtId>,
    /// The loop contains loops.
    pub nest: bool,
    /// No reference is stored into a rail, neither directly nor by a call.
    pub calm: bool,
    /// Rails in rails that are loaded before the loop, and the locals that hold them.
    pub hoisted: Vec<(ExprId, mir::LocalId)>,
}

/// The variables of a loop itself.
fn variables(counted: &CountedLoop) -> FxHashSet<LocalId> {
    let counts = counted.axes.iter().flat_map(|axis| axis.locals.iter().copied());
    counts.chain(counted.stepped.iter().map(|it| it.local)).collect()
}

impl LoopScan {
    /// The axis of a variable.
    pub(super) fn axis(&self, local: LocalId) -> Option<usize> {
        self.counted.axes.iter().position(|axis| axis.locals.contains(&local))
    }
}

/// The variable of `for (var i = low; i < end; i += step)` and similar loops.
pub(crate) struct SteppedVariable {
    pub local: LocalId,
    /// The end of the variable, and whether it is included.
    limit: ExprId,
    included: bool,
    /// Whether the step is positive.
    is_ascending: bool,
    /// The step, unless it is a literal.
    step: Option<ExprId>,
}

impl Builder<'_, '_> {
    /// Scans the body of a loop without activities and closures.
    pub(super) fn scan(&self, counted: CountedLoop) -> Option<(Vec<ExprId>, LoopScan)> {
        let body = self.source.body.clone();
        let mut scan = LoopScan {
            values: FxHashMap::default(),
            declared: variables(&counted),
            assigned: FxHashSet::default(),
            loops: Vec::new(),
            nest: false,
            calm: false,
            hoisted: Vec::new(),
            counted,
        };
        let mut calls = Vec::new();
        // Nodes that run when a variable may be past its end.
        let mut beyond: FxHashSet<Node> = scan.counted.between.iter().copied().map(Node::Expr).collect();
        let (mut nodes, mut plain) = (0, true);
        for root in scan.counted.nodes() {
            body.walk(root, &mut |node| {
                nodes += 1;
                let is_beyond = beyond.contains(&node);
                if is_beyond {
                    beyond.extend(body.children(node));
                }
                match node {
                    Node::Stmt(id) => plain &= scan.statement(&body, id, &mut beyond),
                    Node::Expr(id) => match &body.expr(id).kind {
                        Source::Call { .. } if !is_beyond => calls.push(id),
                        Source::Assign { target: AssignTarget::Local(local), .. } => {
                            scan.assigned.insert(*local);
                        }
                        Source::Closure(_) | Source::At { .. } | Source::Error => plain = false,
                        _ => {}
                    },
                }
                plain && nodes <= MAX_VERSIONED_NODES
            });
        }
        (plain && nodes <= MAX_VERSIONED_NODES).then_some((calls, scan))
    }

    /// Adds the axes of inner loops.
    pub(super) fn count_inside(&mut self, scan: &mut LoopScan) {
        let body = self.source.body.clone();
        for stmt in std::mem::take(&mut scan.loops) {
            let axis = match &body.stmt(stmt).kind {
                StmtKind::ForIn { local, components, iterable, iteration, .. } => {
                    let locals = std::iter::once(*local).chain(components.iter().copied()).collect();
                    self.range_axis(locals, *iterable, iteration, scan)
                }
                StmtKind::For { init, condition, update, body, .. } => {
                    let found = self.stepped_variable(init, *condition, update, *body);
                    found.and_then(|(steps, first)| {
                        let mut tests = Vec::new();
                        let first = self.linear(first, scan, 0)?.bound(scan, &mut tests)?;
                        let mut axis = self.stepped_axis(&steps, first, scan)?;
                        axis.tests.extend(tests);
                        Some(axis)
                    })
                }
                _ => None,
            };
            scan.counted.axes.extend(axis);
        }
    }

    /// The axis of `for (i in low..high)`.
    fn range_axis(
        &mut self,
        locals: Vec<LocalId>,
        iterable: ExprId,
        iteration: &Iteration,
        scan: &LoopScan,
    ) -> Option<Axis> {
        if !matches!(iteration, Iteration::IntRange | Iteration::LongRange) {
            return None;
        }
        let body = self.source.body.clone();
        let mut range = iterable;
        while let Source::Coerce { value } = &body.expr(range).kind {
            range = *value;
        }
        let Source::Call { method, receiver, args, .. } = &body.expr(range).kind else { return None };
        let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let [low, high] = operands.as_slice() else { return None };
        if method.name(self.lowerer.db) != "operator.." {
            return None;
        }
        let mut tests = Vec::new();
        let (low, _) = self.linear(*low, scan, 0)?.bound(scan, &mut tests)?;
        let (_, high) = self.linear(*high, scan, 0)?.bound(scan, &mut tests)?;
        Some(Axis { locals, low, high, tests })
    }

    /// A loop whose variable steps towards an end and is not assigned elsewhere, and the variable's first
    /// value.
    pub(crate) fn stepped_variable(
        &mut self,
        init: &[StmtId],
        condition: Option<ExprId>,
        update: &[ExprId],
        loop_body: StmtId,
    ) -> Option<(SteppedVariable, ExprId)> {
        let body = self.source.body.clone();
        let [init] = init else { return None };
        let StmtKind::Let { local, init: Some(first) } = body.stmt(*init).kind else { return None };
        let [update] = update else { return None };
        let Source::Call { method, receiver, args, .. } = &body.expr(condition?).kind else { return None };
        let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let [left, limit] = operands.as_slice() else { return None };
        let (is_ascending, included) = match self.lowerer.intrinsic(*method)?.as_str() {
            "op.lt" => (true, false),
            "op.le" => (true, true),
            "op.gt" => (false, false),
            "op.ge" => (false, true),
            _ => return None,
        };
        if !matches!(&body.expr(*left).kind, Source::Local(it) if *it == local) || !self.is_long(*left) {
            return None;
        }
        let step = self.step_of(*update, local, is_ascending)?;
        let mut elsewhere = false;
        for node in [Node::Stmt(loop_body), Node::Expr(condition?)] {
            body.walk(node, &mut |node| {
                elsewhere |= matches!(node, Node::Expr(id)
                    if matches!(&body.expr(id).kind, Source::Assign { target: AssignTarget::Local(it), .. } if *it == local));
                !elsewhere
            });
        }
        (!elsewhere)
            .then_some((SteppedVariable { local, limit: *limit, included, is_ascending, step }, first))
    }

    /// The step of `i++`, `i += s`, `i--` or `i -= s`: `Some(None)` for a literal.
    fn step_of(&mut self, update: ExprId, local: LocalId, is_ascending: bool) -> Option<Option<ExprId>> {
        let body = self.source.body.clone();
        let (mut assigned, mut copies) = (Vec::new(), Vec::new());
        body.walk(Node::Expr(update), &mut |node| {
            match node {
                Node::Expr(id) => {
                    if let Source::Assign { target, value } = &body.expr(id).kind {
                        assigned.push((*target, *value));
                    }
                }
                Node::Stmt(id) => {
                    if let StmtKind::Let { local: copy, init: Some(value) } = body.stmt(id).kind
                        && matches!(&body.expr(value).kind, Source::Local(it) if *it == local)
                    {
                        copies.push(copy);
                    }
                }
            }
            true
        });
        let [(AssignTarget::Local(target), value)] = assigned.as_slice() else { return None };
        let Source::Call { method, receiver, args, .. } = &body.expr(*value).kind else { return None };
        let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let [left, step] = operands.as_slice() else { return None };
        let own = matches!(&body.expr(*left).kind, Source::Local(it) if *it == local || copies.contains(it));
        let wanted = if is_ascending { "op.add" } else { "op.sub" };
        if *target != local || !own || self.lowerer.intrinsic(*method)? != wanted {
            return None;
        }
        match body.expr(*step).kind {
            Source::Literal(Literal::Int(step)) => (1..=MAX_STEP).contains(&step).then_some(None),
            _ => Some(Some(*step)),
        }
    }

    /// The axis of a stepped variable, from the smallest and largest first value.
    pub(super) fn stepped_axis(
        &mut self,
        steps: &SteppedVariable,
        first: (mir::Expr, mir::Expr),
        scan: &LoopScan,
    ) -> Option<Axis> {
        let mut tests = Vec::new();
        let (least, greatest) = self.linear(steps.limit, scan, 0)?.bound(scan, &mut tests)?;
        let mut far = if steps.is_ascending { greatest } else { least };
        if !steps.included {
            // An end one below the smallest number wraps to the largest: the guards on the range detect it.
            let one = int(mir::Ty::I64, if steps.is_ascending { -1 } else { 1 });
            far = super::sum(far, one);
        }
        if let Some(step) = steps.step {
            let Invariant { value, guards } = self.invariant(step, scan, 0)?;
            if value.ty != mir::Ty::I64 {
                return None;
            }
            tests.extend(guards);
            tests.push(compare(Operation::Ge, &value, int(mir::Ty::I64, 1)));
            tests.push(compare(Operation::Le, &value, int(mir::Ty::I64, MAX_STEP)));
        }
        let (near, op) = match steps.is_ascending {
            true => (first.0, Operation::Le),
            false => (first.1, Operation::Ge),
        };
        tests.push(compare(
            op,
            &far,
            int(mir::Ty::I64, if steps.is_ascending { MAX_STEPPED_END } else { -MAX_STEPPED_END }),
        ));
        let (low, high) = if steps.is_ascending { (near, far) } else { (far, near) };
        Some(Axis { locals: vec![steps.local], low, high, tests })
    }
}

impl LoopScan {
    /// Scans a statement; false if it prevents versioning.
    fn statement(
        &mut self,
        body: &apg_analysis::program::body::Body,
        id: StmtId,
        beyond: &mut FxHashSet<Node>,
    ) -> bool {
        match &body.stmt(id).kind {
            StmtKind::Let { local, init } => {
                self.declared.insert(*local);
                if let (Some(init), false) = (init, body.local(*local).mutable) {
                    self.values.insert(*local, *init);
                }
            }
            StmtKind::ForIn { local, components, .. } => {
                self.declared.extend(std::iter::once(local).chain(components));
                self.loops.push(id);
                self.nest = true;
            }
            StmtKind::For { condition, update, .. } => {
                beyond.extend(condition.iter().chain(update).copied().map(Node::Expr));
                self.loops.push(id);
                self.nest = true;
            }
            StmtKind::While { .. } | StmtKind::DoWhile { .. } => self.nest = true,
            StmtKind::Empty
            | StmtKind::Block(_)
            | StmtKind::Expr(_)
            | StmtKind::If { .. }
            | StmtKind::Labeled { .. }
            | StmtKind::Switch { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Return(_)
            | StmtKind::Throw(_) => {}
            _ => return false,
        }
        true
    }
}
