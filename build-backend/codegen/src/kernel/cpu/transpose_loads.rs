//! Transposition of strided loads in registers.
//!
//! Where each thread of a chunk reads consecutive elements of its own (a row of a matrix, the coordinates of
//! a point), a vector of one iteration would be gathered. The elements of `CHUNK_THREADS` iterations are a
//! tile, of which each thread's part is contiguous: the tile is loaded row by row and transposed in
//! registers, and each iteration reads a vector of it. Each thread accumulates in program order.
//!
//! Preconditions: the loop counts by one, its bound is invariant, and it stores to no captured rail.

use rustc_hash::FxHashSet;

use super::printer::{CHUNK_THREADS, Printer};
use super::simd_chunks::Chunk;
use crate::code::PreloadedElement;
use apg_mir::walk::{children, operands, visit_exprs, visit_stmts};
use apg_mir::*;
use apg_passes::analysis::constants::constant_value;
use apg_passes::kernel::access_stride::thread_stride;
use apg_passes::kernel::access_summary::{AccessSummary, is_rail_like};
use apg_passes::kernel::affine::{Term, linear_coefficient};
use apg_passes::kernel::expressions::is_total;
use apg_passes::kernel::grid_stride::loop_bound;
use apg_passes::kernel::locals::{assigned_locals, locals_of, mentions_any};
use apg_passes::kernel::loop_fission::{FissionPart, has_loop};
use apg_passes::kernel::region_formation::RegionTree;
use apg_passes::kernel::rematerialize::as_step;

/// A load of a captured rail whose index grows by one per iteration.
struct StridedLoad<'k> {
    rail: LocalId,
    index: &'k Expr,
    ty: Ty,
}

/// A loop that counts by one.
struct CountedLoop<'k> {
    counter: LocalId,
    end: &'k Expr,
    ends: LoopEnd,
}

/// How the loop ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LoopEnd {
    /// The counter stays below the bound.
    Below,
    /// The counter reaches the bound at most.
    UpTo,
    /// The counter is compared with the bound for equality at the end of an iteration.
    At,
}

/// A loop with strided loads.
pub(super) struct StridedLoads<'k> {
    count: CountedLoop<'k>,
    rows: Vec<StridedLoad<'k>>,
    /// Values of the locals that an iteration assigns and indices depend on.
    values: Vec<(LocalId, &'k Expr)>,
}

impl<'k> Printer<'_, '_, 'k> {
    /// The strided loads of a loop, if they may be executed some iterations ahead.
    pub(super) fn find_strided_loads(
        &self,
        chunk: &Chunk<'_>,
        stmt: &'k Stmt,
        parts: &[FissionPart<'k>],
    ) -> Option<StridedLoads<'k>> {
        let StmtKind::Loop { body, update, .. } = &stmt.kind else { return None };
        if self.chunk_threads() != Some(CHUNK_THREADS)
            || chunk.threads() != CHUNK_THREADS
            || may_store_to_captures(self.tree, body)
        {
            return None;
        }
        // The body is printed twice with all loops in it: nested loops would double at each level.
        if parts.iter().any(has_loop) {
            return None;
        }
        let count = counted_loop(stmt)?;
        let mut assigned = assigned_locals(body);
        if assigned.contains(&count.counter) {
            return None;
        }
        assigned.extend(assigned_locals(update));
        let is_fixed = is_total(count.end) && !mentions_any(count.end, &assigned);
        let is_short = constant_value(count.end).is_some_and(|it| it < CHUNK_THREADS);
        if !is_fixed || is_short || !chunk.uniform.contains(&count.counter) {
            return None;
        }
        let mut found = StridedLoads { count, rows: Vec::new(), values: Vec::new() };
        for part in parts {
            match part {
                FissionPart::Lanes(stmts) => {
                    stmts.iter().for_each(|it| self.collect_strided_loads(chunk, it, &assigned, &mut found))
                }
                FissionPart::Uniform(stmt) => found.record_value(self.tree, stmt, &assigned),
                _ => {}
            }
        }
        (!found.rows.is_empty()).then_some(found)
    }

