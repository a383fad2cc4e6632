//! Inline expansion of straight-line functions: constructors, and methods such as `iterator()` that only make
//! an object.

use apg_mir::*;
use rustc_hash::FxHashMap;

use crate::values::{has_checks, strip_checks, strip_unchecked_casts};

/// Length of the longest function that is expanded, in statements.
const MAX_STATEMENTS: usize = 12;

/// A function without branches, as its statements and its result.
pub(crate) struct StraightLineBody<'a> {
    function: &'a Function,
    stmts: Vec<&'a Stmt>,
    result: &'a Expr,
}

impl<'a> StraightLineBody<'a> {
    /// `None` for a function with branches, loops or too many statements.
    pub(super) fn of(function: &'a Function) -> Option<StraightLineBody<'a>> {
        let mut stmts = Vec::new();
        flatten(&function.body, &mut stmts)?;
        let StmtKind::Return(Some(result)) = &stmts.pop()?.kind else { return None };
        let is_simple = |stmt: &&Stmt| {
            matches!(stmt.kind, StmtKind::Set { .. } | StmtKind::SetField { .. } | StmtKind::Expr(_))
        };
        let is_small = stmts.len() <= MAX_STATEMENTS && stmts.iter().all(is_simple);
        (is_small && function.stack_objects.is_empty() && function.variables.is_empty())
            .then_some(StraightLineBody { function, stmts, result })
    }

    /// The local that holds the result and nothing else.
    fn result_local(&self) -> Option<LocalId> {
        let ExprKind::Local(local) = strip_unchecked_casts(self.result).kind else { return None };
        let set = |stmt: &&&Stmt| matches!(stmt.kind, StmtKind::Set { local: set, .. } if set == local);
        (local.0 >= self.function.params && self.stmts.iter().filter(set).count() == 1).then_some(local)
    }

    /// The statements of `target = f(args)`. New locals are appended to `locals`.
    pub(super) fn expand(
        &self,
        target: LocalId,
        args: &[Expr],
        span: Span,
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
            if let Some(arg) =
                arg.filter(|it| is_substitutable(strip_checks(it), target) && !self.assigns(old))
            {
                // No copy for a mere check: an object with two names cannot move to the stack.
                if has_checks(arg) {
                    out.push(Stmt::new(span, StmtKind::Expr(arg.clone())));
                }
                values.insert(old, strip_checks(arg).kind.clone());
                continue;
            }
            let new = LocalId(locals.len() as u32);
            locals.push(local.clone());
            values.insert(old, ExprKind::Local(new));
            if let Some(arg) = arg {
                out.push(Stmt::new(span, StmtKind::Set { local: new, value: arg.clone() }));
            }
        }
        for stmt in &self.stmts {
            // In stack traces the line is the caller's.
            out.push(Stmt::new(span, stmt.kind.clone()));
            let last = out.len() - 1;
            substitute(&mut out[last..], &values);
        }
        if result.is_none() {
            let kind = StmtKind::Set { local: target, value: self.result.clone() };
            let mut last = [Stmt::new(span, kind)];
            substitute_operands(&mut last, &values);
            out.extend(last);
        }
        out
    }

    fn assigns(&self, local: LocalId) -> bool {
        self.stmts.iter().any(|it| matches!(it.kind, StmtKind::Set { local: set, .. } if set == local))
    }
}

fn flatten<'a>(body: &'a [Stmt], out: &mut Vec<&'a Stmt>) -> Option<()> {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Block(body) => flatten(body, out)?,
            _ if out.len() > MAX_STATEMENTS => return None,
            _ => out.push(stmt),
        }
    }
    Some(())
}

/// Whether an argument can replace its parameter everywhere.
fn is_substitutable(arg: &Expr, target: LocalId) -> bool {
    match &arg.kind {
        ExprKind::Local(local) => *local != target,
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::String(_) | ExprKind::Null | ExprKind::Zero => true,
        _ => false,
    }
}

fn substitute(stmts: &mut [Stmt], values: &FxHashMap<LocalId, ExprKind>) {
    for stmt in stmts.iter_mut() {
        if let StmtKind::Set { local, .. } = &mut stmt.kind
            && let Some(ExprKind::Local(new)) = values.get(local)
        {
            *local = *new;
        }
    }
    substitute_operands(stmts, values);
}

fn substitute_operands(stmts: &mut [Stmt], values: &FxHashMap<LocalId, ExprKind>) {
    walk_mut::edit_exprs(stmts, &mut |expr| {
        if let ExprKind::Local(local) = &expr.kind
            && let Some(value) = values.get(local)
        {
            expr.kind = value.clone();
        }
    });
}
