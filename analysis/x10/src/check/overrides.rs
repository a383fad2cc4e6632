//! Checks of inheritance: valid overriding, and unimplemented abstract methods.

use super::override_types::{formals_problem, result_problem, substitution_from};
use super::problem::DeclarationProblem;
use crate::constraint::{Entailment, entails};
use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::infer::declares_result;
use crate::item_tree::items::{
    class_item, class_kind, class_modifiers, method_is_static, method_item, method_type_param_ids, methods,
    own_methods, properties,
};
use crate::item_tree::source::Item;
use crate::item_tree::{ClassItem, ClassKind, MethodItem, MethodKind, Modifiers, has_annotation};
use crate::members::access::{Visibility, visibility};
use crate::members::resolve::has_unknown_formal;
use crate::relate::Context;
use crate::relate::subtype::erase;
use crate::rules::flow::no_this_access::NoThisAccess;
use crate::rules::r#type::bad_override::{BadOverride, Promise};
use crate::rules::r#type::not_implemented::{Candidate, NotImplemented};
use crate::signature::inferred::result_type;
use crate::signature::supertypes::all_supertypes;
use crate::signature::{field_type, method_signature};
use crate::ty::guard::Guard;
use crate::ty::known::{Known, known_class};
use crate::ty::subst::{Substitution, facts_about};
use crate::ty::{ConstraintTerm, Path, Ty};

/// Problems of a class and its methods with inherited methods.
#[salsa::tracked]
pub(super) fn override_problems(db: &dyn Db, class: ClassId) -> Vec<(Item, Vec<DeclarationProblem>)> {
    let Some(item) = class_item(db, class) else { return Vec::new() };
    let mut all = Vec::new();
    for method in methods(db, class) {
        let Some(declared) = method_item(db, *method) else { continue };
        if declared.kind.is_constructor() {
            continue;
        }
        let problems: Vec<DeclarationProblem> = overridden(db, class, *method)
            .into_iter()
            .filter_map(|(other, owner)| bad_override(db, class, (*method, declared), other, owner))
            .take(1)
            .collect();
        if !problems.is_empty() {
            all.push((Item::Method(*method), problems));
        }
    }
    super::inherited_conflicts::conflict_problems(db, class, item, &mut all);
    let may_be_abstract = item.kind == ClassKind::Interface || item.modifiers.has(Modifiers::ABSTRACT);
    if !may_be_abstract {
        all.extend(super::functions::function_problems(db, class, item).map(|(at, it)| (at, vec![it])));
        let problems = unimplemented(db, class, item);
        if !problems.is_empty() {
            all.push((Item::Class(class), problems));
        }
    }
    all
}

/// The erased formals of `method` seen from `owner`, with `own` for its type parameters.
pub(super) fn formals(db: &dyn Db, method: MethodId, owner: Ty, own: &[Ty]) -> Vec<Ty> {
    let Some((class, args)) = owner.as_class(db) else { return Vec::new() };
    let substitution =
        Substitution::class(db, class, args).with_types(method_type_param_ids(db, method), own);
    method_signature(db, method).params.iter().map(|p| erase(db, substitution.apply(db, p.ty))).collect()
}

pub(super) fn own_params(db: &dyn Db, method: MethodId) -> Vec<Ty> {
    method_type_param_ids(db, method).iter().map(|p| Ty::param(db, *p)).collect()
}

/// The inherited methods that `method` of `class` overrides, each with its owner as a supertype of `class`.
pub(crate) fn overridden(db: &dyn Db, class: ClassId, method: MethodId) -> Vec<(MethodId, Ty)> {
    let own = own_params(db, method);
    let mine = formals(db, method, Ty::this_type(db, class), &own);
    let kind = method_item(db, method).map(|m| m.kind);
    let mut all = Vec::new();
    for supertype in all_supertypes(db, class).iter().skip(1) {
        let Some((owner, _)) = supertype.as_class(db) else { continue };
        for other in own_methods(db, owner, method.name(db)) {
            let same_form =
                method_item(db, *other).map(|m| m.kind) == kind || !method.name(db).starts_with("operator");
            if same_form
                && method_type_param_ids(db, *other).len() == own.len()
                && formals(db, *other, *supertype, &own) == mine
            {
                all.push((*other, *supertype));
            }
        }
    }
    all
}

