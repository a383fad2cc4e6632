//! Notes about conditions that are needed and do not follow: what is known, and how callers could see to
//! them.

use crate::body::ExprId;
use crate::diagnostics::Diagnostic;
use crate::rules::render::RenderContext;
use crate::ty::{ConstraintTerm, Ty};

/// Conditions that are needed and not known to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingConditions {
    /// The conditions.
    pub terms: Vec<ConstraintTerm>,
    /// Conditions about the same values that are known.
    pub known: Vec<ConstraintTerm>,
    /// What callers of the method could do.
    pub callers: CallersPart,
}

/// Whether a method's callers could see to a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallersPart {
    /// It can become a condition of the method.
    Condition,
    /// The method infers its condition, and callers cannot name the values.
    CannotName,
    /// Nothing.
    Nothing,
}

impl MissingConditions {
    /// The conditions as messages list them, with the verb that follows.
    pub(crate) fn list(&self) -> (String, &'static str) {
        (listed(&self.terms), if self.terms.len() == 1 { "is" } else { "are" })
    }

    /// Adds what is known, and what callers could do.
    pub(crate) fn add_notes(&self, diagnostic: Diagnostic) -> Diagnostic {
        let diagnostic = diagnostic.note(known_conditions(&self.known));
        match self.callers {
            CallersPart::CannotName => {
                let (verb, them) = if self.terms.len() == 1 { ("is", "it") } else { ("are", "they") };
                diagnostic.note(format!(
                    "{them} cannot become a condition of the method, for callers cannot name what {them} {verb} about"
                ))
            }
            CallersPart::Condition => {
                let conditions: Vec<String> = self.terms.iter().map(ConstraintTerm::to_string).collect();
                diagnostic.note(format!(
                    "to let the callers see to it, make `{{{}}}` a condition of this method",
                    conditions.join(", ")
                ))
            }
            CallersPart::Nothing => diagnostic,
        }
    }

    /// Adds a cast of the value to the type that needs the conditions.
    pub(crate) fn add_cast(
        &self,
        diagnostic: Diagnostic,
        value: ExprId,
        needed: Ty,
        cx: &RenderContext<'_>,
    ) -> Diagnostic {
        match super::cast::cast_fix(cx, value, needed) {
            Some(fix) => {
                diagnostic.note("to check it when the program runs, cast the value with `as`").fix(fix)
            }
            None => diagnostic,
        }
    }
}

/// Conditions as messages list them.
pub(crate) fn listed(terms: &[ConstraintTerm]) -> String {
    let shown: Vec<String> = terms.iter().map(|term| format!("`{term}`")).collect();
    shown.join(" and ")
}

/// A note with the conditions that are known where others are needed.
pub(crate) fn known_conditions(known: &[ConstraintTerm]) -> String {
    if known.is_empty() {
        return "nothing is known about it".to_owned();
    }
    let shown: Vec<String> = known.iter().map(|it| format!("`{it}`")).collect();
    format!("known: {}", shown.join(", "))
}
