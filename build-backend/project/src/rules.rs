//! The diagnostic rules of all languages.

use apg_diagnostics::Rule;

/// All rules, by language and family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    apg_analysis::rules::rules().chain(apg_c_analysis::rules::rules())
}

/// The rule with this code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.code == code)
}
