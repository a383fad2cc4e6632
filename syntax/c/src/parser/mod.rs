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
use self::scopes::{FileScope, Scopes, TypedefNames};
pub(crate) use self::state::ParseError;
use self::state::Parser;
use crate::preprocessor::{Token, Unit};
use crate::syntax_kind::SyntaxKind::{self, COLON, L_BRACK, R_BRACK, STAR};

/// What parsing gives.
pub(crate) struct Parsed {
    pub(crate) events: Vec<Event>,
    pub(crate) errors: Vec<ParseError>,
    /// The typedef names that the tokens declare at file scope.
    pub(crate) scope: FileScope,
    /// Nesting was too deep to go on.
    pub(crate) gave_up: bool,
    /// Behind the last token that was taken.
    pub(crate) end: usize,
}

impl Parsed {
    fn of(parser: Parser<'_>) -> Parsed {
        Parsed {
            gave_up: !parser.continues(),
            end: parser.position,
            events: parser.events,
            errors: parser.errors,
            scope: parser.scopes.into_file_scope(),
        }
    }
}

/// Whether tokens have a directive or a coarray of XcalableMP: there are array sections in ordinary code
/// then.
pub(crate) fn has_xcalablemp(unit: &Unit, tokens: &[Token]) -> bool {
    let is_xcalablemp =
        |it: &[Token]| it[0].kind == SyntaxKind::PRAGMA_START && unit.text(it[1].text) == "xmp";
    // `:[*]`.
    let declares_coarray = |it: &[Token]| it.iter().map(|it| it.kind).eq([COLON, L_BRACK, STAR, R_BRACK]);
    tokens.windows(2).any(is_xcalablemp) || tokens.windows(4).any(declares_coarray)
}

/// Parses tokens of a unit as external declarations.
pub(crate) fn parse(unit: &Unit, tokens: &[Token], kinds: &[SyntaxKind], names: TypedefNames) -> Parsed {
    let mut parser = Parser::new(unit, tokens, kinds, Scopes::new(names, FileScope::default()));
    parser.allows_sections = has_xcalablemp(unit, tokens);
    let is_whole = grammar::translation_unit(&mut parser);
    Parsed { gave_up: !is_whole, ..Parsed::of(parser) }
}

/// Parses one external declaration, which begins at the token `first`. `scope` has the typedef names in front
/// of it.
pub(crate) fn parse_declaration(
    unit: &Unit,
    tokens: &[Token],
    kinds: &[SyntaxKind],
    first: usize,
    names: TypedefNames,
    scope: FileScope,
) -> Parsed {
    let mut parser = Parser::new(unit, tokens, kinds, Scopes::new(names, scope));
    grammar::declaration_at(&mut parser, first);
    Parsed::of(parser)
}
