//! Types of overriding methods: covariant results, and equal formals.

use super::problem::DeclarationProblem;
use crate::db::Db;
use crate::ids::MethodId;
use crate::item_tree::MethodItem;
use crate::item_tree::items::method_type_param_ids;
use crate::relate::Context;
use crate::rules::r#type::bad_override::{BadOverride, Promise};
use crate::signature::method_signature;
use crate::ty::subst::Substitution;
use crate::ty::{ConstraintTerm, Path, Ty};

use super::overrides::own_params;
use crate::relate::wellformed::guarded_context;

/// The substitution from the signature of `other`, which belongs to `owner`, to that of the overriding
/// `method`. Formals correspond by position, not by name.
pub(super) fn substitution_from(
    db: &dyn Db,
    method: MethodId,
    (other, owner): (MethodId, Ty),
) -> Option<Substitution> {
    let (class, args) = owner.as_class(db)?;
    let params = method_signature(db, method).params.iter().enumerate();
    let formals = params.map(|(index, it)| Some(Path::local(it.name.clone(), index as u32))).collect();
    let types = Substitution::class(db, class, args)
        .with_types(method_type_param_ids(db, other), &own_params(db, method));
    Some(types.with_paths(Some(Path::this()), formals))
}

/// The problem of a result `given` where `promise` requires `wanted`.
pub(super) fn result_problem(
    db: &dyn Db,
    (method, item): (MethodId, &MethodItem),
    given: Ty,
    wanted: Ty,
    promise: Promise,
) -> Option<DeclarationProblem> {
    let context = guarded_context(db, method);
    // An inferred result may be less precise than the code (`= this`, `= new R(rank - 1)`).
    let may_say_more = || {
        method_signature(db, method).result.is_none()
            && context.convert_directly(given, wanted, None).is_some()
    };
    let fits = given.is_void(db) == wanted.is_void(db)
        && (given.is_void(db) || is_statically_convertible(&context, given, wanted) || may_say_more());
    if fits || given.mentions_error(db) || wanted.mentions_error(db) {
        return None;
    }
    Some(DeclarationProblem::new(item.at, BadOverride::Result { promise, given, wanted }))
}

/// The problem of a formal whose constraint differs from the overridden method's: then `method` is neither an
/// override nor an overload.
pub(super) fn formals_problem(
    db: &dyn Db,
    (method, item): (MethodId, &MethodItem),
    (other, owner): (MethodId, Ty),
) -> Option<DeclarationProblem> {
    let seen = substitution_from(db, method, (other, owner))?;
    let context = guarded_context(db, method);
    let pairs = method_signature(db, method).params.iter().zip(&method_signature(db, other).params);
    pairs.zip(&item.params).find_map(|((mine, theirs), written)| {
        let (mine, theirs) = (mine.ty, seen.apply(db, theirs.ty));
        let same = is_statically_convertible(&context, mine, theirs)
            && is_statically_convertible(&context, theirs, mine);
        if same || mine.mentions_error(db) || theirs.mentions_error(db) {
            return None;
        }
        let formal = written.name.clone().unwrap_or_else(|| "_".into());
        let at = written.ty.as_ref().map_or(written.at, |ty| ty.at);
        let data = BadOverride::Formal { other, formal, given: mine, wanted: theirs };
        Some(DeclarationProblem::new(at, data))
    })
}

/// Whether every value of `given` is statically known to be one of `wanted`.
fn is_statically_convertible(context: &Context<'_>, given: Ty, wanted: Ty) -> bool {
    given == wanted
        || has_opaque_constraint(context.db, wanted)
        || context.convert_directly(given, wanted, None).is_some_and(|it| !it.checked)
}

/// Opaque constraint terms are undecidable.
fn has_opaque_constraint(db: &dyn Db, ty: Ty) -> bool {
    let is_opaque = |term: &ConstraintTerm| matches!(term, ConstraintTerm::Opaque(_));
    ty.constraint(db).is_some_and(|it| it.terms.iter().any(is_opaque))
}
