//! State of printing the CPU form of a kernel, and what all its printers use: loops over threads, thread
//! indices, and the locals of a thread.

use apg_passes::kernel_ir::{KernelIr, Storage};
use rustc_hash::FxHashSet;

use crate::code::{Code, LocalSpelling, Scope, ThreadIndexing};
use apg_mir::*;
use apg_passes::analysis::locals::locals_of;

/// Prints the nodes of the kernel IR.
pub(super) struct Printer<'c, 'p> {
    pub code: &'c mut Code<'p>,
    pub ir: &'c KernelIr,
    /// Number of the last label.
    pub labels: u32,
    /// Prefetches a row of the innermost loop that prefetches between rows.
    pub(super) row_prefetch: String,
    /// Code at the begin of each row of the region that is being printed.
    pub(super) row_prologue: String,
    /// The code is inside of a warp region.
    pub(super) in_warp: bool,
    /// Only the first lanes of the warp execute the code.
    pub(super) has_inactive_lanes: bool,
}

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

impl<'c, 'p> Printer<'c, 'p> {
    pub(super) fn new(code: &'c mut Code<'p>, ir: &'c KernelIr) -> Self {
        let (row_prefetch, row_prologue) = (String::new(), String::new());
        Printer { code, ir, labels: 0, row_prefetch, row_prologue, in_warp: false, has_inactive_lanes: false }
    }
}

impl Printer<'_, '_> {
    /// Index of thread `r_` on an axis.
    pub(super) fn rank_to_index(&self, local: LocalId) -> String {
        let position = self.ir.kernel.thread_locals.iter().position(|it| *it == local).unwrap_or(0);
        if self.ir.kernel.thread_locals.len() == 1 {
            return "r_".into();
        }
        match self.ir.kernel.thread_locals.len() - 1 - position {
            0 => "r_ % n0_".into(),
            1 => "r_ / n0_ % n1_".into(),
            _ => "r_ / n0_ / n1_".into(),
        }
    }

    /// Declarations of the indices of thread `r_` among the mentioned locals, and of the rematerialised
    /// locals if one of them is mentioned.
    pub(super) fn thread_declarations(&mut self, mentioned: &FxHashSet<LocalId>) -> String {
        let derived: Vec<LocalId> = self.ir.rematerialized.iter().map(|it| it.local).collect();
        let all = derived.iter().any(|it| mentioned.contains(it));
        let mut names = String::new();
        for local in &self.ir.kernel.thread_locals {
            let spelling = self.code.local(*local);
            if all || mentioned.contains(local) {
                let ty = self.code.ty(spelling.ty);
                let rank = self.rank_to_index(*local);
                names.push_str(&format!("const {ty} {} = ({ty})({rank}); ", spelling.text));
            }
        }
        if all {
            names.push_str(&self.print_rematerialized(&derived.into_iter().collect(), false).join(" "));
        }
        names
    }

    /// The value of a block-uniform expression.
    pub(super) fn uniform_value(&mut self, expr: &Expr) -> String {
        self.value_in_thread(expr, if self.in_warp { "base_" } else { "0" })
    }

    /// The value of an expression in the thread of this rank.
    pub(super) fn value_in_thread(&mut self, expr: &Expr, rank: &str) -> String {
        let ty = self.code.ty(expr.ty);
        let value = self.code.expr(expr);
        let mentioned = locals_of(expr);
        let names = self.thread_declarations(&mentioned);
        let is_of_one_thread =
            mentioned.iter().any(|it| self.is_of_one_thread(*it)) || !self.ir.kernel.variables.is_empty();
        if names.is_empty() && !is_of_one_thread {
            return value;
        }
        format!("({{ const apg_i64 r_ = {rank}; {names}const {ty} common_ = {value}; common_; }})")
    }

