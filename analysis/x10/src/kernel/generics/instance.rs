//! Methods with type arguments, as instances of monomorphisation.

use crate::db::Db;
use crate::ids::MethodId;
use crate::item_tree::items::method_type_param_ids;
use crate::item_tree::nesting::all_type_params;
use crate::relate::subtype::erase;
use crate::ty::subst::Substitution;
use crate::ty::type_test::mentions_param;
use crate::ty::{Ty, TyKind};

/// A method with type arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::kernel) struct Instance {
    pub method: MethodId,
    pub class_args: Vec<Ty>,
    pub type_args: Vec<Ty>,
}

impl Instance {
    /// The method with its own type parameters as arguments.
    pub(super) fn identity(db: &dyn Db, method: MethodId) -> Instance {
        let params = |ids: &[crate::ids::TypeParamId]| ids.iter().map(|id| Ty::param(db, *id)).collect();
        Instance {
            method,
            class_args: params(all_type_params(db, method.class(db))),
            type_args: params(method_type_param_ids(db, method)),
        }
    }

    /// The substitution of its type parameters.
    pub(super) fn types(&self, db: &dyn Db) -> Substitution {
        let own = method_type_param_ids(db, self.method);
        Substitution::class(db, self.method.class(db), &self.class_args).with_types(own, &self.type_args)
    }

    /// The instance with a substitution applied to its type arguments.
    pub(super) fn apply(&self, db: &dyn Db, types: &Substitution) -> Instance {
        let all = |args: &[Ty]| args.iter().map(|ty| erase(db, types.apply(db, *ty))).collect();
        Instance { method: self.method, class_args: all(&self.class_args), type_args: all(&self.type_args) }
    }

    pub(super) fn is_generic(&self) -> bool {
        !self.class_args.is_empty() || !self.type_args.is_empty()
    }

    /// Whether its type arguments exceed the size limit.
    pub(super) fn is_too_large(&self, db: &dyn Db) -> bool {
        are_too_large(db, &self.class_args) || are_too_large(db, &self.type_args)
    }

    pub(super) fn is_open(&self, db: &dyn Db) -> bool {
        self.class_args.iter().chain(&self.type_args).any(|ty| mentions_param(db, *ty))
    }
}

/// Whether types exceed the size limit. Polymorphic recursion can make types grow without end, even
/// exponentially.
pub(in crate::kernel) fn are_too_large(db: &dyn Db, types: &[Ty]) -> bool {
    /// Limit on the number of type constructors, counted with repetition.
    const MAX_TYPE_SIZE: usize = 128;
    let mut open = types.to_vec();
    let mut count = 0;
    while let Some(ty) = open.pop() {
        count += 1;
        if count > MAX_TYPE_SIZE {
            return true;
        }
        match ty.kind(db) {
            TyKind::Class { args, .. } => open.extend(args),
            TyKind::Function { params, result, .. } => {
                open.extend(params);
                open.push(*result);
            }
            TyKind::Constrained { base, .. } => open.push(*base),
            _ => {}
        }
    }
    false
}
