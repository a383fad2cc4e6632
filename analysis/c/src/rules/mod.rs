//! Diagnostic rules: one file for each, `FAMILY/CODE.rs`, with its page, its check, its words and its fixes.
//!
//! A rule is added by adding its file and its line in the list of its family.

mod context;
pub mod omp;
pub mod xmp;

use apg_diagnostics::{Rule, Severity};

pub use self::context::Context;
use crate::hir::FunctionId;
use crate::race::Races;
use crate::{Diagnostic, Parsed};

/// How a rule is checked.
#[derive(Clone, Copy)]
pub enum Check {
    /// A function at a time: it depends on the directives and the text of this function, and on declarations
    /// of file scope.
    Function(fn(&mut Context<'_>)),
    /// A file at a time.
    File(fn(&mut Context<'_>)),
    /// The check of another rule reports it.
    ByOther,
}

/// A rule and its check.
pub type Checked = (&'static Rule, Check);

/// Rules that report what a function does not do.
const ABSENCES: [&Rule; 9] = [
    &omp::flush_without_effect::RULE,
    &omp::lastprivate_without_value::RULE,
    &omp::lock_not_initialized::RULE,
    &omp::lost_task_result::RULE,
    &omp::missing_copyin::RULE,
    &omp::missing_firstprivate::RULE,
    &omp::needless_critical::RULE,
    &omp::private_lock::RULE,
    &omp::unmapped_pointer::RULE,
];

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

/// The diagnostics of the directives in a function by the rules that judge a function at a time; those of
/// file scope without a function. They have no order.
pub(crate) fn of_function(parsed: &Parsed, function: Option<FunctionId>) -> Vec<Diagnostic> {
    let mut context = Context::of_function(parsed, function);
    families().for_each(|it| {
        if let Check::Function(check) = it.1 {
            check(&mut context);
        }
    });
    context.into_diagnostics()
}

/// The diagnostics of a file, in the order of the source, given those of its functions and its races.
pub(crate) fn of_file(parsed: &Parsed, of_functions: Vec<Diagnostic>, races: Races) -> Vec<Diagnostic> {
    let mut context = Context::of_file(parsed, of_functions, races);
    // Errors first: what they are about is not judged further.
    for is_error in [true, false] {
        for (rule, check) in families() {
            if let Check::File(check) = check
                && (rule.severity == Severity::Error) == is_error
            {
                check(&mut context);
            }
        }
    }
    let mut found = context.into_diagnostics();
    // A function in a function may do what the function itself does not.
    let functions = parsed.program.functions.iter().filter(|it| it.has_nested);
    let bodies = functions.filter_map(|it| parsed.spelled(parsed.program.stmt(it.body?).range));
    let unsure: Vec<_> = bodies.collect();
    found.retain(|it| {
        let is_absence = ABSENCES.iter().any(|rule| rule.code == it.code);
        !(is_absence && unsure.iter().any(|body| body.contains_range(it.range)))
    });
    found.sort_by_key(|it| (it.range.start(), std::cmp::Reverse(it.severity), it.code));
    // A function that several regions call is judged in each.
    found.dedup_by_key(|it| (it.range, it.code));
    // Consequences of an error are left out.
    let is_error = |it: &Diagnostic| it.severity == Severity::Error;
    let errors: Vec<_> = found.iter().filter(|it| is_error(it)).map(|it| it.range).collect();
    found.retain(|it| is_error(it) || !errors.contains(&it.range));
    found
}
