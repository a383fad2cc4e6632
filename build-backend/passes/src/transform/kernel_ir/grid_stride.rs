//! Grid-stride loops (Harris, *CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops*, 2013): `for (i =
//! first; i < end; i += step)` where thread `t` starts at `first(0) + t`.
//!
//! All threads of a block execute an iteration of such a loop together. Thread after thread would each stride
//! through memory; together they access adjacent elements, and the compiler vectorises over them.

use rustc_hash::FxHashMap;

use crate::analysis::affine::{Term, invariant_form, linear_form};
use crate::analysis::jumps::has_outer_jump;
use crate::analysis::locals::count_assignments;
use crate::kernel_ir::{GridStrideLoop, Schedule};
use apg_mir::walk::visit_exprs;
use apg_mir::*;
use apg_symbolic::LinearForm;

/// Facts about the place where a loop is.
pub(super) struct StrideContext<'c, 'a> {
    /// Thread indices, slowest axis first.
    pub(super) threads: &'c [LocalId],
    /// Whether an expression is block-uniform.
    pub(super) is_uniform: &'c dyn Fn(&Expr) -> bool,
    /// Values of locals that are assigned once, before the loop.
    pub(super) values: &'c FxHashMap<LocalId, &'a Expr>,
    /// Value of a counter before the loop.
    pub(super) first: &'c dyn Fn(LocalId) -> Option<&'a Expr>,
    /// Body of the kernel.
    pub(super) body: &'a [Stmt],
}

/// Recognises a grid-stride loop.
pub(super) fn recognise_grid_stride(stmt: &Stmt, context: &StrideContext<'_, '_>) -> Option<GridStrideLoop> {
    let StmtKind::Loop { label, condition, body, update, post_tested: false, .. } = &stmt.kind else {
        return None;
    };
    let [thread] = context.threads else { return None };
    let (index, end, inclusive) = loop_bound(condition)?;
    let step = counter_step(update, index)?;
    if !(context.is_uniform)(end) || !(context.is_uniform)(step) || has_outer_jump(&[body], Some(*label)) {
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
        end: end.clone(),
        inclusive,
        step: step.clone(),
        schedule: Schedule::Threads(body.clone()),
        jam: None,
        streams: Vec::new(),
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
pub(super) fn counter_step(update: &[Stmt], index: LocalId) -> Option<&Expr> {
    let [Stmt { kind: StmtKind::Set { local, value }, .. }] = update else { return None };
    let ExprKind::Operation { operation: Operation::Add, args } = &value.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    (*local == index && counter_local(a) == Some(index)).then_some(b)
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
    Some(Expr::new(expr.ty, kind))
}

/// Coefficient of the thread index.
fn thread_coefficient(expr: &Expr, thread: LocalId, context: &StrideContext<'_, '_>) -> Option<i64> {
    let form = linear_form(expr, &|it| match &it.kind {
        _ if (context.is_uniform)(it) => Term::Form(invariant_form(it)),
        ExprKind::Local(local) if *local == thread => Term::Form(LinearForm::variable(())),
        ExprKind::Local(_) => Term::Unknown,
        ExprKind::Operation { operation: Operation::Convert, .. } if !matches!(it.ty, Ty::I32 | Ty::I64) => {
            Term::Unknown
        }
        _ => Term::Compound,
    });
    form?.slope(&())
}
