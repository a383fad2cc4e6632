//! Software prefetching in barrier loops (Mowry, Lam and Gupta, ASPLOS 1992).
//!
//! Precondition: a loop that all threads of a block execute together and whose body has barriers. Its
//! iterations (planes of a stencil, tiles of a product) touch distant memory in short rows. Hardware
//! prefetchers miss such rows, and a core sustains only a few outstanding misses by itself. The loop
//! therefore prefetches a row at a time, between the rows of the longest parallel region of the iteration.
//! Short iterations prefetch several iterations ahead.

use rustc_hash::FxHashSet;

use super::printer::{Printer, ThreadRange};
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;
use apg_passes::kernel::induction::{LoopInductions, PrefetchCandidate};
use apg_passes::kernel::locals::collect_locals;
use apg_passes::kernel::region_node::RegionNode;

/// Upper limit of prefetches per iteration: more of them evict each other and what the iteration reads.
const MAX_PREFETCHES_PER_LOOP: usize = 24;
/// Bytes of a cache line.
const CACHE_LINE_BYTES: i64 = 64;
/// Trip count of an inner loop whose trip count is unknown, for estimates.
const ASSUMED_TRIP_COUNT: usize = 8;

impl<'k> Printer<'_, '_, 'k> {
    /// Prints prefetches for what a later iteration of a loop touches; `body` is the loop's body.
    pub(super) fn prefetch_later_iterations(&mut self, stmt: &'k Stmt, body: &[RegionNode<'k>]) {
        // Rows of one or two threads are too short to be prefetched.
        if self.chunk_threads().is_none() {
            return;
        }
        let inductions = LoopInductions::of(self.tree, stmt);
        let mut candidates = Vec::new();
        if !inductions.steps.is_empty() {
            inductions.collect_candidates(body, &mut candidates);
        }
        if !(1..=MAX_PREFETCHES_PER_LOOP).contains(&count_candidates(&candidates)) {
            return;
        }
        self.labels += 1;
        let number = self.labels;
        let accesses: usize = body.iter().map(estimate_accesses).sum();
        self.code
            .out
            .line(format!("const apg_i64 distance_ = apg_prefetch_distance({accesses} * threads_);"));
        let (mut now, mut next) = (Vec::new(), Vec::new());
        for (number, step) in inductions.steps.iter().enumerate() {
            let spelling = self.code.local(step.local);
            let (ty, name) = match step.is_offset {
                true => ("apg_i64".to_owned(), format!("{}_u", spelling.text)),
                false => (self.code.ty(spelling.ty), spelling.text),
            };
            let (sign, by) = (if step.minus { '-' } else { '+' }, self.code.wide_value(step.by));
            self.code.out.line(format!("const {ty} next{number}_ = ({ty})({name} {sign} distance_ * {by});"));
            next.push(format!("const {ty} {name} = next{number}_; (void){name};"));
            now.push(format!("const {ty} {name}"));
        }
        let unknown = self.measure_strides(&inductions, &candidates, &now);
        // A lambda has names of its own: the inductions' values in the later iteration.
        self.code
            .out
            .open(format!("const auto prefetch{number}_ = [&](const apg_i64 t1_, const apg_i64 t2_) {{"));
        self.code.out.line("(void)t1_; (void)t2_;");
        self.code.out.open("if constexpr (proven_) {");
        for line in next {
            self.code.out.line(line);
        }
        self.declare_recomputed(&inductions);
        let lane = CACHE_LINE_BYTES / widest_element_bytes(&inductions, &candidates);
        self.code.out.open(format!("for (apg_i64 t0_ = 0; t0_ < n0_; t0_ += {lane}) {{"));
        self.declare_thread_indices(&ThreadRange::of_block(), "t0_");
        let mut locals = FxHashSet::default();
        collect_mentioned(&candidates, &mut locals);
        self.declare_rematerialized(&locals);
        self.print_prefetches(&candidates, &unknown);
        self.code.out.close("}");
        self.code.out.close("}");
        self.code.out.close("};");
        self.code.widened_locals.clear();
        self.schedule_prefetches(number, body);
    }

    /// Chooses where rows are prefetched: between the rows of the longest region of the iteration; all at
    /// once if the iteration has no region, or if blocks have one axis.
    fn schedule_prefetches(&mut self, number: u32, body: &[RegionNode<'k>]) {
        let runs = body.iter().filter(|it| matches!(it, RegionNode::Parallel(_)));
        match runs.max_by_key(|it| estimate_accesses(it)) {
            Some(longest) if self.axis_count() > 1 => {
                let t2 = if self.axis_count() > 2 { "t2_" } else { "0" };
                self.row_prologues
                    .insert(std::ptr::from_ref(longest), format!("prefetch{number}_(t1_, {t2});"));
            }
            _ => {
                self.code.out.line("for (apg_i64 t2_ = 0; t2_ < n2_; ++t2_)");
                self.code
                    .out
                    .line(format!("for (apg_i64 t1_ = 0; t1_ < n1_; ++t1_) prefetch{number}_(t1_, t2_);"));
            }
        }
    }

    /// Declares the loop-variant locals that are recomputed from the inductions.
    fn declare_recomputed(&mut self, inductions: &LoopInductions<'_, 'k>) {
        for (local, value) in &inductions.recomputed {
            let spelling = self.code.local(*local);
            let (ty, value) = (self.code.ty(spelling.ty), self.code.expr(value));
            self.code.out.line(format!("const {ty} {0} = ({ty})({value}); (void){0};", spelling.text));
        }
    }

    /// Prints code that measures the strides unknown to the compiler: the indices of the block's first thread
    /// in this iteration (`now_`) and in the later one (`then_`), in the order of the result. `parameters`
    /// are the inductions.
    fn measure_strides(
        &mut self,
        inductions: &LoopInductions<'_, 'k>,
        candidates: &[PrefetchCandidate<'k>],
        parameters: &[String],
    ) -> Vec<&'k Expr> {
        let mut unknown = Vec::new();
        indices_of_unknown_stride(candidates, &mut unknown);
        if unknown.is_empty() {
            return unknown;
        }
        self.code
            .out
            .open(format!("const auto first_thread_ = [&]({}, apg_i64 *at_) {{", parameters.join(", ")));
        self.code.out.line("const apg_i64 t0_ = 0, t1_ = 0, t2_ = 0; (void)t1_; (void)t2_;");
        self.declare_recomputed(inductions);
        self.declare_thread_indices(&ThreadRange::of_block(), "t0_");
        let mut locals = FxHashSet::default();
        unknown.iter().for_each(|it| collect_locals(it, &mut locals));
        self.declare_rematerialized(&locals);
        for (number, index) in unknown.iter().enumerate() {
            let index = self.code.wide_value(index);
            self.code.out.line(format!("at_[{number}] = {index};"));
        }
        self.code.out.close("};");
        self.code.widened_locals.clear();
        let count = unknown.len();
        self.code.out.line(format!("apg_i64 now_[{count}], then_[{count}];"));
        let names: Vec<&str> = parameters.iter().filter_map(|it| it.split(' ').next_back()).collect();
        self.code.out.line(format!("first_thread_({}, now_);", names.join(", ")));
        let next: Vec<String> = (0..names.len()).map(|it| format!("next{it}_")).collect();
        self.code.out.line(format!("first_thread_({}, then_);", next.join(", ")));
        unknown
    }

    fn print_prefetches(&mut self, candidates: &[PrefetchCandidate<'k>], unknown: &[&'k Expr]) {
        let mut printed: Vec<String> = Vec::new();
        for candidate in candidates {
            match candidate {
                PrefetchCandidate::Element { rail, index, .. } => {
                    let Some(rail) = self.code.local(*rail).rail else { continue };
                    let text = self.code.wide_value(index);
                    let mut line = format!("apg_prefetch({}, {text});", rail.data);
                    if let Some(number) = unknown.iter().position(|it| std::ptr::eq(*it, *index)) {
                        line = format!(
                            "if (apg_is_far({}, now_[{number}], then_[{number}], distance_)) {line}",
                            rail.data
                        );
                    }
                    if !printed.contains(&line) {
                        self.code.out.line(&line);
                        printed.push(line);
                    }
                }
                PrefetchCandidate::If(condition, then, otherwise) => {
                    let condition = self.code.expr(condition);
                    self.code.out.open(format!("if ({condition}) {{"));
                    self.print_prefetches(then, unknown);
                    if !otherwise.is_empty() {
                        self.code.out.between("} else {");
                        self.print_prefetches(otherwise, unknown);
                    }
                    self.code.out.close("}");
                }
            }
        }
    }
}

