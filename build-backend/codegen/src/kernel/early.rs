//! Loops of a kernel for a device in which a thread takes an element every so often, until the grid has taken all, and waits for memory in each turn.
//! Where a launch has so few threads that a multiprocessor has nothing else to do meanwhile, they read what the turn after the next
//! needs before they compute. (The options of `tests/bench` by 480 blocks of 128, on an H100: 0.93 ms, so 0.70. With all the threads
//! that it holds at once it would take 0.56, where it takes 0.49: the host decides at the launch.)

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::code::{Ahead, Code};
use super::bounds::assigned;
use super::derive::is_step;
use super::usage::Usage;
use apg_mir::walk::{operands, visit_expr, visit_stmts};
use apg_mir::*;

/// Nearer turns than these are in memory that a thread has read just before.
const NEAREST: i64 = 32;
/// More than these would take the registers of other threads.
const MOST: usize = 8;

/// What the code asks before.
const IF_EARLY: &str = "if (early_) {";

/// Whether a kernel's code has such loops.
pub fn reads_early(cuda: &str) -> bool {
    cuda.contains(IF_EARLY)
}

/// What a loop reads early.
pub struct Early<'k> {
    /// What its update assigns.
    counters: Vec<LocalId>,
    update: &'k [Stmt],
    /// Elements, each read in every turn; with what else means the same.
    elements: Vec<(&'k Expr, Vec<&'k Expr>)>,
}

/// The loops that can.
pub fn loops<'k>(code: &Code<'_>, kernel: &'k Kernel, usage: &Usage) -> FxHashMap<LabelId, Early<'k>> {
    let mut found = FxHashMap::default();
    visit_stmts(&kernel.body, &mut |stmt| {
        let StmtKind::Loop { label, condition, body, update, unroll: None, test_last: false } = &stmt.kind
        else {
            return;
        };
        if let Some(early) = early(code, kernel, usage, condition, body, update) {
            found.insert(*label, early);
        }
    });
    found
}

fn early<'k>(
    code: &Code<'_>,
    kernel: &'k Kernel,
    usage: &Usage,
    condition: &Expr,
    body: &'k [Stmt],
    update: &'k [Stmt],
) -> Option<Early<'k>> {
    let mut inside = FxHashSet::default();
    assigned(body, &mut inside);
    let mut waits = false;
    visit_stmts(body, &mut |it| waits |= matches!(it.kind, StmtKind::Loop { .. } | StmtKind::Barrier));
    let counters = counters(update, &inside)?;
    // What both are made of is known two turns before.
    let is_known = |expr: &Expr| is_arithmetic(expr) && !mentions_any(expr, &inside);
    if waits || !is_known(condition) {
        return None;
    }
    let mut elements = Vec::new();
    let mut look = |expr: &'k Expr| {
        let ExprKind::Element { rail, index, .. } = &expr.kind else { return };
        let ExprKind::Local(local) = rail.kind else { return };
        let is_read = matches!(
            kernel.captures.get(local.index()).map(|it| it.kind),
            Some(KernelCaptureKind::Rail { .. } | KernelCaptureKind::GlobalRail { .. })
        ) && usage.is_only_read(local);
        let is_number = !matches!(expr.ty, Ty::Struct(_) | Ty::Ref(_) | Ty::Any);
        let moves_on = counters.iter().any(|it| mentions_any(index, &FxHashSet::from_iter([*it])));
        if is_read && is_number && moves_on && is_known(index) && code.is_inside(index) {
            match elements.iter_mut().find(|it: &&mut (&Expr, Vec<&Expr>)| same(it.0, expr)) {
                Some((_, others)) => others.push(expr),
                None => elements.push((expr, Vec::new())),
            }
        }
    };
    always_done(body, &mut |stmt| operands(&stmt.kind).into_iter().for_each(|it| always_read(it, &mut look)));
    (1..=MOST).contains(&elements.len()).then_some(Early { counters, update, elements })
}

/// What an update adds to, far enough each time, the same in every turn.
fn counters(update: &[Stmt], inside: &FxHashSet<LocalId>) -> Option<Vec<LocalId>> {
    let mut changed = inside.clone();
    assigned(update, &mut changed);
    let mut found = Vec::new();
    let mut is_far = false;
    for stmt in update {
        let StmtKind::Set { local, value } = &stmt.kind else { return None };
        let (by, _) = is_step(value, *local)?;
        if inside.contains(local) || found.contains(local) || !is_arithmetic(by) || mentions_any(by, &changed)
        {
            return None;
        }
        is_far |= super::constant(by).is_none_or(|it| it.abs() >= NEAREST);
        found.push(*local);
    }
    is_far.then_some(found)
}

/// Sums, products and comparisons of locals and numbers: computed earlier, they do the same and raise nothing.
fn is_arithmetic(expr: &Expr) -> bool {
    use Operation as O;
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Local(_) => true,
        ExprKind::And(a, b) => is_arithmetic(a) && is_arithmetic(b),
        ExprKind::Length { rail, checked: false, .. } => matches!(rail.kind, ExprKind::Local(_)),
        ExprKind::StructField { value, .. } => matches!(value.kind, ExprKind::Local(_)),
        ExprKind::Operation { operation, args } => {
            matches!(
                operation,
                O::Add | O::Sub | O::Mul | O::Convert | O::And | O::Lt | O::Le | O::Gt | O::Ge
            ) && args.iter().all(is_arithmetic)
        }
        _ => false,
    }
}

