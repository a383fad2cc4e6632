//! What the next turn of a loop touches that all threads of a block step through together, as far as it can be computed in this turn.

use rustc_hash::{FxHashMap, FxHashSet};

use super::derive::is_step;
use super::plan::{Class, Node, Plan};
use apg_mir::walk::{operands, visit_expr, visit_stmts};
use apg_mir::*;

/// Turns that are nearer to each other than a page, in bytes, a processor foresees.
const NEAR: i64 = 4096;

/// What a turn touches.
pub enum Wish<'k> {
    /// An element of a captured rail; by how many a turn comes further, if the program says it.
    Element { rail: LocalId, index: &'k Expr, by: Option<i64> },
    /// What is touched under a condition, and otherwise.
    If(&'k Expr, Vec<Wish<'k>>, Vec<Wish<'k>>),
}

/// A local that a turn adds something to, the same for all threads.
pub struct Step<'k> {
    pub local: LocalId,
    pub by: &'k Expr,
    pub minus: bool,
    /// What is added stands in a variable of its own.
    pub is_offset: bool,
}

/// A loop.
pub struct Turns<'p, 'k> {
    plan: &'p Plan<'k>,
    pub steps: Vec<Step<'k>>,
    /// Locals that a turn makes of these, the same for all threads, in order.
    pub made: Vec<(LocalId, &'k Expr)>,
    /// What else is assigned in it: its value in the next turn is not known.
    assigned: FxHashSet<LocalId>,
    /// What is found of locals that are computed in the next turn as well. Each is looked at once: a chain of `b = a + a` is not gone through
    /// twice at each step.
    found: FxHashMap<LocalId, Found>,
}

/// What is found of a value.
#[derive(Clone, Copy)]
struct Found {
    /// It can be computed for the next turn: it raises nothing and reads no memory.
    is_known: bool,
    /// How much a turn adds to it; none if that is not a number of the program's.
    by: Option<i64>,
    /// How far neighbouring threads of a row are apart in it; none if that is not such a number.
    apart: Option<i64>,
}

impl Found {
    const UNKNOWN: Found = Found { is_known: false, by: None, apart: None };
    const FIXED: Found = Found { is_known: true, by: Some(0), apart: Some(0) };

    fn is_fixed(self) -> bool {
        (self.by, self.apart) == (Some(0), Some(0))
    }

    /// What is made of both in a way that keeps no distances.
    fn mixed(self, other: Found) -> Found {
        let none = |a, b| ((a, b) == (0, 0)).then_some(0);
        self.with(other, none)
    }

