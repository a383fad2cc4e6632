//! Diagnostic rules: one file for each, `FAMILY/CODE.rs`, with its page, its check, its words and its fixes.
//!
//! A rule is added by adding its file and its line in the list of its family.

mod context;
pub mod omp;
pub mod xmp;

use apg_diagnostics::{Rule, Severity};

pub use self::context::Context;
use crate::{Diagnostic, Parsed};

/// A rule and its check; rules that a check of another rule reports have none.
pub type Checked = (&'static Rule, Option<fn(&mut Context<'_>)>);

/// The rules of all families with their checks.
fn families() -> impl Iterator<Item = &'static Checked> {
    omp::RULES.iter().chain(xmp::RULES)
}

/// All rules, by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    families().map(|it| it.0)
}

/// The rule with this code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    rules().find(|it| it.code == code)
}

/// The diagnostics of a file, in the order of the source.
pub(crate) fn diagnostics(parsed: &Parsed) -> Vec<Diagnostic> {
    if parsed.program.directives.is_empty() {
        return Vec::new();
    }
    let mut context = Context::new(parsed);
    // Errors first: what they are about is not judged further.
    for is_error in [true, false] {
        let rules = families().filter(|it| (it.0.severity == Severity::Error) == is_error);
        rules.filter_map(|it| it.1).for_each(|check| check(&mut context));
    }
    let mut found = context.into_diagnostics();
    found.sort_by_key(|it| (it.range.start(), std::cmp::Reverse(it.severity), it.code));
    // A function that several regions call is judged in each.
    found.dedup_by_key(|it| (it.range, it.code));
    // Consequences of an error are left out.
    let is_error = |it: &Diagnostic| it.severity == Severity::Error;
    let errors: Vec<_> = found.iter().filter(|it| is_error(it)).map(|it| it.range).collect();
    found.retain(|it| is_error(it) || !errors.contains(&it.range));
    found
}
