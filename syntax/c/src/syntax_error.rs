//! Syntax errors.

use apg_source::TextRange;

use crate::files::Span;
use crate::preprocessor::ExpansionId;

/// What an error says of nesting that is too deep to parse.
pub(crate) const TOO_DEEP: &str = "this is nested deeper than the parser goes";
/// What an error says of nodes that are left out.
pub(crate) const TREE_TOO_DEEP: &str = "this has more operators or levels than the tree of the parser";

/// A syntax error: where it is and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The range in the text of the tree.
    pub range: TextRange,
    /// Where the token is spelled.
    pub span: Span,
    /// The innermost macro expansion that the token comes from.
    pub expansion: ExpansionId,
    /// What is wrong, or what was expected.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// What to put in place of `span`, where the token is spelled there outside of macros.
    pub replacement: Option<String>,
}

impl SyntaxError {
    /// Whether the text is deeper than the parser goes, which is no error of the language.
    pub fn is_limit(&self) -> bool {
        [TOO_DEEP, TREE_TOO_DEEP].contains(&self.message.as_str())
    }
}
