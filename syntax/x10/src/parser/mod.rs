//! Parser: hand-written recursive descent with Pratt expressions, which writes events. It never fails and
//! takes every token.

mod braces;
mod errors;
pub(crate) mod event;
mod grammar;
pub(crate) mod input;
pub(crate) mod limits;
mod state;
mod token_set;

pub(crate) use self::braces::indent;
use self::event::Event;
pub(crate) use self::grammar::{Entry, has_statements};
use self::input::Input;
use self::state::Parser;
use crate::lexer::Lexed;
use crate::syntax_error::SyntaxError;

/// Parses all tokens as `entry`.
pub(crate) fn parse(
    text: &str,
    lexed: &Lexed,
    input: &mut Input,
    entry: Entry,
) -> (Vec<Event>, Vec<SyntaxError>) {
    let mut parser = Parser::new(text, lexed, input);
    entry.parse(&mut parser);
    parser.finish()
}
