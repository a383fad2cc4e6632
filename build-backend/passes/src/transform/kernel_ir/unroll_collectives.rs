//! Full unrolling of collective loops on CPUs.
//!
//! Precondition: a loop with barriers or shuffles, a compile-time trip count, and a set of active threads or
//! a shuffle distance that depends on the counter, as in tree reductions (`for (var s:Int = 128n; s > 0n; s
//! /= 2n)`). Each iteration is printed with the counter's value, so that it consists of vectors of known
//! length and its results stay in registers. A warp finishes all its shuffles before the next warp begins.
//!
//! Loops whose iterations all have the same active threads, such as prefix sums, do not profit and stay
//! loops.

use crate::analysis::constants::constant_value;
use crate::analysis::locals::{
    count_mentions, is_always_assigned, is_assigned_first, mentioned_locals, mentions,
};
use crate::kernel_ir::{Branch, KernelIr, LoopNode, Node, UnrolledLoop, WarpArray};
use crate::transform::kernel_ir::index_set_split::split_by_guards;
use apg_mir::fold::fold;
use apg_mir::thread_index::WARP_SIZE;
use apg_mir::walk::visit_exprs;
use apg_mir::walk_mut::edit_expr;
use apg_mir::*;

/// Upper limit of unrolled iterations: log2 of the largest block and a margin.
const MAX_UNROLLED_ITERATIONS: usize = 12;
/// Upper limit of expressions in all unrolled iterations together.
const MAX_UNROLLED_EXPRESSIONS: usize = 1000;

/// Unrolls the loops of a kernel.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.edit_nodes(|ir, nodes| unroll_nodes(ir, nodes));
}

fn unroll_nodes(ir: &KernelIr, nodes: &mut [Node]) {
    for index in 0..nodes.len() {
        let (before, rest) = nodes.split_at_mut(index);
        let node = &mut rest[0];
        match node {
            Node::Loop(repeat) => match unroll(ir, before.last(), repeat) {
                Some(unrolled) => *node = Node::Unrolled(unrolled),
                None => {
                    unroll_nodes(ir, &mut repeat.body);
                    unroll_nodes(ir, &mut repeat.update);
                }
            },
            Node::If(Branch { then, otherwise, .. }) => {
                unroll_nodes(ir, then);
                unroll_nodes(ir, otherwise);
            }
            Node::Warps(body) | Node::Labeled(_, body) => unroll_nodes(ir, body),
            Node::Switch(switch) => switch.cases.iter_mut().for_each(|it| unroll_nodes(ir, &mut it.1)),
            _ => {}
        }
    }
}

/// The unrolled form of a loop, if it can be unrolled; `before` is the node in front of it.
fn unroll(ir: &KernelIr, before: Option<&Node>, repeat: &LoopNode) -> Option<UnrolledLoop> {
    let Some(Node::Uniform(Stmt { kind: StmtKind::Set { local: counter, value }, .. })) = before else {
        return None;
    };
    let (last, inside) = split_last_assignment(&repeat.body, &repeat.update)?;
    let StmtKind::Set { local, value: next } = &last.kind else { return None };
    if repeat.post_tested || local != counter || !inside.iter().all(|it| is_duplicable(it, *counter)) {
        return None;
    }
    let weight: usize = inside.iter().map(|it| count_expressions(it)).sum();
    let by_warps = inside.iter().any(|it| shuffles_by_counter(it, *counter));
    let changes = by_warps || inside.iter().any(|it| selects_threads_by(ir, it, *counter));
    if !changes || by_warps && !meets_in_whole_warps(ir, &inside) {
        return None;
    }
    let (mut values, mut now) = (Vec::new(), constant_value(value)?);
    while evaluate_condition(&repeat.condition, *counter, now)? {
        values.push(now);
        now = evaluate_with(next, *counter, now)?;
        if values.len() > MAX_UNROLLED_ITERATIONS || values.len() * weight > MAX_UNROLLED_EXPRESSIONS {
            return None;
        }
    }
    // Locals that an iteration assigns before it reads them are not loaded before the first: there must be
    // one.
    (!values.is_empty()).then(|| UnrolledLoop {
        counter: *counter,
        lanes: vec![WARP_SIZE; values.len()],
        values,
        end: now,
        by_warps,
        warp_arrays: if by_warps { warp_arrays(ir, repeat.source, &inside) } else { Vec::new() },
        body: inside.into_iter().cloned().collect(),
        rolled: repeat.clone(),
    })
}

