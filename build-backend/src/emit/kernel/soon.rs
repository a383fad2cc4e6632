//! What the next turn of a loop with barriers touches is asked for in this one. Such a turn (a plane of a stencil, a tile of a product) lies far in
//! memory from the one before, in short rows that are far from each other, which a processor does not foresee; and what it waits for itself
//! can only be a few lines at a time, fewer than its second cache asks for on its own. (The stencil of `tests/bench`, one thread of an AMD EPYC:
//! 9.5 ms without, 7.0 with; asking for the first cache, 9.8.)

use rustc_hash::FxHashSet;

use super::cpu::Printer;
use super::derive::is_step;
use super::plan::{Class, Node, Plan};
use super::strided::factor;
use super::threads::Turn;
use crate::mir::walk::{operands, visit_expr, visit_stmts};
use crate::mir::*;

/// Turns that are nearer to each other than a page, in bytes, a processor foresees.
const NEAR: i64 = 4096;
/// Bytes of a line of the caches.
const LINE: i64 = 64;

/// What a turn touches.
enum Wish<'k> {
    /// An element of a captured rail; whether it is stored to.
    Element { rail: LocalId, index: &'k Expr, stored: bool },
    /// What is touched under a condition, and otherwise.
    If(&'k Expr, Vec<Wish<'k>>, Vec<Wish<'k>>),
}

/// A local that a turn adds something to, the same for all threads.
struct Step<'k> {
    local: LocalId,
    by: &'k Expr,
    minus: bool,
    /// What is added stands in a variable of its own.
    is_offset: bool,
}

/// A loop.
struct Turns<'p, 'k> {
    plan: &'p Plan<'k>,
    steps: Vec<Step<'k>>,
    /// Locals that a turn makes of these, the same for all threads, in order.
    made: Vec<(LocalId, &'k Expr)>,
    /// What else is assigned in it: its value in the next turn is not known.
    assigned: FxHashSet<LocalId>,
}

impl<'k> Printer<'_, '_, 'k> {
    /// Asks for what the next turn of a loop touches; `body` is the loop's.
    pub(super) fn soon(&mut self, stmt: &'k Stmt, body: &[Node<'k>]) {
        let turns = Turns::of(self.plan, stmt);
        let mut wishes = Vec::new();
        if !turns.steps.is_empty() {
            turns.nodes(body, &mut wishes);
        }
        if wishes.is_empty() {
            return;
        }
        self.code.out.open("if constexpr (proven_) {");
        let mut next = Vec::new();
        for (number, step) in turns.steps.iter().enumerate() {
            let place = self.code.local(step.local);
            let (ty, name) = match step.is_offset {
                true => ("apg_i64".to_owned(), format!("{}_u", place.text)),
                false => (self.code.ty(place.ty), place.text),
            };
            let (sign, by) = (if step.minus { '-' } else { '+' }, self.code.wide_value(step.by));
            self.code.out.line(format!("const {ty} soon{number}_ = ({ty})({name} {sign} {by});"));
            next.push(format!("const {ty} {name} = soon{number}_; (void){name};"));
        }
        // In a scope of its own: the names are those of this turn.
        self.code.out.open("{");
        for line in next {
            self.code.out.line(line);
        }
        for (local, value) in &turns.made {
            let place = self.code.local(*local);
            let (ty, value) = (self.code.ty(place.ty), self.code.expr(value));
            self.code.out.line(format!("const {ty} {0} = ({ty})({value}); (void){0};", place.text));
        }
        for axis in (1..self.axes()).rev() {
            self.code.out.line(format!("for (apg_i64 t{axis}_ = 0; t{axis}_ < n{axis}_; ++t{axis}_)"));
        }
        let lane = LINE / widest(self.plan, &wishes);
        self.code.out.open(format!("for (apg_i64 t0_ = 0; t0_ < n0_; t0_ += {lane}) {{"));
        self.indices(&Turn::of_block());
        let mut locals = FxHashSet::default();
        mentioned(&wishes, &mut locals);
        self.declare_derived(&locals);
        self.ask(&wishes);
        for _ in 0..3 {
            self.code.out.close("}");
        }
        self.code.twins.clear();
    }

