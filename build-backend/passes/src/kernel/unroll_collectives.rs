//! Full unrolling of collective loops on CPUs.
//!
//! Precondition: a loop with barriers or shuffles, a compile-time trip count, and a set of active threads or
//! a shuffle distance that depends on the counter, as in tree reductions (`for (var s:Int = 128n; s > 0n; s
//! /= 2n)`). Each iteration is printed with the counter's value, so that it consists of vectors of known
//! length and its results stay in registers. A warp finishes all its shuffles before the next warp begins.
//!
//! Loops whose iterations all have the same active threads, such as prefix sums, do not profit and stay
//! loops.

use super::expressions::scalar_bytes;
use super::index_set_split::split_by_guards;
use super::locals::mentions;
use super::region_formation::RegionTree;
use super::region_node::RegionNode;
use crate::analysis::constants::constant_value;
use apg_mir::fold::fold;
use apg_mir::thread_index::WARP_SIZE;
use apg_mir::walk::visit_exprs;
use apg_mir::walk_mut::edit_expr;
use apg_mir::*;

/// Upper limit of unrolled iterations: log2 of the largest block and a margin.
const MAX_UNROLLED_ITERATIONS: usize = 12;
/// Upper limit of expressions in all unrolled iterations together.
const MAX_UNROLLED_EXPRESSIONS: usize = 1000;
/// Shared rails up to this size become variables of the block function; larger ones stay in the worker's
/// memory.
const MAX_BLOCK_RAIL_BYTES: i64 = 8192;
/// A loop that is fully unrolled.
pub struct UnrolledLoop {
    /// The counter.
    pub counter: LocalId,
    /// The counter's value in each iteration.
    pub values: Vec<i64>,
    /// Its value after the last iteration.
    pub end: i64,
    /// Only threads of a warp synchronise in it.
    pub by_warps: bool,
}

/// Whether a loop can be unrolled, and how; `before` are the nodes in front of it.
pub fn find_unrolled_loop<'k>(
    tree: &RegionTree<'k>,
    before: &[RegionNode<'k>],
    stmt: &Stmt,
    body: &[RegionNode<'k>],
    update: &[RegionNode<'k>],
) -> Option<UnrolledLoop> {
    let StmtKind::Loop { condition, post_tested: false, .. } = &stmt.kind else { return None };
    let Some(RegionNode::Uniform(first)) = before.last() else { return None };
    let StmtKind::Set { local: counter, value } = &first.kind else { return None };
    let (last, inside) = split_last_assignment(body, update)?;
    let StmtKind::Set { local, value: next } = &last.kind else { return None };
    if local != counter || !inside.iter().all(|it| is_duplicable(it, *counter)) {
        return None;
    }
    let weight: usize = inside.iter().map(|it| count_expressions(it)).sum();
    let by_warps = inside.iter().any(|it| shuffles_by_counter(it, *counter));
    let changes = by_warps || inside.iter().any(|it| selects_threads_by(tree, it, *counter));
    if !changes || by_warps && !meets_in_whole_warps(tree, &inside) {
        return None;
    }
    let (mut values, mut now) = (Vec::new(), constant_value(value)?);
    while evaluate_condition(condition, *counter, now)? {
        values.push(now);
        now = evaluate_with(next, *counter, now)?;
        if values.len() > MAX_UNROLLED_ITERATIONS || values.len() * weight > MAX_UNROLLED_EXPRESSIONS {
            return None;
        }
    }
    // Locals that an iteration assigns before it reads them are not loaded before the first: there must be
    // one.
    (!values.is_empty()).then_some(UnrolledLoop { counter: *counter, values, end: now, by_warps })
}

/// The last statement of an iteration, which must be a uniform assignment, and the nodes before it.
fn split_last_assignment<'n, 'k>(
    body: &'n [RegionNode<'k>],
    update: &'n [RegionNode<'k>],
) -> Option<(&'k Stmt, Vec<&'n RegionNode<'k>>)> {
    let mut all: Vec<&RegionNode<'k>> = body.iter().chain(update).collect();
    let Some(RegionNode::Uniform(last)) = all.pop() else { return None };
    Some((last, all))
}

/// Whether a node can be printed several times and does not assign the counter.
fn is_duplicable(node: &RegionNode<'_>, counter: LocalId) -> bool {
    match node {
        RegionNode::Parallel(_) | RegionNode::Collective(_) => true,
        RegionNode::Uniform(stmt) => !matches!(&stmt.kind, StmtKind::Set { local, .. } if *local == counter),
        _ => false,
    }
}

/// The statements of a node without inner nodes.
pub fn statements<'n, 'k>(node: &'n RegionNode<'k>) -> &'n [&'k Stmt] {
    match node {
        RegionNode::Parallel(stmts) => stmts,
        RegionNode::Collective(stmt) | RegionNode::Uniform(stmt) => std::slice::from_ref(stmt),
        _ => &[],
    }
}

