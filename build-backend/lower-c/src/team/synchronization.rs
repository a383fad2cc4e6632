//! Mutual exclusion (OpenMP 2.5, sections 2.6.2 and 2.6.4): `critical` takes a lock of its name; updates of
//! objects for which devices have no atomic operation take a lock as well.

use apg_c_analysis::hir::{Directive, ExprId, ExprKind, StmtKind};
use apg_mir::{self as mir, Expr, Operation, Ty};

use super::cohort::never_waits;
use crate::atomic::has_atomics;
use crate::body::{Body, Storage, binary, int, local_value};
use crate::unsupported::Lowered;

impl Body<'_, '_> {
    /// `critical`: regions of one name exclude each other in the whole program.
    pub(super) fn critical(&mut self, directive: &Directive) -> Lowered<()> {
        let named = directive.argument.first();
        let name = named.and_then(|it| {
            let by_expr = it.expr.and_then(|expr| match &self.unit.hir.expr(expr).kind {
                ExprKind::Unresolved(name) => Some(name.clone()),
                ExprKind::Variable(variable) => Some(self.unit.hir.variable(*variable).name.clone()),
                ExprKind::Function(function) => Some(self.unit.hir.function(*function).name.clone()),
                _ => None,
            });
            it.word.clone().or(by_expr)
        });
        let lock = self.lock_address(&format!("apg_critical_{}", name.unwrap_or_default()));
        self.body_under_lock(lock, directive)
    }

    /// The body of a directive as code that threads execute one after the other.
    fn body_under_lock(&mut self, lock: Expr, directive: &Directive) -> Lowered<()> {
        let Some(body) = directive.body else { return Ok(()) };
        if never_waits(self.unit.hir, body) {
            return self.in_cohort(lock, |it| {
                it.stmt(body);
                Ok(())
            });
        }
        self.call_entry("team_lock", vec![lock.clone()]);
        self.stmt(body);
        self.call_entry("team_unlock", vec![lock]);
        Ok(())
    }

    /// Code in which no thread waits, executed by one thread after the other: those that arrive together
    /// execute it in a loop over them.
    pub(super) fn in_cohort(
        &mut self,
        lock: Expr,
        inside: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let together = self.entry_value("team_critical_enter", vec![lock.clone()]);
        let left = self.local("", Ty::U32);
        self.set(left, together.clone());
        let left_now = || local_value(left, Ty::U32);
        let (then, ()) = self.nested(inside)?;
        let (body, ()) = self.nested(|it| {
            let condition = it.entry_value("team_is_first", vec![left_now()]);
            it.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
            let next = it.entry("team_critical_next", vec![together.clone(), left_now()]);
            it.set(left, next);
            Ok(())
        })?;
        let condition = binary(Ty::Bool, Operation::Ne, left_now(), int(Ty::U32, 0));
        let label = self.label();
        self.push_while(label, condition, body);
        self.call_entry("team_critical_leave", vec![lock, together]);
        Ok(())
    }

    /// `atomic`.
    pub(super) fn team_atomic(&mut self, directive: &Directive) -> Lowered<()> {
        let hir = self.unit.hir;
        let stmt = directive.body.map(|it| self.only_statement(it));
        let target = match stmt.map(|it| &hir.stmt(it).kind) {
            Some(StmtKind::Expr(expr)) => match hir.expr(*expr).kind {
                ExprKind::Assign(None, _, source) if directive.clause("read").is_some() => Some(source),
                ExprKind::Assign(None, _, source) if directive.clause("capture").is_some() => {
                    self.updated_object(source)
                }
                _ => self.updated_object(*expr),
            },
            _ => None,
        };
        if target.is_none_or(|it| self.is_updated_in_memory(it)) {
            return self.atomic(directive);
        }
        let lock = self.lock_address("apg_atomic_");
        self.body_under_lock(lock, directive)
    }

    /// The object that an expression changes.
    fn updated_object(&self, expr: ExprId) -> Option<ExprId> {
        match self.unit.hir.expr(expr).kind {
            ExprKind::Assign(_, target, _) | ExprKind::Increment { target, .. } => Some(target),
            _ => None,
        }
    }

    /// Whether an object is in memory and of a type with atomic operations.
    fn is_updated_in_memory(&mut self, target: ExprId) -> bool {
        let expr = self.unit.hir.expr(target);
        let is_local = match expr.kind {
            ExprKind::Variable(it) => matches!(self.objects.get(&it), Some(Storage::Local(_))),
            _ => false,
        };
        let (ty, range) = (expr.ty.clone(), expr.range);
        !is_local && self.unit.ty(&ty, range).is_ok_and(has_atomics)
    }
}
