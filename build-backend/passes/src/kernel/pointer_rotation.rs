//! Rotating buffers by pointer swap: `c = b; b = a; a = next`, as in a sliding window. Where these locals are
//! context arrays, the arrays' pointers are exchanged instead of their contents.

use rustc_hash::FxHashSet;

use super::locals::mentioned_locals;
use super::region_node::{RegionNode, Storage};
use apg_mir::*;

/// Number of copies at the beginning of a region that can be exchanges: each source is overwritten before it
/// is read again.
pub fn count_rotations(kernel: &Kernel, storage: &[Storage], run: &[&Stmt]) -> usize {
    let copies: Vec<_> = run.iter().map_while(|stmt| as_copy(kernel, storage, stmt)).collect();
    (1..=copies.len()).rev().find(|count| is_rotation(&copies[..*count], &run[*count..])).unwrap_or(0)
}

/// Target and source of a copy of one context array to another.
pub fn as_copy(kernel: &Kernel, storage: &[Storage], stmt: &Stmt) -> Option<(LocalId, LocalId)> {
    let StmtKind::Set { local, value } = &stmt.kind else { return None };
    let ExprKind::Local(from) = value.kind else { return None };
    let ty = |it: LocalId| kernel.locals[it.index()].ty;
    let is_scalar = |it: LocalId| {
        storage[it.index()] == Storage::ContextArray
            && !matches!(ty(it), Ty::Ref(_) | Ty::Any | Ty::Struct(_))
    };
    (*local != from && ty(*local) == ty(from) && is_scalar(*local) && is_scalar(from))
        .then_some((*local, from))
}

fn is_rotation(copies: &[(LocalId, LocalId)], rest: &[&Stmt]) -> bool {
    copies.iter().enumerate().all(|(number, (_, from))| {
        let later = &copies[number + 1..];
        match later.iter().find(|(to, source)| to == from || source == from) {
            Some((to, _)) => to == from,
            None => is_overwritten_first(*from, rest),
        }
    })
}

/// Whether the first statement that mentions a local assigns it, in all threads.
fn is_overwritten_first(local: LocalId, stmts: &[&Stmt]) -> bool {
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

/// Locals whose arrays are exchanged.
pub fn rotated_locals(kernel: &Kernel, storage: &[Storage], nodes: &[RegionNode<'_>]) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    for node in nodes {
        match node {
            RegionNode::Parallel(stmts) => {
                found.extend(mentioned_locals(&stmts[..count_rotations(kernel, storage, stmts)]))
            }
            RegionNode::If(_, then, otherwise) => {
                found.extend(rotated_locals(kernel, storage, then));
                found.extend(rotated_locals(kernel, storage, otherwise));
            }
            RegionNode::Loop(_, body, update) => {
                found.extend(rotated_locals(kernel, storage, body));
                found.extend(rotated_locals(kernel, storage, update));
            }
            RegionNode::Labeled(_, body) => found.extend(rotated_locals(kernel, storage, body)),
            RegionNode::Switch(_, cases) => {
                for case in cases {
                    found.extend(rotated_locals(kernel, storage, case));
                }
            }
            // Warps do not copy whole arrays.
            RegionNode::Warps(_) => {}
            RegionNode::Uniform(_)
            | RegionNode::Offset(_)
            | RegionNode::Collective(_)
            | RegionNode::Jump(_)
            | RegionNode::GridStride(_) => {}
        }
    }
    found
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
        let rest: Vec<&Stmt> = stmts[copies.len()..].iter().collect();
        is_rotation(&copies, &rest)
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
