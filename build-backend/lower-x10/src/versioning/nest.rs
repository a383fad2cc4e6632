//! What is inside a counted loop: its accesses, its variables, and the counted loops among its statements.

use apg_analysis::program::body::Node;
use apg_analysis::program::body::{
    AssignTarget, ExprId, ExprKind as Source, Iteration, Literal, LocalId, StmtId, StmtKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Axis, Counting, Fixed, compare};
use crate::builder::function::Builder;
use crate::builder::operands::int;
use apg_mir::{self as mir, Operation};

/// Code larger than this stays single.
const MAX_NODES: usize = 400;
/// A count that steps by more than one ends at most there, so that it cannot step over the largest number.
const FARTHEST: i64 = 1 << 62;
const LARGEST_STEP: i64 = 1 << 30;

/// What is known of a loop.
pub(super) struct Scan {
    pub counting: Counting,
    /// `val`s of the body, by what they are set to.
    pub values: FxHashMap<LocalId, ExprId>,
    /// Locals of the body.
    pub inside: FxHashSet<LocalId>,
    /// What is assigned to.
    pub assigned: FxHashSet<LocalId>,
    /// Loops inside that may count, outer ones first.
    loops: Vec<StmtId>,
    /// There are loops inside.
    pub nest: bool,
    /// References in rails stay what they are: nothing stores any, and no code is called that could.
    pub calm: bool,
    /// Rails in rails that are needed, and the locals that hold them.
    pub hoisted: Vec<(ExprId, mir::LocalId)>,
}

/// The variables of a loop itself.
fn variables(counting: &Counting) -> FxHashSet<LocalId> {
    let counts = counting.axes.iter().flat_map(|axis| axis.locals.iter().copied());
    counts.chain(counting.steps.iter().map(|it| it.local)).collect()
}

impl Scan {
    /// The count that a variable is.
    pub(super) fn axis(&self, local: LocalId) -> Option<usize> {
        self.counting.axes.iter().position(|axis| axis.locals.contains(&local))
    }
}

/// `for (var i = low; i < end; i += step)` and its like.
pub(crate) struct Steps {
    pub local: LocalId,
    /// The variable stays on this side of the limit; the limit itself is allowed.
    limit: ExprId,
    included: bool,
    /// Counts up.
    up: bool,
    /// By how much, if that is no literal.
    step: Option<ExprId>,
}

