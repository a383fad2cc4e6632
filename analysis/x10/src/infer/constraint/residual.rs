//! Residual constraints, which are needed and do not follow from the facts: they become part of the guard
//! of a method marked `@InferGuard`, are errors under static checks, and are checked at run time otherwise.

use apg_syntax::TextRange;

use crate::body::ExprId;
use crate::constraint::Entailment;
use crate::diagnostics::Severity;
use crate::ids::MethodId;
use crate::infer::context::Infer;
use crate::relate::Context;
use crate::relate::entailment::Question;
use crate::rules::Problem;
use crate::rules::constraint::guard_not_entailed::{Callee, GuardNotEntailed};
use crate::rules::constraint::not_entailed::NotEntailed;
use crate::rules::constraint::run_time_check::RunTimeCheck;
use crate::suggest::conditions::{CallersPart, MissingConditions};
use crate::ty::{ConstraintTerm, Path, PathRoot, Ty};

/// The most known conditions that a message lists.
const MAX_KNOWN_CONDITIONS: usize = 5;

/// The construct that requires a constraint.
#[derive(Clone, Copy)]
pub(crate) enum RequiredBy {
    /// The type that this value has to be of.
    Value(ExprId, Ty),
    /// The condition of a method that is called.
    Guard(MethodId),
    /// The condition of a function of this type that is called.
    Function(Ty),
}

impl Infer<'_> {
    /// The terms of the constraint of `to` that do not follow for the value `id`, seen as a `from`.
    pub(crate) fn residual_terms(&mut self, id: ExprId, from: Ty, to: Ty) -> Vec<ConstraintTerm> {
        let Some(wanted) = to.constraint(self.db) else { return Vec::new() };
        // Of an unnamed value only its type is known, also in an inferred guard.
        let path = if self.infers_guard { self.name_value(id) } else { self.path_of(id) };
        let given = from.constraint(self.db).map_or_else(Vec::new, |given| given.terms.clone());
        let self_ty = Some(from.base(self.db));
        let question = Question { given: &given, self_ty, value: path.as_ref() };
        let context = self.context();
        let open = |term: &&ConstraintTerm| {
            context.decide(question, std::slice::from_ref(*term)) != Entailment::Proved
        };
        let subject = path.clone().unwrap_or_else(Path::self_value);
        wanted.terms.iter().filter(open).map(|term| term.at_root(&PathRoot::SelfValue, &subject)).collect()
    }

    /// Handles `terms`, which are needed at `range` and do not follow.
    pub(crate) fn require_terms(&mut self, terms: &[ConstraintTerm], range: TextRange, need: RequiredBy) {
        let mut open = Vec::new();
        for term in terms {
            if self.infers_guard && self.infer_term(term) {
                continue;
            }
            open.push(term.clone());
        }
        if open.is_empty() {
            return;
        }
        if self.checks.is_static || self.infers_guard && self.checks.infers_guards {
            self.not_entailed(open, range, need);
        } else if self.never_hold(&open) {
            let known = Some(self.known_conditions(&open));
            let in_kernel = self.in_kernel;
            let severity = if in_kernel { Severity::Error } else { Severity::Warning };
            let problem = Problem::new(range, RunTimeCheck { terms: open, refuted: known, in_kernel });
            self.push_problem(problem.with_severity(severity));
        } else if !self.in_kernel {
            self.report_at(range, RunTimeCheck { terms: open, refuted: None, in_kernel: false });
        }
    }

    fn never_hold(&self, terms: &[ConstraintTerm]) -> bool {
        self.context().decide(Question::default(), terms) == Entailment::Refuted
    }

    // ---- guard inference

    /// Adds a term to the inferred guard of the method, if it mentions only formals, `this` and constants.
    fn infer_term(&mut self, term: &ConstraintTerm) -> bool {
        let Some(term) = term.map(|path| self.other_name(path, &|it| self.callers_know(it), 0)) else {
            return false;
        };
        // A guard can name formals and their fields only.
        if matches!(term, ConstraintTerm::Opaque(_)) {
            return false;
        }
        // A guard that never holds would forbid all calls.
        let all: Vec<ConstraintTerm> = self.required.iter().chain([&term]).cloned().collect();
        if self.context().contradicts(Question::default(), &all) {
            return false;
        }
        if !self.required.contains(&term) {
            self.required.push(term.clone());
        }
        self.learn(term);
        true
    }

    fn callers_know(&self, path: &Path) -> bool {
        match &path.root {
            PathRoot::This | PathRoot::Literal(_) | PathRoot::Static { .. } => true,
            PathRoot::Local { name, offset } => self.body.params.iter().any(|&local| {
                let local = self.body.local(local);
                !local.mutable && local.name == *name && u32::from(local.range.start()) == *offset
            }),
            _ => false,
        }
    }

    // ---- messages

    fn not_entailed(&mut self, open: Vec<ConstraintTerm>, range: TextRange, need: RequiredBy) {
        let known = self.known_conditions(&open);
        let is_condition = |term: &ConstraintTerm| term.paths().all(|path| self.callers_know(path));
        let callers = if self.infers_guard {
            CallersPart::CannotName
        } else if open.iter().all(is_condition) && !self.body.params.is_empty() {
            CallersPart::Condition
        } else {
            CallersPart::Nothing
        };
        let missing = MissingConditions { terms: open, known, callers };
        match need {
            RequiredBy::Value(value, needed) => self.report_at(range, NotEntailed { missing, value, needed }),
            RequiredBy::Guard(method) => {
                self.report_at(range, GuardNotEntailed { missing, callee: Callee::Method(method) });
            }
            RequiredBy::Function(function) => {
                self.report_at(range, GuardNotEntailed { missing, callee: Callee::Function(function) });
            }
        }
    }

    fn known_conditions(&self, open: &[ConstraintTerm]) -> Vec<ConstraintTerm> {
        self.known_conditions_in(&self.context(), open)
    }

    /// Known conditions about the same values as `open`, as `context` knows them.
    pub(crate) fn known_conditions_in(
        &self,
        context: &Context<'_>,
        open: &[ConstraintTerm],
    ) -> Vec<ConstraintTerm> {
        let facts = context.relevant(Question::default(), open);
        let is_worth_saying = |fact: &&ConstraintTerm| !fact.mentions_nameless() && !self.is_about_here(fact);
        facts.iter().filter(is_worth_saying).take(MAX_KNOWN_CONDITIONS).cloned().collect()
    }

    fn is_about_here(&self, fact: &ConstraintTerm) -> bool {
        fact.paths().any(crate::place::is_here)
    }
}
