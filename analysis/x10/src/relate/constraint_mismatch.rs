//! Contradictions between constraints nested in types: of type arguments and of function types. A run-time
//! check is impossible, since objects do not store the constraints of their type arguments, so a
//! contradiction is a compile-time error.

use crate::constraint::Entailment;
use crate::db::Db;
use crate::relate::Context;
use crate::relate::entailment::Question;
use crate::ty::function;
use crate::ty::subst::facts_about;
use crate::ty::{Constraint, ConstraintTerm, Path, Ty, TyKind};

/// Types nested deeper than this are not compared.
const MAX_DEPTH: u32 = 16;

impl Context<'_> {
    /// Whether a constraint nested in `from` contradicts the one at the same position in `to`, as in
    /// `Rail[Long{self==1}]` and `Rail[Long{self==2}]`. Constraints aside, `from` is a subtype of `to`.
    pub(crate) fn clashes(&self, from: Ty, to: Ty) -> bool {
        self.inside(from, to, 0)
    }

    fn inside(&self, from: Ty, to: Ty, depth: u32) -> bool {
        let db = self.db;
        if depth > MAX_DEPTH || from == to {
            return false;
        }
        match to.base(db).kind(db) {
            TyKind::Class { args, .. } if !args.iter().any(|arg| is_constrained(db, *arg)) => false,
            TyKind::Class { class, args } => {
                let Some(found) = self.as_super(from, *class) else { return false };
                let Some((_, found)) = found.as_class(db) else { return false };
                // Type arguments are invariant.
                found.iter().zip(args).any(|(x, y)| self.excludes(*x, *y) || self.inside(*x, *y, depth + 1))
            }
            TyKind::Function { params, result, .. } => {
                let Some((given, gives)) = self.as_function(from).map(|ty| (ty, ty.as_function(db))) else {
                    return false;
                };
                let Some((accepted, gives)) = gives else { return false };
                if !self.guard_allows(given, to) {
                    return true;
                }
                let takes = params.iter().zip(accepted);
                takes.into_iter().any(|(x, y)| self.excludes(*x, *y) || self.inside(*x, *y, depth + 1))
                    || self.excludes(gives, *result)
                    || self.inside(gives, *result, depth + 1)
            }
            _ => false,
        }
    }

    /// Whether the constraints of `a` and `b` contradict each other, so that at most `null` is of both types.
    fn excludes(&self, a: Ty, b: Ty) -> bool {
        let db = self.db;
        let (Some(x), Some(y)) = (a.constraint(db), b.constraint(db)) else { return false };
        let mut both = x.terms.clone();
        both.extend(y.terms.iter().cloned());
        let question = Question { self_ty: Some(a.base(db)), ..Question::default() };
        self.is_subtype(a, b) && !self.contradicts(question, &x.terms) && self.contradicts(question, &both)
    }

    /// Whether the guard of the function type `to` implies that of `from`: every admissible call of the
    /// former is one of the latter.
    fn guard_allows(&self, from: Ty, to: Ty) -> bool {
        let db = self.db;
        if from.function_guard(db).is_none_or(|guard| guard.terms.is_empty()) {
            return true;
        }
        // Name the formals of both types alike.
        let count = to.as_function(db).map_or(0, |(params, _)| params.len());
        let formals: Vec<Option<Path>> = (0..count).map(|index| Some(function::formal("", index))).collect();
        let (Some(from), Some(to)) = (from.applied(db, &formals), to.applied(db, &formals)) else {
            return true;
        };
        let known = to.params.iter().zip(&formals).flat_map(|(param, formal)| {
            let constraint = param.constraint(db).cloned().unwrap_or_else(Constraint::default);
            formal.iter().flat_map(|path| facts_about(&constraint, path)).collect::<Vec<_>>()
        });
        let given: Vec<ConstraintTerm> = known.chain(to.guard.terms).collect();
        let question = Question { given: &given, ..Question::default() };
        self.decide(question, &from.guard.terms) == Entailment::Proved
    }
}

/// Whether a type or a part of it has a constraint.
fn is_constrained(db: &dyn Db, ty: Ty) -> bool {
    match ty.kind(db) {
        TyKind::Constrained { .. } => true,
        TyKind::Class { args, .. } => args.iter().any(|arg| is_constrained(db, *arg)),
        TyKind::Function { params, result, guard } => {
            !guard.terms.is_empty() || params.iter().chain([result]).any(|part| is_constrained(db, *part))
        }
        TyKind::Param(_) | TyKind::Null | TyKind::Void | TyKind::Error => false,
    }
}
