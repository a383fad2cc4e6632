//! Inlay hints: the implicit sharing of variables, behind the directive.

use apg_c_syntax::{TextRange, TextSize};

use crate::Parsed;
use crate::sharing::{Attribute, Reason};

/// A text that an editor shows in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inlay {
    /// Where.
    pub at: TextSize,
    /// The text.
    pub label: String,
    /// Why it is so.
    pub tooltip: String,
}

/// The inlay hints in a range: the clauses that directives leave to the rules.
pub fn inlays(parsed: &Parsed, range: TextRange) -> Vec<Inlay> {
    let program = &parsed.program;
    let mut found = Vec::new();
    for id in program.directive_ids() {
        let directive = program.directive(id);
        let last = directive.clauses.last().map_or(directive.name_range, |it| it.range);
        let Some(spelled) = parsed.spelled(last).filter(|it| range.contains_inclusive(it.end())) else {
            continue;
        };
        let mut lists: Vec<(Attribute, &'static str, Vec<&str>)> = Vec::new();
        for (variable, _) in program.captured(id) {
            let Some(sharing) = program.sharing(id, variable) else { continue };
            let Reason::Implicit(why) = sharing.reason else { continue };
            let name = program.variable(variable).name.as_str();
            // Objects of headers are of no interest.
            if program.variable(variable).range.is_none() {
                continue;
            }
            match lists.iter_mut().find(|it| it.0 == sharing.attribute) {
                Some(list) => list.2.push(name),
                None => lists.push((sharing.attribute, why, vec![name])),
            }
        }
        for (attribute, why, names) in lists {
            let word = if attribute == Attribute::Mapped { "map" } else { attribute.text() };
            let label = format!("{word}({})", names.join(", "));
            found.push(Inlay { at: spelled.end(), label, tooltip: why.to_owned() });
        }
    }
    found
}
