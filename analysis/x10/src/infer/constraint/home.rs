//! Place checks: whether the guard `here == home` of a method holds at a call (accesses to objects of other
//! places).

use apg_syntax::TextRange;

use crate::body::ExprId;
use crate::diagnostics::Severity;
use crate::infer::call::overload::{Call, CallTarget};
use crate::infer::context::Infer;
use crate::item_tree::source::{Item, item_source};
use crate::members::{Reason, Rejection};
use crate::place::{Home, home, nameless, required_home};
use crate::rules::Problem;
use crate::rules::place::remote_access::{self, RemoteAccess};
use crate::rules::render::source_in;
use crate::signature::method_signature;
use crate::ty::subst::{Substitution, facts_about};
use crate::ty::{ConstraintTerm, Path};

impl Infer<'_> {
    /// For a call whose guard does not follow: reports an access to an object whose home is elsewhere.
    pub(crate) fn check_place(&mut self, picked: &CallTarget, object: ExprId, call: &Call) {
        let guard = method_signature(self.db, picked.method).guard.constraint.terms.clone();
        self.check_home(&guard, object, call, false);
    }

    /// For a call whose guard contradicts the facts: whether the guard is about a home, and was reported.
    pub(crate) fn refuse_place(&mut self, only: &Rejection, object: Option<ExprId>, call: &Call) -> bool {
        let Some(object) = object.filter(|_| !matches!(only.reason, Reason::Argument { .. })) else {
            return false;
        };
        let guard = method_signature(self.db, only.method).guard.constraint.terms.clone();
        self.check_home(&guard, object, call, true)
    }

    fn check_home(&mut self, guard: &[ConstraintTerm], object: ExprId, call: &Call, refused: bool) -> bool {
        let path = self.path_of(object).unwrap_or_else(nameless);
        let mut facts = self.context().known_terms();
        if let Some(constraint) = self.ty(object).constraint(self.db) {
            facts.extend(facts_about(constraint, &path));
        }
        let about = Substitution::types(&[], &[]).with_paths(Some(path.clone()), Vec::new());
        for term in guard {
            let Some(term) = about.term(term) else { continue };
            let Some(wanted) = required_home(&term) else { continue };
            match home(&facts, wanted, &self.here_path()) {
                Home::Elsewhere(name) => {
                    self.remote(object, name.as_ref(), call, (Severity::Error, true));
                    return true;
                }
                Home::Named(_) if !refused && self.was_tested(&facts, wanted) => return true,
                Home::Named(name) if !refused && !self.in_kernel => {
                    let severity = if self.checks.is_static { Severity::Error } else { Severity::Warning };
                    self.remote(object, Some(&name), call, (severity, false));
                    return true;
                }
                // An undecided place is checked at run time, unless checks are static.
                Home::Unknown
                    if self.checks.is_static && !(refused || self.in_kernel || self.infers_guard) =>
                {
                    self.remote(object, Some(wanted), call, (Severity::Error, false));
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    /// Whether a condition around this point made sure that `wanted` is here.
    fn was_tested(&self, facts: &[ConstraintTerm], wanted: &Path) -> bool {
        let all: Vec<ConstraintTerm> = facts.iter().chain(&self.assumptions).cloned().collect();
        !self.checks.is_static && home(&all, wanted, &self.here_path()) == Home::Here
    }

    /// As [`Infer::was_tested`], for the home that a term requires; false if the term requires none.
    pub(crate) fn home_was_tested(&self, term: &ConstraintTerm) -> bool {
        !self.assumptions.is_empty()
            && required_home(term)
                .is_some_and(|wanted| self.was_tested(&self.context().known_terms(), wanted))
    }

    /// Reports that `object` lives elsewhere; `known`, or not known to be false.
    fn remote(
        &mut self,
        object: ExprId,
        home: Option<&Path>,
        call: &Call,
        (severity, known): (Severity, bool),
    ) {
        // `r(i) += 1` reads and sets the element: one problem.
        let is_reported =
            |it: &Problem| it.breaks(&remote_access::RULE) && it.range.start() == call.range.start();
        if self.problems.iter().any(is_reported) {
            return;
        }
        let access = RemoteAccess {
            object,
            home: home.cloned(),
            is_known: known,
            is_checked: severity == Severity::Warning,
            has_home_field: self.find_field(self.ty(object), "home").is_some(),
            in_kernel: self.in_kernel,
        };
        self.push_problem(Problem::new(call.range, access).with_severity(severity));
    }

    /// The source of a range of the declaration; `None` if the range is beyond it or splits a character.
    pub(crate) fn source(&self, range: TextRange) -> Option<String> {
        source_in(&item_source(self.db, Item::from(self.owner)).as_ref()?.syntax(), range)
    }
}
