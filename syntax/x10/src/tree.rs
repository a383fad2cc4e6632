//! Tree builder: from parser events and tokens to a rowan tree.

use rowan::GreenNodeBuilder;

use crate::lexer::Lexed;
use crate::parser::event::{Event, Step, process};
use crate::parser::limits::TREE_LIMIT;
use crate::syntax_error::SyntaxError;
use crate::syntax_node::GreenNode;

/// Builds the tree: trivia goes before the nodes that start after it, and after the nodes that end before it;
/// only the root has trivia at its ends. Nodes deeper than [`TREE_LIMIT`] are left out, their tokens kept,
/// and that is an error.
pub(crate) fn build(
    text: &str,
    lexed: &Lexed,
    events: Vec<Event>,
    errors: &mut Vec<SyntaxError>,
) -> GreenNode {
    let mut builder = GreenNodeBuilder::new();
    let mut position = 0;
    let mut depth = 0;
    let mut too_deep = None;
    process(events, |step| match step {
        Step::Start(kind) => {
            depth += 1;
            if depth > TREE_LIMIT {
                too_deep.get_or_insert(position);
                return;
            }
            if depth > 1 {
                trivia(&mut builder, text, lexed, &mut position);
            }
            builder.start_node(rowan::SyntaxKind(kind as u16));
        }
        Step::Token => {
            trivia(&mut builder, text, lexed, &mut position);
            token(&mut builder, text, lexed, &mut position);
        }
        Step::Finish => {
            depth -= 1;
            if depth == 0 {
                trivia(&mut builder, text, lexed, &mut position);
            }
            if depth < TREE_LIMIT {
                builder.finish_node();
            }
        }
    });
    debug_assert_eq!(position, lexed.kinds.len(), "the parser takes every token");
    if let Some(at) = too_deep {
        let message = format!("this is nested more than {TREE_LIMIT} levels deep");
        let hint = "move an inner part into a method or a local of its own";
        errors.push(SyntaxError::new(lexed.range(at), message).with_hint(hint));
    }
    builder.finish()
}

fn trivia(builder: &mut GreenNodeBuilder<'_>, text: &str, lexed: &Lexed, position: &mut usize) {
    while lexed.kinds.get(*position).is_some_and(|it| it.is_trivia()) {
        token(builder, text, lexed, position);
    }
}

fn token(builder: &mut GreenNodeBuilder<'_>, text: &str, lexed: &Lexed, position: &mut usize) {
    let range = lexed.starts[*position] as usize..lexed.starts[*position + 1] as usize;
    builder.token(rowan::SyntaxKind(lexed.kinds[*position] as u16), &text[range]);
    *position += 1;
}
