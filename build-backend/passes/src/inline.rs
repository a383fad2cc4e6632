//! Puts functions that only make an object into their caller: constructors, and methods like `iterator()`.

use super::{bare, unchecked};
use apg_mir::*;
use rustc_hash::FxHashMap;

/// No longer functions than this.
const MOST: usize = 12;

/// A function without branches: its statements, and its result.
pub(super) struct Straight<'a> {
    function: &'a Function,
    stmts: Vec<&'a Stmt>,
    result: &'a Expr,
}

impl<'a> Straight<'a> {
    /// Whether it is one.
    pub fn of(function: &'a Function) -> Option<Straight<'a>> {
        let mut stmts = Vec::new();
        flatten(&function.body, &mut stmts)?;
        let StmtKind::Return(Some(result)) = &stmts.pop()?.kind else { return None };
        let plain = |stmt: &&Stmt| {
            matches!(stmt.kind, StmtKind::Set { .. } | StmtKind::SetField { .. } | StmtKind::Expr(_))
        };
        (stmts.len() <= MOST && stmts.iter().all(plain) && function.stack_objects.is_empty())
            .then_some(Straight { function, stmts, result })
    }

    /// The local that holds the result, if it holds nothing else.
    fn result_local(&self) -> Option<LocalId> {
        let ExprKind::Local(local) = unchecked(self.result).kind else { return None };
        let set = |stmt: &&&Stmt| matches!(stmt.kind, StmtKind::Set { local: set, .. } if set == local);
        (local.0 >= self.function.params && self.stmts.iter().filter(set).count() == 1).then_some(local)
    }

    /// The statements that do what `target = f(args)` does; new locals are added to `locals`.
    pub fn expand(
        &self,
        target: LocalId,
        args: &[Expr],
        position: Position,
        locals: &mut Vec<Local>,
    ) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut values: FxHashMap<LocalId, ExprKind> = FxHashMap::default();
        let result = self.result_local();
        for (index, local) in self.function.locals.iter().enumerate() {
            let old = LocalId(index as u32);
            if Some(old) == result {
                values.insert(old, ExprKind::Local(target));
                continue;
            }
            let arg = args.get(index).filter(|_| old.0 < self.function.params);
            if let Some(arg) = arg.filter(|it| is_simple(bare(it), target) && !self.sets(old)) {
                // What is only checked gets no other name, for an object with two names stays on the heap.
                if has_checks(arg) {
                    out.push(Stmt { position, kind: StmtKind::Expr(arg.clone()) });
                }
                values.insert(old, bare(arg).kind.clone());
                continue;
            }
            let new = LocalId(locals.len() as u32);
            locals.push(local.clone());
            values.insert(old, ExprKind::Local(new));
            if let Some(arg) = arg {
                out.push(Stmt { position, kind: StmtKind::Set { local: new, value: arg.clone() } });
            }
        }
        for stmt in &self.stmts {
            // To a reader of a trace the caller does it.
            out.push(Stmt { position, kind: stmt.kind.clone() });
            let last = out.len() - 1;
            rename(&mut out[last..], &values);
        }
        if result.is_none() {
            let kind = StmtKind::Set { local: target, value: self.result.clone() };
            let mut last = [Stmt { position, kind }];
            rename_operands(&mut last, &values);
            out.extend(last);
        }
        out
    }

    fn sets(&self, local: LocalId) -> bool {
        self.stmts.iter().any(|it| matches!(it.kind, StmtKind::Set { local: set, .. } if set == local))
    }
}

fn flatten<'a>(body: &'a [Stmt], out: &mut Vec<&'a Stmt>) -> Option<()> {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Block(body) => flatten(body, out)?,
            _ if out.len() > MOST => return None,
            _ => out.push(stmt),
        }
    }
    Some(())
}

/// Whether evaluation may refuse the reference.
pub(super) fn has_checks(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::NonNull(_) | ExprKind::Cast { checked: true, .. } => true,
        ExprKind::Cast { value, .. } => has_checks(value),
        _ => false,
    }
}

/// An argument that can stand wherever its parameter does.
fn is_simple(arg: &Expr, target: LocalId) -> bool {
    match &arg.kind {
        ExprKind::Local(local) => *local != target,
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::String(_) | ExprKind::Null | ExprKind::Zero => true,
        _ => false,
    }
}

fn rename(stmts: &mut [Stmt], values: &FxHashMap<LocalId, ExprKind>) {
    for stmt in stmts.iter_mut() {
        if let StmtKind::Set { local, .. } = &mut stmt.kind
            && let Some(ExprKind::Local(new)) = values.get(local)
        {
            *local = *new;
        }
    }
    rename_operands(stmts, values);
}

fn rename_operands(stmts: &mut [Stmt], values: &FxHashMap<LocalId, ExprKind>) {
    walk_mut::edit_exprs(stmts, &mut |expr| {
        if let ExprKind::Local(local) = &expr.kind
            && let Some(value) = values.get(local)
        {
            expr.kind = value.clone();
        }
    });
}