    /// Whether the spelling of a local refers to the rank of one thread.
    fn is_of_one_thread(&self, local: LocalId) -> bool {
        let LocalSpelling { array, rail, stack, .. } = self.code.local(local);
        let is_element = array.is_some_and(|it| it.index == ThreadIndexing::Block);
        let is_spilled = self.ir.storage.get(local.index()) == Some(&Storage::ContextArray);
        is_element || is_spilled && stack.is_some() && rail.is_some_and(|it| it.lane.is_none())
    }

    pub(super) fn axis_count(&self) -> usize {
        self.ir.kernel.thread_locals.len().clamp(1, 3)
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
        let count = self.ir.kernel.thread_locals.len();
        let mut all: Vec<(LocalId, String)> = Vec::new();
        for (position, local) in self.ir.kernel.thread_locals.iter().enumerate() {
            all.push((*local, format!("t{}_", count - 1 - position)));
        }
        if let Some((index, _)) = range.stride {
            all.push((index, "(at_ + t0_)".into()));
        }
        for (local, value) in all {
            let spelling = self.code.local(local);
            let ty = self.code.ty(spelling.ty);
            let text = if value == "t0_" && spelling.ty == Ty::I32 { short } else { value.as_str() };
            self.code.out.line(format!("const {ty} {} = ({ty}){text};", spelling.text));
            if spelling.ty == Ty::I32 {
                self.code.widened_locals.insert(local);
                self.code.out.line(format!("const apg_i64 {}_w = {value};", spelling.text));
            }
        }
    }

    /// Declarations of the rematerialised locals that are needed for `mentioned`; with `twins`, also of their
    /// 64-bit forms.
    pub(super) fn print_rematerialized(
        &mut self,
        mentioned: &FxHashSet<LocalId>,
        twins: bool,
    ) -> Vec<String> {
        let mut lines = Vec::new();
        for derived in self.ir.rematerialized_for(mentioned) {
            let spelling = self.code.local(derived.local);
            let ty = self.code.ty(spelling.ty);
            let value = self.code.expr(&derived.value);
            let offset = if derived.has_offset { format!(" + {}_u", spelling.text) } else { String::new() };
            lines.push(format!("const {ty} {} = ({ty})({value}{offset});", spelling.text));
            if twins && matches!(spelling.ty, Ty::I32 | Ty::I64) {
                let wide = self.code.wide_value(&derived.value);
                lines.push(format!("const apg_i64 {}_w = {wide}{offset};", spelling.text));
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
        for (index, class) in self.ir.storage.iter().enumerate() {
            let local = LocalId(index as u32);
            if *class != Storage::Register || !mentioned.contains(&local) || !filter(local) {
                continue;
            }
            self.code.declare(index..index + 1);
            let spelling = self.code.local(local);
            if matches!(spelling.ty, Ty::I32 | Ty::I64) && spelling.stack.is_none() {
                self.code.out.line(format!("apg_i64 {}_w;", spelling.text));
                self.code.widened_locals.insert(local);
            }
        }
    }

    /// Prints the statements of one thread, with the labels it may jump to.
    pub(super) fn print_thread_stmts(&mut self, range: &ThreadRange<'_>, stmts: &[Stmt]) {
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

    /// Opens the loops over all threads; two scopes are open afterwards.
    pub(super) fn open_thread_loops(&mut self, count: &str) {
        self.open_row_loops();
        self.open_lane_loop("0", count, 1);
    }
}

/// The context array of a scalar local.
pub(super) fn context_array(code: &Code<'_>, local: LocalId) -> String {
    let spelling = code.local(local);
    spelling.array.map_or(spelling.text, |it| it.name)
}

/// Declares the block indices; `axes` are their values, the fastest first.
pub(super) fn declare_block_indices(code: &mut Code<'_>, kernel: &Kernel, axes: [&str; 3]) {
    let count = kernel.block_locals.len();
    for (position, local) in kernel.block_locals.iter().enumerate() {
        let spelling = code.local(*local);
        let ty = code.ty(spelling.ty);
        let text = if count == 1 { "block_" } else { axes[(count - 1 - position).min(2)] };
        code.out.line(format!("const {ty} {} = ({ty})({text});", spelling.text));
    }
}