    /// Collects the strided loads that a statement executes unconditionally.
    fn collect_strided_loads(
        &self,
        chunk: &Chunk<'_>,
        stmt: &'k Stmt,
        assigned: &FxHashSet<LocalId>,
        found: &mut StridedLoads<'k>,
    ) {
        let kernel = self.kernel;
        let uniform: FxHashSet<LocalId> = chunk.uniform.iter().copied().collect();
        let (accesses, fastest) = (AccessSummary::of(kernel), kernel.thread_locals.last().copied());
        let mut read = |expr: &'k Expr| {
            let ExprKind::Element { rail, index, .. } = &expr.kind else { return };
            let (ExprKind::Local(rail), Some(fastest)) = (&rail.kind, fastest) else { return };
            let is_captured = rail.index() < kernel.captures.len() && accesses.is_read_only(*rail);
            let is_exact = self.code.wide.contains(&index.id);
            let stride = thread_stride(self.tree, &uniform, fastest, index);
            if is_captured
                && is_exact
                && is_number(expr.ty)
                && self.code.is_inside(index)
                && stride.is_none_or(|it| it.abs() > 1)
                && found.counter_coefficient(index, assigned) == Some(1)
            {
                found.rows.push(StridedLoad { rail: *rail, index, ty: expr.ty });
            }
        };
        if let StmtKind::Set { .. } | StmtKind::SetElement { .. } | StmtKind::If { .. } = stmt.kind {
            operands(&stmt.kind).into_iter().for_each(|it| visit_unconditional(it, &mut read));
        }
        found.record_value(self.tree, stmt, assigned);
    }

    /// Prints the iterations of whole tiles. If `flag` says that a tile precedes, the remainder is a tile
    /// that begins with iterations already executed. The code that follows executes one iteration at a time.
    pub(super) fn print_tiles(
        &mut self,
        chunk: &mut Chunk<'_>,
        (rows, flag): (&StridedLoads<'k>, &str),
        body: &[FissionPart<'k>],
        update: &[FissionPart<'k>],
    ) {
        let CountedLoop { counter, end, ends } = rows.count;
        let (counter, end) = (self.code.local(counter), self.code.expr(end));
        self.labels += 1;
        let number = self.labels;
        self.code.out.open(format!("if constexpr (full_ == {CHUNK_THREADS}) {{"));
        // A lambda: it has its own labels, and its instance for whole tiles is compiled for their length.
        self.code.out.open(format!(
            "const auto tile{number}_ = [&](const int done_) __attribute__((always_inline)) {{"
        ));
        let around = self.code.preloaded.clone();
        let mut names: Vec<(String, String)> = Vec::new();
        for row in &rows.rows {
            let name = self.load_tile(chunk, rows, row, &mut names);
            let name = format!("{name}[iteration{number}_ * {CHUNK_THREADS} + l_]");
            self.code.preloaded.insert(row.index.id, PreloadedElement { name, when: "proven_" });
        }
        self.code
            .out
            .open(format!("for (int iteration{number}_ = done_; iteration{number}_ < {CHUNK_THREADS}; ++iteration{number}_) {{"));
        self.print_parts(chunk, body);
        self.print_parts(chunk, update);
        self.code.out.close("}");
        self.code.preloaded = around;
        self.code.out.close("};");
        // Iterations left after this one; a counter that wraps reaches its bound as well.
        let unsigned = if counter.ty == Ty::I32 && ends == LoopEnd::At { "apg_u32" } else { "apg_u64" };
        let after = if ends == LoopEnd::UpTo { "" } else { " - 1" };
        let value = |it: &str| format!("({unsigned})(apg_i64)({it})");
        let (end, counter) = (value(&end), value(&counter.text));
        self.code.out.line(format!("const {unsigned} left_ = {end} - {counter}{after};"));
        let last = CHUNK_THREADS - 1;
        self.code.out.line(format!("if (left_ >= {last}) {{ tile{number}_(0); {flag} = true; continue; }}"));
        self.code.out.line(format!("if ({flag}) {{ tile{number}_({last} - (int)left_); continue; }}"));
        self.code.out.close("}");
    }

    /// Prints the loads of a tile, unless an equal one is loaded; returns its name.
    fn load_tile(
        &mut self,
        chunk: &Chunk<'_>,
        all: &StridedLoads<'k>,
        row: &StridedLoad<'k>,
        names: &mut Vec<(String, String)>,
    ) -> String {
        let mut locals = locals_of(row.index);
        for (local, value) in all.values.iter().rev() {
            if locals.contains(local) {
                locals.extend(locals_of(value));
            }
        }
        let data = self.code.local(row.rail).rail.map(|it| it.data).unwrap_or_default();
        let ty = self.code.ty(row.ty);
        let index = self.code.wide_value(row.index);
        let address = format!("{data} + {index} - done_");
        if let Some((_, name)) = names.iter().find(|it| it.0 == address) {
            return name.clone();
        }
        self.labels += 1;
        let name = format!("tile{}_", self.labels);
        self.code.out.line(format!("alignas(64) {ty} {name}[{CHUNK_THREADS} * {CHUNK_THREADS}];"));
        self.code.out.line(format!("const {ty} *{name}rows_[{CHUNK_THREADS}];"));
        let guard = chunk.guard.join(" && ");
        let named: Vec<_> = all.values.iter().filter(|it| locals.contains(&it.0)).collect();
        // The expanded element of a local that the iteration assigns holds the value of the iteration before.
        let kept: FxHashSet<LocalId> =
            locals.iter().copied().filter(|it| !named.iter().any(|named| named.0 == *it)).collect();
        self.for_each_chunk_thread(chunk, |printer| {
            printer.declare_rematerialized(&locals);
            printer.declare_expanded(chunk, &kept);
            for (local, value) in named {
                printer.declare_value(*local, value);
            }
            // With these declarations the index has another text.
            let address = format!("{data} + {} - done_", printer.code.wide_value(row.index));
            let line = match guard.is_empty() {
                true => format!("{name}rows_[l_] = {address};"),
                false => format!("{name}rows_[l_] = {guard} ? {address} : (const {ty} *)apg_no_row;"),
            };
            printer.code.out.line(line);
        });
        self.code.out.line(format!("apg_transpose({name}rows_, {name});"));
        names.push((address, name.clone()));
        name
    }

    /// Declares a local with the value that the iteration will assign.
    fn declare_value(&mut self, local: LocalId, value: &Expr) {
        let spelling = self.code.local(local);
        let (ty, text, wide) =
            (self.code.ty(spelling.ty), self.code.expr(value), self.code.wide_value(value));
        self.code.out.line(format!("const {ty} {0} = {text}; const apg_i64 {0}_w = {wide};", spelling.text));
        self.code.widened_locals.insert(local);
    }
}

impl<'k> StridedLoads<'k> {
    /// Records the value of a local that is assigned once.
    fn record_value(&mut self, tree: &RegionTree<'k>, stmt: &'k Stmt, assigned: &FxHashSet<LocalId>) {
        if let StmtKind::Set { local, value } = &stmt.kind
            && matches!(value.ty, Ty::I32 | Ty::I64)
            && tree.is_assigned_once(*local)
            && self.counter_coefficient(value, assigned).is_some()
        {
            self.values.push((*local, value));
        }
    }

    /// Coefficient of the loop counter in an affine index; `None` if the index is not affine.
    fn counter_coefficient(&self, expr: &Expr, assigned: &FxHashSet<LocalId>) -> Option<i64> {
        linear_coefficient(expr, &|it| match &it.kind {
            ExprKind::Local(local) if *local == self.count.counter => Term::Coefficient(1),
            ExprKind::Local(local) => {
                let coefficient = match self.values.iter().find(|it| it.0 == *local) {
                    Some((_, value)) => self.counter_coefficient(value, assigned),
                    None => (!assigned.contains(local)).then_some(0),
                };
                coefficient.map_or(Term::Unknown, Term::Coefficient)
            }
            _ => Term::Compound,
        })
    }
}

/// Counter and bound of a loop that counts by one.
fn counted_loop(stmt: &Stmt) -> Option<CountedLoop<'_>> {
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
    (is_one && matches!(value.ty, Ty::I32 | Ty::I64)).then_some(CountedLoop { counter, end, ends })
}

/// Whether statements may store to a captured rail: captured rails may alias.
fn may_store_to_captures(tree: &RegionTree<'_>, body: &[Stmt]) -> bool {
    let is_own = |rail: &Expr| matches!(rail.kind, ExprKind::Local(local) if local.index() >= tree.kernel().captures.len());
    let mut found = false;
    visit_stmts(body, &mut |it| {
        found |= matches!(&it.kind, StmtKind::SetElement { rail, .. } if !is_own(rail));
    });
    visit_exprs(body, &mut |it, _| {
        found |= match &it.kind {
            ExprKind::Atomic { rail, .. } => !is_own(rail),
            ExprKind::Call { args, .. } => args.iter().any(is_rail_like),
            // A fence: stores of other threads become visible.
            ExprKind::Runtime { .. } => true,
            _ => false,
        }
    });
    found
}

/// Visits the subexpressions that are evaluated unconditionally.
fn visit_unconditional<'k>(expr: &'k Expr, f: &mut dyn FnMut(&'k Expr)) {
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
