//! Scalar replacement of points whose coordinates are loop variables: `p(0)` is the variable, and `a(p)` is
//! `a(i, j)`.

use apg_analysis::program::body::{ExprId, ExprKind as Source, Literal, LocalId};
use apg_analysis::program::ty::{ConstraintTerm, Path, PathRoot, Ty};
use smol_str::SmolStr;

use crate::Callee;
use crate::builder::function::Builder;
use crate::versioning::CountedLoop;
use apg_mir as mir;

/// The point of a loop over several axes, the inner ones of which are counted.
pub(crate) struct CountedPoint {
    /// The variable.
    pub local: LocalId,
    /// The coordinates of the outer axes, which are invariant.
    pub outer: Vec<mir::Expr>,
}

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

    /// The coordinates of a point that indexes an array, if they are known.
    pub(crate) fn known_coordinates(&self, array: ExprId, id: ExprId) -> Option<Vec<mir::Expr>> {
        let found = self.points.get(&self.index_local(array, id)?)?;
        Some(found.iter().map(|it| self.local(*it)).collect())
    }

    /// The rank of the point that indexes an array, if its coordinates are known or counted.
    pub(crate) fn counted_rank(&self, array: ExprId, id: ExprId, counted: &CountedLoop) -> Option<usize> {
        let local = self.index_local(array, id)?;
        match &counted.point {
            Some(point) if point.local == local => Some(point.outer.len() + counted.axes_of_point),
            _ => self.points.get(&local).map(Vec::len),
        }
    }

    /// The variable that indexes an array, below casts that test that its rank is the array's. Callers test
    /// that the array has elements of this rank.
    pub(crate) fn index_local(&self, array: ExprId, id: ExprId) -> Option<LocalId> {
        let node = self.source.body.expr(id);
        match &node.kind {
            Source::Cast { value, checked } => {
                let constraint = node.ty.constraint(self.lowerer.db);
                let mut terms = constraint.iter().flat_map(|it| &it.terms);
                let known = !checked || terms.all(|it| self.says_rank_of(array, it));
                known.then(|| self.index_local(array, *value)).flatten()
            }
            Source::Coerce { value } => self.index_local(array, *value),
            _ => self.plain_local(id),
        }
    }

    /// `self.rank == a.rank`
    fn says_rank_of(&self, array: ExprId, term: &ConstraintTerm) -> bool {
        let ConstraintTerm::Equal(a, b) = term else { return false };
        let is_own = |it: &Path| it.root == PathRoot::SelfValue && it.fields.iter().eq(["rank"]);
        let other = if is_own(a) { b } else { a };
        let Some((last, fields)) = other.fields.split_last() else { return false };
        (is_own(a) || is_own(b)) && last == "rank" && self.is_path(array, &other.root, fields)
    }

    fn is_path(&self, id: ExprId, root: &PathRoot, fields: &[SmolStr]) -> bool {
        match (&self.source.body.expr(id).kind, fields.split_last()) {
            (Source::Coerce { value }, _) => self.is_path(*value, root, fields),
            (Source::This, None) => *root == PathRoot::This,
            (Source::Local(local), None) => {
                let local = self.source.body.local(*local);
                matches!(root, PathRoot::Local { name, offset }
                    if *name == local.name && *offset == u32::from(local.range.start()))
            }
            (Source::Field { object, field }, Some((last, rest))) => {
                *field.name(self.lowerer.db) == *last && self.is_path(*object, root, rest)
            }
            _ => false,
        }
    }

    /// `uncheckedGet` or `uncheckedSet` with coordinates in place of the point that an operator of an array
    /// takes.
    pub(crate) fn unchecked_at(&mut self, callee: &Callee, ty: Ty, rank: usize) -> Option<Callee> {
        let sets = callee.method.name(self.lowerer.db) == "operator()=";
        let (params, _) = self.lowerer.concrete_signature(callee);
        let long = Ty::long(self.lowerer.db);
        let params: Vec<Ty> = std::iter::repeat_n(long, rank).chain(params.into_iter().skip(1)).collect();
        self.lowerer.method_with(if sets { "uncheckedSet" } else { "uncheckedGet" }, ty, &params)
    }
}