/// The locals in context arrays that a warp keeps in an array of its own while it executes a loop.
fn warp_arrays(ir: &KernelIr, source: StmtId, inside: &[&Node]) -> Vec<WarpArray> {
    let stmts: Vec<Stmt> = inside.iter().flat_map(|it| statements(it)).cloned().collect();
    let all = count_mentions(&ir.kernel.body);
    let in_loop = ir.source(source).map(|it| count_mentions(std::slice::from_ref(it))).unwrap_or_default();
    let mut locals: Vec<LocalId> = mentioned_locals(&stmts).into_iter().collect();
    locals.sort();
    locals.retain(|it| ir.is_in_context_array(*it) && !ir.private_rails.contains_key(it));
    let array = |local| {
        let is_own = in_loop.get(&local) == all.get(&local) && is_assigned_first(stmts.iter(), local);
        let is_live_in = !is_always_assigned(stmts.iter(), local);
        WarpArray { local, is_live_in, lanes_out: if is_own { 0 } else { WARP_SIZE } }
    };
    locals.into_iter().map(array).collect()
}

/// The last statement of an iteration, which must be a uniform assignment, and the nodes before it.
fn split_last_assignment<'n>(body: &'n [Node], update: &'n [Node]) -> Option<(&'n Stmt, Vec<&'n Node>)> {
    let mut all: Vec<&Node> = body.iter().chain(update).collect();
    let Some(Node::Uniform(last)) = all.pop() else { return None };
    Some((last, all))
}

/// Whether a node can be executed several times and does not assign the counter.
fn is_duplicable(node: &Node, counter: LocalId) -> bool {
    match node {
        Node::Region(_) | Node::Collective(_) | Node::Barrier => true,
        Node::Uniform(stmt) => !matches!(&stmt.kind, StmtKind::Set { local, .. } if *local == counter),
        _ => false,
    }
}

fn statements(node: &Node) -> &[Stmt] {
    match node {
        Node::Region(region) => region.stmts(),
        Node::Collective(stmt) | Node::Uniform(stmt) => std::slice::from_ref(stmt),
        _ => &[],
    }
}

fn count_expressions(node: &Node) -> usize {
    let mut count = 0;
    visit_exprs(statements(node), &mut |_, _| count += 1);
    count
}

/// Whether threads shuffle by a distance that depends on the counter.
fn shuffles_by_counter(node: &Node, counter: LocalId) -> bool {
    let Node::Collective(stmt) = node else { return false };
    let StmtKind::Set { value, .. } = &stmt.kind else { return false };
    let ExprKind::Collective { operation, args } = &value.kind else { return false };
    operation.name.starts_with("warp_shuffle") && args.get(1).is_some_and(|it| mentions(it, counter))
}

/// Whether the set of active threads depends on the counter.
fn selects_threads_by(ir: &KernelIr, node: &Node, counter: LocalId) -> bool {
    let Node::Region(region) = node else { return false };
    split_by_guards(ir, region.stmts())
        .is_some_and(|all| all.iter().any(|it| it.bounds.iter().any(|it| mentions(&it.side, counter))))
}

/// Whether only threads of a warp synchronise in an iteration, and all warps are full.
fn meets_in_whole_warps(ir: &KernelIr, inside: &[&Node]) -> bool {
    let threads = ir.kernel.host.threads.iter().map(constant_value);
    let known = threads.into_iter().try_fold(1i64, |all, it| all.checked_mul(it?.max(0)));
    known.is_some_and(|it| it % WARP_SIZE == 0)
        && inside.iter().all(|node| match node {
            Node::Region(_) => true,
            Node::Collective(stmt) => matches!(&stmt.kind, StmtKind::Set { value, .. }
                if matches!(&value.kind, ExprKind::Collective { operation, .. } if operation.is_of_warp())),
            _ => false,
        })
}

/// Value of an expression of constants and the counter.
pub(super) fn evaluate_with(expr: &Expr, counter: LocalId, now: i64) -> Option<i64> {
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
