//! Rules of the language that the grammar does not express.

use crate::{SyntaxError, SyntaxNode};

/// Adds what is wrong with the tree below `root`, though it parsed.
pub(crate) fn validate(root: &SyntaxNode, errors: &mut Vec<SyntaxError>) {
    let _ = (root, errors);
}
