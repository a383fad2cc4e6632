//! Full unrolling of collective loops on CPUs.
//!
//! Precondition: a loop with barriers or shuffles, a compile-time trip count, and a set of active threads or
//! a shuffle distance that depends on the counter, as in tree reductions (`for (var s:Int = 128n; s > 0n; s
//! /= 2n)`). Each iteration is printed with the counter's value, so that it consists of vectors of known
//! length and its results stay in registers. A warp finishes all its shuffles before the next warp begins.
//!
//! Loops whose iterations all have the same active threads, such as prefix sums, do not profit and stay
//! loops.

use super::super::code::LocalSpelling;
use super::cpu::Printer;
use super::def_use::{is_always_assigned, is_assigned_first, mentioned};
use super::index_set_split::split_by_guards;
use super::loop_fission::count_mentions;
use super::regions::{RegionNode, RegionTree, Storage};
use apg_mir::fold::fold;
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
/// Threads of a warp.
const WARP: i64 = 32;

/// Suffix of the element of thread `r_` in an array with one element per lane.
pub const WARP_ELEMENT: &str = "[r_ - base_]";

/// A loop that is fully unrolled.
pub struct UnrolledLoop {
    counter: LocalId,
    /// The counter's value in each iteration.
    values: Vec<i64>,
    /// Its value after the last iteration.
    end: i64,
    /// Only threads of a warp synchronise in it.
    by_warps: bool,
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
    let (mut values, mut now) = (Vec::new(), super::constant(value)?);
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

fn statements<'n, 'k>(node: &'n RegionNode<'k>) -> &'n [&'k Stmt] {
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
    operation.name.starts_with("warp_shuffle") && args.get(1).is_some_and(|it| reads(it, counter))
}

/// Whether the set of active threads depends on the counter.
fn selects_threads_by(tree: &RegionTree<'_>, node: &RegionNode<'_>, counter: LocalId) -> bool {
    let RegionNode::Parallel(stmts) = node else { return false };
    split_by_guards(tree, stmts)
        .is_some_and(|all| all.iter().any(|it| it.sides().any(|side| reads(side, counter))))
}

fn reads(expr: &Expr, local: LocalId) -> bool {
    let mut found = false;
    walk::visit_expr(expr, None, &mut |it, _| {
        found |= matches!(it.kind, ExprKind::Local(id) if id == local);
    });
    found
}

/// Whether only threads of a warp synchronise in an iteration, and all warps are full.
fn meets_in_whole_warps(tree: &RegionTree<'_>, inside: &[&RegionNode<'_>]) -> bool {
    let threads = tree.kernel().host.threads.iter().map(super::constant);
    let known = threads.into_iter().try_fold(1i64, |all, it| all.checked_mul(it?.max(0)));
    known.is_some_and(|it| it % WARP == 0)
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
        let (Some(bytes), Some(length)) =
            (super::induction::scalar_bytes(rail.element), super::constant(length))
        else {
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

impl<'k> Printer<'_, '_, 'k> {
    /// Prints all iterations of a loop.
    pub(super) fn print_unrolled_loop(
        &mut self,
        unrolled: &UnrolledLoop,
        stmt: &'k Stmt,
        body: &[RegionNode<'k>],
        update: &[RegionNode<'k>],
    ) {
        // Launches without proven bounds are slow anyhow and use the form that is quick to compile.
        self.code.out.open("if constexpr (proven_) {");
        let counter = self.code.local(unrolled.counter).text;
        // The assignment of the counter is replaced by its value.
        let parts = match update {
            [] => [&body[..body.len().saturating_sub(1)], &[]],
            _ => [body, &update[..update.len() - 1]],
        };
        match unrolled.by_warps {
            true => self.print_iterations_by_warp(unrolled, &counter, stmt, parts),
            false => self.print_iterations(unrolled, &counter, parts),
        }
        self.code.out.line(format!("{counter} = {};", unrolled.end));
        self.code.out.between("} else {");
        self.print_loop_node(stmt, body, update);
        self.code.out.close("}");
    }

    fn print_iterations(&mut self, unrolled: &UnrolledLoop, counter: &str, parts: [&[RegionNode<'k>]; 2]) {
        for value in &unrolled.values {
            self.code.out.line(format!("{counter} = {value};"));
            // A lambda: labels are printed once per iteration.
            self.code.out.open("[&]() __attribute__((always_inline)) {");
            parts.iter().for_each(|it| self.print_nodes(it));
            self.code.out.close("}();");
        }
    }

    /// Prints all iterations for one warp after the other. Values of its threads are in arrays of the warp
    /// meanwhile.
    fn print_iterations_by_warp(
        &mut self,
        unrolled: &UnrolledLoop,
        counter: &str,
        stmt: &'k Stmt,
        parts: [&[RegionNode<'k>]; 2],
    ) {
        let around = std::mem::replace(&mut self.in_warp, true);
        if around {
            self.code.out.open("{");
        } else {
            self.code.out.open("for (apg_i64 base_ = 0; base_ < threads_; base_ += 32) {");
            self.code.out.line("const apg_i64 lanes_ = 32;");
        }
        let kept = self.declare_warp_arrays(stmt, parts);
        self.print_iterations(unrolled, counter, parts);
        for (local, place, lives_on) in kept {
            let inner = std::mem::replace(&mut self.code.locals[local.index()], place);
            if lives_on {
                let outer = self.code.local(local).text;
                self.print_for_each_lane(&format!("{outer} = {};", inner.text));
            }
        }
        self.in_warp = around;
        self.code.out.close("}");
    }

    fn print_for_each_lane(&mut self, line: &str) {
        let head = "for (apg_i64 lane_ = 0; lane_ < lanes_; ++lane_)";
        self.code.out.line(format!("{head} {{ const apg_i64 r_ = base_ + lane_; {line} }}"));
    }

    /// Declares arrays of the warp for locals in context arrays. Returns the locals, their former spelling,
    /// and whether they are read later.
    fn declare_warp_arrays(
        &mut self,
        stmt: &'k Stmt,
        parts: [&[RegionNode<'k>]; 2],
    ) -> Vec<(LocalId, LocalSpelling, bool)> {
        let stmts: Vec<&'k Stmt> = parts.iter().copied().flatten().flat_map(statements).copied().collect();
        let (inside, all) =
            (count_mentions(&[stmt]), count_mentions(&self.kernel.body.iter().collect::<Vec<_>>()));
        let mut locals: Vec<LocalId> = mentioned(&stmts).into_iter().collect();
        locals.sort();
        let mut kept = Vec::new();
        for local in locals {
            let place = self.code.local(local);
            if self.tree.storage[local.index()] != Storage::ContextArray || place.stack.is_some() {
                continue;
            }
            self.labels += 1;
            let name = format!("of_warp{}_", self.labels);
            let ty = self.code.ty(place.ty);
            self.code.out.line(format!("alignas(64) {ty} {name}[32];"));
            self.code.locals[local.index()].text = format!("{name}{WARP_ELEMENT}");
            if !is_always_assigned(stmts.iter().copied(), local) {
                self.print_for_each_lane(&format!("{name}{WARP_ELEMENT} = {};", place.text));
            }
            let is_own =
                inside.get(&local) == all.get(&local) && is_assigned_first(stmts.iter().copied(), local);
            kept.push((local, place, !is_own));
        }
        kept
    }
}
