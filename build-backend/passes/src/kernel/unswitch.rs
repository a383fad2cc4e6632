//! Loop unswitching of work-item loops on guards that hold for a whole block (Muchnick, *Advanced Compiler
//! Design and Implementation*), in the form of full-tile versioning.
//!
//! Most blocks of `if (i < n) { ... }` pass the guard with all threads. The guard is evaluated once per
//! block, and full blocks run loops without a condition, which compilers vectorise. Other blocks keep the
//! test.
//!
//! Soundness: indices may wrap. The sides of the comparison are evaluated, as the program does it, for the
//! threads at the corners of the block. If the differences are those of an affine function, nothing wrapped
//! in between, and what holds at the corners holds for all threads.

use rustc_hash::FxHashSet;

use super::access_stride::thread_stride;
use super::expressions::{is_same_expr, is_total, single_value};
use super::region_formation::{RegionTree, single_stmt};
use super::region_node::Storage;
use apg_mir::walk::{visit_expr, visit_exprs, visit_stmts};
use apg_mir::*;

/// Upper limit of coefficients: products with thread counts fit 64 bits.
pub const MAX_COEFFICIENT: i64 = 1 << 40;

/// Upper limit of comparisons that are evaluated per block.
const MAX_COMPARISONS: usize = 4;
/// Upper limit of expressions in a region that is printed twice for conditions inside of it.
const MAX_VERSIONED_EXPRESSIONS: usize = 150;

/// A comparison of two integers.
pub struct Comparison<'a> {
    /// Smaller and larger side.
    pub sides: [&'a Expr; 2],
    /// Coefficients of both sides on each axis, the fastest first.
    pub factors: [Vec<i64>; 2],
    /// `<` rather than `<=`.
    pub strict: bool,
}

/// A region with conditions that may hold for a whole block.
pub struct GuardedBody<'a> {
    /// Comparisons, all of which must hold.
    pub comparisons: Vec<Comparison<'a>>,
    /// Statements that run if they hold.
    pub then: Vec<&'a Stmt>,
    /// Conditions inside of the statements that are then true.
    pub assumed_conditions: Vec<ExprId>,
}

/// The guard that a region consists of, if its sides are affine.
pub fn find_single_guard<'a>(tree: &RegionTree<'a>, stmts: &[&'a Stmt]) -> Option<GuardedBody<'a>> {
    let mut found = None;
    for stmt in stmts {
        single_stmt(tree, stmt, &mut found)?;
    }
    let StmtKind::If { condition, then, otherwise } = &found?.kind else { return None };
    let mut comparisons = Vec::new();
    (otherwise.is_empty() && collect_comparisons(tree, condition, &mut comparisons)).then_some(())?;
    Some(GuardedBody { comparisons, then: then.iter().collect(), assumed_conditions: Vec::new() })
}

/// Conditions inside of a region that hold for all threads of most blocks: `i < n ? a(i) : 0`, and guards
/// beside other statements. Only conditions that depend on the block index: others are the same in each
/// block.
pub fn find_uniform_conditions<'a>(tree: &RegionTree<'a>, stmts: &[&'a Stmt]) -> Option<GuardedBody<'a>> {
    let (mut conditions, mut weight, mut loops) = (Vec::new(), 0, false);
    for stmt in stmts {
        let list = std::slice::from_ref(*stmt);
        visit_stmts(list, &mut |it| match &it.kind {
            StmtKind::If { condition, .. } => collect_conjuncts(condition, &mut conditions),
            StmtKind::Loop { .. } => loops = true,
            _ => {}
        });
        visit_exprs(list, &mut |it, _| {
            weight += 1;
            if let ExprKind::Select { condition, .. } = &it.kind {
                collect_conjuncts(condition, &mut conditions);
            }
        });
    }
    if loops || weight > MAX_VERSIONED_EXPRESSIONS {
        return None;
    }
    let (mut comparisons, mut assumed): (Vec<Comparison<'a>>, Vec<ExprId>) = (Vec::new(), Vec::new());
    for condition in conditions {
        let mut found = Vec::new();
        let asks =
            depends_on_block_index(tree, condition) && collect_comparisons(tree, condition, &mut found);
        let [comparison] = found.as_slice() else { continue };
        let is_known = |it: &Comparison<'_>| {
            it.strict == comparison.strict
                && it.sides.iter().zip(comparison.sides).all(|(a, b)| is_same_expr(a, b))
        };
        if !asks || comparisons.len() == MAX_COMPARISONS && !comparisons.iter().any(is_known) {
            continue;
        }
        assumed.push(condition.id);
        if !comparisons.iter().any(is_known) {
            comparisons.append(&mut found);
        }
    }
    let then = stmts.to_vec();
    (!assumed.is_empty()).then_some(GuardedBody { comparisons, then, assumed_conditions: assumed })
}

/// Collects the conjuncts of a condition.
fn collect_conjuncts<'a>(condition: &'a Expr, into: &mut Vec<&'a Expr>) {
    match &condition.kind {
        ExprKind::And(a, b) => [a, b].into_iter().for_each(|it| collect_conjuncts(it, into)),
        ExprKind::Operation { operation: Operation::And, args } => {
            args.iter().for_each(|it| collect_conjuncts(it, into));
        }
        _ => into.push(condition),
    }
}

/// Whether a value depends on the block index.
fn depends_on_block_index(tree: &RegionTree<'_>, expr: &Expr) -> bool {
    let mut found = false;
    visit_expr(expr, None, &mut |it, _| {
        let ExprKind::Local(local) = it.kind else { return };
        found |= tree.kernel().block_locals.contains(&local)
            || block_invariant_value(tree, local).is_some_and(|it| depends_on_block_index(tree, it));
    });
    found
}

/// Value of a local that is assigned once per block.
fn block_invariant_value<'a>(tree: &RegionTree<'a>, local: LocalId) -> Option<&'a Expr> {
    let derived = tree.rematerialized.iter().find(|it| it.local == local).map(|it| it.value);
    let is_fixed = tree.storage.get(local.index()) == Some(&Storage::Uniform) && tree.is_assigned_once(local);
    let mut found = None;
    if is_fixed {
        visit_stmts(&tree.kernel().body, &mut |it| {
            if let StmtKind::Set { local: id, value } = &it.kind
                && *id == local
            {
                found = Some(value);
            }
        });
    }
    derived.or(found)
}