impl Builder<'_, '_> {
    /// The calls in the body of a loop without activities and closures, in order.
    pub(super) fn scan(&self, counting: Counting) -> Option<(Vec<ExprId>, Scan)> {
        let body = self.source.body.clone();
        let mut scan = Scan {
            values: FxHashMap::default(),
            inside: variables(&counting),
            assigned: FxHashSet::default(),
            loops: Vec::new(),
            nest: false,
            calm: false,
            hoisted: Vec::new(),
            counting,
        };
        let mut calls = Vec::new();
        // Where a count may be beyond its end.
        let mut beyond: FxHashSet<Node> = scan.counting.between.iter().copied().map(Node::Expr).collect();
        let (mut nodes, mut plain) = (0, true);
        for root in scan.counting.nodes() {
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
                plain && nodes <= MAX_NODES
            });
        }
        (plain && nodes <= MAX_NODES).then_some((calls, scan))
    }

    /// Adds the counts of the loops inside.
    pub(super) fn count_inside(&mut self, scan: &mut Scan) {
        let body = self.source.body.clone();
        for stmt in std::mem::take(&mut scan.loops) {
            let axis = match &body.stmt(stmt).kind {
                StmtKind::ForIn { local, components, iterable, iteration, .. } => {
                    let locals = std::iter::once(*local).chain(components.iter().copied()).collect();
                    self.range_axis(locals, *iterable, iteration, scan)
                }
                StmtKind::For { init, condition, update, body: turn, .. } => {
                    let found = self.steps(init, *condition, update, *turn);
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
            scan.counting.axes.extend(axis);
        }
    }

    /// The count of `for (i in low..high)`.
    fn range_axis(
        &mut self,
        locals: Vec<LocalId>,
        iterable: ExprId,
        iteration: &Iteration,
        scan: &Scan,
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

    /// A loop with a variable that steps towards a limit and is not assigned elsewhere; and the variable's first value.
    pub(crate) fn steps(
        &mut self,
        init: &[StmtId],
        condition: Option<ExprId>,
        update: &[ExprId],
        turn: StmtId,
    ) -> Option<(Steps, ExprId)> {
        let body = self.source.body.clone();
        let [init] = init else { return None };
        let StmtKind::Let { local, init: Some(first) } = body.stmt(*init).kind else { return None };
        let [update] = update else { return None };
        let Source::Call { method, receiver, args, .. } = &body.expr(condition?).kind else { return None };
        let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let [left, limit] = operands.as_slice() else { return None };
        let (up, included) = match self.lowerer.intrinsic(*method)?.as_str() {
            "op.lt" => (true, false),
            "op.le" => (true, true),
            "op.gt" => (false, false),
            "op.ge" => (false, true),
            _ => return None,
        };
        if !matches!(&body.expr(*left).kind, Source::Local(it) if *it == local) || !self.is_long(*left) {
            return None;
        }
        let step = self.step_of(*update, local, up)?;
        let mut elsewhere = false;
        for node in [Node::Stmt(turn), Node::Expr(condition?)] {
            body.walk(node, &mut |node| {
                elsewhere |= matches!(node, Node::Expr(id)
                    if matches!(&body.expr(id).kind, Source::Assign { target: AssignTarget::Local(it), .. } if *it == local));
                !elsewhere
            });
        }
        (!elsewhere).then_some((Steps { local, limit: *limit, included, up, step }, first))
    }

    /// By how much `i++`, `i += s`, `i--` or `i -= s` steps: `Some(None)` is a literal.
    fn step_of(&mut self, update: ExprId, local: LocalId, up: bool) -> Option<Option<ExprId>> {
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
        let wanted = if up { "op.add" } else { "op.sub" };
        if *target != local || !own || self.lowerer.intrinsic(*method)? != wanted {
            return None;
        }
        match body.expr(*step).kind {
            Source::Literal(Literal::Int(step)) => (1..=LARGEST_STEP).contains(&step).then_some(None),
            _ => Some(Some(*step)),
        }
    }

    /// The count of a loop that steps, from the least and greatest first value.
    pub(super) fn stepped_axis(
        &mut self,
        steps: &Steps,
        first: (mir::Expr, mir::Expr),
        scan: &Scan,
    ) -> Option<Axis> {
        let mut tests = Vec::new();
        let (least, greatest) = self.linear(steps.limit, scan, 0)?.bound(scan, &mut tests)?;
        let mut far = if steps.up { greatest } else { least };
        if !steps.included {
            // One less than the least number is the greatest: the test of what follows finds out.
            let one = int(mir::Ty::I64, if steps.up { -1 } else { 1 });
            far = super::sum(far, one);
        }
        if let Some(step) = steps.step {
            let Fixed { value, guards } = self.fixed(step, scan, 0)?;
            if value.ty != mir::Ty::I64 {
                return None;
            }
            tests.extend(guards);
            tests.push(compare(Operation::Ge, &value, int(mir::Ty::I64, 1)));
            tests.push(compare(Operation::Le, &value, int(mir::Ty::I64, LARGEST_STEP)));
        }
        let (near, op) = match steps.up {
            true => (first.0, Operation::Le),
            false => (first.1, Operation::Ge),
        };
        tests.push(compare(op, &far, int(mir::Ty::I64, if steps.up { FARTHEST } else { -FARTHEST })));
        let (low, high) = if steps.up { (near, far) } else { (far, near) };
        Some(Axis { locals: vec![steps.local], low, high, tests })
    }
}

impl Scan {
    /// Notes a statement; false if a loop with it stays single.
    fn statement(
        &mut self,
        body: &apg_analysis::program::body::Body,
        id: StmtId,
        beyond: &mut FxHashSet<Node>,
    ) -> bool {
        match &body.stmt(id).kind {
            StmtKind::Let { local, init } => {
                self.inside.insert(*local);
                if let (Some(init), false) = (init, body.local(*local).mutable) {
                    self.values.insert(*local, *init);
                }
            }
            StmtKind::ForIn { local, components, .. } => {
                self.inside.extend(std::iter::once(local).chain(components));
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
