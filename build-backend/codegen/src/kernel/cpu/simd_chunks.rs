//! SIMD chunks of work-items, with unroll-and-jam (Allen and Kennedy, *Optimizing Compilers for Modern
//! Architectures*, 8.4).
//!
//! A fissioned parallel region runs as loops over a chunk, a vector of threads. Locals that live across parts
//! are expanded to arrays (scalar expansion). Short bodies jam several rows of the block into a chunk: their
//! accumulations are independent and hide each other's latency, and often read the same elements.

use rustc_hash::FxHashSet;

use super::printer::{CHUNK_THREADS, Printer, ThreadRange};
use crate::code::RailSpelling;
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;
use apg_passes::analysis::constants::constant_value;
use apg_passes::kernel::access_stride::thread_stride;
use apg_passes::kernel::access_summary::is_only_indexed;
use apg_passes::kernel::locals::{is_always_assigned, mentioned_locals};
use apg_passes::kernel::loop_fission::{Fission, FissionPart};
use apg_passes::kernel::region_node::Storage;

/// Longer private rails are not copied into a chunk: elements.
const MAX_COPIED_RAIL_ELEMENTS: i64 = 64;

impl<'k> Printer<'_, '_, 'k> {
    /// Prints a fissioned region.
    pub(super) fn print_chunks(&mut self, range: &ThreadRange<'_>, stmts: &[&'k Stmt], found: &Fission<'k>) {
        self.labels += 1;
        let number = self.labels;
        let jam = self.choose_unroll_and_jam(range, stmts, found);
        match jam {
            UnrollAndJam { rows: 2.., axis: 1 } => self.open_jammed_rows(jam.rows),
            _ => self.open_row_loops(),
        }
        self.code.out.open(format!(
            "const auto chunk{number}_ = [&]<int full_>(const apg_i64 c0_, const int rest_) __attribute__((always_inline)) {{"
        ));
        self.code.out.line("const int lanes_ = full_ ? full_ : rest_;");
        for local in &found.uniform {
            self.code.declare(local.index()..local.index() + 1);
        }
        let (expanded, guard) = (Vec::new(), Vec::new());
        let mut chunk = Chunk { range, expanded, uniform: &found.uniform, guard, jam };
        for local in &found.expanded {
            self.expand_local(&mut chunk, *local, stmts);
        }
        self.print_parts(&mut chunk, &found.parts);
        self.store_expanded(&chunk, stmts);
        self.code.out.close("};");
        self.call_chunks(range, number, jam);
        self.code.out.close("}");
    }

    /// Prints the calls for all chunks of a row.
    fn call_chunks(&mut self, range: &ThreadRange<'_>, number: u32, jam: UnrollAndJam) {
        let size = self.chunk_threads().unwrap_or(CHUNK_THREADS);
        let step = if jam.axis == 0 { size * jam.rows } else { size };
        let count = range.count;
        self.code.out.line("apg_i64 c0_ = 0;");
        self.code.out.line(format!(
            "for (; c0_ + {step} <= {count}; c0_ += {step}) chunk{number}_.template operator()<{size}>(c0_, 0);"
        ));
        let extent = self.extent(0);
        if range.stride.is_some() || extent.is_none_or(|it| it % step != 0) {
            self.code.out.line(format!(
                "if (c0_ < {count}) chunk{number}_.template operator()<0>(c0_, (int)({count} - c0_));"
            ));
        }
    }

    /// Constant extent of the block on an axis; 0 is the fastest.
    fn extent(&self, axis: usize) -> Option<i64> {
        self.kernel.host.threads.iter().rev().nth(axis).and_then(constant_value)
    }

    /// Chooses how many vectors of threads make a chunk: as many as registers hold, if the body certainly
    /// vectorises.
    fn choose_unroll_and_jam(
        &self,
        range: &ThreadRange<'_>,
        stmts: &[&Stmt],
        found: &Fission<'_>,
    ) -> UnrollAndJam {
        let one = UnrollAndJam { rows: 1, axis: 1 };
        let has_rail = found.expanded.iter().any(|it| self.code.local(*it).stack.is_some());
        if range.stride.is_some() || has_rail {
            return one;
        }
        let uniform: FxHashSet<LocalId> = found.uniform.iter().copied().collect();
        let fastest = self.kernel.thread_locals.last().copied().unwrap_or(LocalId(0));
        let is_near = |index: &Expr| {
            let stride = thread_stride(self.tree, &uniform, fastest, index);
            self.code.is_inside(index) && stride.is_some_and(|it| it.abs() <= 1)
        };
        let (mut weight, mut plain) = (0, true);
        for stmt in stmts {
            let list = std::slice::from_ref(*stmt);
            visit_stmts(list, &mut |it| {
                if let StmtKind::SetElement { index, .. } = &it.kind {
                    plain &= is_near(index);
                }
            });
            visit_exprs(list, &mut |it, _| {
                weight += 1;
                match &it.kind {
                    ExprKind::Element { index, .. } => plain &= is_near(index),
                    ExprKind::Call { .. } | ExprKind::Atomic { .. } | ExprKind::Runtime { .. } => {
                        plain = false
                    }
                    _ => {}
                }
            });
        }
        let most = match (found.expanded.len(), weight) {
            _ if !plain => 1,
            (..=4, ..=120) => 4,
            (..=8, ..=200) => 2,
            _ => 1,
        };
        let size = self.chunk_threads().unwrap_or(CHUNK_THREADS);
        let fits = |axis: usize, threads: i64| self.extent(axis).is_some_and(|it| it % threads == 0);
        for rows in [4, 2].into_iter().filter(|it| *it <= most) {
            if self.axis_count() > 1 && fits(1, rows) {
                return UnrollAndJam { rows, axis: 1 };
            }
            if self.axis_count() == 1 && fits(0, size * rows) {
                return UnrollAndJam { rows, axis: 0 };
            }
        }
        one
    }

    /// Opens the loops over the jammed rows of a block, with what a row begins with.
    fn open_jammed_rows(&mut self, rows: i64) {
        for axis in (2..self.axis_count()).rev() {
            self.code.out.line(format!("for (apg_i64 t{axis}_ = 0; t{axis}_ < n{axis}_; ++t{axis}_)"));
        }
        self.code.out.open(format!("for (apg_i64 q_ = 0; q_ < n1_; q_ += {rows}) {{"));
        if !self.row_prologue.is_empty() {
            self.code.out.line(format!("for (apg_i64 t1_ = q_; t1_ < q_ + {rows}; ++t1_)"));
            self.code.out.line(&self.row_prologue);
        }
    }

    /// Prints a loop over the threads of a chunk.
    pub(super) fn for_each_chunk_thread(&mut self, chunk: &Chunk<'_>, body: impl FnOnce(&mut Self)) {
        let UnrollAndJam { rows, axis } = chunk.jam;
        if rows > 1 {
            self.code.out.line(format!("#pragma GCC unroll {rows}"));
            self.code.out.line(format!("for (int j_ = 0; j_ < {rows}; ++j_)"));
        }
        self.print_lane_pragmas();
        self.code.out.open("for (int l_ = 0; l_ < lanes_; ++l_) {");
        let size = self.chunk_threads().unwrap_or(CHUNK_THREADS);
        self.code.out.line(match (rows, axis) {
            (1, _) => "const int e_ = l_; const apg_i64 t0_ = c0_ + l_;".to_owned(),
            (_, 0) => {
                format!(
                    "const int e_ = j_ * {CHUNK_THREADS} + l_; const apg_i64 t0_ = c0_ + j_ * {size} + l_;"
                )
            }
            _ => format!(
                "const int e_ = j_ * {CHUNK_THREADS} + l_; const apg_i64 t0_ = c0_ + l_, t1_ = q_ + j_;"
            ),
        });
        self.declare_thread_indices(chunk.range, "t0_");
        body(self);
        self.code.out.close("}");
        self.code.widened_locals.clear();
    }

    /// Expands a local to an array, initialised with the threads' values if it is live-in.
    fn expand_local(&mut self, chunk: &mut Chunk<'_>, local: LocalId, stmts: &[&Stmt]) {
        let spelling = self.code.local(local);
        let all = chunk.threads();
        let spilled = self.tree.storage[local.index()] == Storage::ContextArray;
        let name = spelling.text.trim_end_matches("_[r_]").to_owned();
        if let Some((element, length)) = spelling.stack {
            if spilled && (length > MAX_COPIED_RAIL_ELEMENTS || !is_only_indexed(self.kernel, local)) {
                return;
            }
            let ty = self.code.ty(element);
            self.code.out.line(format!("{ty} {name}_a[{}];", length.max(1) * all));
            let lane = is_only_indexed(self.kernel, local).then(|| (all.to_string(), "e_".to_owned()));
            let data =
                if lane.is_some() { format!("{name}_a") } else { format!("({name}_a + e_ * {length})") };
            let rail = RailSpelling { data, length: format!("{length}LL"), lane };
            if let (true, Some(from)) = (spilled, &spelling.rail) {
                let line = format!("{} = {};", rail.element("i_"), from.element("i_"));
                self.copy_elements(chunk, length, line);
            }
            self.code.locals[local.index()].rail = Some(rail);
        } else {
            let ty = self.code.ty(spelling.ty);
            // Inactive lanes copy it uninitialised, which is undefined for a `bool`.
            let first = if spelling.ty == Ty::Bool { " = {}" } else { "" };
            self.code.out.line(format!("{ty} {name}_a[{all}]{first};"));
            if spilled && !is_always_assigned(stmts.iter().copied(), local) {
                self.for_each_chunk_thread(chunk, |printer| {
                    printer.code.out.line(format!("{name}_a[e_] = {};", spelling.text))
                });
            }
            self.code.locals[local.index()].text = name;
        }
        chunk.expanded.push((local, spelling));
    }

    fn copy_elements(&mut self, chunk: &Chunk<'_>, length: i64, line: String) {
        self.code.out.open(format!("for (int i_ = 0; i_ < {length}; ++i_) {{"));
        self.for_each_chunk_thread(chunk, |printer| printer.code.out.line(line));
        self.code.out.close("}");
    }

    /// Stores expanded values back to their context arrays.
    fn store_expanded(&mut self, chunk: &Chunk<'_>, stmts: &[&Stmt]) {
        for (local, outer) in &chunk.expanded {
            let inner = std::mem::replace(&mut self.code.locals[local.index()], outer.clone());
            if self.tree.storage[local.index()] != Storage::ContextArray || !is_written(stmts, *local) {
                continue;
            }
            match (outer.stack, &outer.rail, &inner.rail) {
                (Some((_, length)), Some(to), Some(from)) => {
                    let line = format!("{} = {};", to.element("i_"), from.element("i_"));
                    self.copy_elements(chunk, length, line);
                }
                _ => self.for_each_chunk_thread(chunk, |printer| {
                    printer.code.out.line(format!("{} = {}_a[e_];", outer.text, inner.text));
                }),
            }
        }
    }

    pub(super) fn print_parts(&mut self, chunk: &mut Chunk<'_>, parts: &[FissionPart<'k>]) {
        for part in parts {
            match part {
                FissionPart::Lanes(stmts) => self.print_lanes(chunk, stmts),
                FissionPart::Uniform(stmt) => self.code.stmt(stmt),
                FissionPart::If(stmt, then, otherwise) => {
                    let StmtKind::If { condition, .. } = &stmt.kind else { continue };
                    self.code.at(stmt.span);
                    let condition = self.code.expr(condition);
                    self.code.out.open(format!("if ({condition}) {{"));
                    self.print_parts(chunk, then);
                    if !otherwise.is_empty() {
                        self.code.out.between("} else {");
                        self.print_parts(chunk, otherwise);
                    }
                    self.code.out.close("}");
                }
                FissionPart::Loop(stmt, body, update) => self.print_loop(chunk, stmt, body, update),
                FissionPart::Masked(stmt, then, otherwise) => self.print_masked(chunk, stmt, then, otherwise),
            }
        }
    }

    fn print_loop(
        &mut self,
        chunk: &mut Chunk<'_>,
        stmt: &'k Stmt,
        body: &[FissionPart<'k>],
        update: &[FissionPart<'k>],
    ) {
        let StmtKind::Loop { condition, unroll, post_tested, .. } = &stmt.kind else { return };
        self.code.at(stmt.span);
        let condition = self.code.expr(condition);
        self.labels += 1;
        let flag = format!("tiled{}_", self.labels);
        let rows = self.find_strided_loads(chunk, stmt, body);
        if rows.is_some() {
            self.code.out.line(format!("bool {flag} = false; (void){flag};"));
        }
        if let Some(count) = unroll {
            self.code.out.line(format!("#pragma GCC unroll {count}"));
        }
        self.code.out.open(if *post_tested { "do {".to_owned() } else { format!("while ({condition}) {{") });
        if let Some(rows) = &rows {
            self.print_tiles(chunk, (rows, &flag), body, update);
        }
        self.print_parts(chunk, body);
        self.print_parts(chunk, update);
        self.code.out.close(if *post_tested { format!("}} while ({condition});") } else { "}".to_owned() });
    }

    /// Prints statements for each thread of a chunk. Expanded values are loaded and stored whether the thread
    /// is active or not, so that only the statements are masked.
    fn print_lanes(&mut self, chunk: &Chunk<'_>, stmts: &[&'k Stmt]) {
        let mentioned = mentioned_locals(stmts);
        let around = self.preload_uniform_elements(stmts, chunk.uniform);
        self.for_each_chunk_thread(chunk, |printer| {
            printer.declare_rematerialized(&mentioned);
            printer.declare_private(&mentioned, &|it| {
                !chunk.uniform.contains(&it) && !chunk.expanded.iter().any(|(array, _)| *array == it)
            });
            let used: Vec<LocalId> =
                chunk.expanded.iter().map(|it| it.0).filter(|it| mentioned.contains(it)).collect();
            for local in &used {
                let spelling = printer.code.local(*local);
                if spelling.stack.is_none() {
                    let ty = printer.code.ty(spelling.ty);
                    printer.code.out.line(format!("{ty} {0} = {0}_a[e_];", spelling.text));
                }
            }
            let guard = chunk.guard.join(" && ");
            printer.code.out.open(if guard.is_empty() { "{".into() } else { format!("if ({guard}) {{") });
            printer.print_thread_stmts(chunk.range, stmts);
            printer.code.out.close("}");
            for local in &used {
                let spelling = printer.code.local(*local);
                if spelling.stack.is_none() && is_written(stmts, *local) {
                    printer.code.out.line(format!("{0}_a[e_] = {0};", spelling.text));
                }
            }
        });
        self.code.preloaded = around;
    }

    /// Declares constants for the expanded locals that are mentioned.
    pub(super) fn declare_expanded(&mut self, chunk: &Chunk<'_>, mentioned: &FxHashSet<LocalId>) {
        for (local, _) in chunk.expanded.iter().filter(|it| mentioned.contains(&it.0)) {
            let spelling = self.code.local(*local);
            if spelling.stack.is_none() {
                let ty = self.code.ty(spelling.ty);
                self.code.out.line(format!("const {ty} {0} = {0}_a[e_];", spelling.text));
            }
        }
    }

    /// Prints a divergent branch with masks.
    fn print_masked(
        &mut self,
        chunk: &mut Chunk<'_>,
        stmt: &'k Stmt,
        then: &[FissionPart<'k>],
        otherwise: &[FissionPart<'k>],
    ) {
        let StmtKind::If { condition, .. } = &stmt.kind else { return };
        self.labels += 1;
        let number = self.labels;
        let guard = if chunk.guard.is_empty() { "true".to_owned() } else { chunk.guard.join(" && ") };
        let all = chunk.threads();
        self.code.out.line(format!("bool mask{number}_[{all}], rest{number}_[{all}];"));
        self.code.out.line(format!("bool some{number}_ = false, others{number}_ = false;"));
        let mut mentioned = FxHashSet::default();
        walk::visit_expr(condition, None, &mut |it, _| {
            if let ExprKind::Local(local) = it.kind {
                mentioned.insert(local);
            }
        });
        self.for_each_chunk_thread(chunk, |printer| {
            printer.declare_rematerialized(&mentioned);
            printer.declare_expanded(chunk, &mentioned);
            printer.code.at(stmt.span);
            let condition = printer.code.expr(condition);
            printer.code.out.line(format!("const bool in_ = {guard}, on_ = in_ && {condition};"));
            printer.code.out.line(format!("mask{number}_[e_] = on_; rest{number}_[e_] = in_ && !on_;"));
            printer.code.out.line(format!("some{number}_ |= on_; others{number}_ |= in_ && !on_;"));
        });
        for (name, any, parts) in [("mask", "some", then), ("rest", "others", otherwise)] {
            if parts.is_empty() {
                continue;
            }
            self.code.out.open(format!("if ({any}{number}_) {{"));
            chunk.guard.push(format!("{name}{number}_[e_]"));
            self.print_parts(chunk, parts);
            chunk.guard.pop();
            self.code.out.close("}");
        }
    }
}

/// The context in which parts of a region are printed.
pub(super) struct Chunk<'s> {
    range: &'s ThreadRange<'s>,
    /// Expanded locals with their former spelling.
    expanded: Vec<(LocalId, crate::code::LocalSpelling)>,
    /// Locals with one value for all threads.
    pub(super) uniform: &'s [LocalId],
    /// Conditions for a thread to be active.
    pub(super) guard: Vec<String>,
    jam: UnrollAndJam,
}

impl Chunk<'_> {
    pub(super) fn threads(&self) -> i64 {
        CHUNK_THREADS * self.jam.rows
    }
}

/// How many vectors make a chunk, and on which axis they are adjacent.
#[derive(Clone, Copy)]
struct UnrollAndJam {
    rows: i64,
    axis: usize,
}

fn is_written(stmts: &[&Stmt], local: LocalId) -> bool {
    let mut found = false;
    for stmt in stmts {
        let list = std::slice::from_ref(*stmt);
        visit_stmts(list, &mut |it| {
            found |= match &it.kind {
                StmtKind::Set { local: id, .. } | StmtKind::SetStructField { local: id, .. } => *id == local,
                StmtKind::SetElement { rail, .. } => matches!(rail.kind, ExprKind::Local(id) if id == local),
                _ => false,
            };
        });
        visit_exprs(list, &mut |it, _| {
            found |= matches!(&it.kind, ExprKind::Atomic { rail, .. } if matches!(rail.kind, ExprKind::Local(id) if id == local));
        });
    }
    found
}
