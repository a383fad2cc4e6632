//! Transposition of strided loads in registers.
//!
//! Where each thread of a chunk reads consecutive elements of its own (a row of a matrix, the coordinates of
//! a point), a vector of one iteration would be gathered. The elements of `CHUNK_THREADS` iterations are a
//! tile, of which each thread's part is contiguous: the tile is loaded row by row and transposed in
//! registers, and each iteration reads a vector of it. Each thread accumulates in program order.
//!
//! Preconditions: the loop counts by one, its bound is invariant, and it stores to no captured array.

use rustc_hash::FxHashSet;

use crate::analysis::access_summary::is_rail_like;
use crate::analysis::affine::{Term, linear_form};
use crate::analysis::constants::constant_value;
use crate::analysis::expressions::{is_same_expr, is_total};
use crate::analysis::induction_step::as_step;
use crate::analysis::kernel_ir::access_stride::thread_stride;
use crate::analysis::locals::{assigned_locals, mentions_any};
use crate::kernel_ir::{CHUNK_THREADS, chunk_threads};
use crate::kernel_ir::{
    ChunkLoop, ChunkPart, CountedLoop, KernelIr, LoopEnd, StridedLoad, StridedLoads, UnrollAndJam,
};
use crate::transform::kernel_ir::grid_stride::loop_bound;
use crate::transform::kernel_ir::loop_fission::{edit_chunks, edit_parts, has_loop};
use apg_mir::walk::{children, operands, visit_exprs, visit_stmts};
use apg_mir::*;
use apg_symbolic::LinearForm;

/// Finds the loops of chunks whose strided loads can be executed some iterations ahead.
pub(crate) fn run(ir: &mut KernelIr) {
    if chunk_threads(&ir.kernel) != Some(CHUNK_THREADS) {
        return;
    }
    ir.edit_schedules(&mut |ir, schedule, _| {
        edit_chunks(schedule, &mut |chunks| {
            if chunks.jam != UnrollAndJam::NONE {
                return;
            }
            let uniform: FxHashSet<LocalId> = chunks.uniform.iter().copied().collect();
            edit_parts(&mut chunks.parts, &mut |part| {
                if let ChunkPart::Loop(repeat) = part {
                    repeat.tiles = find_strided_loads(ir, &uniform, repeat);
                }
            });
        });
    });
}

/// The strided loads of a loop, if they may be executed some iterations ahead.
fn find_strided_loads(
    ir: &KernelIr,
    uniform: &FxHashSet<LocalId>,
    repeat: &ChunkLoop,
) -> Option<StridedLoads> {
    let source = ir.source(repeat.source)?;
    let StmtKind::Loop { body, update, .. } = &source.kind else { return None };
    // The body is executed in two forms with all loops in it: nested loops would double at each level.
    if may_store_to_captures(ir, body) || repeat.body.iter().any(has_loop) {
        return None;
    }
    let count = counted_loop(source)?;
    let mut assigned = assigned_locals(body);
    if assigned.contains(&count.counter) {
        return None;
    }
    assigned.extend(assigned_locals(update));
    let is_fixed = is_total(&count.end) && !mentions_any(&count.end, &assigned);
    let is_short = constant_value(&count.end).is_some_and(|it| it < CHUNK_THREADS);
    if !is_fixed || is_short || !uniform.contains(&count.counter) {
        return None;
    }
    let found = StridedLoads { count, rows: Vec::new(), values: Vec::new() };
    let mut collector = Collector { ir, uniform, assigned, found };
    for part in &repeat.body {
        match part {
            ChunkPart::Lanes { stmts, .. } => stmts.iter().for_each(|it| collector.collect(it)),
            ChunkPart::Uniform(stmt) => collector.record_value(stmt),
            _ => {}
        }
    }
    (!collector.found.rows.is_empty()).then_some(collector.found)
}

struct Collector<'p> {
    ir: &'p KernelIr,
    uniform: &'p FxHashSet<LocalId>,
    /// Locals that an iteration assigns.
    assigned: FxHashSet<LocalId>,
    found: StridedLoads,
}

