//! Misplaced declarations, and those that X10 lacks: functions outside of classes, enumerations, traits,
//! modules.

use crate::parser::grammar::lookahead;
use crate::parser::grammar::recovery::replacement::replaced;
use crate::parser::grammar::recovery::{foreign_lookahead, foreign_syntax};
use crate::parser::state::Parser;
use crate::syntax_kind::SyntaxKind::{self, *};

/// What other languages declare by a word and a name, or at the top of a file. Whether one is here; it is
/// taken.
pub(crate) fn declaration(p: &mut Parser<'_>) -> bool {
    let start = lookahead::after_modifiers(p, p.position);
    match p.kind_at(start) {
        T![def] | T![val] | T![var] | T![operator] => member(p),
        IDENT if foreign_syntax::is_method(p, start) || foreign_lookahead::is_method(p, start) => member(p),
        IDENT if p.kind_at(start + 1) == IDENT => match p.text(start) {
            "trait" | "protocol" => type_by_word(p, T![interface]),
            "record" | "data" => type_by_word(p, T![struct]),
            "object" => type_by_word(p, T![class]),
            "enum" | "namespace" | "module" | "using" => {
                by_word(p, start);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// The same as a member of a class, where fewer words can mean it. Whether one is here; it is taken.
pub(crate) fn type_in_class(p: &mut Parser<'_>) -> bool {
    let start = lookahead::after_modifiers(p, p.position);
    let named = p.kind_at(start) == IDENT && p.kind_at(start + 1) == IDENT && p.kind_at(start + 2) == T!['{'];
    if !named {
        return false;
    }
    match p.text(start) {
        "trait" | "protocol" => type_by_word(p, T![interface]),
        "record" | "data" => type_by_word(p, T![struct]),
        "object" => type_by_word(p, T![class]),
        "enum" => {
            by_word(p, start);
            true
        }
        _ => false,
    }
}

/// A member of a class outside all classes.
fn member(p: &mut Parser<'_>) -> bool {
    let what = match p.kind_at(lookahead::after_modifiers(p, p.position)) {
        T![val] | T![var] => "field",
        T![operator] => "operator",
        _ => "method",
    };
    if p.last_error != p.position {
        p.error(format!("a {what} belongs to a class or struct"));
        p.hint(match p.input.extra_close {
            true => "the class before it has ended: one of its `}` is too many",
            false => "put it into one, and declare it `static` if it needs no object: `public class Main { public static def main(args:Rail[String]) { ... } }`",
        });
    }
    let errors = p.errors.len();
    let m = p.start();
    p.parse_member();
    m.complete(p, ERROR);
    p.errors.truncate(errors);
    true
}

/// A declaration of the kind of `keyword` by another word.
fn type_by_word(p: &mut Parser<'_>, keyword: SyntaxKind) -> bool {
    let m = p.start();
    p.parse_modifier_list();
    let (word, text) = (p.text(p.position), keyword.text().unwrap_or_default());
    // `data class C`
    let message = format!("there is no `{word}`");
    replaced(p, 1, &message, &format!("write `{text} Name {{ ... }}`"), text);
    p.parse_type_after_keyword(m, keyword);
    true
}

/// What X10 has no declaration for: skipped up to its end.
fn by_word(p: &mut Parser<'_>, start: usize) {
    let word = p.text(start);
    // What it declares nobody knows.
    p.unexpected_at(start, format!("there is no `{word}`"));
    p.hint(match word {
        "enum" => "write a class or struct with a `static val` for each value",
        "using" => "names are imported: `import x10.util.ArrayList;`",
        _ => "a file says its package first, `package a.b;`, and declares classes",
    });
    let m = p.start();
    p.parse_modifier_list();
    while !p.at_end() && !matches!(p.current(), T!['{'] | T![;] | T![class] | T![struct] | T![interface]) {
        p.bump();
    }
    if p.at(T!['{']) {
        p.skip_balanced();
    }
    p.eat(T![;]);
    m.complete(p, ERROR);
}