    /// Both, and what is added by two numbers that are added.
    fn with(self, other: Found, add: fn(i64, i64) -> Option<i64>) -> Found {
        let both = |a: Option<i64>, b: Option<i64>| add(a?, b?);
        Found {
            is_known: self.is_known && other.is_known,
            by: both(self.by, other.by),
            apart: both(self.apart, other.apart),
        }
    }
}

pub fn mentioned_in(expr: &Expr, found: &mut FxHashSet<LocalId>) {
    visit_expr(expr, None, &mut |it, _| {
        if let ExprKind::Local(local) = it.kind {
            found.insert(local);
        }
    });
}

/// What is assigned when all else of a turn is done.
fn last_assignments(stmt: &Stmt) -> FxHashSet<LocalId> {
    fn at_end(body: &[Stmt], found: &mut FxHashSet<LocalId>) {
        for stmt in body.iter().rev() {
            match &stmt.kind {
                StmtKind::Set { local, .. } => found.insert(*local),
                StmtKind::Block(body) => return at_end(body, found),
                _ => return,
            };
        }
    }
    let mut found = FxHashSet::default();
    if let StmtKind::Loop { body, update, .. } = &stmt.kind {
        at_end(update, &mut found);
        at_end(body, &mut found);
    }
    found
}

/// The type of the elements of a captured rail.
fn element(plan: &Plan<'_>, rail: LocalId) -> Option<Ty> {
    match plan.kernel().captures.get(rail.index())?.kind {
        KernelCaptureKind::Scalar(_) => None,
        KernelCaptureKind::Rail { element }
        | KernelCaptureKind::ConstantRail { element }
        | KernelCaptureKind::GlobalRail { element } => Some(element),
    }
}

/// The size of a number.
pub fn bytes(ty: Ty) -> Option<i64> {
    match ty {
        Ty::Bool | Ty::I8 | Ty::U8 => Some(1),
        Ty::I16 | Ty::U16 | Ty::Char => Some(2),
        Ty::I32 | Ty::U32 | Ty::F32 => Some(4),
        Ty::I64 | Ty::U64 | Ty::F64 => Some(8),
        _ => None,
    }
}

impl<'p, 'k> Turns<'p, 'k> {
    pub fn of(plan: &'p Plan<'k>, stmt: &'k Stmt) -> Self {
        let mut sets: Vec<(LocalId, &'k Expr)> = Vec::new();
        let mut times: FxHashMap<LocalId, usize> = FxHashMap::default();
        visit_stmts(std::slice::from_ref(stmt), &mut |it| match &it.kind {
            StmtKind::Set { local, value } => {
                sets.push((*local, value));
                *times.entry(*local).or_default() += 1;
            }
            StmtKind::SetStructField { local, .. } => *times.entry(*local).or_default() += 2,
            _ => {}
        });
        let assigned = times.keys().copied().collect();
        let mut turns =
            Turns { plan, steps: Vec::new(), made: Vec::new(), assigned, found: FxHashMap::default() };
        let offsets: FxHashSet<LocalId> =
            plan.derived.iter().filter(|it| it.has_offset).map(|it| it.local).collect();
        let is_uniform = |it: LocalId| plan.classes[it.index()] == Class::Uniform;
        let last = last_assignments(stmt);
        for (local, value) in &sets {
            if let Some((by, minus)) = is_step(value, *local)
                && times[local] == 1
                && (offsets.contains(local) || is_uniform(*local) && last.contains(local))
                && turns.value(by).is_known
                && turns.value(by).is_fixed()
            {
                turns.steps.push(Step { local: *local, by, minus, is_offset: offsets.contains(local) });
            }
        }
        for step in &turns.steps {
            let by =
                super::constant(step.by).and_then(|it| if step.minus { it.checked_neg() } else { Some(it) });
            turns.found.insert(step.local, Found { is_known: true, by, apart: Some(0) });
        }
        for (local, value) in &sets {
            if is_uniform(*local) && !turns.found.contains_key(local) && plan.is_assigned_once(*local) {
                let found = turns.value(value);
                if found.is_known {
                    turns.found.insert(*local, found);
                    turns.made.push((*local, value));
                }
            }
        }
        // In an order in which they can be computed.
        for derived in &plan.derived {
            let offset = match (derived.has_offset, turns.found.get(&derived.local)) {
                (true, Some(step)) => *step,
                (true, None) if times.contains_key(&derived.local) => Found::UNKNOWN,
                _ => Found::FIXED,
            };
            let found = turns.value(derived.value).with(offset, i64::checked_add);
            turns.found.insert(derived.local, found);
        }
        turns
    }

    /// What is found of a local, once what it is made of has been.
    fn local(&self, local: LocalId) -> Found {
        if let Some(found) = self.found.get(&local) {
            return *found;
        }
        let is_fixed = matches!(self.plan.classes[local.index()], Class::Given | Class::Uniform)
            && !self.assigned.contains(&local);
        match is_fixed {
            true => Found { apart: Some(i64::from(self.fastest() == Some(local))), ..Found::FIXED },
            false => Found::UNKNOWN,
        }
    }

    fn value(&self, expr: &Expr) -> Found {
        use Operation as O;
        if !matches!(expr.ty, Ty::I32 | Ty::I64 | Ty::Bool) {
            return Found::UNKNOWN;
        }
        match &expr.kind {
            ExprKind::Int(_) => Found::FIXED,
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Operation { operation, args } => match (operation, args.as_slice()) {
                (O::Convert, [value]) => self.value(value),
                (O::Add, [a, b]) => self.value(a).with(self.value(b), i64::checked_add),
                (O::Sub, [a, b]) => self.value(a).with(self.value(b), i64::checked_sub),
                (O::Mul, [a, b]) => {
                    let (first, second) = (self.value(a), self.value(b));
                    let (changing, factor) = if first.is_fixed() { (second, a) } else { (first, b) };
                    let times = |it: Option<i64>| match it? {
                        0 => Some(0),
                        it => it.checked_mul(super::constant(factor)?),
                    };
                    Found {
                        is_known: first.is_known && second.is_known,
                        by: times(changing.by).filter(|_| first.is_fixed() || second.is_fixed()),
                        // What does not differ in a row does not when it is multiplied, whatever a turn adds.
                        apart: match (first.apart, second.apart) {
                            (Some(0), Some(0)) => Some(0),
                            _ => times(changing.apart).filter(|_| first.is_fixed() || second.is_fixed()),
                        },
                    }
                }
                (operation, all) => {
                    let is_cheap = matches!(operation, O::Neg | O::Not | O::Shl | O::Shr | O::And | O::Or)
                        || matches!(operation, O::Xor | O::Eq | O::Ne | O::Lt | O::Le | O::Gt | O::Ge)
                        || matches!(operation, O::Min | O::Max);
                    let all = all.iter().map(|it| self.value(it));
                    if is_cheap { all.fold(Found::FIXED, Found::mixed) } else { Found::UNKNOWN }
                }
            },
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.value(a).mixed(self.value(b)),
            _ => Found::UNKNOWN,
        }
    }

    /// The size of the elements of a captured rail of numbers.
    pub fn element_bytes(&self, rail: LocalId) -> Option<i64> {
        element(self.plan, rail).and_then(bytes)
    }

    /// The fastest axis of threads.
    fn fastest(&self) -> Option<LocalId> {
        self.plan.kernel().thread_locals.last().copied()
    }

    pub fn nodes(&self, nodes: &[Node<'k>], wishes: &mut Vec<Wish<'k>>) {
        for node in nodes {
            match node {
                Node::Run(stmts) => stmts.iter().for_each(|it| self.stmt(it, wishes)),
                Node::If(stmt, then, otherwise) => {
                    let StmtKind::If { condition, .. } = &stmt.kind else { continue };
                    let (mut first, mut second) = (Vec::new(), Vec::new());
                    self.nodes(then, &mut first);
                    self.nodes(otherwise, &mut second);
                    self.branch(condition, first, second, wishes);
                }
                _ => {}
            }
        }
    }

    fn stmt(&self, stmt: &'k Stmt, wishes: &mut Vec<Wish<'k>>) {
        match &stmt.kind {
            StmtKind::Block(body) => body.iter().for_each(|it| self.stmt(it, wishes)),
            StmtKind::If { then, otherwise, condition } => {
                self.reads(condition, wishes);
                let (mut first, mut second) = (Vec::new(), Vec::new());
                then.iter().for_each(|it| self.stmt(it, &mut first));
                otherwise.iter().for_each(|it| self.stmt(it, &mut second));
                self.branch(condition, first, second, wishes);
            }
            // Loops in a turn are long enough for a processor to see where they go.
            StmtKind::Loop { .. } => {}
            kind => {
                for operand in operands(kind) {
                    self.reads(operand, wishes);
                }
                if let StmtKind::SetElement { rail, index, .. } = kind {
                    wishes.extend(self.element(rail, index));
                }
            }
        }
    }

    /// What is touched under a condition. One that differs from thread to thread of a row says nothing of the row.
    fn branch(
        &self,
        condition: &'k Expr,
        then: Vec<Wish<'k>>,
        otherwise: Vec<Wish<'k>>,
        wishes: &mut Vec<Wish<'k>>,
    ) {
        if then.is_empty() && otherwise.is_empty() {
            return;
        }
        let found = self.value(condition);
        if found.is_known && found.apart == Some(0) {
            wishes.push(Wish::If(condition, then, otherwise));
        } else {
            wishes.extend(then);
            wishes.extend(otherwise);
        }
    }

    fn reads(&self, expr: &'k Expr, wishes: &mut Vec<Wish<'k>>) {
        visit_expr(expr, None, &mut |it, _| {
            if let ExprKind::Element { rail, index, .. } = &it.kind {
                wishes.extend(self.element(rail, index));
            }
        });
    }

    fn element(&self, rail: &Expr, index: &'k Expr) -> Option<Wish<'k>> {
        let ExprKind::Local(rail) = rail.kind else { return None };
        let bytes = self.element_bytes(rail)?;
        let Found { is_known, by, apart } = self.value(index);
        let is_far = by.is_none_or(|it| it.saturating_mul(bytes).saturating_abs() >= NEAR);
        let is_row = matches!(apart, Some(-1 | 1));
        (is_known && is_far && is_row).then_some(Wish::Element { rail, index, by })
    }
}
