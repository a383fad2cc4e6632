//! Diagnostics of X10 files: plain data of crate `apg_diagnostics`, returned by queries. Their rules are in
//! [`crate::rules`].

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
