//! Work-item loops: prints a parallel region as loops over the threads of a block (Jaaskelainen and others,
//! *pocl*, IJPP 2015), or over chunks of threads if the region is fissioned.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::code::{PreloadedElement, Scope};
use super::cpu::{Printer, context_array};
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

/// The threads that execute a region.
pub(super) struct ThreadRange<'s> {
    /// Number of threads on the fastest axis.
    pub(super) count: &'s str,
    /// Counter and label of the grid-stride loop that the threads execute together.
    pub(super) stride: Option<(LocalId, LabelId)>,
}

impl ThreadRange<'_> {
    /// All threads of a block.
    pub(super) fn of_block() -> Self {
        ThreadRange { count: "n0_", stride: None }
    }
}

impl<'k> Printer<'_, '_, 'k> {
    /// Prints a grid-stride loop.
    pub fn print_grid_stride(&mut self, stride: &GridStrideLoop<'k>) {
        let start = self.uniform_value(&stride.start);
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

    /// Prints a parallel region, with buffer rotations at its begin.
    pub fn print_parallel_region(&mut self, stmts: &[&'k Stmt]) {
        let (moved, stmts) = stmts.split_at(count_rotations(self.kernel, &self.tree.storage, stmts));
        for (to, from) in moved.iter().filter_map(|it| as_copy(self.kernel, &self.tree.storage, it)) {
            let (to, from) = (context_array(self.code, to), context_array(self.code, from));
            self.code.out.line(format!("apg_exchange({to}, {from});"));
        }
        self.print_workitem_loops(&ThreadRange::of_block(), stmts);
    }

    /// Prints the loops over the threads.
    fn print_workitem_loops(&mut self, range: &ThreadRange<'_>, stmts: &[&'k Stmt]) {
        let Some(found) = self.find_fission(range, stmts) else {
            return self.print_scalar_loops(range, stmts);
        };
        // Launches without proven bounds are slow anyhow and use the form that is quick to compile.
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

    /// How a region is fissioned, if it is.
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

    /// Whether threads may be excluded, and guards evaluated for whole blocks.
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
            // A lambda: labels are printed twice.
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

    /// Prints the body of a work-item loop.
    pub(super) fn print_thread_body(&mut self, range: &ThreadRange<'_>, stmts: &[&'k Stmt]) {
        self.declare_thread_indices(range, "s0_");
        let mentioned = mentioned(stmts);
        self.declare_rematerialized(&mentioned);
        self.declare_private(&mentioned, &|_| true);
        self.print_thread_stmts(range, stmts);
    }

    /// Opens the loops over all threads; two scopes are open afterwards.
    pub(super) fn open_thread_loops(&mut self, count: &str) {
        self.open_row_loops();
        self.open_lane_loop("0", count, 1);
    }

    /// Opens the loops over the rows of a block, and prints what a row begins with.
    pub(super) fn open_row_loops(&mut self) {
        for axis in (1..self.axis_count()).rev() {
            self.code.out.line(format!("for (apg_i64 t{axis}_ = 0; t{axis}_ < n{axis}_; ++t{axis}_)"));
        }
        self.code.out.open("{");
        if !self.row_prologue.is_empty() {
            self.code.out.line(&self.row_prologue);
        }
    }

    /// Loads block-uniform elements of read-only captured rails once, in front of a work-item loop. No thread
    /// may reach the access, so nothing out of bounds is loaded; an access that may be out of bounds is
    /// checked where it is. Returns the elements that were preloaded before: the new ones are named in this
    /// scope only.
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

    /// Number of threads of a chunk; `None` if the fastest axis is too short.
    pub(super) fn chunk_threads(&self) -> Option<i64> {
        match self.kernel.host.threads.last().map(super::constant) {
            Some(Some(extent)) if extent < 4 => None,
            Some(Some(extent)) if extent < CHUNK_THREADS => Some(extent),
            Some(Some(extent)) if extent % CHUNK_THREADS != 0 && extent % (CHUNK_THREADS / 2) == 0 => {
                Some(CHUNK_THREADS / 2)
            }
            // The CPU's own choice is one thread per block.
            Some(None) if self.kernel.auto_threads.is_some() => None,
            _ => Some(CHUNK_THREADS),
        }
    }

    /// Declares the rank of a thread and its indices; `short` is its index on the fastest axis if that is an
    /// Int.
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

    /// Declarations of the rematerialised locals that are needed for `mentioned`; with `twins`, also of their
    /// 64-bit forms.
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

    /// Declares the registers of one work-item loop.
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

    /// Prints the statements of one thread, with the labels it may jump to.
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

    /// Opens a loop over the threads of a row. It has a 32-bit counter beside the 64-bit one: values that the
    /// program computes from an Int are then vectors of Ints from the start, rather than narrowed vectors of
    /// Longs.
    pub(super) fn open_lane_loop(&mut self, begin: &str, end: &str, step: i64) {
        self.code.out.line(format!("apg_i32 s0_ = (apg_i32)({begin});"));
        self.print_lane_pragmas();
        self.code
            .out
            .open(format!("for (apg_i64 t0_ = {begin}; t0_ < {end}; t0_ += {step}, s0_ += {step}) {{"));
    }

    /// Threads are independent. And the loop stays one until it is vectorised: compilers unroll short loops
    /// of known length first, and find nothing to vectorise afterwards.
    pub(super) fn print_lane_pragmas(&mut self) {
        self.code.out.line("#pragma GCC ivdep");
        self.code.out.line("#pragma GCC unroll 1");
    }
}