/// Whether two known values are written in the same way.
pub fn same(a: &Expr, b: &Expr) -> bool {
    let all = |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
    a.ty == b.ty
        && match (&a.kind, &b.kind) {
            (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
            (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
            (
                ExprKind::Element { rail: a, index: first, .. },
                ExprKind::Element { rail: b, index: second, .. },
            ) => same(a, b) && same(first, second),
            (
                ExprKind::Operation { operation: a, args: first },
                ExprKind::Operation { operation: b, args: second },
            ) => a == b && all(first, second),
            _ => false,
        }
}

fn mentions_any(expr: &Expr, locals: &FxHashSet<LocalId>) -> bool {
    let mut found = false;
    visit_expr(expr, None, &mut |it, _| {
        found |= matches!(it.kind, ExprKind::Local(local) if locals.contains(&local));
    });
    found
}

/// The statements that a turn begins with whatever it finds. False at the first other one.
fn always_done<'k>(body: &'k [Stmt], each: &mut impl FnMut(&'k Stmt)) -> bool {
    body.iter().all(|stmt| match &stmt.kind {
        StmtKind::Block(body) => always_done(body, each),
        StmtKind::Set { .. }
        | StmtKind::SetElement { .. }
        | StmtKind::SetStructField { .. }
        | StmtKind::Expr(_) => {
            each(stmt);
            true
        }
        _ => false,
    })
}

/// The parts of a value that are computed whatever others are.
fn always_read<'k>(expr: &'k Expr, look: &mut impl FnMut(&'k Expr)) {
    look(expr);
    match &expr.kind {
        ExprKind::Operation { args, .. } | ExprKind::Call { args, .. } => {
            args.iter().for_each(|it| always_read(it, look));
        }
        ExprKind::Select { condition, .. } => always_read(condition, look),
        ExprKind::And(a, _) | ExprKind::Or(a, _) => always_read(a, look),
        _ => {}
    }
}

impl<'p> Code<'p> {
    /// In front of a loop: reads what its first two turns need.
    pub fn early_begin(&mut self, early: &Early<'p>, condition: &str) -> Vec<String> {
        let names: Vec<String> = early.elements.iter().map(|_| format!("early{}_", self.fresh())).collect();
        self.out.open("{");
        for (name, (element, _)) in names.iter().zip(&early.elements) {
            let ty = self.ty(element.ty);
            self.out.line(format!("{ty} {name} = {ty}{{}}, {name}next = {ty}{{}};"));
        }
        self.out.open(IF_EARLY);
        self.keep(early);
        self.out.open(format!("if ({condition}) {{"));
        self.read(early, &names, "");
        self.stmts(early.update);
        self.out.open(format!("if ({condition}) {{"));
        self.read(early, &names, "next");
        self.out.close("}");
        self.out.close("}");
        self.restore(early);
        self.out.close("}");
        names
    }

    /// At the beginning of a turn: takes what was read for it, and reads for the turn after the next.
    pub fn early_turn(&mut self, early: &Early<'p>, names: &[String], condition: &str) {
        for (name, (element, _)) in names.iter().zip(&early.elements) {
            let ty = self.ty(element.ty);
            self.out.line(format!("const {ty} {name}now = {name};"));
        }
        self.out.open(IF_EARLY);
        for name in names {
            self.out.line(format!("{name} = {name}next;"));
        }
        self.keep(early);
        self.stmts(early.update);
        // A turn that does not come has no turn after it.
        self.out.open(format!("if ({condition}) {{"));
        self.stmts(early.update);
        self.out.open(format!("if ({condition}) {{"));
        self.read(early, names, "next");
        self.out.close("}");
        self.out.close("}");
        self.restore(early);
        self.out.close("}");
        for (name, (element, others)) in names.iter().zip(&early.elements) {
            for element in std::iter::once(element).chain(others) {
                if let ExprKind::Element { index, .. } = &element.kind {
                    let ahead = Ahead { name: format!("{name}now"), when: "early_" };
                    self.ahead.insert(std::ptr::from_ref(&**index), ahead);
                }
            }
        }
    }

    fn read(&mut self, early: &Early<'p>, names: &[String], which: &str) {
        for (name, (element, _)) in names.iter().zip(&early.elements) {
            let value = self.expr(element);
            self.out.line(format!("{name}{which} = {value};"));
        }
    }

    fn keep(&mut self, early: &Early<'p>) {
        for counter in &early.counters {
            self.out.line(format!("const auto kept{}_ = {};", counter.0, self.local(*counter).text));
        }
    }

    fn restore(&mut self, early: &Early<'p>) {
        for counter in &early.counters {
            self.out.line(format!("{} = kept{}_;", self.local(*counter).text, counter.0));
        }
    }
}
