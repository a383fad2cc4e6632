//! Prefetching of streams: captured arrays that a grid-stride loop reads sequentially (Mowry, Lam and Gupta,
//! ASPLOS 1992).

use rustc_hash::FxHashSet;

use crate::analysis::expressions::{is_same_expr, is_widenable};
use crate::kernel_ir::{Branch, GridStrideLoop, KernelIr, LoopNode, Node, Stream};
use apg_mir::walk::visit_exprs;
use apg_mir::*;

/// Finds the streams of grid-stride loops.
pub(crate) fn run(ir: &mut KernelIr) {
    ir.edit_nodes(|ir, nodes| find_in_nodes(ir, nodes));
}

fn find_in_nodes(ir: &KernelIr, nodes: &mut [Node]) {
    for node in nodes {
        match node {
            Node::GridStride(stride) => stride.streams = find_streams(ir, stride),
            Node::Loop(LoopNode { body: first, update: second, .. })
            | Node::If(Branch { then: first, otherwise: second, .. }) => {
                find_in_nodes(ir, first);
                find_in_nodes(ir, second);
            }
            Node::Unrolled(unrolled) => {
                find_in_nodes(ir, &mut unrolled.rolled.body);
                find_in_nodes(ir, &mut unrolled.rolled.update);
            }
            Node::Labeled(_, body) | Node::Warps(body) => find_in_nodes(ir, body),
            Node::Switch(switch) => switch.cases.iter_mut().for_each(|it| find_in_nodes(ir, &mut it.1)),
            _ => {}
        }
    }
}

fn find_streams(ir: &KernelIr, stride: &GridStrideLoop) -> Vec<Stream> {
    let mut found: Vec<Stream> = Vec::new();
    visit_exprs(stride.schedule.stmts(), &mut |it, _| {
        let ExprKind::Element { rail, index, .. } = &it.kind else { return };
        let ExprKind::Local(rail) = rail.kind else { return };
        if rail.index() >= ir.kernel.captures.len() {
            return;
        }
        let Some(offset) = offset_from_counter(index, stride.index) else { return };
        if offset.is_some_and(|it| !ir.is_uniform(it, &FxHashSet::default()) || !is_widenable(it)) {
            return;
        }
        let is_known = |it: &Stream| {
            it.rail == rail
                && match (&it.offset, offset) {
                    (Some(a), Some(b)) => is_same_expr(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                }
        };
        if !found.iter().any(is_known) {
            found.push(Stream { rail, offset: offset.cloned() });
        }
    });
    found
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