/// The methods of this name, grouped into those that are one method to callers: methods with equal formals in
/// `class` and its supertypes.
pub(crate) fn same_methods(db: &dyn Db, class: ClassId, name: &str) -> Vec<Vec<MethodId>> {
    let mut all: Vec<(MethodId, Ty)> = Vec::new();
    // Mutually dependent headers form a query cycle that only the header query resolves: it runs first.
    let _ = crate::signature::supertypes::direct_supertypes(db, class);
    for supertype in all_supertypes(db, class) {
        let Some((owner, _)) = supertype.as_class(db) else { continue };
        let own = own_methods(db, owner, name).iter().filter(|m| !method_is_static(db, **m));
        all.extend(own.map(|m| (*m, *supertype)));
    }
    let mut groups = Vec::new();
    while let Some((first, owner)) = all.pop() {
        let own = own_params(db, first);
        let form = formals(db, first, owner, &own);
        let mut group = vec![first];
        all.retain(|(other, owner)| {
            let same = method_type_param_ids(db, *other).len() == own.len()
                && formals(db, *other, *owner, &own) == form;
            if same {
                group.push(*other);
            }
            !same
        });
        groups.push(group);
    }
    groups
}

fn is_any(db: &dyn Db, class: ClassId) -> bool {
    known_class(db, Known::Any) == Some(class)
}

fn bad_override(
    db: &dyn Db,
    class: ClassId,
    (method, item): (MethodId, &MethodItem),
    other: MethodId,
    owner: Ty,
) -> Option<DeclarationProblem> {
    let theirs = method_item(db, other)?;
    let owner_class = other.class(db);
    let problem = |data: BadOverride| Some(DeclarationProblem::new(item.at, data));
    let context = Context::method(db, method);
    if theirs.modifiers.has(Modifiers::PRIVATE) || !context.can_access(owner_class, theirs.modifiers) {
        return None;
    }
    if method_is_static(db, method) != method_is_static(db, other) {
        return problem(BadOverride::Static { other, is_static: method_is_static(db, method) });
    }
    if has_annotation(&theirs.annotations, "NoThisAccess")
        && !has_annotation(&item.annotations, "NoThisAccess")
        && !has_annotation(&item.annotations, "Native")
    {
        return Some(DeclarationProblem::new(item.at, NoThisAccess::Overrides(other)));
    }
    let is_property = |method: &MethodItem| method.kind == MethodKind::Property;
    if is_property(theirs) && theirs.has_body {
        return problem(BadOverride::OfPropertyMethod(other));
    }
    if is_property(theirs) && !is_property(item) {
        return problem(BadOverride::NotPropertyMethod(other));
    }
    if theirs.modifiers.has(Modifiers::FINAL) {
        return problem(BadOverride::OfFinal(other));
    }
    let (mine, their) =
        (visibility(db, class, item.modifiers), visibility(db, owner_class, theirs.modifiers));
    // Methods of `Any` can be called through `Any`, whatever their visibility.
    if mine as u8 > their as u8 && !is_any(db, owner_class) {
        return problem(BadOverride::LessVisible { other, is_public: matches!(their, Visibility::Public) });
    }
    if !guard_entailed(db, class, method, other, owner) {
        return problem(BadOverride::StrongerGuard(other));
    }
    if let Some(exception) = throws_more(&context, method, other) {
        return problem(BadOverride::ThrowsMore { other, exception });
    }
    if let Some(problem) = formals_problem(db, (method, item), (other, owner)) {
        return Some(problem);
    }
    // An inferred result is checked with the code that it is inferred from.
    let given = method_signature(db, method).result?;
    bad_result(db, (method, item), given, (other, owner))
}

/// The problem of a result `given` of `method` that differs from what callers of the overridden `other` rely
/// on.
fn bad_result(
    db: &dyn Db,
    (method, item): (MethodId, &MethodItem),
    given: Ty,
    (other, owner): (MethodId, Ty),
) -> Option<DeclarationProblem> {
    let wanted = match method_signature(db, other).result {
        Some(result) => result,
        // The constraints of an inferred type are not part of the contract.
        None if method_item(db, other)?.has_body => erase(db, result_type(db, other)),
        None => return None,
    };
    let wanted = substitution_from(db, method, (other, owner))?.apply(db, wanted);
    result_problem(db, (method, item), given, wanted, Promise::Method(other))
}

/// The problem of a method whose result is inferred from its code.
pub(super) fn inferred_result_problem(db: &dyn Db, method: MethodId) -> Option<DeclarationProblem> {
    let item = method_item(db, method)?;
    if item.kind.is_constructor() || declares_result(db, method) {
        return None;
    }
    overridden(db, method.class(db), method).into_iter().find_map(|(other, owner)| {
        let theirs = method_item(db, other)?;
        let is_hidden = theirs.modifiers.has(Modifiers::PRIVATE)
            || method_is_static(db, method) != method_is_static(db, other);
        if is_hidden {
            return None;
        }
        bad_result(db, (method, item), result_type(db, method), (other, owner))
    })
}

