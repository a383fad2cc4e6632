//! Complaints about signatures, which have no positions: each carries the index of its range instead.

use apg_syntax::TextRange;

use super::signature::Guard;
use crate::diagnostics::{Diagnostic, Rule};
use crate::ty::context::Context;
use crate::ty::subst::Substitution;

/// A diagnostic without its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Index of its range among those of its item.
    pub at: u32,
    /// The rest.
    pub diagnostic: Diagnostic,
    /// It stands only where this condition does not hold.
    pub unless: Option<Box<Guard>>,
}

impl Problem {
    /// A problem of this code.
    pub fn new(rule: &Rule, at: u32, message: impl Into<String>) -> Problem {
        Problem { at, diagnostic: rule.at(TextRange::default(), message), unless: None }
    }

    /// Only where `condition` does not hold.
    pub fn unless(mut self, condition: Guard) -> Problem {
        self.unless = Some(Box::new(condition));
        self
    }

    /// Whether it stands, seen from `context`.
    pub fn stands(&self, context: &Context<'_>) -> bool {
        let Some(condition) = &self.unless else { return true };
        let everything = Substitution::types(&[], &[]);
        match context.check_guard(condition, &condition.constraint, &everything) {
            Ok((unproved, _)) => !unproved.terms.is_empty(),
            Err(_) => true,
        }
    }

    /// With a note.
    pub fn note(mut self, note: impl Into<String>) -> Problem {
        self.diagnostic = self.diagnostic.note(note);
        self
    }

    /// Where only a class will do, the fixes that name an interface or a number go.
    pub fn for_a_class(&mut self) {
        const NO_CLASSES: [&str; 13] = [
            "Any", "Boolean", "Byte", "Char", "Double", "Float", "Int", "Long", "Short", "UByte", "UInt",
            "ULong", "UShort",
        ];
        let fixes = &mut self.diagnostic.fixes;
        fixes.retain(|fix| !fix.edits.iter().any(|edit| NO_CLASSES.contains(&edit.text.as_str())));
    }

    /// With a fix that replaces what is complained about.
    pub fn replace_by(mut self, title: impl Into<String>, text: impl Into<String>) -> Problem {
        let edit =
            crate::diagnostics::TextEdit { file: None, range: TextRange::default(), text: text.into() };
        self.diagnostic =
            self.diagnostic.fix(crate::diagnostics::Fix { title: title.into(), edits: vec![edit] });
        self
    }
}

/// The problems as diagnostics. An edit without a range replaces what is complained about.
pub fn placed(problems: &[Problem], ranges: &[TextRange]) -> Vec<Diagnostic> {
    let place = |problem: &Problem| {
        let mut diagnostic = problem.diagnostic.clone();
        diagnostic.range = ranges.get(problem.at as usize).copied().unwrap_or_default();
        for edit in diagnostic.fixes.iter_mut().flat_map(|f| &mut f.edits) {
            if edit.range == TextRange::default() && edit.file.is_none() {
                edit.range = diagnostic.range;
            }
        }
        diagnostic
    };
    problems.iter().map(place).collect()
}
