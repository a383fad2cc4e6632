//! Rule of `goto` in kernels: between a `goto` and its target no thread synchronises, so that both are in one
//! parallel region (Jaaskelainen and others, *pocl*, IJPP 2015).

use rustc_hash::FxHashSet;

use crate::walk::{bodies, has_goto, visit_exprs, visit_stmts};
use crate::*;

/// The jumps of a kernel's body that pass a synchronisation, with their sources.
pub(super) fn find_synchronised_gotos(body: &[Stmt]) -> Vec<(LabelId, Span)> {
    let mut found = Vec::new();
    if has_goto(body) {
        check_list(body, &FxHashSet::default(), &mut found);
    }
    found
}

/// Checks the jumps between the statements of a list, and those inside of each. `outside` are the labels of
/// enclosing statements in which threads synchronise.
fn check_list(list: &[Stmt], outside: &FxHashSet<LabelId>, found: &mut Vec<(LabelId, Span)>) {
    let jumps: Vec<Jumps> = list.iter().map(Jumps::of).collect();
    for (from, source) in jumps.iter().enumerate() {
        for (label, span) in &source.gotos {
            let Some(to) = jumps.iter().position(|it| it.targets.contains(label)) else { continue };
            let passed = &list[from.min(to)..=from.max(to)];
            // A jump inside of a part of a statement passes that part only.
            let is_inside = from == to
                && bodies(&list[from].kind).into_iter().any(|it| {
                    let inner = it.iter().map(Jumps::of);
                    let (mut has_goto, mut has_target) = (false, false);
                    inner.for_each(|it| {
                        has_goto |= it.gotos.iter().any(|it| it.0 == *label);
                        has_target |= it.targets.contains(label);
                    });
                    has_goto && has_target
                });
            if !is_inside && (synchronises(passed) || leaves(passed, outside)) {
                found.push((*label, *span));
            }
        }
    }
    for stmt in list {
        let mut around = outside.clone();
        if let StmtKind::Loop { label, .. } | StmtKind::Switch { label, .. } | StmtKind::Labeled { label, .. } =
            &stmt.kind
            && synchronises(std::slice::from_ref(stmt))
        {
            around.insert(*label);
        }
        bodies(&stmt.kind).into_iter().for_each(|it| check_list(it, &around, found));
    }
}

/// The jumps and targets in a statement.
struct Jumps {
    gotos: Vec<(LabelId, Span)>,
    targets: FxHashSet<LabelId>,
}

impl Jumps {
    fn of(stmt: &Stmt) -> Jumps {
        let mut jumps = Jumps { gotos: Vec::new(), targets: FxHashSet::default() };
        visit_stmts(std::slice::from_ref(stmt), &mut |it| match it.kind {
            StmtKind::Goto(label) => jumps.gotos.push((label, it.span)),
            StmtKind::Target(label) => _ = jumps.targets.insert(label),
            _ => {}
        });
        jumps
    }
}

/// Whether statements contain a barrier or a collective operation.
fn synchronises(stmts: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(stmts, &mut |it| found |= matches!(it.kind, StmtKind::Barrier));
    visit_exprs(stmts, &mut |it, _| found |= matches!(it.kind, ExprKind::Collective { .. }));
    found
}

/// Whether statements leave or continue one of these statements.
fn leaves(stmts: &[Stmt], outside: &FxHashSet<LabelId>) -> bool {
    let mut found = false;
    visit_stmts(stmts, &mut |it| {
        found |=
            matches!(it.kind, StmtKind::Break(label) | StmtKind::Continue(label) if outside.contains(&label));
    });
    found
}
