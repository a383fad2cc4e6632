//! Renaming of the labels and variables of a copied loop.

use crate::analysis::locals::assigned_locals;
use apg_mir::*;
use rustc_hash::FxHashMap;

/// Gives copies of loops names of their own.
pub(super) struct Renamer {
    /// Uses of each variable in the function.
    uses: FxHashMap<LocalId, usize>,
    params: u32,
    next_label: u32,
}

impl Renamer {
    /// For copies of loops of a function with this body.
    pub(super) fn new(body: &[Stmt], params: u32) -> Renamer {
        let mut next_label = 0;
        walk::visit_stmts(body, &mut |stmt| {
            next_label = next_label.max(label_of(&stmt.kind).map_or(0, |it| it.0 + 1));
        });
        Renamer { uses: count_uses(body), params, next_label }
    }

    /// The variables that only a loop uses, in order.
    pub(super) fn private_locals(&self, stmt: &Stmt) -> Vec<LocalId> {
        let inside = count_uses(std::slice::from_ref(stmt));
        let mut private: Vec<LocalId> = assigned_locals([stmt]).into_iter().collect();
        private.retain(|it| it.0 >= self.params && self.uses.get(it) == inside.get(it));
        private.sort_unstable();
        private
    }

    /// Renames the labels of a copy of a loop, and its private variables. Passes that follow rely on
    /// variables that are assigned once.
    pub(super) fn rename(&mut self, private: &[LocalId], copy: &mut Stmt, locals: &mut Vec<Local>) {
        let stmts = std::slice::from_mut(copy);
        let mut labels = FxHashMap::default();
        walk::visit_stmts(stmts, &mut |stmt| {
            if let Some(label) = label_of(&stmt.kind) {
                labels.insert(label, LabelId(self.next_label));
                self.next_label += 1;
            }
        });
        let mut names = FxHashMap::default();
        for local in private {
            names.insert(*local, LocalId(locals.len() as u32));
            locals.push(locals[local.index()].clone());
        }
        walk_mut::edit_stmts(stmts, &mut |stmt| match &mut stmt.kind {
            StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } => {
                *local = names.get(local).copied().unwrap_or(*local);
            }
            StmtKind::Loop { label, .. }
            | StmtKind::Switch { label, .. }
            | StmtKind::Labeled { label, .. }
            | StmtKind::Break(label)
            | StmtKind::Continue(label) => *label = labels.get(label).copied().unwrap_or(*label),
            _ => {}
        });
        walk_mut::edit_exprs(stmts, &mut |expr| {
            if let ExprKind::Local(local) = &mut expr.kind {
                *local = names.get(local).copied().unwrap_or(*local);
            }
        });
        let copied = count_uses(stmts);
        self.uses.extend(names.into_values().map(|name| (name, copied.get(&name).copied().unwrap_or(0))));
    }
}

fn label_of(kind: &StmtKind) -> Option<LabelId> {
    match kind {
        StmtKind::Loop { label, .. } | StmtKind::Switch { label, .. } | StmtKind::Labeled { label, .. } => {
            Some(*label)
        }
        _ => None,
    }
}

/// How often each variable is read or assigned.
fn count_uses(stmts: &[Stmt]) -> FxHashMap<LocalId, usize> {
    let mut uses: FxHashMap<LocalId, usize> = FxHashMap::default();
    walk::visit_stmts(stmts, &mut |stmt| {
        let assigned = match &stmt.kind {
            StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } => vec![*local],
            StmtKind::Try { catches, .. } => catches.iter().map(|it| it.local).collect(),
            _ => Vec::new(),
        };
        assigned.into_iter().for_each(|local| *uses.entry(local).or_default() += 1);
    });
    walk::visit_exprs(stmts, &mut |expr, _| {
        if let ExprKind::Local(local) = expr.kind {
            *uses.entry(local).or_default() += 1;
        }
    });
    uses
}
