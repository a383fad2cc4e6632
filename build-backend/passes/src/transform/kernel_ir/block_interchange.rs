//! Loop interchange of the block loop and the row loop (Allen and Kennedy, *Optimizing Compilers for Modern
//! Architectures*).
//!
//! Precondition: threads neither synchronise nor share memory, so that the order of blocks is free. A CPU
//! then runs the first rows of a strip of adjacent blocks, then their second rows, and so on: memory is
//! accessed in order, whole cache lines and pages at a time.

use rustc_hash::FxHashSet;

use crate::analysis::access_summary::is_rail_like;
use crate::analysis::affine::{Term, linear_form};
use crate::analysis::expressions::{is_total, single_value};
use crate::kernel_ir::{BlockStrips, KernelIr, Node, Storage};
use crate::transform::kernel_ir::index_set_split::split_by_guards;
use crate::transform::kernel_ir::uniform_loads::find_uniform_loads;
use crate::transform::kernel_ir::unswitch::{MAX_COEFFICIENT, count_widened_values, find_single_guard};
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;
use apg_symbolic::LinearForm;

/// Interchanges blocks with rows where that is possible.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.strips = find_block_strips(ir).map(|mut strips| {
        strips.loads = find_uniform_loads(ir, &strips.stmts, &[]);
        strips
    });
}

/// The strips of a kernel whose blocks can be interchanged with rows.
fn find_block_strips(ir: &KernelIr) -> Option<BlockStrips> {
    let kernel = &ir.kernel;
    let alone = kernel.shared.is_empty() && !ir.storage.contains(&Storage::ContextArray);
    if !alone || kernel.thread_locals.len() < 2 {
        return None;
    }
    let (mut uniform, mut stmts) = (Vec::new(), Vec::new());
    for node in &ir.nodes {
        match node {
            // Nothing precedes it.
            Node::Barrier if stmts.is_empty() => {}
            // It is evaluated for each row of a block, and at each corner.
            Node::Uniform(stmt) if stmts.is_empty() && is_cheap_assignment(stmt) => {
                uniform.push(stmt.clone())
            }
            Node::Region(region) if stmts.is_empty() => stmts = region.stmts().to_vec(),
            _ => return None,
        }
    }
    // Threads with loops have an access order of their own.
    if stmts.is_empty() || stmts.iter().any(scans_memory) || has_long_row_stride(ir, &stmts) {
        return None;
    }
    let strips = |stmts, guard| BlockStrips { uniform: uniform.clone(), stmts, loads: Vec::new(), guard };
    let Some((guard, then)) = find_single_guard(ir, &stmts) else {
        return split_by_guards(ir, &stmts).is_none().then(|| strips(stmts, None));
    };
    let is_fixed = |it: &Expr| {
        block_coefficient(ir, &uniform, it) == Some(0) && ir.is_uniform(it, &FxHashSet::default())
    };
    let sides = guard.comparisons.iter().flat_map(|it| &it.sides);
    let coefficients: Option<Vec<i64>> = sides
        .map(|it| {
            block_coefficient(ir, &uniform, it).filter(|grows| {
                grows.abs() <= MAX_COEFFICIENT && count_widened_values(ir, &uniform, &is_fixed, it) < 2
            })
        })
        .collect();
    split_by_guards(ir, &then).is_none().then_some(())?;
    Some(strips(then, Some((guard, coefficients?))))
}

/// Whether an assignment is total arithmetic.
fn is_cheap_assignment(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Set { value, .. } if is_total(value))
}

/// Whether a statement has a loop, or calls a function that gets an array.
fn scans_memory(stmt: &Stmt) -> bool {
    let list = std::slice::from_ref(stmt);
    let mut found = false;
    visit_stmts(list, &mut |it| found |= matches!(it.kind, StmtKind::Loop { .. }));
    visit_exprs(list, &mut |it, _| {
        found |= match &it.kind {
            ExprKind::Call { args, .. } => args.iter().any(is_rail_like),
            ExprKind::CallPointer { .. } => true,
            _ => false,
        };
    });
    found
}

/// Whether adjacent threads of a row access distant elements: a row through many blocks would then be a
/// column in memory.
fn has_long_row_stride(ir: &KernelIr, stmts: &[Stmt]) -> bool {
    let Some(fastest) = ir.kernel.thread_locals.last() else { return true };
    let mut moving = FxHashSet::from_iter([*fastest]);
    let mut values: Vec<(LocalId, &Expr)> =
        ir.rematerialized.iter().map(|it| (it.local, &it.value)).collect();
    let mut indices: Vec<&Expr> = Vec::new();
    for stmt in stmts {
        let list = std::slice::from_ref(stmt);
        visit_stmts(list, &mut |it| match &it.kind {
            StmtKind::Set { local, value } if matches!(value.ty, Ty::I32 | Ty::I64) => {
                values.push((*local, value))
            }
            StmtKind::SetElement { index, .. } => indices.push(index),
            _ => {}
        });
        visit_exprs(list, &mut |it, _| {
            if let ExprKind::Element { index, .. } | ExprKind::Atomic { index, .. } = &it.kind {
                indices.push(index);
            }
        });
    }
    loop {
        let before = moving.len();
        let found: Vec<LocalId> =
            values.iter().filter(|it| depends_on(it.1, &moving)).map(|it| it.0).collect();
        moving.extend(found);
        if moving.len() == before {
            break;
        }
    }
    let values = values.iter().map(|it| it.1);
    values.chain(indices).any(|it| multiplies_any(it, &moving))
}

/// Whether a value is computed from these locals, not counting values loaded from memory.
fn depends_on(expr: &Expr, locals: &FxHashSet<LocalId>) -> bool {
    match &expr.kind {
        ExprKind::Element { .. } => false,
        ExprKind::Local(local) => locals.contains(local),
        kind => walk::children(kind).into_iter().any(|it| depends_on(it, locals)),
    }
}

/// Whether an expression multiplies one of these locals.
fn multiplies_any(expr: &Expr, locals: &FxHashSet<LocalId>) -> bool {
    match &expr.kind {
        ExprKind::Element { .. } => false,
        ExprKind::Operation { operation: Operation::Mul | Operation::Shl, args }
            if args.iter().any(|it| depends_on(it, locals)) =>
        {
            true
        }
        kind => walk::children(kind).into_iter().any(|it| multiplies_any(it, locals)),
    }
}

/// Coefficient of the block index of the fastest axis.
fn block_coefficient(ir: &KernelIr, uniform: &[Stmt], expr: &Expr) -> Option<i64> {
    block_form(ir, uniform, expr)?.slope(&())
}

/// Affine form over the block index of the fastest axis.
fn block_form(ir: &KernelIr, uniform: &[Stmt], expr: &Expr) -> Option<LinearForm<()>> {
    let kernel = &ir.kernel;
    linear_form(expr, &|it| match &it.kind {
        ExprKind::Local(local) if kernel.block_locals.last() == Some(local) => {
            Term::Form(LinearForm::variable(()))
        }
        ExprKind::Local(local) => {
            let predefined = local.index() < kernel.captures.len()
                || kernel.block_locals.contains(local)
                || kernel.thread_locals.contains(local);
            if predefined {
                return Term::Form(LinearForm::invariant(None));
            }
            let rematerialized = ir.rematerialized_value(*local);
            let value = rematerialized.or_else(|| single_value(uniform, *local));
            Term::of(value.and_then(|it| block_form(ir, uniform, it)))
        }
        ExprKind::StructField { value, .. } | ExprKind::Length { rail: value, .. } => {
            Term::of(block_form(ir, uniform, value))
        }
        _ => Term::Compound,
    })
}
