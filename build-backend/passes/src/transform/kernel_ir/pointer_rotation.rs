//! Rotating buffers by pointer swap: `c = b; b = a; a = next`, as in a sliding window. Where these locals are
//! context arrays, the arrays' pointers are exchanged instead of their contents.

use crate::kernel_ir::{Branch, KernelIr, LoopNode, Node, Region, Schedule};
use apg_mir::*;

/// Replaces copies at the beginning of regions by exchanges of pointers.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.edit_nodes(|ir, nodes| rotate_nodes(ir, nodes));
}

fn rotate_nodes(ir: &KernelIr, nodes: &mut [Node]) {
    for node in nodes {
        match node {
            Node::Region(region) => rotate(ir, region),
            Node::If(Branch { then: first, otherwise: second, .. })
            | Node::Loop(LoopNode { body: first, update: second, .. }) => {
                rotate_nodes(ir, first);
                rotate_nodes(ir, second);
            }
            Node::Unrolled(unrolled) => {
                if !unrolled.by_warps {
                    rotate_nodes(ir, &mut unrolled.body);
                }
                rotate_nodes(ir, &mut unrolled.rolled.body);
                rotate_nodes(ir, &mut unrolled.rolled.update);
            }
            Node::Labeled(_, body) => rotate_nodes(ir, body),
            Node::Switch(switch) => switch.cases.iter_mut().for_each(|it| rotate_nodes(ir, &mut it.1)),
            // Warps do not copy whole arrays.
            Node::Warps(_) => {}
            Node::Barrier
            | Node::Uniform(_)
            | Node::Offset(_)
            | Node::Collective(_)
            | Node::Jump(_)
            | Node::GridStride(_) => {}
        }
    }
}

fn rotate(ir: &KernelIr, region: &mut Region) {
    let Schedule::Threads(stmts) = &mut region.schedule else { return };
    let copies: Vec<_> = stmts.iter().map_while(|stmt| as_copy(ir, stmt)).collect();
    let is_possible = |count: &usize| is_rotation(&copies[..*count], &stmts[*count..]);
    let count = (1..=copies.len()).rev().find(is_possible).unwrap_or(0);
    stmts.drain(..count);
    region.rotations.extend_from_slice(&copies[..count]);
}

/// Target and source of a copy of one context array to another.
fn as_copy(ir: &KernelIr, stmt: &Stmt) -> Option<(LocalId, LocalId)> {
    let StmtKind::Set { local, value } = &stmt.kind else { return None };
    let ExprKind::Local(from) = value.kind else { return None };
    let ty = |it: LocalId| ir.kernel.locals[it.index()].ty;
    let is_scalar =
        |it: LocalId| ir.is_in_context_array(it) && !matches!(ty(it), Ty::Ref(_) | Ty::Any | Ty::Struct(_));
    (*local != from && ty(*local) == ty(from) && is_scalar(*local) && is_scalar(from))
        .then_some((*local, from))
}

fn is_rotation(copies: &[(LocalId, LocalId)], rest: &[Stmt]) -> bool {
    copies.iter().enumerate().all(|(number, (_, from))| {
        let later = &copies[number + 1..];
        match later.iter().find(|(to, source)| to == from || source == from) {
            Some((to, _)) => to == from,
            None => is_overwritten_first(*from, rest),
        }
    })
}

/// Whether the first statement that mentions a local assigns it, in all threads.
fn is_overwritten_first(local: LocalId, stmts: &[Stmt]) -> bool {
    for stmt in stmts {
        let StmtKind::Set { local: target, value } = &stmt.kind else { return false };
        let mut reads = false;
        apg_mir::walk::visit_expr(value, None, &mut |it, _| {
            reads |= matches!(it.kind, ExprKind::Local(read) if read == local)
        });
        if reads || *target == local {
            return !reads;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(local: u32, kind: ExprKind) -> Stmt {
        let span = Span::of_line(FileId(0), 1);
        let value = Expr::new(Ty::F32, kind);
        Stmt::new(span, StmtKind::Set { local: LocalId(local), value })
    }

    fn exchanges(stmts: &[Stmt]) -> bool {
        let copies: Vec<_> = stmts
            .iter()
            .map_while(|it| match &it.kind {
                StmtKind::Set { local, value: Expr { kind: ExprKind::Local(from), .. } } => {
                    Some((*local, *from))
                }
                _ => None,
            })
            .collect();
        is_rotation(&copies, &stmts[copies.len()..])
    }

    #[test]
    fn rotation_needs_the_freed_buffer_to_be_assigned_before_it_is_read() {
        let from = |local| ExprKind::Local(LocalId(local));
        let next = || ExprKind::Float(1.0);
        assert!(exchanges(&[set(2, from(1)), set(1, from(0)), set(0, next())]));
        // The local keeps its value.
        assert!(!exchanges(&[set(2, from(1)), set(1, from(0))]));
        // One source goes to two targets.
        assert!(!exchanges(&[set(2, from(0)), set(1, from(0)), set(0, next())]));
        // The source is read first.
        let sum = ExprKind::Operation { operation: Operation::Neg, args: vec![Expr::new(Ty::F32, from(0))] };
        assert!(!exchanges(&[set(1, from(0)), set(0, sum)]));
    }
}
