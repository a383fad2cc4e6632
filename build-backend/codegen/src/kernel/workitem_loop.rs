//! Prints what every thread of a block does: a loop over the threads, or, for a run that is taken apart, loops over the threads of a
//! chunk at a time.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::code::{PreloadedElement, Scope};
use super::cpu::{Printer, array};
use super::def_use::mentioned;
use super::grid_stride::GridStrideLoop;
use super::index_set_split::split_by_guards;
use super::loop_fission::{Fission, split_region};
use super::pointer_rotation::{as_copy, count_rotations};
use super::regions::Storage;
use super::simd_chunks::CHUNK_THREADS;
use super::unswitch::{find_single_guard, find_uniform_conditions};
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// How the threads of a run are counted.
pub(super) struct ThreadRange<'s> {
    /// How many on the fastest axis take part.
    pub(super) count: &'s str,
    /// The counter of a loop that all step through together, and its label.
    pub(super) stride: Option<(LocalId, LabelId)>,
}

impl ThreadRange<'_> {
    /// All of a block.
    pub(super) fn of_block() -> Self {
        ThreadRange { count: "n0_", stride: None }
    }
}

impl<'k> Printer<'_, '_, 'k> {
    /// A loop that all threads step through together.
    pub fn print_grid_stride(&mut self, stride: &GridStrideLoop<'k>) {
        let start = self.common(&stride.start);
        let (end, step) = (self.code.expr(stride.end), self.code.expr(stride.step));
        let past = if stride.inclusive { " + 1" } else { "" };
        self.code.out.open("{");
        self.code
            .out
            .line(format!("const apg_i64 start_ = (apg_i64)({start}), end_ = (apg_i64)({end}){past};"));
        self.code.out.line(format!("const apg_i64 step_ = (apg_i64)({step});"));
        self.code.out.open("for (apg_i64 at_ = start_; at_ < end_; at_ += step_) {");
        let body: Vec<&Stmt> = stride.body.iter().collect();
        let range = ThreadRange { count: "active_", stride: Some((stride.index, stride.label)) };
        self.print_unrolled_iterations(stride, &body, &range);
        self.code.out.line("const apg_i64 active_ = end_ - at_ < n0_ ? end_ - at_ : n0_;");
        for (data, by) in self.prefetch_streams(stride) {
            self.code.out.line(format!("apg_prefetch_stream({data}, at_ + step_{by}, active_, step_);"));
        }
        self.print_workitem_loops(&range, &body);
        self.code.out.close("}");
        self.code.out.close("}");
    }

    /// Statements for every thread of the block.
    pub fn print_parallel_region(&mut self, stmts: &[&'k Stmt]) {
        let (moved, stmts) = stmts.split_at(count_rotations(self.kernel, &self.tree.storage, stmts));
        for (to, from) in moved.iter().filter_map(|it| as_copy(self.kernel, &self.tree.storage, it)) {
            let (to, from) = (array(self.code, to), array(self.code, from));
            self.code.out.line(format!("apg_exchange({to}, {from});"));
        }
        self.print_workitem_loops(&ThreadRange::of_block(), stmts);
    }

    /// The loops over the threads.
    fn print_workitem_loops(&mut self, range: &ThreadRange<'_>, stmts: &[&'k Stmt]) {
        let Some(found) = self.find_fission(range, stmts) else {
            return self.print_scalar_loops(range, stmts);
        };
        // A launch that the host does not find right is slow anyhow: it takes the form that is quick to compile.
        self.code.out.open("if constexpr (proven_) {");
        let guarded = Self::may_skip_threads(range).then(|| find_single_guard(self.tree, stmts)).flatten();
        if let Some(guarded) = &guarded {
            self.print_full_tile(range, guarded);
        }
        self.print_chunks(range, stmts, &found);
        if guarded.is_some() {
            self.code.out.close("}");
        }
        self.code.out.between("} else {");
        self.print_scalar_loops(range, stmts);
        self.code.out.close("}");
    }

