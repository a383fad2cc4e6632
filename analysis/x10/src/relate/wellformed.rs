//! Well-formedness of types: whether values can satisfy a constraint, and whether type arguments satisfy the
//! guard of their class.

use std::sync::Arc;

use super::Context;
use super::entailment::Question;
use crate::constraint::facts::Facts;
use crate::db::Db;
use crate::diagnostics::article;
use crate::ids::MethodId;
use crate::rules::constraint as rules;
use crate::scope::problem::Problem;
use crate::signature::{class_header, method_signature};
use crate::ty::subst::{Substitution, facts_about};
use crate::ty::{Constraint, Path, Ty, TyKind};

/// The context of a signature, with formals named by index.
pub(crate) fn signature_context(db: &dyn Db, method: MethodId) -> Context<'_> {
    let signature = method_signature(db, method);
    let mut context = Context::method(db, method);
    let formals = signature.params.iter().enumerate();
    let typed = formals.map(|(index, it)| (Path::local(it.name.clone(), index as u32).root, it.ty.base(db)));
    context.typed = Arc::new(typed.collect());
    context
}

/// The context of a signature that includes the method's guard and the constraints of its formals.
pub(crate) fn guarded_context(db: &dyn Db, method: MethodId) -> Context<'_> {
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

impl Problem {
    /// Whether the problem applies in `context`: its condition `unless` is not known to hold there.
    pub fn stands(&self, context: &Context<'_>) -> bool {
        let Some(condition) = &self.unless else { return true };
        let everything = Substitution::types(&[], &[]);
        match context.check_guard(condition, &condition.constraint, &everything) {
            Ok((unproved, _)) => !unproved.terms.is_empty(),
            Err(_) => true,
        }
    }
}
