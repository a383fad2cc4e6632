//! Prints software prefetches in barrier loops (Mowry, Lam and Gupta, ASPLOS 1992).

use apg_passes::kernel_ir::{PrefetchCandidate, PrefetchPlan};
use rustc_hash::FxHashSet;

use super::printer::{Printer, ThreadRange};
use apg_mir::*;
use apg_passes::analysis::locals::collect_locals;

impl Printer<'_, '_> {
    /// Prints the prefetches of a loop.
    pub(super) fn print_prefetch(&mut self, plan: &PrefetchPlan) {
        self.labels += 1;
        let number = self.labels;
        self.code
            .out
            .line(format!("const apg_i64 distance_ = apg_prefetch_distance({} * threads_);", plan.accesses));
        let (mut now, mut next) = (Vec::new(), Vec::new());
        for (number, step) in plan.steps.iter().enumerate() {
            let spelling = self.code.local(step.local);
            let (ty, name) = match step.is_offset {
                true => ("apg_i64".to_owned(), format!("{}_u", spelling.text)),
                false => (self.code.ty(spelling.ty), spelling.text),
            };
            let (sign, by) = (if step.minus { '-' } else { '+' }, self.code.wide_value(&step.by));
            self.code.out.line(format!("const {ty} next{number}_ = ({ty})({name} {sign} distance_ * {by});"));
            next.push(format!("const {ty} {name} = next{number}_; (void){name};"));
            now.push((ty, name));
        }
        let unknown = self.measure_strides(plan, &now);
        // A lambda has names of its own: the inductions' values in the later iteration.
        self.code
            .out
            .open(format!("const auto prefetch{number}_ = [&](const apg_i64 t1_, const apg_i64 t2_) {{"));
        self.code.out.line("(void)t1_; (void)t2_;");
        self.code.out.open("if constexpr (proven_) {");
        for line in next {
            self.code.out.line(line);
        }
        self.declare_recomputed(plan);
        self.code.out.open(format!("for (apg_i64 t0_ = 0; t0_ < n0_; t0_ += {}) {{", plan.line_threads));
        self.declare_thread_indices(&ThreadRange::of_block(), "t0_");
        let mut locals = FxHashSet::default();
        collect_mentioned(&plan.candidates, &mut locals);
        self.declare_rematerialized(&locals);
        self.print_prefetches(&plan.candidates, &unknown);
        self.code.out.close("}");
        self.code.out.close("}");
        self.code.out.close("};");
        self.code.widened_locals.clear();
        if plan.between_rows {
            let t2 = if self.axis_count() > 2 { "t2_" } else { "0" };
            self.row_prefetch = format!("prefetch{number}_(t1_, {t2});");
        } else {
            self.code.out.line("for (apg_i64 t2_ = 0; t2_ < n2_; ++t2_)");
            self.code
                .out
                .line(format!("for (apg_i64 t1_ = 0; t1_ < n1_; ++t1_) prefetch{number}_(t1_, t2_);"));
        }
    }

    /// Declares the loop-variant locals that are recomputed from the inductions.
    fn declare_recomputed(&mut self, plan: &PrefetchPlan) {
        for (local, value) in &plan.recomputed {
            let spelling = self.code.local(*local);
            let (ty, value) = (self.code.ty(spelling.ty), self.code.expr(value));
            self.code.out.line(format!("const {ty} {0} = ({ty})({value}); (void){0};", spelling.text));
        }
    }

    /// Prints code that measures the strides unknown to the compiler: the indices of the block's first thread
    /// in this iteration (`now_`) and in the later one (`then_`), in the order of the result. `inductions`
    /// are types and names of the induction variables.
    fn measure_strides<'e>(
        &mut self,
        plan: &'e PrefetchPlan,
        inductions: &[(String, String)],
    ) -> Vec<&'e Expr> {
        let mut unknown = Vec::new();
        indices_of_unknown_stride(&plan.candidates, &mut unknown);
        if unknown.is_empty() {
            return unknown;
        }
        let parameters: Vec<String> =
            inductions.iter().map(|(ty, name)| format!("const {ty} {name}")).collect();
        self.code
            .out
            .open(format!("const auto first_thread_ = [&]({}, apg_i64 *at_) {{", parameters.join(", ")));
        self.code.out.line("const apg_i64 t0_ = 0, t1_ = 0, t2_ = 0; (void)t1_; (void)t2_;");
        self.declare_recomputed(plan);
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
        let names: Vec<&str> = inductions.iter().map(|it| it.1.as_str()).collect();
        self.code.out.line(format!("first_thread_({}, now_);", names.join(", ")));
        let next: Vec<String> = (0..names.len()).map(|it| format!("next{it}_")).collect();
        self.code.out.line(format!("first_thread_({}, then_);", next.join(", ")));
        unknown
    }

    fn print_prefetches(&mut self, candidates: &[PrefetchCandidate], unknown: &[&Expr]) {
        let mut printed: Vec<String> = Vec::new();
        for candidate in candidates {
            match candidate {
                PrefetchCandidate::Element { rail, index, .. } => {
                    let Some(rail) = self.code.local(*rail).rail else { continue };
                    let text = self.code.wide_value(index);
                    let mut line = format!("apg_prefetch({}, {text});", rail.data);
                    if let Some(number) = unknown.iter().position(|it| it.id == index.id) {
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

fn indices_of_unknown_stride<'e>(candidates: &'e [PrefetchCandidate], found: &mut Vec<&'e Expr>) {
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

fn collect_mentioned(candidates: &[PrefetchCandidate], found: &mut FxHashSet<LocalId>) {
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