impl Collector<'_> {
    /// Collects the strided loads that a statement executes unconditionally.
    fn collect(&mut self, stmt: &Stmt) {
        if let StmtKind::Set { .. } | StmtKind::SetElement { .. } | StmtKind::If { .. } = stmt.kind {
            operands(&stmt.kind)
                .into_iter()
                .for_each(|it| visit_unconditional(it, &mut |expr| self.collect_load(expr)));
        }
        self.record_value(stmt);
    }

    fn collect_load(&mut self, expr: &Expr) {
        let ExprKind::Element { rail, index, .. } = &expr.kind else { return };
        let kernel = &self.ir.kernel;
        let (ExprKind::Local(rail), Some(fastest)) = (&rail.kind, kernel.thread_locals.last()) else {
            return;
        };
        let is_captured = rail.index() < kernel.captures.len() && self.ir.accesses.is_read_only(*rail);
        let is_exact = self.ir.bounds.wide.contains(&index.id);
        let stride = thread_stride(self.ir, self.uniform, *fastest, index);
        if !is_captured
            || !is_exact
            || !is_number(expr.ty)
            || !self.ir.is_inside(index)
            || stride.is_some_and(|it| it.abs() <= 1)
            || self.counter_coefficient(index) != Some(1)
        {
            return;
        }
        let is_equal = |it: &&mut StridedLoad| it.rail == *rail && is_same_expr(&it.index, index);
        match self.found.rows.iter_mut().find(is_equal) {
            Some(row) => row.uses.push(index.id),
            None => {
                let uses = vec![index.id];
                self.found.rows.push(StridedLoad {
                    rail: *rail,
                    index: (**index).clone(),
                    ty: expr.ty,
                    uses,
                });
            }
        }
    }

    /// Records the value of a local that is assigned once.
    fn record_value(&mut self, stmt: &Stmt) {
        if let StmtKind::Set { local, value } = &stmt.kind
            && matches!(value.ty, Ty::I32 | Ty::I64)
            && self.ir.is_assigned_once(*local)
            && self.counter_coefficient(value).is_some()
        {
            self.found.values.push((*local, value.clone()));
        }
    }

    /// Coefficient of the loop counter in an affine index; `None` if the index is not affine.
    fn counter_coefficient(&self, expr: &Expr) -> Option<i64> {
        self.counter_form(expr)?.slope(&())
    }

    /// Affine form over the loop counter.
    fn counter_form(&self, expr: &Expr) -> Option<LinearForm<()>> {
        linear_form(expr, &|it| match &it.kind {
            ExprKind::Local(local) if *local == self.found.count.counter => {
                Term::Form(LinearForm::variable(()))
            }
            ExprKind::Local(local) => Term::of(match self.found.values.iter().find(|it| it.0 == *local) {
                Some((_, value)) => self.counter_form(value),
                None => (!self.assigned.contains(local)).then(|| LinearForm::invariant(None)),
            }),
            _ => Term::Compound,
        })
    }
}

/// Counter and bound of a loop that counts by one.
fn counted_loop(stmt: &Stmt) -> Option<CountedLoop> {
    let StmtKind::Loop { condition, update, post_tested, .. } = &stmt.kind else { return None };
    let (counter, end, ends) = match (post_tested, &condition.kind) {
        (false, _) => {
            loop_bound(condition).map(|it| (it.0, it.1, if it.2 { LoopEnd::UpTo } else { LoopEnd::Below }))?
        }
        (true, ExprKind::Operation { operation: Operation::Ne, args }) => match args.as_slice() {
            [Expr { kind: ExprKind::Local(counter), .. }, end] => (*counter, end, LoopEnd::At),
            _ => return None,
        },
        _ => return None,
    };
    let [Stmt { kind: StmtKind::Set { local, value }, .. }] = update.as_slice() else { return None };
    let (by, minus) = as_step(value, counter)?;
    let is_one = *local == counter && !minus && constant_value(by) == Some(1);
    (is_one && matches!(value.ty, Ty::I32 | Ty::I64)).then(|| CountedLoop { counter, end: end.clone(), ends })
}

/// Whether statements may store to a captured array: captured arrays may alias.
fn may_store_to_captures(ir: &KernelIr, body: &[Stmt]) -> bool {
    let is_own = |rail: &Expr| matches!(rail.kind, ExprKind::Local(local) if local.index() >= ir.kernel.captures.len());
    let mut found = false;
    visit_stmts(body, &mut |it| {
        found |= match &it.kind {
            StmtKind::SetElement { rail, .. } => !is_own(rail),
            StmtKind::Store { .. } => true,
            _ => false,
        };
    });
    visit_exprs(body, &mut |it, _| {
        found |= match &it.kind {
            ExprKind::Atomic { rail, .. } => !is_own(rail),
            ExprKind::Call { args, .. } => args.iter().any(is_rail_like),
            // A fence: stores of other threads become visible.
            ExprKind::Runtime { .. } | ExprKind::CallPointer { .. } => true,
            _ => false,
        }
    });
    found
}

/// Visits the subexpressions that are evaluated unconditionally.
fn visit_unconditional(expr: &Expr, f: &mut dyn FnMut(&Expr)) {
    f(expr);
    match &expr.kind {
        ExprKind::And(first, _) | ExprKind::Or(first, _) => visit_unconditional(first, f),
        ExprKind::Select { condition, .. } => visit_unconditional(condition, f),
        kind => children(kind).into_iter().for_each(|it| visit_unconditional(it, f)),
    }
}

/// Whether a type is one of which a cache line holds at most a tile's width.
fn is_number(ty: Ty) -> bool {
    matches!(ty, Ty::I32 | Ty::U32 | Ty::F32 | Ty::I64 | Ty::U64 | Ty::F64)
}
