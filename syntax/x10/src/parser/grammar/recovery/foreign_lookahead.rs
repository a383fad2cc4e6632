//! Lookahead for declarations, modifiers and type arguments of other languages.

use crate::foreign_types::INFERRED;
use crate::parser::grammar::token_sets::MODIFIERS;
use crate::parser::state::Parser;
use crate::syntax_kind::SyntaxKind::{self, *};

/// Words that are types in other languages and start no X10 statement.
pub(crate) const TYPES: &[&str] = &[
    "int", "long", "short", "byte", "char", "float", "double", "boolean", "bool", "unsigned", "signed",
    "size_t",
];

/// Whether a word looks like the name of a type.
pub(crate) fn names_type(word: &str) -> bool {
    word.starts_with(char::is_uppercase) || TYPES.contains(&word)
}

/// After the words of a type of C: `unsigned long`, `const int`.
pub(crate) fn after_words(p: &Parser<'_>, mut index: usize) -> usize {
    let is_type = |at: usize| p.kind_at(at) == IDENT && TYPES.contains(&p.text(at));
    if p.kind_at(index) == IDENT && p.text(index) == "const" && p.kind_at(index + 2) == IDENT {
        index += 1;
    }
    while is_type(index) && is_type(index + 1) {
        index += 1;
    }
    index
}

/// Where the name is, if a type and a name seem to are at `index`: `int x`, `String[] s`, `Rail[Long] r`.
pub(crate) fn name_after_type(p: &Parser<'_>, index: usize) -> Option<usize> {
    // `let mut x`
    let is_mutable = p.kind_at(index) == IDENT && p.text(index) == "let" && p.text(index + 1) == "mut";
    if is_mutable && p.kind_at(index + 2) == IDENT {
        return Some(index + 2);
    }
    let index = after_words(p, index);
    let mut at = index + 1;
    match p.kind_at(index) {
        T![void] => {}
        IDENT => {
            while p.kind_at(at) == T![.] && p.kind_at(at + 1) == IDENT {
                at += 2;
            }
            let plain = at;
            if p.kind_at(at) == T![<] {
                at = after_angle_brackets(p, at)?;
            }
            while p.kind_at(at) == T!['['] {
                at = p.matching(at)? + 1;
            }
            let word = p.text(index);
            let is_type = TYPES.contains(&word)
                || INFERRED.contains(&word)
                || at > plain
                || p.text(plain - 1).starts_with(char::is_uppercase);
            if !is_type {
                return None;
            }
            // `int *p`; of a class it might be a product.
            while matches!(p.kind_at(at), T![*] | T![&] | T![**]) && TYPES.contains(&word) {
                at += 1;
            }
        }
        _ => return None,
    }
    // Two words on two lines lack a `;`.
    (p.kind_at(at) == IDENT && !p.input.newline_before(at)).then_some(at)
}

/// Whether a declaration of variables starts at `index`: what follows the name ends or continues one. A type
/// follows the name too after a word that is none: `let x: T`.
pub(crate) fn is_variable(p: &Parser<'_>, index: usize) -> bool {
    p.kind_at(index) != T![void]
        && name_after_type(p, index).is_some_and(|name| match p.kind_at(name + 1) {
            T![=] | T![;] | T![,] => true,
            T![:] => INFERRED.contains(&p.text(index)),
            _ => false,
        })
}

/// Whether a method starts at `index`, after its modifiers.
pub(crate) fn is_method(p: &Parser<'_>, index: usize) -> bool {
    name_after_type(p, index).is_some_and(|it| p.kind_at(it + 1) == T!['('])
}

/// Whether a formal starts at `index`.
pub(crate) fn is_formal(p: &Parser<'_>, index: usize) -> bool {
    p.kind_at(index) != T![void]
        && name_after_type(p, index).is_some_and(|it| matches!(p.kind_at(it + 1), T![,] | T![')']))
}

/// Whether the header `(T x : xs)` of a loop opens at `index`.
pub(crate) fn is_loop(p: &Parser<'_>, index: usize) -> bool {
    name_after_type(p, index + 1).is_some_and(|it| p.kind_at(it + 1) == T![:])
}

/// Words that mark code for devices.
pub(crate) const MARKS: &[&str] = &["__global__", "__device__", "__host__"];

/// Whether a word that marks code for devices is at `index`, before what it marks.
pub(crate) fn is_mark(p: &Parser<'_>, index: usize) -> bool {
    let next = p.kind_at(index + 1);
    p.kind_at(index) == IDENT
        && MARKS.contains(&p.text(index))
        && (next == IDENT || next.is_keyword() || matches!(next, T!['{'] | T![@]))
}

/// Words before `def` elsewhere.
pub(crate) const MODIFIERS_ELSEWHERE: &[&str] =
    &["override", "virtual", "inline", "constexpr", "open", "synchronized", "sealed", "readonly"];

/// Whether a modifier that X10 does not have is at `index`, before a member.
pub(crate) fn is_modifier(p: &Parser<'_>, index: usize) -> bool {
    let next = p.kind_at(index + 1);
    let before_member = matches!(next, T![def] | T![val] | T![var]) || MODIFIERS.contains(next);
    before_member && p.kind_at(index) == IDENT && MODIFIERS_ELSEWHERE.contains(&p.text(index))
}

/// Lists inside each other; nobody writes more, and each `<` is looked after on its own.
pub(crate) const MAX_ANGLE_BRACKET_DEPTH: i32 = 32;

/// Where the type arguments end that open with `<` at `index`, if what stands there can be nothing else.
pub(crate) fn after_angle_brackets(p: &Parser<'_>, mut index: usize) -> Option<usize> {
    let mut depth = 0;
    loop {
        match p.kind_at(index) {
            T![<] if depth < MAX_ANGLE_BRACKET_DEPTH => depth += 1,
            kind => match (closed_angle_brackets(kind), kind) {
                (0, T![.] | T![,]) => {}
                (0, IDENT) if p.kind_at(index + 1) == T![.] || names_type(p.text(index)) => {}
                (0, T!['[']) => index = p.matching(index)?,
                (0, _) => return None,
                (closed, _) => depth -= closed,
            },
        }
        index += 1;
        if depth <= 0 {
            return (depth == 0).then_some(index);
        }
    }
}

/// How many of the brackets a token closes.
pub(crate) fn closed_angle_brackets(kind: SyntaxKind) -> i32 {
    match kind {
        T![>] => 1,
        T![>>] => 2,
        T![>>>] => 3,
        _ => 0,
    }
}
