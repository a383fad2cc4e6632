//! Events and tokens to a tree.

use rowan::GreenNodeBuilder;

use crate::GreenNode;
use crate::lexer::Lexed;
use crate::parser::event::{Event, Step, process};

/// Builds the tree: trivia goes before the nodes that start after it, and after the nodes that end before it;
/// only the root has trivia at its ends.
pub(crate) fn build(text: &str, lexed: &Lexed, events: Vec<Event>) -> GreenNode {
    let mut builder = GreenNodeBuilder::new();
    let mut position = 0;
    let mut depth = 0;
    process(events, |step| match step {
        Step::Start(kind) => {
            if depth > 0 {
                trivia(&mut builder, text, lexed, &mut position);
            }
            builder.start_node(rowan::SyntaxKind(kind as u16));
            depth += 1;
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
            builder.finish_node();
        }
    });
    debug_assert_eq!(position, lexed.kinds.len(), "the parser takes every token");
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