/// Whether the guard of the overridden method implies that of the overriding one.
fn guard_entailed(db: &dyn Db, class: ClassId, method: MethodId, other: MethodId, owner: Ty) -> bool {
    let (mine, theirs) = (&method_signature(db, method).guard, &method_signature(db, other).guard);
    if *mine == Guard::default() {
        return true;
    }
    let own = own_params(db, method);
    let Some(seen) = owner.as_class(db).map(|(c, args)| Substitution::class(db, c, args)) else {
        return true;
    };
    let seen = seen.with_types(method_type_param_ids(db, other), &own);
    let context = Context::class(db, class);
    let pairs = |pairs: &[(Ty, Ty)]| -> Vec<(Ty, Ty)> {
        pairs.iter().map(|(a, b)| (seen.apply(db, *a), seen.apply(db, *b))).collect()
    };
    let types = |types: &[Ty]| -> Vec<Ty> { types.iter().map(|ty| seen.apply(db, *ty)).collect() };
    let (subtypes, same) = (pairs(&theirs.subtypes), pairs(&theirs.same));
    let types_hold = mine.subtypes.iter().all(|it| subtypes.contains(it) || context.is_subtype(it.0, it.1))
        && mine.same.iter().all(|it| same.contains(it) || context.is_same(it.0, it.1))
        && mine.has_zero.iter().all(|it| types(&theirs.has_zero).contains(it) || context.has_zero(*it))
        && mine.is_ref.iter().all(|it| types(&theirs.is_ref).contains(it) || context.has_null(*it));
    if !types_hold {
        return false;
    }
    // Formals correspond by position, not by name.
    let count = method_signature(db, method).params.len();
    let formals: Vec<Option<Path>> =
        (0..count).map(|index| Some(Path::local("formal", index as u32))).collect();
    let by_index = Substitution::types(&[], &[]).with_paths(Some(Path::this()), formals.clone());
    let mut facts = by_index.constraint(&theirs.constraint).terms;
    facts.extend(context.known_terms());
    for (param, formal) in method_signature(db, method).params.iter().zip(formals.into_iter().flatten()) {
        if let Some(constraint) = param.ty.constraint(db) {
            facts.extend(facts_about(&by_index.constraint(constraint), &formal));
        }
    }
    let wanted = by_index.constraint(&mine.constraint);
    let is_opaque = |term: &ConstraintTerm| matches!(term, ConstraintTerm::Opaque(_));
    wanted.terms.iter().any(is_opaque) || entails(&facts, &wanted, None) == Entailment::Proved
}

/// A checked exception that only the overriding method declares.
fn throws_more(context: &Context<'_>, method: MethodId, other: MethodId) -> Option<Ty> {
    let declared = &method_signature(context.db, other).throws;
    method_signature(context.db, method).throws.iter().copied().find(|ty| {
        crate::flow::is_checked_exception(context, *ty)
            && !declared.iter().any(|it| it.mentions_error(context.db) || context.is_subtype(*ty, *it))
    })
}

/// The abstract methods that a class inherits and does not implement, each with the type that promises it.
pub(crate) fn missing_methods(db: &dyn Db, class: ClassId) -> Vec<(MethodId, Ty)> {
    let mut missing: Vec<(MethodId, Ty)> = Vec::new();
    for supertype in all_supertypes(db, class) {
        let Some((owner, _)) = supertype.as_class(db) else { continue };
        // Methods of `Any` are built in.
        if supertype.is_known(db, crate::ty::known::Known::Any) || owner == class {
            continue;
        }
        let abstract_methods = methods(db, owner).iter().filter(|m| {
            method_item(db, **m).is_some_and(|m| m.modifiers.has(Modifiers::ABSTRACT) && !m.has_body)
        });
        for method in abstract_methods {
            if !is_implemented(db, class, *method, *supertype) && !is_of_any(db, *method) {
                missing.push((*method, *supertype));
            }
        }
    }
    missing
}

fn unimplemented(db: &dyn Db, class: ClassId, item: &ClassItem) -> Vec<DeclarationProblem> {
    let mut missing = missing_methods(db, class);
    let context = Context::class(db, class);
    // An unknown type may be the missing one: of a formal of a method of that name, or of a superclass.
    missing.retain(|(method, _)| {
        let own = own_methods(db, class, method.name(db));
        !may_be_among(db, own) && (own.is_empty() || !has_unknown_formal(db, *method))
    });
    retain_own(db, class, &mut missing);
    if missing.is_empty() || context.is_open(Ty::this_type(db, class)) {
        return Vec::new();
    }
    let data = NotImplemented::Methods {
        class,
        missing: missing.iter().map(|(method, _)| *method).collect(),
        promised_by: missing[0].1,
        candidate: candidate(db, class, item, &missing),
    };
    vec![DeclarationProblem::new(item.at, data)]
}

