//! Steps of basic induction variables (Aho, Lam, Sethi and Ullman, *Compilers*, 9.1).

use apg_mir::*;

/// `by` of `local + by` or `local - by`, and whether it is subtracted.
pub fn as_step(value: &Expr, local: LocalId) -> Option<(&Expr, bool)> {
    find_step(value, &|it| it == local)
}

/// As [`as_step`], where `is_counter` recognises the local.
pub(crate) fn find_step<'a>(
    value: &'a Expr,
    is_counter: &dyn Fn(LocalId) -> bool,
) -> Option<(&'a Expr, bool)> {
    let ExprKind::Operation { operation, args } = &value.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    let is_local = |it: &Expr| matches!(it.kind, ExprKind::Local(id) if is_counter(id));
    match operation {
        Operation::Add if is_local(a) => Some((b, false)),
        Operation::Add if is_local(b) => Some((a, false)),
        Operation::Sub if is_local(a) => Some((b, true)),
        _ => None,
    }
}
