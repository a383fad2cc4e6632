//! Diagnostics as plain data, returned by queries, never accumulated; and the registry of their codes.
//!
//! To add a code: write `FAMILY/NAME.rs` with a `pub static RULE: Rule` (copy a neighbour), add
//! `pub mod NAME;` and `&NAME::RULE` to `FAMILY/mod.rs`, and report it by
//! `diagnostics::FAMILY::NAME::RULE.at(range, "what is wrong here").note("what to write instead")`.
//! Then `APG_UPDATE=1 cargo test -p apg-analysis --test diagnostic_pages` writes its page, and the same
//! test runs the page's examples: the failing one must yield that code, the mended one nothing.

mod rule;

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

use apg_syntax::TextRange;

pub use rule::{DEFAULT_FILE, Rule, example_files};

use crate::ids::SourceFile;

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

/// How serious it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// For the editor only.
    Hint,
    /// Worth knowing.
    Info,
    /// Probably wrong.
    Warning,
    /// Must be mended before the program can be built.
    Error,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// `family/kebab-name`; its page is `apg explain CODE`.
    pub code: &'static str,
    /// How serious.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where.
    pub range: TextRange,
    /// Why, and what to write instead.
    pub notes: Vec<String>,
    /// Other places that matter, each with what is there.
    pub related: Vec<Related>,
    /// Edits that mend it.
    pub fixes: Vec<Fix>,
}

/// A place that explains a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The file.
    pub file: SourceFile,
    /// Where.
    pub range: TextRange,
    /// What is there.
    pub message: String,
}

/// A named edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Imperative: "Hoist `n + 1` into a `val` before the `at`".
    pub title: String,
    /// Replacements, not overlapping, in source order.
    pub edits: Vec<TextEdit>,
}

/// Replace `range` by `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The file; `None` is the file of the diagnostic.
    pub file: Option<SourceFile>,
    /// What goes.
    pub range: TextRange,
    /// What comes.
    pub text: String,
}
