//! Parser: hand-written recursive descent with Pratt expressions over expanded tokens, which writes events.
//! It never fails and takes every token.

pub(crate) mod event;
mod grammar;
pub(crate) mod limits;
pub(crate) mod scopes;
mod state;
mod token_set;

use self::event::Event;
pub(crate) use self::grammar::directive_table;
use self::scopes::{Scopes, TypedefNames};
pub(crate) use self::state::ParseError;
use self::state::Parser;
use crate::preprocessor::{Token, Unit};
use crate::syntax_kind::SyntaxKind;

/// What parsing gives.
pub(crate) struct Parsed {
    pub(crate) events: Vec<Event>,
    pub(crate) errors: Vec<ParseError>,
    pub(crate) typedef_names: TypedefNames,
}

/// Parses tokens of a unit as external declarations.
pub(crate) fn parse(unit: &Unit, tokens: &[Token], kinds: &[SyntaxKind], names: TypedefNames) -> Parsed {
    let mut parser = Parser::new(unit, tokens, kinds, Scopes::new(names));
    // XcalableMP has array sections in ordinary code.
    let is_xcalablemp =
        |it: &[Token]| it[0].kind == SyntaxKind::PRAGMA_START && unit.text(it[1].text) == "xmp";
    parser.allows_sections = tokens.windows(2).any(is_xcalablemp);
    grammar::translation_unit(&mut parser);
    Parsed { events: parser.events, errors: parser.errors, typedef_names: parser.scopes.into_names() }
}
