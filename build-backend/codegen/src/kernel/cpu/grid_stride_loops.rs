//! Prints grid-stride loops: all threads of a block execute an iteration together.

use rustc_hash::FxHashSet;

use super::printer::{Printer, ThreadRange};
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;
use apg_passes::kernel::grid_stride::GridStrideLoop;
use apg_passes::kernel::region_node::Storage;

/// Upper limit of expressions in a body of which several iterations are executed together.
const MAX_UNROLLED_BODY_EXPRESSIONS: usize = 40;

/// Iterations that are executed together in loops that accumulate.
const UNROLLED_ITERATIONS: i64 = 4;

/// `by` of `counter + by`; `Some(None)` for the counter itself, `None` for anything else.
fn offset_from_counter(index: &Expr, counter: LocalId) -> Option<Option<&Expr>> {
    let is_counter = |it: &Expr| offset_from_counter(it, counter).is_some_and(|by| by.is_none());
    match &index.kind {
        ExprKind::Local(local) => (*local == counter).then_some(None),
        ExprKind::Operation { operation: Operation::Convert, args } => {
            offset_from_counter(args.first()?, counter)
        }
        ExprKind::Operation { operation: Operation::Add, args } => match args.as_slice() {
            [a, b] if is_counter(a) => Some(Some(b)),
            [a, b] if is_counter(b) => Some(Some(a)),
            _ => None,
        },
        _ => None,
    }
}

impl<'k> Printer<'_, '_, 'k> {
    /// Prints a grid-stride loop.
    pub(super) fn print_grid_stride(&mut self, stride: &GridStrideLoop<'k>) {
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

    /// Captured rails that the loop reads sequentially: address of the first element, and what is added to
    /// the counter.
    pub(super) fn prefetch_streams(&mut self, stride: &GridStrideLoop<'k>) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        visit_exprs(stride.body, &mut |it, _| {
            let ExprKind::Element { rail, index, .. } = &it.kind else { return };
            let ExprKind::Local(rail) = rail.kind else { return };
            if rail.index() >= self.kernel.captures.len() {
                return;
            }
            let Some(by) = offset_from_counter(index, stride.index) else { return };
            let text = match by {
                None => String::new(),
                Some(by) if self.tree.is_uniform(by, &FxHashSet::default()) && self.code.is_plain(by) => {
                    format!(" + {}", self.code.wide_value(by))
                }
                Some(_) => return,
            };
            let stream = self.code.local(rail).rail.map(|it| (it.data, text));
            found.extend(stream.filter(|it| !found.contains(it)));
        });
        found
    }

    /// Prints several iterations together while enough are left: accumulators are loaded and stored once for
    /// all of them. Each thread executes its iterations in order.
    pub(super) fn print_unrolled_iterations(
        &mut self,
        stride: &GridStrideLoop<'k>,
        body: &[&'k Stmt],
        range: &ThreadRange<'_>,
    ) {
        if self.is_unproven
            || self.chunk_threads().is_none()
            || !self.is_accumulation(stride)
            || self.find_fission(range, body).is_some()
        {
            return;
        }
        self.code.out.open("if constexpr (proven_) {");
        self.code.out.open(format!(
            "if (step_ > 0 && step_ < (apg_i64)1 << 60 && end_ - at_ - n0_ >= {} * step_) {{",
            UNROLLED_ITERATIONS - 1
        ));
        for (data, by) in self.prefetch_streams(stride) {
            self.code.out.line(format!(
                "apg_prefetch_stream({data}, at_ + {UNROLLED_ITERATIONS} * step_{by}, n0_, step_, {UNROLLED_ITERATIONS});"
            ));
        }
        self.code.out.line("const apg_i64 first_at_ = at_;");
        let around = self.preload_uniform_elements(body, &[]);
        self.open_thread_loops("n0_");
        for number in 0..UNROLLED_ITERATIONS {
            self.code.out.open("{");
            self.code.out.line(format!("const apg_i64 at_ = first_at_ + {number} * step_;"));
            self.print_thread_body(range, body);
            self.code.out.close("}");
            self.code.widened_locals.clear();
        }
        self.code.out.close("}");
        self.code.out.close("}");
        self.code.preloaded = around;
        self.code.out.line(format!("at_ += {} * step_;", UNROLLED_ITERATIONS - 1));
        self.code.out.line("continue;");
        self.code.out.close("}");
        self.code.out.close("}");
    }

    /// Whether a body is short, assigns locals only, and one of them is carried from iteration to iteration.
    fn is_accumulation(&self, stride: &GridStrideLoop<'k>) -> bool {
        let (mut plain, mut keeps, mut weight) = (true, false, 0);
        visit_stmts(stride.body, &mut |it| match &it.kind {
            StmtKind::Set { local, .. } => {
                keeps |= self.tree.storage[local.index()] == Storage::ContextArray;
                plain &= self.code.local(*local).stack.is_none();
            }
            StmtKind::Block(_) | StmtKind::If { .. } | StmtKind::Expr(_) => {}
            _ => plain = false,
        });
        visit_exprs(stride.body, &mut |it, _| {
            weight += 1;
            plain &= !matches!(it.kind, ExprKind::Call { .. } | ExprKind::Atomic { .. });
        });
        plain && keeps && weight <= MAX_UNROLLED_BODY_EXPRESSIONS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(kind: ExprKind) -> Expr {
        Expr::new(Ty::I32, kind)
    }

    fn sum(operation: Operation, a: Expr, b: Expr) -> Expr {
        int(ExprKind::Operation { operation, args: vec![a, b] })
    }

    #[test]
    fn offset_from_counter_recognises_added_terms_only() {
        let counter = LocalId(3);
        let i = || int(ExprKind::Local(counter));
        let n = || int(ExprKind::Local(LocalId(1)));
        let wide =
            |it| Expr::new(Ty::I64, ExprKind::Operation { operation: Operation::Convert, args: vec![it] });
        let by = |it: &Expr| {
            offset_from_counter(it, counter)
                .map(|by| by.map(|by| matches!(by.kind, ExprKind::Local(LocalId(1)))))
        };
        assert_eq!(by(&wide(i())), Some(None));
        assert_eq!(by(&sum(Operation::Add, i(), n())), Some(Some(true)));
        assert_eq!(by(&wide(sum(Operation::Add, n(), wide(i())))), Some(Some(true)));
        // Another coefficient than one is no stream.
        assert_eq!(by(&sum(Operation::Mul, i(), n())), None);
        assert_eq!(by(&n()), None);
    }
}
