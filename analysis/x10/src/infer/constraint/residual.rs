//! What to do about a constraint that is needed and does not follow from what is known: in a method marked
//! `@InferGuard` it becomes a condition of the method; else it is an error under static checks, and otherwise
//! checked when the program runs.

use apg_syntax::TextRange;

use crate::body::ExprId;
use crate::constraint::Entailment;
use crate::diagnostics::{Diagnostic, Fix, Severity, TextEdit};
use crate::ids::MethodId;
use crate::infer::context::Infer;
use crate::relate::Context;
use crate::relate::entailment::Question;
use crate::rules::constraint as rules;
use crate::ty::{ConstraintTerm, Path, PathRoot, Ty};

/// Who needs a constraint.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    /// The type that this value has to be of.
    Value(ExprId, Ty),
    /// The condition of a method that is called.
    Guard(MethodId),
    /// The condition of a function of this type that is called.
    Function(Ty),
}

impl Infer<'_> {
    /// The terms of the constraint of `to` that do not follow for the value `id`, seen as a `from`.
    pub(crate) fn undecided_terms(&mut self, id: ExprId, from: Ty, to: Ty) -> Vec<ConstraintTerm> {
        let Some(wanted) = to.constraint(self.db) else { return Vec::new() };
        // Values without a name are no more than what their types say: in a condition that is inferred too.
        let path = if self.infers_guard { self.named(id) } else { self.path_of(id) };
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

    /// Deals with `terms`, needed at `range`.
    pub(crate) fn undecided(&mut self, terms: &[ConstraintTerm], range: TextRange, need: Need) {
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
            let diagnostic = self.not_entailed(&open, range, need);
            self.report(diagnostic);
        } else if self.never_hold(&open) {
            let shown: Vec<String> = open.iter().map(|term| format!("`{}`", self.shown_term(term))).collect();
            let shown = shown.join(" and ");
            // Kernels check no conditions.
            let (message, severity) = match self.in_kernel {
                true => (format!("{shown} never holds here"), Severity::Error),
                false => (
                    format!("{shown} never holds here, so the check when the program runs fails"),
                    Severity::Warning,
                ),
            };
            let diagnostic = rules::run_time_check::RULE.at(range, message).with_severity(severity);
            let known = self.what_is_known(&open);
            self.report(diagnostic.note(known));
        } else if !self.in_kernel {
            let shown: Vec<String> = open.iter().map(|term| format!("`{}`", self.shown_term(term))).collect();
            let message = format!("{} is checked when the program runs", shown.join(" and "));
            self.report(rules::run_time_check::RULE.at(range, message));
        }
    }

    fn never_hold(&self, terms: &[ConstraintTerm]) -> bool {
        self.context().decide(Question::default(), terms) == Entailment::Refuted
    }

    // ---- inference of the guard

    /// Makes a term a condition of the method, if it can be said of formals, `this` and constants.
    fn infer_term(&mut self, term: &ConstraintTerm) -> bool {
        let Some(term) = term.map(|path| self.other_name(path, &|it| self.callers_know(it), 0)) else {
            return false;
        };
        // In a condition nothing but formals and what they consist of has a name.
        if matches!(term, ConstraintTerm::Opaque(_)) {
            return false;
        }
        // A condition that can never hold is no condition.
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

    fn not_entailed(&mut self, open: &[ConstraintTerm], range: TextRange, need: Need) -> Diagnostic {
        let shown: Vec<String> = open.iter().map(|term| format!("`{}`", self.shown_term(term))).collect();
        let (verb, them) = if open.len() == 1 { ("is", "it") } else { ("are", "they") };
        let list = shown.join(" and ");
        let mut diagnostic = match need {
            Need::Value(id, to) => {
                let message = format!("{list} {verb} needed here and not known to hold");
                let needed = self.show(to);
                let found = self.show(self.ty(id));
                rules::not_entailed::RULE
                    .at(range, message)
                    .note(format!("the type needed is `{needed}`, the value's is `{found}`"))
            }
            Need::Guard(method) => {
                let name = crate::members::describe_method(self.db, method);
                let message = format!("the call needs {list}, which {verb} not known to hold");
                rules::guard_not_entailed::RULE
                    .at(range, message)
                    .note(format!("it is a condition of `{name}`"))
            }
            Need::Function(function) => {
                let message = format!("the call needs {list}, which {verb} not known to hold");
                rules::guard_not_entailed::RULE
                    .at(range, message)
                    .note(format!("it is a condition of the function, a `{}`", self.show(function)))
            }
        };
        diagnostic = diagnostic.note(self.what_is_known(open));
        let conditions: Vec<String> = open
            .iter()
            .filter(|term| term.paths().all(|path| self.callers_know(path)))
            .map(|term| term.to_string())
            .collect();
        if self.infers_guard {
            diagnostic = diagnostic.note(format!(
                "{them} cannot become a condition of the method, for callers cannot name what {them} {verb} about"
            ));
        } else if conditions.len() == open.len() && !self.body.params.is_empty() {
            let conditions = conditions.join(", ");
            diagnostic = diagnostic.note(format!(
                "to let the callers see to it, make `{{{conditions}}}` a condition of this method"
            ));
        }
        match need {
            Need::Value(id, to) => match self.cast_fix(id, to) {
                Some(fix) => {
                    diagnostic.note("to check it when the program runs, cast the value with `as`").fix(fix)
                }
                None => diagnostic,
            },
            Need::Guard(_) | Need::Function(_) => diagnostic,
        }
    }

    pub(crate) fn what_is_known(&self, open: &[ConstraintTerm]) -> String {
        self.what_is_known_in(&self.context(), open)
    }

    /// The same where other things are known than at this point of the code.
    pub(crate) fn what_is_known_in(&self, context: &Context<'_>, open: &[ConstraintTerm]) -> String {
        let question = Question::default();
        let facts = context.relevant(question, open);
        let worth = |fact: &&ConstraintTerm| !fact.mentions_nameless() && !self.is_about_here(fact);
        let shown: Vec<String> = facts.iter().filter(worth).take(5).map(|fact| format!("`{fact}`")).collect();
        if shown.is_empty() {
            "nothing is known about it".to_owned()
        } else {
            format!("known: {}", shown.join(", "))
        }
    }

    fn is_about_here(&self, fact: &ConstraintTerm) -> bool {
        fact.paths().any(crate::place::is_here)
    }

    /// A cast, for a value whose type is not the one needed.
    pub(crate) fn cast_fix(&self, id: ExprId, to: Ty) -> Option<Fix> {
        let range = self.range(id);
        let text = self.source(range)?;
        let mut nameless = false;
        to.visit_paths(self.db, &mut |path| nameless |= path.is_nameless());
        if nameless || text.is_empty() {
            return None;
        }
        let plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let target = self.show(to);
        let text = if plain { format!("{text} as {target}") } else { format!("({text}) as {target}") };
        let edits = vec![TextEdit { file: None, range, text }];
        Some(Fix { title: format!("Cast to `{target}`"), edits })
    }
}
