//! Software pipelining of loads in device loops (Lam, PLDI 1988).
//!
//! Precondition: a grid-stride loop without inner loops or barriers that reads read-only captured rails at
//! affine indices. With few threads per multiprocessor such a loop is bound by memory latency. Its loads are
//! issued two iterations ahead, so that they overlap with the computation. The host decides at launch, by the
//! number of threads, whether the pipelined variant runs.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::{Code, PreloadedElement};
use apg_mir::walk::{operands, visit_stmts};
use apg_mir::*;
use apg_passes::analysis::constants::constant_value;
use apg_passes::kernel::access_summary::AccessSummary;
use apg_passes::kernel::expressions::is_same_expr;
use apg_passes::kernel::facts::PipelinedLoop;
use apg_passes::kernel::locals::{collect_assigned, mentions_any};
use apg_passes::kernel::rematerialize::as_step;

/// Loops with a shorter step touch cache lines that the thread has just loaded: elements.
const MIN_STEP_ELEMENTS: i64 = 32;
/// Upper limit of preloaded elements: more would cost registers, and so occupancy.
const MAX_PRELOADED_ELEMENTS: usize = 8;

/// The condition under which pipelined code runs.
const PIPELINE_GUARD: &str = "if (pipelined_) {";

/// Finds the loops that can be pipelined.
pub(super) fn find_pipelined_loops<'k>(
    code: &Code<'_>,
    kernel: &'k Kernel,
    accesses: &AccessSummary,
) -> FxHashMap<LabelId, PipelinedLoop<'k>> {
    let mut found = FxHashMap::default();
    visit_stmts(&kernel.body, &mut |stmt| {
        let StmtKind::Loop { label, condition, body, update, unroll: None, post_tested: false } = &stmt.kind
        else {
            return;
        };
        if let Some(pipelined) = pipelined_loop(code, kernel, accesses, condition, body, update) {
            found.insert(*label, pipelined);
        }
    });
    found
}

fn pipelined_loop<'k>(
    code: &Code<'_>,
    kernel: &'k Kernel,
    accesses: &AccessSummary,
    condition: &Expr,
    body: &'k [Stmt],
    update: &'k [Stmt],
) -> Option<PipelinedLoop<'k>> {
    let mut inside = FxHashSet::default();
    collect_assigned(body, &mut inside);
    let mut has_loop_or_barrier = false;
    visit_stmts(body, &mut |it| {
        has_loop_or_barrier |= matches!(it.kind, StmtKind::Loop { .. } | StmtKind::Barrier)
    });
    let counters = induction_counters(update, &inside)?;
    // Operands of conditions and indices are known two iterations ahead.
    let is_known = |expr: &Expr| is_arithmetic(expr) && !mentions_any(expr, &inside);
    if has_loop_or_barrier || !is_known(condition) {
        return None;
    }
    let mut elements = Vec::new();
    let mut visit = |expr: &'k Expr| {
        let ExprKind::Element { rail, index, .. } = &expr.kind else { return };
        let ExprKind::Local(local) = rail.kind else { return };
        let is_read = matches!(
            kernel.captures.get(local.index()).map(|it| it.kind),
            Some(KernelCaptureKind::Rail { .. } | KernelCaptureKind::GlobalRail { .. })
        ) && accesses.is_read_only(local);
        let is_number = !matches!(expr.ty, Ty::Struct(_) | Ty::Ref(_) | Ty::Any);
        let is_induction = counters.iter().any(|it| mentions_any(index, &FxHashSet::from_iter([*it])));
        if is_read && is_number && is_induction && is_known(index) && code.is_inside(index) {
            match elements.iter_mut().find(|it: &&mut (&Expr, Vec<&Expr>)| is_same_expr(it.0, expr)) {
                Some((_, others)) => others.push(expr),
                None => elements.push((expr, Vec::new())),
            }
        }
    };
    visit_unconditional_stmts(body, &mut |stmt| {
        operands(&stmt.kind).into_iter().for_each(|it| visit_unconditional_exprs(it, &mut visit))
    });
    (1..=MAX_PRELOADED_ELEMENTS).contains(&elements.len()).then_some(PipelinedLoop {
        counters,
        update,
        elements,
    })
}

/// The counters of an update, if it only adds loop-invariant values and one of the steps is long.
fn induction_counters(update: &[Stmt], inside: &FxHashSet<LocalId>) -> Option<Vec<LocalId>> {
    let mut changed = inside.clone();
    collect_assigned(update, &mut changed);
    let mut found = Vec::new();
    let mut is_far_step = false;
    for stmt in update {
        let StmtKind::Set { local, value } = &stmt.kind else { return None };
        let (by, _) = as_step(value, *local)?;
        if inside.contains(local) || found.contains(local) || !is_arithmetic(by) || mentions_any(by, &changed)
        {
            return None;
        }
        is_far_step |= constant_value(by).is_none_or(|it| it.abs() >= MIN_STEP_ELEMENTS);
        found.push(*local);
    }
    is_far_step.then_some(found)
}

