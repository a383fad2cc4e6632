//! Grid-stride loops (Harris, *CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops*, 2013): `for (i =
//! first; i < end; i += step)` where thread `t` starts at `first(0) + t`.
//!
//! All threads of a block execute an iteration of such a loop together. Thread after thread would each stride
//! through memory; together they access adjacent elements, and the compiler vectorises over them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cpu::Printer;
use super::regions::Storage;
use super::workitem_loop::ThreadRange;
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// Iterations that are executed together in loops that accumulate.
const UNROLLED_ITERATIONS: i64 = 4;
/// Upper limit of expressions in a body of which several iterations are executed together.
const MAX_UNROLLED_BODY_EXPRESSIONS: usize = 40;

/// A grid-stride loop.
pub struct GridStrideLoop<'a> {
    /// Its label: `continue` ends a thread's iteration.
    pub label: LabelId,
    /// The counter.
    pub index: LocalId,
    /// Initial value; it is smallest in thread 0.
    pub start: Expr,
    /// Upper bound of the counter.
    pub end: &'a Expr,
    /// The bound is included.
    pub inclusive: bool,
    /// Step per iteration.
    pub step: &'a Expr,
    /// Body.
    pub body: &'a [Stmt],
}

/// Facts about the place where a loop is.
pub struct StrideContext<'c, 'a> {
    /// Thread indices, slowest axis first.
    pub threads: &'c [LocalId],
    /// Whether an expression is block-uniform.
    pub is_uniform: &'c dyn Fn(&Expr) -> bool,
    /// Values of locals that are assigned once, before the loop.
    pub values: &'c FxHashMap<LocalId, &'a Expr>,
    /// Value of a counter before the loop.
    pub first: &'c dyn Fn(LocalId) -> Option<&'a Expr>,
    /// Body of the kernel.
    pub body: &'a [Stmt],
}

/// Recognises a grid-stride loop.
pub fn recognise_grid_stride<'a>(
    stmt: &'a Stmt,
    context: &StrideContext<'_, 'a>,
) -> Option<GridStrideLoop<'a>> {
    let StmtKind::Loop { label, condition, body, update, post_tested: false, .. } = &stmt.kind else {
        return None;
    };
    let [thread] = context.threads else { return None };
    let (index, end, inclusive) = loop_bound(condition)?;
    let step = counter_step(update, index)?;
    if !(context.is_uniform)(end) || !(context.is_uniform)(step) || !has_no_outer_jump(body, *label) {
        return None;
    }
    // Nothing else reads or assigns the counter.
    if count_assignments(body, index) != 0
        || count_reads(context.body, index) != count_reads(std::slice::from_ref(stmt), index)
    {
        return None;
    }
    let start = substitute_locals((context.first)(index)?, context, 0)?;
    (thread_coefficient(&start, *thread, context)? == 1).then_some(GridStrideLoop {
        label: *label,
        index,
        start,
        end,
        inclusive,
        step,
        body,
    })
}

/// Counter, bound and inclusiveness of `i < end`, `i <= end`, or the mirrored forms.
pub(super) fn loop_bound(condition: &Expr) -> Option<(LocalId, &Expr, bool)> {
    let ExprKind::Operation { operation, args } = &condition.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    let (counter, end, inclusive) = match operation {
        Operation::Lt => (a, b, false),
        Operation::Le => (a, b, true),
        Operation::Gt => (b, a, false),
        Operation::Ge => (b, a, true),
        _ => return None,
    };
    let is_integer = matches!(counter.ty, Ty::I32 | Ty::I64);
    Some((counter_local(counter)?, end, inclusive)).filter(|_| is_integer)
}

/// A local, possibly widened.
fn counter_local(expr: &Expr) -> Option<LocalId> {
    match &expr.kind {
        ExprKind::Local(local) if matches!(expr.ty, Ty::I32 | Ty::I64) => Some(*local),
        ExprKind::Operation { operation: Operation::Convert, args } if expr.ty == Ty::I64 => {
            counter_local(args.first()?)
        }
        _ => None,
    }
}

