//! What a method promises whose signature others rely on: its result, and formals that those who override it take as they are.

use crate::db::Db;
use crate::ids::MethodId;
use crate::item_tree::MethodItem;
use crate::item_tree::items::method_type_param_ids;
use crate::rules::r#type as type_rules;
use crate::scope::problem::Problem;
use crate::scope::signature::method_signature;
use crate::ty::context::Context;
use crate::ty::subst::Substitution;
use crate::ty::{ConstraintTerm, Path, Ty};

use super::constraints::guarded_context;
use super::overrides::own_params;

/// What types of the signature of `other`, which belongs to `owner`, are in terms of `method`, which overrides it. Formals are the
/// same by their places in the lists, whatever they are called.
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

/// The problem that `method` gives `given` where `wanted` is promised by what is called `name`.
pub(super) fn result_problem(
    db: &dyn Db,
    (method, item): (MethodId, &MethodItem),
    given: Ty,
    wanted: Ty,
    name: &str,
) -> Option<Problem> {
    let context = guarded_context(db, method);
    // A result that is not declared is known without all that its code says of it (`= this`, `= new R(rank - 1)`).
    let may_say_more = || {
        method_signature(db, method).result.is_none()
            && context.convert_directly(given, wanted, None).is_some()
    };
    let fits = given.is_void(db) == wanted.is_void(db)
        && (given.is_void(db) || is_statically_convertible(&context, given, wanted) || may_say_more());
    if fits || given.mentions_error(db) || wanted.mentions_error(db) {
        return None;
    }
    let message = format!("the result is `{}`, but {name} gives `{}`", given.display(db), wanted.display(db));
    let note = match wanted.is_void(db) {
        true => "it must not give a result: declare it `:void`".to_owned(),
        false => format!("make the result `{}` or a subtype", wanted.display(db)),
    };
    Some(Problem::new(&type_rules::bad_override::RULE, item.at, message).note(note))
}

/// The problem that a formal of `method` is constrained otherwise than in the method that it overrides: they are neither one method
/// nor two.
pub(super) fn formals_problem(
    db: &dyn Db,
    (method, item): (MethodId, &MethodItem),
    (other, owner): (MethodId, Ty),
    name: &str,
) -> Option<Problem> {
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
        let formal = written.name.as_deref().unwrap_or("_");
        let message =
            format!("`{formal}` is `{}`, but {name} takes `{}`", mine.display(db), theirs.display(db));
        let at = written.ty.as_ref().map_or(written.at, |ty| ty.at);
        let note =
            format!("to override it, take `{}`; to be another method, have another name", theirs.display(db));
        Some(Problem::new(&type_rules::bad_override::RULE, at, message).note(note))
    })
}

/// Whether every value of `given` is known to be one of `wanted`, which is not left to the run of the program.
fn is_statically_convertible(context: &Context<'_>, given: Ty, wanted: Ty) -> bool {
    given == wanted
        || has_opaque_constraint(context.db, wanted)
        || context.convert_directly(given, wanted, None).is_some_and(|it| !it.checked)
}

/// Of an expression that constraints cannot hold nothing can be decided.
fn has_opaque_constraint(db: &dyn Db, ty: Ty) -> bool {
    let is_opaque = |term: &ConstraintTerm| matches!(term, ConstraintTerm::Opaque(_));
    ty.constraint(db).is_some_and(|it| it.terms.iter().any(is_opaque))
}
