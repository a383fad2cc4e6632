//! Checks of declared constraints: satisfiability, and type arguments against the conditions of their
//! classes.

use super::problem::DeclarationProblem;
use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::items::{class_item, field_item, fields, method_item, methods};
use crate::item_tree::source::Item;
use crate::item_tree::{ClassItem, MethodKind};
use crate::relate::Context;
use crate::relate::entailment::Question;
use crate::relate::wellformed::{signature_context, type_problem};
use crate::rules::constraint::inconsistent::Inconsistent;
use crate::signature::property::class_facts;
use crate::signature::supertypes::direct_supertypes;
use crate::signature::{class_header, field_signature, method_signature};

/// Problems of the constraints of a class, its fields and the signatures of its methods.
#[salsa::tracked]
pub(super) fn constraint_problems(db: &dyn Db, class: ClassId) -> Vec<(Item, Vec<DeclarationProblem>)> {
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

fn of_class(db: &dyn Db, class: ClassId, item: &ClassItem) -> Vec<DeclarationProblem> {
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
        return vec![DeclarationProblem::new(item.at, Inconsistent::OfClass(class))];
    }
    let written = item.extends.iter().chain(&item.implements);
    written
        .zip(&class_header(db, class).supers)
        .filter_map(|(at, ty)| type_problem(&context, *ty, at.at))
        .map(DeclarationProblem::from)
        .collect()
}

fn of_field(db: &dyn Db, field: FieldId) -> Vec<DeclarationProblem> {
    let context = Context::class(db, field.class(db));
    let at = field_item(db, field).and_then(|item| item.ty.as_ref()).map_or(0, |ty| ty.at);
    let problem = field_signature(db, field).ty.and_then(|ty| type_problem(&context, ty, at));
    problem.map(DeclarationProblem::from).into_iter().collect()
}

fn of_method(db: &dyn Db, method: MethodId) -> Vec<DeclarationProblem> {
    let Some(item) = method_item(db, method) else { return Vec::new() };
    if item.kind == MethodKind::AutomaticConstructor {
        return Vec::new();
    }
    let signature = method_signature(db, method);
    let context = signature_context(db, method);
    let mut problems = Vec::new();
    for (param, written) in signature.params.iter().zip(&item.params) {
        let at = written.ty.as_ref().map_or(written.at, |ty| ty.at);
        problems.extend(type_problem(&context, param.ty, at).map(DeclarationProblem::from));
    }
    if let (Some(result), Some(written)) = (signature.result, &item.result) {
        problems.extend(type_problem(&context, result, written.at).map(DeclarationProblem::from));
    }
    let guard = &signature.guard.constraint.terms;
    if problems.is_empty() && !guard.is_empty() && context.contradicts(Question::default(), guard) {
        problems.push(DeclarationProblem::new(item.at, Inconsistent::OfMethod(method)));
    }
    problems
}