/// Estimated number of memory accesses of a thread in part of an iteration.
fn estimate_accesses(node: &RegionNode<'_>) -> usize {
    let all = |nodes: &[RegionNode<'_>]| nodes.iter().map(estimate_accesses).sum::<usize>();
    match node {
        RegionNode::Parallel(stmts) => stmts.iter().map(|it| estimate_stmt_accesses(it)).sum(),
        RegionNode::GridStride(stride) => {
            ASSUMED_TRIP_COUNT * stride.body.iter().map(estimate_stmt_accesses).sum::<usize>()
        }
        RegionNode::If(_, then, otherwise) => all(then) + all(otherwise),
        RegionNode::Loop(_, body, update) => ASSUMED_TRIP_COUNT * (all(body) + all(update)),
        RegionNode::Labeled(_, body) | RegionNode::Warps(body) => all(body),
        RegionNode::Switch(_, cases) => cases.iter().map(|it| all(it)).sum(),
        RegionNode::Uniform(_) | RegionNode::Offset(_) | RegionNode::Collective(_) | RegionNode::Jump(_) => 0,
    }
}

fn estimate_stmt_accesses(stmt: &Stmt) -> usize {
    let mut found = 0;
    let this = std::slice::from_ref(stmt);
    visit_exprs(this, &mut |it, _| found += usize::from(matches!(it.kind, ExprKind::Element { .. })));
    visit_stmts(this, &mut |it| match &it.kind {
        StmtKind::SetElement { .. } => found += 1,
        StmtKind::Loop { body, .. } => {
            found += (ASSUMED_TRIP_COUNT - 1) * body.iter().map(estimate_stmt_accesses).sum::<usize>()
        }
        _ => {}
    });
    found
}

fn count_candidates(candidates: &[PrefetchCandidate<'_>]) -> usize {
    let of = |candidate: &PrefetchCandidate<'_>| match candidate {
        PrefetchCandidate::Element { .. } => 1,
        PrefetchCandidate::If(_, then, otherwise) => count_candidates(then) + count_candidates(otherwise),
    };
    candidates.iter().map(of).sum()
}

fn indices_of_unknown_stride<'k>(candidates: &[PrefetchCandidate<'k>], found: &mut Vec<&'k Expr>) {
    for candidate in candidates {
        match candidate {
            PrefetchCandidate::Element { index, per_iteration: None, .. } => found.push(index),
            PrefetchCandidate::Element { .. } => {}
            PrefetchCandidate::If(_, then, otherwise) => {
                indices_of_unknown_stride(then, found);
                indices_of_unknown_stride(otherwise, found);
            }
        }
    }
}

/// Size of the widest element in bytes.
fn widest_element_bytes(inductions: &LoopInductions<'_, '_>, candidates: &[PrefetchCandidate<'_>]) -> i64 {
    let of = |candidate: &PrefetchCandidate<'_>| match candidate {
        PrefetchCandidate::Element { rail, .. } => inductions.element_bytes(*rail).unwrap_or(1),
        PrefetchCandidate::If(_, then, otherwise) => {
            widest_element_bytes(inductions, then).max(widest_element_bytes(inductions, otherwise))
        }
    };
    candidates.iter().map(of).max().unwrap_or(1)
}

fn collect_mentioned(candidates: &[PrefetchCandidate<'_>], found: &mut FxHashSet<LocalId>) {
    for candidate in candidates {
        match candidate {
            PrefetchCandidate::Element { index, .. } => collect_locals(index, found),
            PrefetchCandidate::If(condition, then, otherwise) => {
                collect_locals(condition, found);
                collect_mentioned(then, found);
                collect_mentioned(otherwise, found);
            }
        }
    }
}
