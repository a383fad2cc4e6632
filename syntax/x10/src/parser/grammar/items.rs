//! Compilation units and declarations of types.

use crate::parser::grammar::bodies::Body;
use crate::parser::grammar::context::BraceMeaning;
use crate::parser::grammar::formals::guard;
use crate::parser::grammar::names::{name, qualified_name};
use crate::parser::grammar::recovery::{
    cuda, foreign_lookahead, foreign_syntax, foreign_words, misplaced, typos,
};
use crate::parser::grammar::token_sets::TYPE_DECL;
use crate::parser::grammar::{formals, lists, lookahead, members, types};
use crate::parser::state::{Marker, Parser};
use crate::parser::token_set::TokenSet;
use crate::syntax_kind::SyntaxKind::{self, *};

pub(super) fn source_file(p: &mut Parser<'_>) {
    let mut in_garbage = false;
    while !p.at_end() {
        let before = p.position;
        let mut good = item(p);
        while !good && typos::item(p) {
            good = item(p);
        }
        let is_consequence = p.input.is_paired && !p.errors.is_empty();
        if !good && (in_garbage || is_consequence) {
            p.suppress_next_error();
        }
        let taken = !good && misplaced::declaration(p);
        if !good && !taken {
            if p.at(T!['}']) {
                p.unexpected("this `}` closes nothing");
                p.hint("remove it, or write the `{` that it closes");
            } else {
                p.unexpected("expected a class, struct, interface or type definition");
            }
            p.suppress_next_error();
            garbage(p);
        }
        // After a brace too many all members of the class stand outside.
        in_garbage = !good && (!taken || p.input.extra_close);
        debug_assert!(p.position > before || p.at_end());
    }
}

/// Skips a token that starts no declaration, and the rest of its line.
fn garbage(p: &mut Parser<'_>) {
    let m = p.start();
    loop {
        // Modifiers that no declaration follows go in one step.
        let end = lookahead::after_modifiers(p, p.position).max(p.position + 1);
        match p.current() {
            T!['('] | T!['['] | T!['{'] => p.skip_balanced(),
            _ => (p.position..end).for_each(|_| p.bump()),
        }
        let next = p.kind_at(lookahead::after_modifiers(p, p.position));
        if p.at_end() || TYPE_DECL.contains(next) || matches!(next, T![import] | T![package]) {
            break;
        }
        if p.at_line_start() {
            break;
        }
    }
    m.complete(p, ERROR);
}

fn item(p: &mut Parser<'_>) -> bool {
    match p.current() {
        T![import] => import(p),
        T![;] => empty(p),
        _ if foreign_words::template(p) || foreign_words::from_import(p) => {}
        _ => {
            let m = p.start();
            match p.kind_at(lookahead::after_modifiers(p, p.position)) {
                T![package] => {
                    annotations(p);
                    package(p, m);
                }
                kind if TYPE_DECL.contains(kind) => {
                    modifier_list(p);
                    type_decl(p, m);
                }
                _ => {
                    m.abandon(p);
                    return false;
                }
            }
        }
    }
    true
}

pub(super) fn empty(p: &mut Parser<'_>) {
    let m = p.start();
    p.bump();
    m.complete(p, EMPTY_DECL);
}

fn package(p: &mut Parser<'_>, m: Marker) {
    p.bump();
    qualified_name(p);
    semicolon(p);
    m.complete(p, PACKAGE_DECL);
}

fn import(p: &mut Parser<'_>) {
    let m = p.start();
    p.bump();
    if foreign_words::import_static(p) {
        p.eat(T![;]);
        m.complete(p, ERROR);
        return;
    }
    qualified_name(p);
    if p.eat(T![.]) && !p.eat(T![*]) {
        p.missing("expected a name or `*`");
    }
    semicolon(p);
    m.complete(p, IMPORT_DECL);
}

/// The `;` that ends a declaration; without it, the rest of the line is skipped.
pub(super) fn semicolon(p: &mut Parser<'_>) {
    if p.expect(T![;]) || p.at_line_start() || p.at_end() {
        return;
    }
    let m = p.start();
    let start = p.position;
    while !p.at_end() && !p.at(T![;]) && (p.position == start || !p.at_line_start()) {
        let end = lookahead::after_modifiers(p, p.position);
        let kind = p.kind_at(end);
        if TYPE_DECL.contains(kind)
            || matches!(kind, T![import] | T![package] | T![def] | T![operator] | T![val] | T![var] | T!['}'])
        {
            break;
        }
        match p.current() {
            T!['('] | T!['['] | T!['{'] => p.skip_balanced(),
            _ => (p.position..end.max(p.position + 1)).for_each(|_| p.bump()),
        }
    }
    if p.position == start {
        m.abandon(p);
        return;
    }
    m.complete(p, ERROR);
    p.eat(T![;]);
}

