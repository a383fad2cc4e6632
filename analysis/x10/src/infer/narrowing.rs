//! Flow-sensitive narrowing (Tobin-Hochstadt and Felleisen, occurrence typing): inside
//! `if (here == r.home) { ... }` the object of `r` is here.
//!
//! X10 decides constraints by types alone, so these facts prove no constraint. They only say where a
//! warning would be wrong.

use crate::body::{ExprId, ExprKind, StmtId, StmtKind};
use crate::infer::context::Infer;
use crate::ty::known::Known;
use crate::ty::{ConstraintTerm, Path};

impl Infer<'_> {
    /// Assumes a condition to be true, or false, from here to the end of the scope.
    pub(crate) fn assume(&mut self, condition: ExprId, holds: bool) {
        let mut open = vec![(condition, holds)];
        while let Some((id, holds)) = open.pop() {
            match &self.body.expr(id).kind {
                ExprKind::Coerce { value } => open.push((*value, holds)),
                // Both sides of `a && b` that is true, and of `a || b` that is false, are.
                ExprKind::ShortCircuit { is_or, left, right } if *is_or != holds => {
                    open.extend([(*left, holds), (*right, holds)]);
                }
                ExprKind::Call { method, receiver: Some(value), args, .. }
                    if args.is_empty() && method.name(self.db) == "operator!" =>
                {
                    open.push((*value, !holds));
                }
                ExprKind::Equal { negated, left, right } => {
                    let (left, right, equal) = (*left, *right, *negated != holds);
                    self.suppose_equal(left, right, equal);
                    // Places are equal if their numbers are.
                    if let (Some(left), Some(right)) = (self.numbered_place(left), self.numbered_place(right))
                    {
                        self.suppose_equal(left, right, equal);
                    }
                }
                _ => {}
            }
        }
    }

    /// An expression that is evaluated where `condition` is true, or false.
    pub(crate) fn supposing(
        &mut self,
        condition: ExprId,
        holds: bool,
        make: impl FnOnce(&mut Self) -> ExprId,
    ) -> ExprId {
        let before = self.assumptions.len();
        self.assume(condition, holds);
        let made = make(self);
        self.assumptions.truncate(before);
        made
    }

    fn suppose_equal(&mut self, left: ExprId, right: ExprId, equal: bool) {
        let named = |path: Option<Path>| path.filter(Path::has_name);
        let (Some(a), Some(b)) = (named(self.path_of(left)), named(self.path_of(right))) else { return };
        self.assumptions.push(if equal {
            ConstraintTerm::Equal(a, b)
        } else {
            ConstraintTerm::NotEqual(a, b)
        });
    }

    /// The place `p` of `p.id`.
    fn numbered_place(&self, id: ExprId) -> Option<ExprId> {
        match &self.body.expr(id).kind {
            ExprKind::Coerce { value } => self.numbered_place(*value),
            ExprKind::Field { object, field } if field.name(self.db) == "id" => {
                self.ty(*object).is_known(self.db, Known::Place).then_some(*object)
            }
            _ => None,
        }
    }

    /// Whether control never continues after a statement.
    pub(crate) fn always_leaves(&self, id: StmtId) -> bool {
        match &self.body.stmt(id).kind {
            StmtKind::Return(_) | StmtKind::Throw(_) | StmtKind::Break(_) | StmtKind::Continue(_) => true,
            StmtKind::Block(stmts) => stmts.last().is_some_and(|last| self.always_leaves(*last)),
            StmtKind::If { then, otherwise: Some(otherwise), .. } => {
                self.always_leaves(*then) && self.always_leaves(*otherwise)
            }
            _ => false,
        }
    }
}
