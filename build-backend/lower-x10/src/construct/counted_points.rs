//! Scalar replacement of points whose coordinates are loop variables: `p(0)` is the variable, and `a(p)` is
//! `a(i, j)`.

use apg_analysis::program::body::{ExprId, ExprKind as Source, Literal, LocalId};
use apg_analysis::program::ty::Known;

use crate::builder::function::{Builder, Variable};
use apg_mir as mir;

impl Builder<'_, '_> {
    /// The variable below coercions.
    pub(crate) fn plain_local(&self, id: ExprId) -> Option<LocalId> {
        match &self.source.body.expr(id).kind {
            Source::Local(local) => Some(*local),
            Source::Coerce { value } => self.plain_local(*value),
            _ => None,
        }
    }

    /// `p(2)`: the variable and the axis.
    pub(crate) fn coordinate_of(&self, id: ExprId) -> Option<(LocalId, usize)> {
        let Source::Call { method, receiver: Some(receiver), args, .. } = &self.source.body.expr(id).kind
        else {
            return None;
        };
        let [axis] = args.as_slice() else { return None };
        let Source::Literal(Literal::Int(axis)) = self.source.body.expr(*axis).kind else { return None };
        let local = self.plain_local(*receiver)?;
        let known = method.name(self.lowerer.db) == "operator()";
        known.then_some((local, usize::try_from(axis).ok()?))
    }

    /// The local that holds `p(2)`, if the coordinates of the point are known.
    pub(crate) fn known_coordinate(&self, id: ExprId) -> Option<mir::Expr> {
        let (local, axis) = self.coordinate_of(id)?;
        self.points.get(&local)?.get(axis).map(|it| self.local(*it))
    }

    /// The rank of a point that a loop variable holds, if its coordinates are known.
    pub(crate) fn rank_of_known_point(&self, value: &mir::Expr) -> Option<usize> {
        let mir::ExprKind::Local(local) = value.kind else { return None };
        let holds = |id| matches!(self.variables.get(id), Some(Variable::Local(it)) if *it == local);
        self.points.iter().find(|(id, _)| holds(*id)).map(|(_, coordinates)| coordinates.len())
    }

    /// The variable of a point that indexes an array, below casts to points of another rank.
    pub(crate) fn index_variable(&self, id: ExprId) -> Option<LocalId> {
        let node = self.source.body.expr(id);
        match &node.kind {
            Source::Cast { value, .. } if node.ty.is_known(self.lowerer.db, Known::Point) => {
                self.index_variable(*value)
            }
            Source::Coerce { value } => self.index_variable(*value),
            _ => self.plain_local(id),
        }
    }
}