/// Annotations, which belong to the node that is open.
pub(super) fn annotations(p: &mut Parser<'_>) {
    loop {
        match p.current() {
            T![@] => annotation(p),
            IDENT if foreign_lookahead::is_mark(p, p.position) => cuda::mark(p),
            _ => return,
        }
    }
}

fn annotation(p: &mut Parser<'_>) {
    let m = p.start();
    p.bump();
    if p.at(IDENT) || p.at(T![this]) || p.at(T![self]) || p.at(T![here]) {
        types::type_with_no_annotations(p);
    } else {
        p.missing("expected the name of an annotation");
    }
    m.complete(p, ANNOTATION);
}

/// Modifiers and annotations; no node if there are none.
pub(super) fn modifier_list(p: &mut Parser<'_>) {
    let end = lookahead::after_modifiers(p, p.position);
    if end == p.position {
        return;
    }
    let m = p.start();
    while p.position < end && !p.at_end() {
        match p.current() {
            T![@] => annotation(p),
            IDENT if foreign_lookahead::is_mark(p, p.position) => cuda::mark(p),
            IDENT => foreign_syntax::modifier(p),
            _ => p.bump(),
        }
    }
    m.complete(p, MODIFIER_LIST);
}

/// A class, struct, interface or type definition, after its modifiers.
pub(super) fn type_decl(p: &mut Parser<'_>, m: Marker) {
    let keyword = p.current();
    p.bump();
    type_after_keyword(p, m, keyword);
}

/// The rest of a declaration of a type.
pub(super) fn type_after_keyword(p: &mut Parser<'_>, m: Marker, keyword: SyntaxKind) {
    let kind = match keyword {
        T![class] => CLASS_DECL,
        T![struct] => STRUCT_DECL,
        T![interface] => INTERFACE_DECL,
        _ => {
            type_def(p);
            m.complete(p, TYPE_DEF);
            return;
        }
    };
    const FOLLOW: TokenSet = TokenSet::new(&[T![extends], T![implements]]);
    name(p);
    lists::type_param_list(p);
    if foreign_syntax::at_early_guard(p) {
        foreign_syntax::early_guard(p);
    } else {
        property_list(p);
        guard(p, &FOLLOW);
    }
    heritage(p);
    class_body(p);
    m.complete(p, kind);
}

/// `extends` and `implements`. Which of them a declaration may have is for the validation.
fn heritage(p: &mut Parser<'_>) {
    const FOLLOW: TokenSet = TokenSet::new(&[T![extends], T![implements], T![,]]);
    loop {
        foreign_words::where_clause(p);
        foreign_words::heritage(p);
        typos::heritage(p);
        let kind = match p.current() {
            T![extends] => EXTENDS_CLAUSE,
            T![implements] => IMPLEMENTS_CLAUSE,
            _ => return,
        };
        let m = p.start();
        p.bump();
        lists::types(p, BraceMeaning::Before(&FOLLOW));
        m.complete(p, kind);
    }
}

fn type_def(p: &mut Parser<'_>) {
    name(p);
    lists::type_param_list(p);
    if p.at(T!['(']) {
        formals::formal_list(p);
    }
    if p.at(T!['{']) {
        lists::condition(p, GUARD);
    }
    if p.expect(T![=]) {
        types::type_(p);
    }
    semicolon(p);
}

pub(super) fn property_list(p: &mut Parser<'_>) {
    if !p.at(T!['(']) {
        return;
    }
    let m = p.start();
    let open = p.position;
    p.bump();
    if p.at(T![')']) {
        p.error("expected a property");
        p.hint("leave the parentheses out if there are no properties");
    }
    let first = |p: &Parser<'_>| {
        matches!(p.current(), IDENT | T![@] | T![val] | T![var]) || formals::is_keyword_as_name(p)
    };
    lists::bracketed(p, open, T![')'], "a property", first, |p| {
        let m = p.start();
        annotations(p);
        if p.at(T![val]) || p.at(T![var]) {
            p.error("a property has neither `val` nor `var`");
            p.bump();
        }
        name(p);
        if p.expect(T![:]) {
            types::type_(p);
        }
        m.complete(p, PROPERTY);
    });
    m.complete(p, PROPERTY_LIST);
}

/// The members in braces. Without the opening brace, members that follow are taken for its members.
pub(super) fn class_body(p: &mut Parser<'_>) {
    let m = p.start();
    let body = Body::open(p).or_else(|| {
        p.missing("expected `{`");
        (p.input.extra_close && members::at_member(p)).then(|| Body::forgotten(p))
    });
    let Some(body) = body else {
        m.abandon(p);
        return;
    };
    let done = p.nested(|p| {
        members::members(p, &body);
        Some(())
    });
    body.close(p, done.is_some());
    m.complete(p, CLASS_BODY);
}