    fn ask(&mut self, wishes: &[Wish<'k>]) {
        let mut asked: Vec<String> = Vec::new();
        for wish in wishes {
            match wish {
                Wish::Element { rail, index, stored } => {
                    let Some(rail) = self.code.local(*rail).rail else { continue };
                    let index = self.code.wide_value(index);
                    let line = format!("apg_ask<{stored}>({}, {index});", rail.data);
                    if !asked.contains(&line) {
                        self.code.out.line(&line);
                        asked.push(line);
                    }
                }
                Wish::If(condition, then, otherwise) => {
                    let condition = self.code.expr(condition);
                    self.code.out.open(format!("if ({condition}) {{"));
                    self.ask(then);
                    if !otherwise.is_empty() {
                        self.code.out.between("} else {");
                        self.ask(otherwise);
                    }
                    self.code.out.close("}");
                }
            }
        }
    }
}

/// The size of the widest element, in bytes.
fn widest(plan: &Plan<'_>, wishes: &[Wish<'_>]) -> i64 {
    let of = |wish: &Wish<'_>| match wish {
        Wish::Element { rail, .. } => element(plan, *rail).and_then(bytes).unwrap_or(1),
        Wish::If(_, then, otherwise) => widest(plan, then).max(widest(plan, otherwise)),
    };
    wishes.iter().map(of).max().unwrap_or(1)
}

