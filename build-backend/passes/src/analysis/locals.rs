//! Which locals expressions and statements mention and assign, and in which order.

use rustc_hash::{FxHashMap, FxHashSet};

use apg_mir::walk::{bodies, operands, visit_expr, visit_exprs, visit_stmts};
use apg_mir::*;

/// Collects the locals that an expression mentions.
pub fn collect_locals(expr: &Expr, found: &mut FxHashSet<LocalId>) {
    visit_expr(expr, None, &mut |it, _| {
        if let ExprKind::Local(local) = it.kind {
            found.insert(local);
        }
    });
}

/// Locals that an expression mentions.
pub fn locals_of(expr: &Expr) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    collect_locals(expr, &mut found);
    found
}

/// Whether an expression mentions a local.
pub fn mentions(expr: &Expr, local: LocalId) -> bool {
    let mut found = false;
    visit_expr(expr, None, &mut |it, _| found |= matches!(it.kind, ExprKind::Local(id) if id == local));
    found
}

/// Whether an expression mentions one of these locals.
pub fn mentions_any(expr: &Expr, locals: &FxHashSet<LocalId>) -> bool {
    let mut found = false;
    visit_expr(expr, None, &mut |it, _| {
        found |= matches!(it.kind, ExprKind::Local(local) if locals.contains(&local));
    });
    found
}

/// Locals read or written in statements.
pub fn mentioned_locals(stmts: &[Stmt]) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    visit_stmts(stmts, &mut |it| {
        if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } = &it.kind {
            found.insert(*local);
        }
    });
    visit_exprs(stmts, &mut |it, _| {
        if let ExprKind::Local(local) = it.kind {
            found.insert(local);
        }
    });
    found
}

/// Number of reads and assignments of each local in statements.
pub fn count_mentions(stmts: &[Stmt]) -> FxHashMap<LocalId, usize> {
    let mut found: FxHashMap<LocalId, usize> = FxHashMap::default();
    visit_stmts(stmts, &mut |it| {
        if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } = &it.kind {
            *found.entry(*local).or_default() += 1;
        }
    });
    visit_exprs(stmts, &mut |it, _| {
        if let ExprKind::Local(local) = it.kind {
            *found.entry(local).or_default() += 1;
        }
    });
    found
}

/// Collects the locals that statements assign.
pub fn collect_assigned(body: &[Stmt], found: &mut FxHashSet<LocalId>) {
    visit_stmts(body, &mut |stmt| {
        if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } = &stmt.kind {
            found.insert(*local);
        }
    });
}

/// Locals that statements assign.
pub fn assigned_locals<'a>(stmts: impl IntoIterator<Item = &'a Stmt>) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    for stmt in stmts {
        collect_assigned(std::slice::from_ref(stmt), &mut found);
    }
    found
}

/// Number of assignments of a local.
pub fn count_assignments(body: &[Stmt], local: LocalId) -> usize {
    let mut count = 0;
    visit_stmts(body, &mut |stmt| {
        count += match &stmt.kind {
            StmtKind::Set { local: id, .. } | StmtKind::SetStructField { local: id, .. } => {
                usize::from(*id == local)
            }
            _ => 0,
        }
    });
    count
}

/// Collects the statements that every iteration executes, without blocks.
pub fn unconditional_stmts<'a>(body: &'a [Stmt], into: &mut Vec<&'a Stmt>) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Block(inner) => unconditional_stmts(inner, into),
            _ => into.push(stmt),
        }
    }
}

/// The first use of a local.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstUse {
    Unused,
    Assigned,
    /// Assigned on some paths, and not read on the others.
    MaybeAssigned,
    Read,
}

/// Whether every read of a local follows an assignment in the same statements.
pub fn is_assigned_first<'a>(stmts: impl Iterator<Item = &'a Stmt>, local: LocalId) -> bool {
    first_use(stmts, local) != FirstUse::Read
}

/// Whether every path through statements begins with an assignment of a local.
pub fn is_always_assigned<'a>(stmts: impl Iterator<Item = &'a Stmt>, local: LocalId) -> bool {
    first_use(stmts, local) == FirstUse::Assigned
}

fn first_use<'a>(stmts: impl Iterator<Item = &'a Stmt>, local: LocalId) -> FirstUse {
    let mut state = FirstUse::Unused;
    for stmt in stmts {
        let mut reads = false;
        for expr in operands(&stmt.kind) {
            visit_expr(expr, None, &mut |it, _| {
                reads |= matches!(it.kind, ExprKind::Local(id) if id == local)
            });
        }
        if reads || matches!(&stmt.kind, StmtKind::SetStructField { local: id, .. } if *id == local) {
            return FirstUse::Read;
        }
        if matches!(&stmt.kind, StmtKind::Set { local: id, .. } if *id == local) {
            return FirstUse::Assigned;
        }
        if let StmtKind::Loop { body, update, .. } = &stmt.kind {
            // The update follows the body.
            match first_use(body.iter().chain(update), local) {
                FirstUse::Read => return FirstUse::Read,
                FirstUse::Unused => {}
                _ => state = FirstUse::MaybeAssigned,
            }
            continue;
        }
        let inner: Vec<FirstUse> =
            bodies(&stmt.kind).into_iter().map(|body| first_use(body.iter(), local)).collect();
        if inner.contains(&FirstUse::Read) {
            return FirstUse::Read;
        }
        let everywhere = matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Block(_));
        if everywhere && !inner.is_empty() && inner.iter().all(|it| *it == FirstUse::Assigned) {
            return FirstUse::Assigned;
        }
        if inner.iter().any(|it| *it != FirstUse::Unused) {
            state = FirstUse::MaybeAssigned;
        }
    }
    state
}
