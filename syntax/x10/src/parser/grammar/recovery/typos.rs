//! Misspelt keywords: `clas`, `retrun`, `Val`. Where the text could not be X10 otherwise, the word counts as
//! the keyword that it resembles, so that what follows is parsed as intended and the typing error is the only
//! error.
//!
//! Where the name of a method may be as well (`finsh { ... }`), only the analysis knows that there is none.

use crate::parser::grammar::lookahead;
use crate::parser::grammar::lookahead::Header;
use crate::parser::grammar::recovery::{foreign_lookahead, foreign_syntax};
use crate::parser::grammar::token_sets::{MODIFIERS, TYPE_DECL};
use crate::parser::state::Parser;
use crate::syntax_kind::SyntaxKind::{self, *};
use apg_source::closest;

/// The keyword among `keywords` that the name at `index` resembles.
fn resembled(p: &Parser<'_>, index: usize, keywords: &[SyntaxKind]) -> Option<SyntaxKind> {
    if p.kind_at(index) != IDENT {
        return None;
    }
    let text = closest(p.text(index), keywords.iter().filter_map(|it| it.text()))?;
    SyntaxKind::from_keyword(text)
}

/// Takes the name at `index` for the keyword among `keywords` that it resembles. Whether it resembles one.
fn take(p: &mut Parser<'_>, index: usize, keywords: &[SyntaxKind]) -> bool {
    let Some(kind) = resembled(p, index, keywords) else { return false };
    let (word, keyword) = (p.text(index), kind.text().unwrap_or_default());
    let range = p.input.range(p.lexed, index);
    // Several words in a row may be misspelt.
    p.last_error = usize::MAX;
    p.error_at(range, format!("expected `{keyword}`, found `{word}`"));
    p.replace_by(keyword.to_owned());
    p.input.kinds[index] = kind;
    true
}

const TYPES: &[SyntaxKind] = &[T![class], T![struct], T![interface], T![type]];
const MODIFIER_WORDS: &[SyntaxKind] = &[
    T![public],
    T![protected],
    T![private],
    T![static],
    T![abstract],
    T![final],
    T![native],
    T![transient],
    T![property],
    T![clocked],
];

fn is_declaration(kind: SyntaxKind) -> bool {
    TYPE_DECL.contains(kind)
        || MODIFIERS.contains(kind)
        || matches!(kind, T![def] | T![val] | T![var] | T![operator] | T![property])
}

/// At a declaration of a file that starts with none of its keywords.
pub(crate) fn item(p: &mut Parser<'_>) -> bool {
    let index = lookahead::after_modifiers(p, p.position);
    match p.kind_at(index + 1) {
        IDENT if index == p.position && take(p, index, &[T![import], T![package]]) => true,
        // `pubic clas C`
        IDENT => take(p, index, TYPES) || p.kind_at(index + 2) == IDENT && take(p, index, MODIFIER_WORDS),
        next if is_declaration(next) => take(p, index, MODIFIER_WORDS),
        _ => false,
    }
}

/// At a member, before its modifiers.
pub(crate) fn member(p: &mut Parser<'_>) -> bool {
    let index = lookahead::after_modifiers(p, p.position);
    if p.kind_at(index) != IDENT || p.input.newline_before(index + 1) {
        return false;
    }
    match p.kind_at(index + 1) {
        T![this] => take(p, index, &[T![def], T![operator]]),
        next if is_declaration(next) || next == T![void] => take(p, index, MODIFIER_WORDS),
        IDENT => {
            let keywords: &[SyntaxKind] = match p.kind_at(index + 2) {
                T!['('] | T!['['] => &[T![def], T![class], T![struct], T![interface], T![type]],
                T![=] | T![:] | T![;] | T![,] => &[T![val], T![var], T![type]],
                T!['{'] | T![extends] | T![implements] => TYPES,
                // `publc Long x`
                IDENT => MODIFIER_WORDS,
                _ => return false,
            };
            // `Val x` could be a variable of type `Val`, as Java declares it: only a keyword in other letters
            // is one.
            let declared = foreign_lookahead::is_variable(p, index) || foreign_lookahead::is_method(p, index);
            let same =
                |kind: &SyntaxKind| kind.text().is_some_and(|text| text.eq_ignore_ascii_case(p.text(index)));
            (!declared || keywords.iter().any(same)) && take(p, index, keywords)
        }
        _ => false,
    }
}