/// The step of `i = i + step`.
fn counter_step(update: &[Stmt], index: LocalId) -> Option<&Expr> {
    let [Stmt { kind: StmtKind::Set { local, value }, .. }] = update else { return None };
    let ExprKind::Operation { operation: Operation::Add, args } = &value.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    (*local == index && counter_local(a) == Some(index)).then_some(b)
}

/// Whether an iteration ends only at its end or by the loop's own `continue`.
fn has_no_outer_jump(body: &[Stmt], label: LabelId) -> bool {
    let mut inner = vec![label];
    visit_stmts(body, &mut |stmt| {
        if let StmtKind::Loop { label, .. }
        | StmtKind::Switch { label, .. }
        | StmtKind::Labeled { label, .. } = &stmt.kind
        {
            inner.push(*label);
        }
    });
    let mut has_no_outer_jump = true;
    visit_stmts(body, &mut |stmt| match &stmt.kind {
        StmtKind::Break(target) => has_no_outer_jump &= *target != label && inner.contains(target),
        StmtKind::Continue(target) => has_no_outer_jump &= inner.contains(target),
        _ => {}
    });
    has_no_outer_jump
}

fn count_assignments(body: &[Stmt], local: LocalId) -> usize {
    let mut count = 0;
    visit_stmts(body, &mut |stmt| {
        count += usize::from(matches!(&stmt.kind, StmtKind::Set { local: id, .. } if *id == local))
    });
    count
}

fn count_reads(body: &[Stmt], local: LocalId) -> usize {
    let mut count = 0;
    visit_exprs(body, &mut |expr, _| {
        count += usize::from(matches!(expr.kind, ExprKind::Local(id) if id == local))
    });
    count
}

/// The expression in terms of thread indices and uniform values.
fn substitute_locals(expr: &Expr, context: &StrideContext<'_, '_>, depth: u32) -> Option<Expr> {
    if depth > 16 {
        return None;
    }
    if (context.is_uniform)(expr) {
        return Some(expr.clone());
    }
    let kind = match &expr.kind {
        ExprKind::Local(local) if context.threads.contains(local) => return Some(expr.clone()),
        ExprKind::Local(local) => return substitute_locals(context.values.get(local)?, context, depth + 1),
        ExprKind::Operation { operation, args } => ExprKind::Operation {
            operation: *operation,
            args: args.iter().map(|it| substitute_locals(it, context, depth + 1)).collect::<Option<_>>()?,
        },
        _ => return None,
    };
    Some(Expr { ty: expr.ty, kind, position: None })
}

/// Coefficient of the thread index.
fn thread_coefficient(expr: &Expr, thread: LocalId, context: &StrideContext<'_, '_>) -> Option<i64> {
    if (context.is_uniform)(expr) {
        return Some(0);
    }
    match &expr.kind {
        ExprKind::Local(local) => (*local == thread).then_some(1),
        ExprKind::Operation { operation, args } => {
            let of = |index: usize| thread_coefficient(args.get(index)?, thread, context);
            match operation {
                Operation::Add => of(0)?.checked_add(of(1)?),
                Operation::Sub => of(0)?.checked_sub(of(1)?),
                Operation::Convert if matches!(expr.ty, Ty::I32 | Ty::I64) => of(0),
                Operation::Mul => match (super::constant(&args[0]), super::constant(&args[1])) {
                    (Some(factor), _) => of(1)?.checked_mul(factor),
                    (_, Some(factor)) => of(0)?.checked_mul(factor),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

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
        if self.chunk_threads().is_none()
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
        Expr { ty: Ty::I32, kind, position: None }
    }

    fn sum(operation: Operation, a: Expr, b: Expr) -> Expr {
        int(ExprKind::Operation { operation, args: vec![a, b] })
    }

    #[test]
    fn offset_from_counter_recognises_added_terms_only() {
        let counter = LocalId(3);
        let i = || int(ExprKind::Local(counter));
        let n = || int(ExprKind::Local(LocalId(1)));
        let wide = |it| Expr {
            ty: Ty::I64,
            kind: ExprKind::Operation { operation: Operation::Convert, args: vec![it] },
            position: None,
        };
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