fn count_expressions(node: &RegionNode<'_>) -> usize {
    let mut count = 0;
    for stmt in statements(node) {
        visit_exprs(std::slice::from_ref(*stmt), &mut |_, _| count += 1);
    }
    count
}

/// Whether threads shuffle by a distance that depends on the counter.
fn shuffles_by_counter(node: &RegionNode<'_>, counter: LocalId) -> bool {
    let RegionNode::Collective(stmt) = node else { return false };
    let StmtKind::Set { value, .. } = &stmt.kind else { return false };
    let ExprKind::Collective { operation, args } = &value.kind else { return false };
    operation.name.starts_with("warp_shuffle") && args.get(1).is_some_and(|it| mentions(it, counter))
}

/// Whether the set of active threads depends on the counter.
fn selects_threads_by(tree: &RegionTree<'_>, node: &RegionNode<'_>, counter: LocalId) -> bool {
    let RegionNode::Parallel(stmts) = node else { return false };
    split_by_guards(tree, stmts)
        .is_some_and(|all| all.iter().any(|it| it.sides().any(|side| mentions(side, counter))))
}

/// Whether only threads of a warp synchronise in an iteration, and all warps are full.
fn meets_in_whole_warps(tree: &RegionTree<'_>, inside: &[&RegionNode<'_>]) -> bool {
    let threads = tree.kernel().host.threads.iter().map(constant_value);
    let known = threads.into_iter().try_fold(1i64, |all, it| all.checked_mul(it?.max(0)));
    known.is_some_and(|it| it % WARP_SIZE == 0)
        && inside.iter().all(|node| match node {
            // An empty region is a barrier.
            RegionNode::Parallel(stmts) => !stmts.is_empty(),
            RegionNode::Collective(stmt) => matches!(&stmt.kind, StmtKind::Set { value, .. }
                if matches!(&value.kind, ExprKind::Collective { operation, .. } if operation.is_of_warp())),
            _ => false,
        })
}

/// Value of an expression of constants and the counter.
fn evaluate_with(expr: &Expr, counter: LocalId, now: i64) -> Option<i64> {
    let mut expr = expr.clone();
    edit_expr(&mut expr, &mut |it| {
        if matches!(it.kind, ExprKind::Local(local) if local == counter) {
            it.kind = ExprKind::Int(now);
        }
    });
    fold(&mut expr);
    match expr.kind {
        ExprKind::Int(value) if matches!(expr.ty, Ty::I32 | Ty::I64) => Some(value),
        _ => None,
    }
}

/// Value of a comparison of such expressions.
fn evaluate_condition(condition: &Expr, counter: LocalId, now: i64) -> Option<bool> {
    let ExprKind::Operation { operation, args } = &condition.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    let (a, b) = (evaluate_with(a, counter, now)?, evaluate_with(b, counter, now)?);
    Some(match operation {
        Operation::Lt => a < b,
        Operation::Le => a <= b,
        Operation::Gt => a > b,
        Operation::Ge => a >= b,
        Operation::Eq => a == b,
        Operation::Ne => a != b,
        _ => return None,
    })
}

/// Shared rails of a kernel that become variables of the block function, with their lengths: the C++ compiler
/// then sees that they are dead after the last unrolled iteration.
pub fn block_local_rails(tree: &RegionTree<'_>) -> Vec<(LocalId, i64)> {
    if !has_unrolled_loop(tree, &tree.nodes) {
        return Vec::new();
    }
    let kernel = tree.kernel();
    let (mut found, mut room) = (Vec::new(), MAX_BLOCK_RAIL_BYTES);
    for (rail, length) in kernel.shared.iter().zip(&kernel.host.shared_lengths) {
        let (Some(bytes), Some(length)) = (scalar_bytes(rail.element), constant_value(length)) else {
            continue;
        };
        if (1..=room / bytes).contains(&length) {
            room -= length * bytes;
            found.push((rail.local, length));
        }
    }
    found
}

fn has_unrolled_loop(tree: &RegionTree<'_>, nodes: &[RegionNode<'_>]) -> bool {
    nodes.iter().enumerate().any(|(index, node)| match node {
        RegionNode::Loop(stmt, body, update) => {
            find_unrolled_loop(tree, &nodes[..index], stmt, body, update).is_some_and(|it| !it.by_warps)
                || has_unrolled_loop(tree, body)
        }
        RegionNode::If(_, then, otherwise) => {
            has_unrolled_loop(tree, then) || has_unrolled_loop(tree, otherwise)
        }
        RegionNode::Labeled(_, body) => has_unrolled_loop(tree, body),
        _ => false,
    })
}
