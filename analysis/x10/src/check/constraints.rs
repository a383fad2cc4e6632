//! Checks of declared constraints: satisfiability, and type arguments against the conditions of their
//! classes.

use std::sync::Arc;

use crate::constraint::decide::Question;
use crate::constraint::facts::Facts;
use crate::db::Db;
use crate::diagnostics::article;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::items::{class_item, field_item, fields, method_item, methods};
use crate::item_tree::source::Item;
use crate::item_tree::{ClassItem, MethodKind};
use crate::rules::constraint as rules;
use crate::scope::problem::Problem;
use crate::scope::property::class_facts;
use crate::scope::signature::{class_header, field_signature, method_signature};
use crate::ty::context::Context;
use crate::ty::subst::{Substitution, facts_about};
use crate::ty::supers::direct_supertypes;
use crate::ty::{Constraint, Path, Ty, TyKind};

/// Problems of the constraints of a class, its fields and the signatures of its methods.
#[salsa::tracked]
pub(super) fn constraint_problems(db: &dyn Db, class: ClassId) -> Vec<(Item, Vec<Problem>)> {
    let Some(item) = class_item(db, class) else { return Vec::new() };
    let mut all = Vec::new();
    let problems = of_class(db, class, item);
    if !problems.is_empty() {
        // A contradictory class condition makes problems of members meaningless.
        return vec![(Item::Class(class), problems)];
    }
    for field in fields(db, class) {
        let problems = of_field(db, *field);
        if !problems.is_empty() {
            all.push((Item::Field(*field), problems));
        }
    }
    for method in methods(db, class) {
        let problems = of_method(db, *method);
        if !problems.is_empty() {
            all.push((Item::Method(*method), problems));
        }
    }
    all
}

fn of_class(db: &dyn Db, class: ClassId, item: &ClassItem) -> Vec<Problem> {
    let context = Context::class(db, class);
    let impossible = |class: ClassId| {
        let facts = class_facts(db, class);
        !facts.is_empty() && Context::class(db, class).contradicts(Question::default(), facts)
    };
    let inherited = direct_supertypes(db, class).iter().filter_map(|ty| ty.as_class(db));
    if inherited.into_iter().any(|(supertype, _)| impossible(supertype)) {
        return Vec::new();
    }
    if impossible(class) {
        let message = format!("the conditions on objects of `{}` contradict each other", item.name);
        return vec![Problem::new(&rules::inconsistent::RULE, item.at, message)];
    }
    let written = item.extends.iter().chain(&item.implements);
    written
        .zip(&class_header(db, class).supers)
        .filter_map(|(at, ty)| type_problem(&context, *ty, at.at))
        .collect()
}

fn of_field(db: &dyn Db, field: FieldId) -> Vec<Problem> {
    let context = Context::class(db, field.class(db));
    let at = field_item(db, field).and_then(|item| item.ty.as_ref()).map_or(0, |ty| ty.at);
    field_signature(db, field).ty.and_then(|ty| type_problem(&context, ty, at)).into_iter().collect()
}

fn of_method(db: &dyn Db, method: MethodId) -> Vec<Problem> {
    let Some(item) = method_item(db, method) else { return Vec::new() };
    if item.kind == MethodKind::AutomaticConstructor {
        return Vec::new();
    }
    let signature = method_signature(db, method);
    let context = signature_context(db, method);
    let mut problems = Vec::new();
    for (param, written) in signature.params.iter().zip(&item.params) {
        let at = written.ty.as_ref().map_or(written.at, |ty| ty.at);
        problems.extend(type_problem(&context, param.ty, at));
    }
    if let (Some(result), Some(written)) = (signature.result, &item.result) {
        problems.extend(type_problem(&context, result, written.at));
    }
    let guard = &signature.guard.constraint.terms;
    if problems.is_empty() && !guard.is_empty() && context.contradicts(Question::default(), guard) {
        let message = format!("the condition of `{}` can never hold, so it can never be called", item.name);
        problems.push(Problem::new(&rules::inconsistent::RULE, item.at, message));
    }
    problems
}

/// The context of a signature, with its formals by index.
pub(super) fn signature_context(db: &dyn Db, method: MethodId) -> Context<'_> {
    let signature = method_signature(db, method);
    let mut context = Context::method(db, method);
    let formals = signature.params.iter().enumerate();
    let typed = formals.map(|(index, it)| (Path::local(it.name.clone(), index as u32).root, it.ty.base(db)));
    context.typed = Arc::new(typed.collect());
    context
}

/// The context of a signature that includes the method's guard and the constraints of its formals.
pub(super) fn guarded_context(db: &dyn Db, method: MethodId) -> Context<'_> {
    let mut context = signature_context(db, method);
    let mut facts = Facts::default();
    let guard = &method_signature(db, method).guard.constraint;
    guard.terms.iter().for_each(|term| facts.push(term.clone()));
    for (index, param) in method_signature(db, method).params.iter().enumerate() {
        let formal = Path::local(param.name.clone(), index as u32);
        let known = param.ty.constraint(db).map_or_else(Vec::new, |known| facts_about(known, &formal));
        known.into_iter().for_each(|fact| facts.push(fact));
    }
    context.facts = Arc::new(facts);
    context
}

/// The problem of a type written at `at`: an unsatisfiable constraint, or an inadmissible type argument.
pub(crate) fn type_problem(context: &Context<'_>, ty: Ty, at: u32) -> Option<Problem> {
    let db = context.db;
    match ty.kind(db) {
        TyKind::Constrained { base, constraint } => {
            let question = Question { self_ty: Some(*base), ..Question::default() };
            if context.contradicts(question, &constraint.terms) {
                let message = format!("no value can be {}", article(&ty.display(db).to_string()));
                return Some(
                    Problem::new(&rules::inconsistent::RULE, at, message)
                        .note("the terms of its constraint contradict each other or what holds of its class"),
                );
            }
            type_problem(context, *base, at)
        }
        TyKind::Class { class, args } => {
            if let Some(problem) = args.iter().find_map(|arg| type_problem(context, *arg, at)) {
                return Some(problem);
            }
            if args.is_empty() || ty.mentions_error(db) {
                return None;
            }
            let guard = &class_header(db, *class).guard;
            let substitution = Substitution::class(db, *class, args);
            let reason = context.check_guard(guard, &Constraint::default(), &substitution).err()?.text(db);
            let message = format!("`{}` does not meet the condition of its class: {reason}", ty.display(db));
            Some(Problem::new(&rules::type_argument::RULE, at, message))
        }
        TyKind::Function { params, result, .. } => {
            params.iter().chain([result]).find_map(|ty| type_problem(context, *ty, at))
        }
        TyKind::Param(_) | TyKind::Null | TyKind::Void | TyKind::Error => None,
    }
}