/// Collects the comparisons of a conjunction; false if it has other parts.
fn collect_comparisons<'a>(
    tree: &RegionTree<'a>,
    condition: &'a Expr,
    into: &mut Vec<Comparison<'a>>,
) -> bool {
    let both =
        |a, b, into: &mut Vec<_>| collect_comparisons(tree, a, into) && collect_comparisons(tree, b, into);
    match &condition.kind {
        ExprKind::And(a, b) => both(a, b, into),
        ExprKind::Operation { operation, args } => {
            let [a, b] = args.as_slice() else { return false };
            let (sides, strict) = match operation {
                Operation::And => return both(a, b, into),
                Operation::Lt => ([a, b], true),
                Operation::Le => ([a, b], false),
                Operation::Gt => ([b, a], true),
                Operation::Ge => ([b, a], false),
                _ => return false,
            };
            let factors = sides.map(|it| axis_coefficients(tree, it));
            let [Some(first), Some(second)] = factors else { return false };
            into.push(Comparison { sides, factors: [first, second], strict });
            true
        }
        _ => false,
    }
}

/// Coefficients of a side on each axis.
fn axis_coefficients(tree: &RegionTree<'_>, side: &Expr) -> Option<Vec<i64>> {
    let is_fixed = |it: &Expr| tree.is_uniform(it, &FxHashSet::default());
    let fits = matches!(side.ty, Ty::I32 | Ty::I64)
        && is_total(side)
        && count_widened_values(tree, &[], &is_fixed, side) < 2;
    let none = FxHashSet::default();
    let along =
        |axis: &LocalId| thread_stride(tree, &none, *axis, side).filter(|it| it.abs() <= MAX_COEFFICIENT);
    fits.then(|| tree.kernel().thread_locals.iter().rev().map(along).collect())?
}

/// Number of varying 32-bit values that are widened in a 64-bit value. A wrapped one is detected at a corner;
/// two could cancel out at the corners and not in between. `fixed` says which expressions do not vary,
/// `uniform` has definitions of block-uniform locals.
pub fn count_widened_values(
    tree: &RegionTree<'_>,
    uniform: &[&Stmt],
    fixed: &dyn Fn(&Expr) -> bool,
    expr: &Expr,
) -> usize {
    let of = |expr: &Expr| count_widened_values(tree, uniform, fixed, expr);
    if expr.ty != Ty::I64 {
        return 0;
    }
    match &expr.kind {
        ExprKind::Local(local) => {
            let derived = tree.rematerialized.iter().find(|it| it.local == *local).map(|it| it.value);
            derived.or_else(|| single_value(uniform, *local)).map_or(0, of)
        }
        ExprKind::Operation { operation: Operation::Convert, args } => args
            .iter()
            .map(|it| match it.ty {
                Ty::I64 => of(it),
                _ => usize::from(!is_index(tree, it) && !fixed(it)),
            })
            .sum(),
        ExprKind::Operation { args, .. } => args.iter().map(of).sum(),
        _ => 0,
    }
}

/// Whether a value is a thread or block index, which does not wrap.
fn is_index(tree: &RegionTree<'_>, expr: &Expr) -> bool {
    let kernel = tree.kernel();
    matches!(expr.kind, ExprKind::Local(local) if kernel.thread_locals.contains(&local) || kernel.block_locals.contains(&local))
}
