//! Conditions on types as values: `T <: U`, `T == U`, `T haszero`, `T isref`.

use crate::db::Db;
use crate::ty::subst::Substitution;
use crate::ty::{Ty, TyKind};

/// A condition on types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeTest {
    /// `T <: U`
    Subtype(Ty, Ty),
    /// `T == U`
    Same(Ty, Ty),
    /// `T haszero`
    HasZero(Ty),
    /// `T isref`
    IsRef(Ty),
}

impl TypeTest {
    /// Whether it mentions type parameters, so that it is decided only for an instance.
    pub fn is_generic(&self, db: &dyn Db) -> bool {
        match self {
            TypeTest::Subtype(a, b) | TypeTest::Same(a, b) => {
                mentions_param(db, *a) || mentions_param(db, *b)
            }
            TypeTest::HasZero(ty) | TypeTest::IsRef(ty) => mentions_param(db, *ty),
        }
    }

    /// Substitutes types for type parameters.
    pub fn instance(&self, db: &dyn Db, types: &Substitution) -> TypeTest {
        match self {
            TypeTest::Subtype(a, b) => TypeTest::Subtype(types.apply(db, *a), types.apply(db, *b)),
            TypeTest::Same(a, b) => TypeTest::Same(types.apply(db, *a), types.apply(db, *b)),
            TypeTest::HasZero(ty) => TypeTest::HasZero(types.apply(db, *ty)),
            TypeTest::IsRef(ty) => TypeTest::IsRef(types.apply(db, *ty)),
        }
    }
}

pub(crate) fn mentions_param(db: &dyn Db, ty: Ty) -> bool {
    match ty.kind(db) {
        TyKind::Param(_) => true,
        TyKind::Class { args, .. } => args.iter().any(|arg| mentions_param(db, *arg)),
        TyKind::Function { params, result, .. } => {
            mentions_param(db, *result) || params.iter().any(|param| mentions_param(db, *param))
        }
        TyKind::Constrained { base, .. } => mentions_param(db, *base),
        TyKind::Null | TyKind::Void | TyKind::Error => false,
    }
}