/// Arithmetic on locals and constants: it can be evaluated ahead of time and raises nothing.
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

/// Visits the statements that an iteration executes unconditionally; false at the first other statement.
fn visit_unconditional_stmts<'k>(body: &'k [Stmt], each: &mut impl FnMut(&'k Stmt)) -> bool {
    body.iter().all(|stmt| match &stmt.kind {
        StmtKind::Block(body) => visit_unconditional_stmts(body, each),
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

/// Visits the subexpressions that are evaluated unconditionally.
fn visit_unconditional_exprs<'k>(expr: &'k Expr, visit: &mut impl FnMut(&'k Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Operation { args, .. } | ExprKind::Call { args, .. } => {
            args.iter().for_each(|it| visit_unconditional_exprs(it, visit));
        }
        ExprKind::Select { condition, .. } => visit_unconditional_exprs(condition, visit),
        ExprKind::And(a, _) | ExprKind::Or(a, _) => visit_unconditional_exprs(a, visit),
        _ => {}
    }
}

impl<'p> Code<'p> {
    /// Prints the prologue: loads for the first two iterations.
    pub(crate) fn print_pipeline_prologue(
        &mut self,
        pipelined: &PipelinedLoop<'p>,
        condition: &str,
    ) -> Vec<String> {
        let names: Vec<String> =
            pipelined.elements.iter().map(|_| format!("preloaded{}_", self.fresh())).collect();
        self.out.open("{");
        for (name, (element, _)) in names.iter().zip(&pipelined.elements) {
            let ty = self.ty(element.ty);
            self.out.line(format!("{ty} {name} = {ty}{{}}, {name}next = {ty}{{}};"));
        }
        self.out.open(PIPELINE_GUARD);
        self.save_counters(pipelined);
        self.out.open(format!("if ({condition}) {{"));
        self.print_loads(pipelined, &names, "");
        self.stmts(pipelined.update);
        self.out.open(format!("if ({condition}) {{"));
        self.print_loads(pipelined, &names, "next");
        self.out.close("}");
        self.out.close("}");
        self.restore_counters(pipelined);
        self.out.close("}");
        names
    }

    /// Prints the begin of an iteration: takes its preloaded values and loads those of the iteration after
    /// the next.
    pub(crate) fn print_pipeline_stage(
        &mut self,
        pipelined: &PipelinedLoop<'p>,
        names: &[String],
        condition: &str,
    ) {
        for (name, (element, _)) in names.iter().zip(&pipelined.elements) {
            let ty = self.ty(element.ty);
            self.out.line(format!("const {ty} {name}now = {name};"));
        }
        self.out.open(PIPELINE_GUARD);
        for name in names {
            self.out.line(format!("{name} = {name}next;"));
        }
        self.save_counters(pipelined);
        self.stmts(pipelined.update);
        // If the next iteration does not run, the one after it does not either.
        self.out.open(format!("if ({condition}) {{"));
        self.stmts(pipelined.update);
        self.out.open(format!("if ({condition}) {{"));
        self.print_loads(pipelined, names, "next");
        self.out.close("}");
        self.out.close("}");
        self.restore_counters(pipelined);
        self.out.close("}");
        for (name, (element, others)) in names.iter().zip(&pipelined.elements) {
            for element in std::iter::once(element).chain(others) {
                if let ExprKind::Element { index, .. } = &element.kind {
                    let ahead = PreloadedElement { name: format!("{name}now"), when: "pipelined_" };
                    self.preloaded.insert(index.id, ahead);
                }
            }
        }
    }

    fn print_loads(&mut self, pipelined: &PipelinedLoop<'p>, names: &[String], which: &str) {
        for (name, (element, _)) in names.iter().zip(&pipelined.elements) {
            let value = self.expr(element);
            self.out.line(format!("{name}{which} = {value};"));
        }
    }

    fn save_counters(&mut self, pipelined: &PipelinedLoop<'p>) {
        for counter in &pipelined.counters {
            self.out.line(format!("const auto saved{}_ = {};", counter.0, self.local(*counter).text));
        }
    }

    fn restore_counters(&mut self, pipelined: &PipelinedLoop<'p>) {
        for counter in &pipelined.counters {
            self.out.line(format!("{} = saved{}_;", self.local(*counter).text, counter.0));
        }
    }
}