/// At a statement that starts with a name.
pub(crate) fn statement(p: &mut Parser<'_>) {
    let index = p.position;
    if p.input.newline_before(index + 1) {
        return;
    }
    match p.kind_at(index + 1) {
        IDENT
        | INT_NUMBER
        | FLOAT_NUMBER
        | STRING
        | CHAR
        | T![this]
        | T![self]
        | T![here]
        | T![null]
        | T![true]
        | T![false]
        | T![new] => {
            let declares = p.kind_at(index + 1) == IDENT && matches!(p.kind_at(index + 2), T![=] | T![:]);
            let known = foreign_lookahead::is_variable(p, index) || foreign_syntax::at_foreach(p, index);
            if declares {
                take(p, index, &[T![val], T![var]]);
            } else if !known && matches!(p.kind_at(index + 2), T!['('] | T![.]) {
                let keywords =
                    [T![return], T![throw], T![offer], T![assert], T![async], T![finish], T![atomic]];
                take(p, index, &keywords);
            } else if !known {
                take(p, index, &[T![return], T![throw], T![offer], T![assert]]);
            }
        }
        T![async] | T![finish] | T![for] | T![at] | T![while] | T![ateach] | T![try] | T![if] => {
            take(p, index, &[T![async], T![finish], T![atomic], T![clocked]]);
        }
        T!['('] if is_loop(p, index + 1) => {
            take(p, index, &[T![for], T![ateach]]);
        }
        T!['('] => {
            let block = p.matching(index + 1).map_or(index, |it| it + 1);
            if p.kind_at(block) == T!['{'] && matches!(p.kind_at(block + 1), T![case] | T![default]) {
                take(p, index, &[T![switch]]);
            }
        }
        _ => {}
    }
}

/// Whether the header of a loop opens at `open`: nothing that a call may have between its parentheses.
fn is_loop(p: &Parser<'_>, open: usize) -> bool {
    let starts = match p.kind_at(open + 1) {
        IDENT => matches!(p.kind_at(open + 2), T![in] | T![:]),
        kind => matches!(kind, T![var] | T![val] | T!['[']),
    };
    starts && matches!(lookahead::header(p, open), Header::In | Header::Basic)
}

/// Where `keyword` is expected, and what follows a word like it fits: `next`.
pub(crate) fn keyword(p: &mut Parser<'_>, keyword: SyntaxKind, next: SyntaxKind) {
    if p.at(IDENT) && p.nth(1) == next {
        let index = p.position;
        take(p, index, &[keyword]);
    }
}

/// What other languages call `catch`, taken for it. Whether it is here.
pub(crate) fn catch_elsewhere(p: &mut Parser<'_>) -> bool {
    let word = p.text(p.position);
    if !(p.at(IDENT) && p.nth(1) == T!['('] && matches!(word, "except" | "rescue")) {
        return false;
    }
    let range = p.input.range(p.lexed, p.position);
    p.error_at(range, format!("there is no `{word}`"));
    p.hint("what is thrown is caught by `catch (e:Exception) { ... }`");
    p.replace_by("catch".to_owned());
    p.input.kinds[p.position] = T![catch];
    true
}

/// `extends` and `implements`, before the name of a type.
pub(crate) fn heritage(p: &mut Parser<'_>) {
    if p.at(IDENT) && p.nth(1) == IDENT {
        let index = p.position;
        take(p, index, &[T![extends], T![implements]]);
    }
}

/// `new`, before the name of a class.
pub(crate) fn new(p: &mut Parser<'_>) {
    let index = p.position;
    let is_call = p.nth(1) == IDENT && matches!(p.nth(2), T!['('] | T!['['] | T![.]);
    if is_call && p.text(index).len() < 5 && !p.input.newline_before(index + 1) {
        take(p, index, &[T![new]]);
    }
}

/// `instanceof`, after a value.
pub(crate) fn instance_of(p: &mut Parser<'_>) {
    if p.at(IDENT) && p.nth(1) == IDENT && !p.at_line_start() {
        let index = p.position;
        take(p, index, &[T![instanceof]]);
    }
}
