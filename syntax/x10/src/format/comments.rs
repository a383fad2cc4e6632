//! Formatting of block comments: aligns the stars that their lines start with.

use crate::syntax_node::SyntaxToken;
use apg_source::{Edit, TextRange, TextSize};

/// The edits that align the lines of `comment`, whose own line is indented by `indent`.
pub(super) fn aligned(comment: &SyntaxToken, indent: usize, starts_line: bool) -> Vec<Edit> {
    let text = comment.text();
    if !starts_line || !text.contains('\n') {
        return Vec::new();
    }
    let is_framed = text.split('\n').skip(1).all(|line| line.trim_start().starts_with('*'));
    if !is_framed {
        return Vec::new();
    }
    let want = " ".repeat(indent + 1);
    let mut edits = Vec::new();
    for (at, _) in text.match_indices('\n') {
        let line = &text[at + 1..];
        let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
        if line[..blank] != want {
            let start = comment.text_range().start() + TextSize::new(at as u32 + 1);
            edits.push(Edit::new(TextRange::at(start, TextSize::new(blank as u32)), want.clone()));
        }
    }
    edits
}
