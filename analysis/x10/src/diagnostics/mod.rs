//! Registry of diagnostic codes. Diagnostics are plain data of crate `apg_diagnostics`; queries return them.
//!
//! To add a code: write `FAMILY/NAME.rs` with a `pub static RULE: Rule` (copy a neighbour), add
//! `pub mod NAME;` and `&NAME::RULE` to `FAMILY/mod.rs`, and report it by
//! `diagnostics::FAMILY::NAME::RULE.at(range, "what is wrong here").note("what to write instead")`.
//! Then `APG_UPDATE=1 cargo test -p apg-analysis --test diagnostic_pages` writes its page, and the same
//! test runs the page's examples: the failing one must yield that code, the mended one nothing.

pub mod r#async;
pub mod constraint;
pub mod cuda;
pub mod flow;
pub mod hoist;
pub mod internal;
pub mod name;
pub mod place;
pub mod syntax;
pub mod r#type;

pub use apg_diagnostics::{DEFAULT_FILE, Rule, Severity, example_files};

use crate::ids::SourceFile;

/// A diagnostic of an X10 file.
pub type Diagnostic = apg_diagnostics::Diagnostic<SourceFile>;
/// A location that explains a [`Diagnostic`].
pub type Related = apg_diagnostics::Related<SourceFile>;
/// A change of X10 files with a title.
pub type Fix = apg_diagnostics::Fix<SourceFile>;
/// A replacement in an X10 file.
pub type TextEdit = apg_diagnostics::TextEdit<SourceFile>;

/// A name of a type in backquotes with its article: "a `Rail`", "an `Int`".
pub(crate) fn article(shown: &str) -> String {
    let simple = shown.split(['[', '{', '(']).next().unwrap_or(shown);
    let simple = simple.rsplit('.').next().unwrap_or(simple);
    let article = if simple.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} `{shown}`")
}

/// The rules of each family, families in alphabetical order.
static FAMILIES: [&[&Rule]; 10] = [
    r#async::RULES,
    constraint::RULES,
    cuda::RULES,
    flow::RULES,
    hoist::RULES,
    internal::RULES,
    name::RULES,
    place::RULES,
    syntax::RULES,
    r#type::RULES,
];

/// All rules, by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|family| family.iter().copied())
}

/// The rule with this code.
pub fn rule(code: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.code == code)
}