fn mentioned(wishes: &[Wish<'_>], found: &mut FxHashSet<LocalId>) {
    for wish in wishes {
        match wish {
            Wish::Element { index, .. } => mentioned_in(index, found),
            Wish::If(condition, then, otherwise) => {
                mentioned_in(condition, found);
                mentioned(then, found);
                mentioned(otherwise, found);
            }
        }
    }
}

fn mentioned_in(expr: &Expr, found: &mut FxHashSet<LocalId>) {
    visit_expr(expr, None, &mut |it, _| {
        if let ExprKind::Local(local) = it.kind {
            found.insert(local);
        }
    });
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
fn bytes(ty: Ty) -> Option<i64> {
    match ty {
        Ty::Bool | Ty::I8 | Ty::U8 => Some(1),
        Ty::I16 | Ty::U16 | Ty::Char => Some(2),
        Ty::I32 | Ty::U32 | Ty::F32 => Some(4),
        Ty::I64 | Ty::U64 | Ty::F64 => Some(8),
        _ => None,
    }
}

impl<'p, 'k> Turns<'p, 'k> {
    fn of(plan: &'p Plan<'k>, stmt: &'k Stmt) -> Self {
        let mut turns = Turns { plan, steps: Vec::new(), made: Vec::new(), assigned: FxHashSet::default() };
        let mut sets: Vec<(LocalId, &'k Expr)> = Vec::new();
        visit_stmts(std::slice::from_ref(stmt), &mut |it| match &it.kind {
            StmtKind::Set { local, value } => sets.push((*local, value)),
            StmtKind::SetStructField { local, .. } => turns.assigned.extend([*local]),
            _ => {}
        });
        turns.assigned.extend(sets.iter().map(|it| it.0));
        let mut steps = Vec::new();
        for (local, value) in &sets {
            let is_offset = plan.derived.iter().any(|it| it.local == *local && it.has_offset);
            let once = sets.iter().filter(|it| it.0 == *local).count() == 1;
            if let Some((by, minus)) = is_step(value, *local)
                && once
                && (is_offset || plan.classes[local.index()] == Class::Uniform)
                && plan.is_uniform(by, &FxHashSet::default())
                && turns.is_known(by)
            {
                steps.push(Step { local: *local, by, minus, is_offset });
            }
        }
        for step in &steps {
            turns.assigned.remove(&step.local);
        }
        turns.steps = steps;
        for (local, value) in &sets {
            let is_uniform = plan.classes[local.index()] == Class::Uniform && turns.assigned.contains(local);
            if is_uniform && plan.is_assigned_once(*local) && turns.is_known(value) {
                turns.assigned.remove(local);
                turns.made.push((*local, value));
            }
        }
        turns
    }

    /// Whether an expression is arithmetic that can be done for the next turn: it raises nothing and reads no memory.
    fn is_known(&self, expr: &Expr) -> bool {
        use Operation as O;
        match &expr.kind {
            ExprKind::Int(_) => true,
            ExprKind::Local(local) => match self.plan.classes[local.index()] {
                Class::Derived => {
                    let of = self.plan.derived.iter().find(|it| it.local == *local);
                    of.is_some_and(|it| {
                        self.is_known(it.value) && !(it.has_offset && self.assigned.contains(local))
                    })
                }
                Class::Given | Class::Uniform => {
                    !self.assigned.contains(local) && matches!(expr.ty, Ty::I32 | Ty::I64 | Ty::Bool)
                }
                _ => false,
            },
            ExprKind::Operation { operation, args } => {
                let is_cheap = matches!(
                    operation,
                    O::Add
                        | O::Sub
                        | O::Mul
                        | O::Neg
                        | O::Not
                        | O::Convert
                        | O::Shl
                        | O::Shr
                        | O::And
                        | O::Or
                ) || matches!(
                    operation,
                    O::Xor | O::Eq | O::Ne | O::Lt | O::Le | O::Gt | O::Ge | O::Min | O::Max
                );
                let is_whole = matches!(expr.ty, Ty::I32 | Ty::I64 | Ty::Bool);
                is_cheap && is_whole && args.iter().all(|it| self.is_known(it))
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.is_known(a) && self.is_known(b),
            _ => false,
        }
    }

    /// How much a turn adds to an index; none if that is not a number of the program's.
    fn distance(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Local(local) => {
                let step = self.steps.iter().find(|it| it.local == *local);
                let own = step.map_or(Some(0), |it| super::constant(it.by));
                let derived = self.plan.derived.iter().find(|it| it.local == *local).map(|it| it.value);
                let value = derived.or(self.made.iter().find(|it| it.0 == *local).map(|it| it.1));
                own?.checked_add(value.map_or(Some(0), |it| self.distance(it))?)
            }
            ExprKind::Operation { operation, args } => match (operation, args.as_slice()) {
                (Operation::Convert, [value]) => self.distance(value),
                (Operation::Add, [a, b]) => self.distance(a)?.checked_add(self.distance(b)?),
                (Operation::Sub, [a, b]) => self.distance(a)?.checked_sub(self.distance(b)?),
                (Operation::Mul, [a, b]) => match (self.distance(a)?, self.distance(b)?) {
                    (0, 0) => Some(0),
                    (by, 0) => by.checked_mul(super::constant(b)?),
                    (0, by) => by.checked_mul(super::constant(a)?),
                    _ => None,
                },
                (_, all) => all.iter().all(|it| self.distance(it) == Some(0)).then_some(0),
            },
            _ => Some(0),
        }
    }

    /// The fastest axis of threads.
    fn fastest(&self) -> Option<LocalId> {
        self.plan.kernel().thread_locals.last().copied()
    }

    fn nodes(&self, nodes: &[Node<'k>], wishes: &mut Vec<Wish<'k>>) {
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
                    wishes.extend(self.element(rail, index, true));
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
        if self.is_known(condition) && self.is_same_in_rows(condition) {
            wishes.push(Wish::If(condition, then, otherwise));
        } else {
            wishes.extend(then);
            wishes.extend(otherwise);
        }
    }

    fn is_same_in_rows(&self, expr: &Expr) -> bool {
        let mut all = FxHashSet::default();
        mentioned_in(expr, &mut all);
        let needed: Vec<LocalId> = self.plan.needed(&all).iter().map(|it| it.local).collect();
        for derived in self.plan.derived.iter().filter(|it| needed.contains(&it.local)) {
            mentioned_in(derived.value, &mut all);
        }
        self.fastest().is_none_or(|it| !all.contains(&it))
    }

    fn reads(&self, expr: &'k Expr, wishes: &mut Vec<Wish<'k>>) {
        visit_expr(expr, None, &mut |it, _| {
            if let ExprKind::Element { rail, index, .. } = &it.kind {
                wishes.extend(self.element(rail, index, false));
            }
        });
    }

    fn element(&self, rail: &Expr, index: &'k Expr, stored: bool) -> Option<Wish<'k>> {
        let ExprKind::Local(rail) = rail.kind else { return None };
        let bytes = bytes(element(self.plan, rail)?)?;
        let far = self.distance(index).is_none_or(|it| it.saturating_mul(bytes).saturating_abs() >= NEAR);
        let apart = factor(self.plan, &FxHashSet::default(), self.fastest()?, index);
        (far && matches!(apart, Some(-1..=1)) && self.is_known(index)).then_some(Wish::Element {
            rail,
            index,
            stored,
        })
    }
}
