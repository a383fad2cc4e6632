//! Diagnostic rules: one file for each, `FAMILY/CODE.rs`, with its page, the data of its problems, their
//! words and fixes, and its tests. The layers of the analysis yield [`Problem`]s; `check` renders them.
//!
//! A rule is added by adding its file and running `cargo xtask rules`
//! (docs/contributing/adding-a-diagnostic.md).

mod problem;
mod registry;
pub mod render;
#[cfg(test)]
pub(crate) mod testing;
pub mod values;

pub mod r#async;
pub mod constraint;
pub mod cuda;
pub mod flow;
pub mod hoist;
pub mod internal;
pub mod name;
pub mod place;
pub mod slots;
pub mod syntax;
pub mod r#type;

use crate::diagnostics::Rule;

pub use problem::Problem;
pub use registry::ProblemData;

/// All rules, by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    registry::FAMILIES.iter().flat_map(|family| family.iter().copied())
}

/// The rule with this code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.code == code)
}
