//! Declarations and function definitions (C17 6.7, 6.9).

use super::attributes::{asm_label, attributes};
use super::declarators::{Declared, Form, declarator};
use super::specifiers::{at_declaration, specifiers};
use super::*;

/// Where an error in a declaration ends.
const DECLARATION_END: TokenSet = TokenSet::new(&[SEMICOLON, L_CURLY, R_CURLY]);

/// A declaration or function definition at file scope.
pub(super) fn external_declaration(p: &mut Parser<'_>) {
    match p.current() {
        SEMICOLON => {
            let m = p.start();
            p.bump();
            m.complete(p, EMPTY_DECL);
        }
        PRAGMA_START => {
            p.nested(|p| {
                directive::directive_declaration(p);
                Some(())
            });
        }
        ASM_KW => {
            let m = p.start();
            p.bump();
            while p.at(VOLATILE_KW) {
                p.bump();
            }
            p.expect(L_PAREN);
            primary::string_literal(p);
            p.expect(R_PAREN);
            p.expect(SEMICOLON);
            m.complete(p, ASM_DECL);
        }
        _STATIC_ASSERT_KW => static_assert(p),
        R_CURLY => p.bump_error("this `}` closes nothing"),
        _ => declaration(p, true),
    }
}

/// `_Static_assert(condition, "message");`
pub(super) fn static_assert(p: &mut Parser<'_>) {
    let m = p.start();
    p.bump();
    p.expect(L_PAREN);
    expressions::conditional(p);
    if p.eat(COMMA) {
        primary::string_literal(p);
    }
    p.expect(R_PAREN);
    p.expect(SEMICOLON);
    m.complete(p, STATIC_ASSERT);
}

/// A declaration or function definition; GNU has those in functions too.
pub(super) fn declaration(p: &mut Parser<'_>, at_file_scope: bool) {
    let m = p.start();
    let before = p.position;
    let found = specifiers(p);
    if p.eat(SEMICOLON) {
        m.complete(p, DECLARATION);
        return;
    }
    if !found.any && !starts_declarator(p, at_file_scope) {
        p.error("a declaration is missing here");
        if p.position == before {
            p.bump();
        }
        p.skip_to(DECLARATION_END);
        p.eat(SEMICOLON);
        m.complete(p, ERROR);
        return;
    }
    let mut is_first = true;
    loop {
        let init = p.start();
        let declared = declarator(p, Form::Named);
        if let Some(name) = declared.name {
            p.scopes.declare(name, found.is_typedef);
        }
        let may_have_body = at_file_scope || p.at(L_CURLY) || p.at(__ATTRIBUTE___KW);
        if is_first && may_have_body && at_body(p, &declared) {
            init.abandon(p);
            return function_definition(p, m, &declared);
        }
        is_first = false;
        // The codimensions of a coarray: `int a[10]:[*];`.
        if p.allows_sections && p.at(COLON) && p.nth(1) == L_BRACK {
            p.bump();
            xcalablemp::mapping_ref(p);
        }
        asm_label(p);
        attributes(p);
        if p.eat(EQ) {
            initializers::initializer(p);
        }
        init.complete(p, INIT_DECLARATOR);
        if !p.eat(COMMA) {
            break;
        }
        attributes(p);
    }
    if !p.eat(SEMICOLON) {
        p.error_with("`;` is missing after this declaration", None, None);
        if !p.at_set(DECLARATION_END) && !at_declaration(p) {
            p.skip_to(DECLARATION_END);
        }
        p.eat(SEMICOLON);
    }
    m.complete(p, DECLARATION);
}

/// `f() {}` and `x;` without specifiers are declarations of old C at file scope.
fn starts_declarator(p: &Parser<'_>, at_file_scope: bool) -> bool {
    at_file_scope
        && (matches!(p.current(), STAR | L_PAREN)
            || (p.at(IDENT) && matches!(p.nth(1), L_PAREN | EQ | COMMA | SEMICOLON | L_BRACK)))
}

/// Whether a function's body, or its K&R parameters, are next.
fn at_body(p: &Parser<'_>, declared: &Declared) -> bool {
    if !declared.is_function {
        return false;
    }
    match p.current() {
        L_CURLY => true,
        // Attributes and labels come first, or K&R declarations.
        __ATTRIBUTE___KW => {
            let mut ahead = 1;
            let mut depth = 0;
            loop {
                match p.peek(ahead) {
                    L_PAREN => depth += 1,
                    R_PAREN => {
                        depth -= 1;
                        if depth == 0 && p.peek(ahead + 1) != __ATTRIBUTE___KW {
                            return p.peek(ahead + 1) == L_CURLY;
                        }
                    }
                    // The declaration ends here: what follows it must not matter.
                    EOF | SEMICOLON | R_CURLY => return false,
                    _ => {}
                }
                ahead += 1;
            }
        }
        _ => declared.has_identifiers && at_declaration(p),
    }
}

fn function_definition(p: &mut Parser<'_>, m: Marker, declared: &Declared) {
    attributes(p);
    p.scopes.open();
    for name in &declared.parameters {
        p.scopes.declare(*name, false);
    }
    while !p.at(L_CURLY) && at_declaration(p) {
        declaration(p, false);
    }
    let is_system = p.tokens.get(p.position).is_some_and(|it| p.unit.file(it.span.file).is_system);
    if p.at(L_CURLY) && is_system {
        skipped_body(p);
    } else if p.at(L_CURLY) {
        statements::block(p, false);
    } else {
        p.error("the body of this function is missing");
    }
    p.scopes.close();
    m.complete(p, FUNCTION_DEF);
}

/// A body of a system header: its braces and what they hold.
fn skipped_body(p: &mut Parser<'_>) {
    let m = p.start();
    let mut depth = 0;
    while !p.at_end() {
        match p.current() {
            L_CURLY => depth += 1,
            R_CURLY => depth -= 1,
            _ => {}
        }
        p.bump();
        if depth == 0 {
            break;
        }
    }
    m.complete(p, SKIPPED_BODY);
}