/// The member that was probably meant to implement one of the missing methods.
fn candidate(db: &dyn Db, class: ClassId, item: &ClassItem, missing: &[(MethodId, Ty)]) -> Option<Candidate> {
    if let Some((method, _)) = missing.iter().find(|it| property_for(db, class, **it).is_some()) {
        return Some(Candidate::Property(*method));
    }
    // A method of the same name with other formals was probably meant.
    let similar = missing.iter().find_map(|(m, _)| own_methods(db, class, m.name(db)).first());
    if let Some(method) = similar {
        return Some(Candidate::OtherFormals(*method));
    }
    let names = || item.methods.iter().map(|it| it.name.as_str()).filter(|it| *it != "this");
    missing.iter().find_map(|(method, _)| {
        let near = apg_syntax::closest(method.name(db), names())?;
        Some(Candidate::Misspelt { written: near.into(), meant: *method })
    })
}

/// Drops methods that a concrete superclass lacks already.
fn retain_own(db: &dyn Db, class: ClassId, missing: &mut Vec<(MethodId, Ty)>) {
    for supertype in all_supertypes(db, class).iter().skip(1) {
        let Some((above, _)) = supertype.as_class(db).filter(|_| !missing.is_empty()) else { continue };
        let may_owe = class_kind(db, above) != Some(ClassKind::Interface)
            && !class_modifiers(db, above).has(Modifiers::ABSTRACT);
        if may_owe {
            let owed = missing_methods(db, above);
            missing.retain(|(method, _)| !owed.iter().any(|(other, _)| other == method));
        }
    }
}

/// The own or inherited property with the name and result type of `method`: its likely implementation.
pub(crate) fn property_for(db: &dyn Db, class: ClassId, (method, owner): (MethodId, Ty)) -> Option<FieldId> {
    let seen = |ty: Ty, from: Ty| {
        let (owner, args) = from.as_class(db)?;
        Some(Substitution::class(db, owner, args).apply(db, ty))
    };
    let wanted = seen(result_type(db, method), owner)?;
    let takes_nothing =
        method_signature(db, method).params.is_empty() && method_type_param_ids(db, method).is_empty();
    if !takes_nothing || wanted.is_void(db) {
        return None;
    }
    let mut supertypes = all_supertypes(db, class).iter();
    let (property, from) = supertypes.find_map(|from| {
        let own = properties(db, from.as_class(db)?.0);
        Some((own.into_iter().find(|it| it.name(db) == method.name(db))?, *from))
    })?;
    let given = seen(field_type(db, property), from)?;
    Context::class(db, class).convert_directly(given, wanted, None).map(|_| property)
}

/// Whether a formal of one of these methods has an unknown type.
fn may_be_among(db: &dyn Db, methods: &[MethodId]) -> bool {
    let mut signatures = methods.iter().map(|it| method_signature(db, *it));
    signatures.any(|it| it.params.iter().any(|param| param.ty.mentions_error(db)))
}

/// Whether a method repeats one of `Any`, as interfaces may.
fn is_of_any(db: &dyn Db, method: MethodId) -> bool {
    let Some(any) = crate::ty::known::known_class(db, crate::ty::known::Known::Any) else { return false };
    let formals = &method_signature(db, method).params;
    own_methods(db, any, method.name(db)).iter().any(|m| {
        let theirs = &method_signature(db, *m).params;
        theirs.len() == formals.len()
            && theirs.iter().zip(formals).all(|(a, b)| erase(db, a.ty) == erase(db, b.ty))
    })
}

fn is_implemented(db: &dyn Db, class: ClassId, wanted: MethodId, owner: Ty) -> bool {
    let own = own_params(db, wanted);
    let types = formals(db, wanted, owner, &own);
    all_supertypes(db, class).iter().any(|supertype| {
        let Some((c, _)) = supertype.as_class(db) else { return false };
        if class_kind(db, c) == Some(ClassKind::Interface) {
            return own_methods(db, c, wanted.name(db)).iter().any(|m| {
                method_item(db, *m).is_some_and(|m| m.has_body) && formals(db, *m, *supertype, &own) == types
            });
        }
        own_methods(db, c, wanted.name(db)).iter().any(|m| {
            method_item(db, *m).is_some_and(|item| {
                !item.modifiers.has(Modifiers::ABSTRACT) || has_annotation(&item.annotations, "Native")
            }) && method_type_param_ids(db, *m).len() == own.len()
                && formals(db, *m, *supertype, &own) == types
        })
    })
}