    /// How a run is taken apart, if it is.
    pub(super) fn find_fission(&self, range: &ThreadRange<'_>, stmts: &[&'k Stmt]) -> Option<Fission<'k>> {
        let continues = range.stride.is_some_and(|(_, label)| {
            let mut found = false;
            for stmt in stmts {
                visit_stmts(std::slice::from_ref(*stmt), &mut |it| {
                    found |= matches!(it.kind, StmtKind::Continue(target) if target == label);
                });
            }
            found
        });
        let wide_enough = self.chunk_threads().is_some();
        (wide_enough && !continues).then(|| split_region(self.tree, stmts)).flatten()
    }

    /// Whether threads may be left out, and blocks asked as a whole.
    fn may_skip_threads(range: &ThreadRange<'_>) -> bool {
        range.stride.is_none()
    }

    fn print_scalar_loops(&mut self, range: &ThreadRange<'_>, stmts: &[&'k Stmt]) {
        self.code.out.open("{");
        let around = self.preload_uniform_elements(stmts, &[]);
        let may_skip_threads = Self::may_skip_threads(range);
        let cut = may_skip_threads.then(|| split_by_guards(self.tree, stmts)).flatten();
        let guarded = (may_skip_threads && cut.is_none())
            .then(|| {
                find_single_guard(self.tree, stmts).or_else(|| find_uniform_conditions(self.tree, stmts))
            })
            .flatten();
        if let Some(sub_ranges) = &cut {
            // A function of its own, for labels are printed twice.
            self.code.out.open("if constexpr (proven_) { [&]() __attribute__((always_inline)) {");
            self.print_sub_ranges(range, sub_ranges);
            self.code.out.close("}();");
            self.code.out.between("} else {");
        }
        if let Some(guarded) = &guarded {
            self.print_full_tile(range, guarded);
        }
        self.open_thread_loops(range.count);
        self.print_thread_body(range, stmts);
        self.code.out.close("}");
        self.code.out.close("}");
        if cut.is_some() || guarded.is_some() {
            self.code.out.close("}");
        }
        self.code.out.close("}");
        self.code.preloaded = around;
        self.code.widened_locals.clear();
    }

    /// What stands in a loop over threads.
    pub(super) fn print_thread_body(&mut self, range: &ThreadRange<'_>, stmts: &[&'k Stmt]) {
        self.declare_thread_indices(range, "s0_");
        let mentioned = mentioned(stmts);
        self.declare_rematerialized(&mentioned);
        self.declare_private(&mentioned, &|_| true);
        self.print_thread_stmts(range, stmts);
    }

    /// The heads of the loops over all threads; two scopes are open after them.
    pub(super) fn open_thread_loops(&mut self, count: &str) {
        self.open_row_loops();
        self.open_lane_loop("0", count, 1);
    }

    /// The heads of the loops over the rows of a block, and what a row begins with.
    pub(super) fn open_row_loops(&mut self) {
        for axis in (1..self.axis_count()).rev() {
            self.code.out.line(format!("for (apg_i64 t{axis}_ = 0; t{axis}_ < n{axis}_; ++t{axis}_)"));
        }
        self.code.out.open("{");
        if !self.row_begins.is_empty() {
            self.code.out.line(&self.row_begins);
        }
    }

    /// Reads elements that are the same for all threads once, in front of the loop over them: of rails that are this kernel's own and never
    /// stored to. A thread may not come to reading them, so nothing is read outside of the rail; what may be outside of it when a thread comes to it
    /// is left where it stands, and checked there. The result is what was read ahead before: what is read here has names in this scope only.
    pub(super) fn preload_uniform_elements(
        &mut self,
        stmts: &[&'k Stmt],
        uniform: &[LocalId],
    ) -> FxHashMap<*const Expr, PreloadedElement> {
        let around = self.code.preloaded.clone();
        let uniform: FxHashSet<LocalId> = uniform.iter().copied().collect();
        let mut found = Vec::new();
        for stmt in stmts {
            visit_exprs(std::slice::from_ref(*stmt), &mut |it, _| {
                if let ExprKind::Element { rail, index, .. } = &it.kind
                    && self.tree.is_uniform(it, &uniform)
                    && self.code.is_inside(index)
                {
                    found.push((rail, &**index, it.ty));
                }
            });
        }
        let mut names: Vec<(String, String)> = Vec::new();
        for (rail, index, ty) in found {
            let ExprKind::Local(local) = rail.kind else { continue };
            let Some(rail) = self.code.local(local).rail else { continue };
            let text = self.code.expr(index);
            let value = format!("apg_ahead({}, {}, (apg_i64)({text}))", rail.data, rail.length);
            let name = match names.iter().find(|it| it.0 == value) {
                Some((_, name)) => name.clone(),
                None => {
                    self.labels += 1;
                    let name = format!("ahead{}_", self.labels);
                    let ty = self.code.ty(ty);
                    self.code.out.line(format!("const {ty} {name} = {value};"));
                    names.push((value, name.clone()));
                    name
                }
            };
            self.code.preloaded.insert(std::ptr::from_ref(index), PreloadedElement { name, when: "proven_" });
        }
        around
    }

    pub(super) fn axis_count(&self) -> usize {
        self.kernel.thread_locals.len().clamp(1, 3)
    }

    /// How many threads make a chunk; none if the fastest axis has too few.
    pub(super) fn chunk_threads(&self) -> Option<i64> {
        match self.kernel.host.threads.last().map(super::constant) {
            Some(Some(extent)) if extent < 4 => None,
            Some(Some(extent)) if extent < CHUNK_THREADS => Some(extent),
            Some(Some(extent)) if extent % CHUNK_THREADS != 0 && extent % (CHUNK_THREADS / 2) == 0 => {
                Some(CHUNK_THREADS / 2)
            }
            // As many as the host has it: one.
            Some(None) if self.kernel.auto_threads.is_some() => None,
            _ => Some(CHUNK_THREADS),
        }
    }

    /// Declares the rank of a thread and its indices; `short` is its number on the fastest axis if that is an Int.
    pub(super) fn declare_thread_indices(&mut self, range: &ThreadRange<'_>, short: &str) {
        let rank = match self.axis_count() {
            1 => "t0_",
            2 => "t1_ * n0_ + t0_",
            _ => "(t2_ * n1_ + t1_) * n0_ + t0_",
        };
        self.code.out.line(format!("const apg_i64 r_ = {rank}; (void)r_;"));
        let count = self.kernel.thread_locals.len();
        let mut all: Vec<(LocalId, String)> = Vec::new();
        for (position, local) in self.kernel.thread_locals.iter().enumerate() {
            all.push((*local, format!("t{}_", count - 1 - position)));
        }
        if let Some((index, _)) = range.stride {
            all.push((index, "(at_ + t0_)".into()));
        }
        for (local, value) in all {
            let place = self.code.local(local);
            let ty = self.code.ty(place.ty);
            let text = if value == "t0_" && place.ty == Ty::I32 { short } else { value.as_str() };
            self.code.out.line(format!("const {ty} {} = ({ty}){text};", place.text));
            if place.ty == Ty::I32 {
                self.code.widened_locals.insert(local);
                self.code.out.line(format!("const apg_i64 {}_w = {value};", place.text));
            }
        }
    }

    /// Declarations of the derived locals that are needed for others; with their forms of 64 bits where indices are printed.
    pub fn print_rematerialized(&mut self, mentioned: &FxHashSet<LocalId>, twins: bool) -> Vec<String> {
        let mut lines = Vec::new();
        for derived in self.tree.rematerialized_for(mentioned) {
            let place = self.code.local(derived.local);
            let ty = self.code.ty(place.ty);
            let value = self.code.expr(derived.value);
            let offset = if derived.has_offset { format!(" + {}_u", place.text) } else { String::new() };
            lines.push(format!("const {ty} {} = ({ty})({value}{offset});", place.text));
            if twins && matches!(place.ty, Ty::I32 | Ty::I64) {
                let wide = self.code.wide_value(derived.value);
                lines.push(format!("const apg_i64 {}_w = {wide}{offset};", place.text));
                self.code.widened_locals.insert(derived.local);
            }
        }
        lines
    }

    pub(super) fn declare_rematerialized(&mut self, mentioned: &FxHashSet<LocalId>) {
        for line in self.print_rematerialized(mentioned, true) {
            self.code.out.line(line);
        }
    }

    /// Declares variables of one loop over threads.
    pub(super) fn declare_private(
        &mut self,
        mentioned: &FxHashSet<LocalId>,
        filter: &dyn Fn(LocalId) -> bool,
    ) {
        for (index, class) in self.tree.storage.iter().enumerate() {
            let local = LocalId(index as u32);
            if *class != Storage::Register || !mentioned.contains(&local) || !filter(local) {
                continue;
            }
            self.code.declare(index..index + 1);
            let place = self.code.local(local);
            if matches!(place.ty, Ty::I32 | Ty::I64) && place.stack.is_none() {
                self.code.out.line(format!("apg_i64 {}_w;", place.text));
                self.code.widened_locals.insert(local);
            }
        }
    }

    /// What one thread does, up to where it may jump.
    pub(super) fn print_thread_stmts(&mut self, range: &ThreadRange<'_>, stmts: &[&'k Stmt]) {
        self.labels += 1;
        self.code.scopes.push(Scope::Thread);
        if let Some((_, label)) = range.stride {
            let scope = Scope::Breakable { label, is_loop: true, break_used: false, continue_used: false };
            self.code.scopes.push(scope);
        }
        for stmt in stmts {
            self.code.stmt(stmt);
        }
        if let Some((_, label)) = range.stride
            && let Some(Scope::Breakable { continue_used: true, .. }) = self.code.scopes.pop()
        {
            self.code.out.line(format!("n{}: ;", label.0));
        }
        self.code.scopes.pop();
    }

    /// The head of a loop over threads of a row. It counts with 32 bits beside 64: what a program computes from an Int is then a vector of Ints from the
    /// beginning, not one of Longs that is cut down in each turn. (Prefix sums of `tests/bench`: 2.4 ms for 3.1.)
    pub(super) fn open_lane_loop(&mut self, begin: &str, end: &str, step: i64) {
        self.code.out.line(format!("apg_i32 s0_ = (apg_i32)({begin});"));
        self.print_lane_pragmas();
        self.code
            .out
            .open(format!("for (apg_i64 t0_ = {begin}; t0_ < {end}; t0_ += {step}, s0_ += {step}) {{"));
    }

    /// In front of a loop over threads: what they do does not depend on each other. And the loop stays one until it has been
    /// vectorised: compilers unroll short loops of known length first, and then find nothing to vectorise.
    pub(super) fn print_lane_pragmas(&mut self) {
        self.code.out.line("#pragma GCC ivdep");
        self.code.out.line("#pragma GCC unroll 1");
    }
}
