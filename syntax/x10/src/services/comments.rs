//! Continuation of a comment on a new line.

use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::SyntaxNode;
use apg_source::TextSize;

/// What to insert when a line is ended at `offset` inside a comment, the line end included; `None` outside of
/// comments.
pub fn comment_continuation(root: &SyntaxNode, offset: TextSize) -> Option<String> {
    if offset > root.text_range().end() {
        return None;
    }
    let token = crate::token_at_offset::token_at_offset(root, offset)
        .left_biased()
        .filter(|it| it.kind().is_comment())?;
    let inside = usize::from(offset - token.text_range().start());
    let text = token.text();
    let text_of_file = root.text();
    let line_start = {
        let before = text_of_file.slice(..token.text_range().start()).to_string();
        before.rfind('\n').map_or(0, |it| it + 1)
    };
    let lead = text_of_file.slice(TextSize::new(line_start as u32)..token.text_range().start()).to_string();
    let indent: String = lead.chars().take_while(|it| it.is_whitespace()).collect();
    match token.kind() {
        SyntaxKind::LINE_COMMENT => {
            // At the end of a comment that follows code, Enter leaves the comment.
            if inside < 2 || (inside == text.len() && !lead.trim().is_empty()) {
                return None;
            }
            let marks: String = text.chars().take_while(|&it| it == '/').collect();
            Some(format!("\n{indent}{marks} "))
        }
        _ if inside < 2 || (inside == text.len() && text.ends_with("*/")) => None,
        _ => Some(format!("\n{indent} * ")),
    }
}
