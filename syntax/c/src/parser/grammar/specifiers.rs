//! Declaration specifiers, structures, enumerations and type names (C17 6.7.1 to 6.7.5, 6.7.7).

use super::attributes::attributes;
use super::declarators::{Form, declarator};
use super::*;

const STORAGE: TokenSet =
    TokenSet::new(&[TYPEDEF_KW, EXTERN_KW, STATIC_KW, AUTO_KW, REGISTER_KW, _THREAD_LOCAL_KW]);
const QUALIFIER: TokenSet = TokenSet::new(&[CONST_KW, VOLATILE_KW, RESTRICT_KW, _ATOMIC_KW]);
const BUILTIN: TokenSet = TokenSet::new(&[
    VOID_KW,
    CHAR_KW,
    SHORT_KW,
    INT_KW,
    LONG_KW,
    FLOAT_KW,
    DOUBLE_KW,
    SIGNED_KW,
    UNSIGNED_KW,
    _BOOL_KW,
    _COMPLEX_KW,
    _IMAGINARY_KW,
    __INT128_KW,
    _FLOAT16_KW,
    _FLOAT32_KW,
    _FLOAT64_KW,
    _FLOAT128_KW,
    _FLOAT32X_KW,
    _FLOAT64X_KW,
    __FLOAT80_KW,
    _DECIMAL32_KW,
    _DECIMAL64_KW,
    _DECIMAL128_KW,
    __AUTO_TYPE_KW,
]);
const TYPE_START: TokenSet =
    QUALIFIER.union(BUILTIN).union(TokenSet::new(&[STRUCT_KW, UNION_KW, ENUM_KW, TYPEOF_KW]));
pub(super) const DECLARATION_START: TokenSet = TYPE_START.union(STORAGE).union(TokenSet::new(&[
    INLINE_KW,
    _NORETURN_KW,
    _ALIGNAS_KW,
    _STATIC_ASSERT_KW,
]));

/// What specifiers say.
#[derive(Default)]
pub(super) struct Specifiers {
    pub(super) any: bool,
    pub(super) is_typedef: bool,
    has_type: bool,
}

/// Whether a type name starts at this token.
pub(super) fn at_type(p: &Parser<'_>, ahead: usize) -> bool {
    let mut ahead = ahead;
    while p.peek(ahead) == __EXTENSION___KW {
        ahead += 1;
    }
    TYPE_START.contains(p.nth(ahead)) || p.is_typedef_name(ahead)
}

/// Whether a declaration starts here.
pub(super) fn at_declaration(p: &Parser<'_>) -> bool {
    let mut ahead = 0;
    while p.peek(ahead) == __EXTENSION___KW {
        ahead += 1;
    }
    let kind = p.nth(ahead);
    if kind == __ATTRIBUTE___KW {
        // `__attribute__((fallthrough));` is a statement.
        return !p.text(ahead + 3).contains("fallthrough");
    }
    DECLARATION_START.contains(kind)
        || (p.is_typedef_name(ahead) && p.nth(ahead + 1) != COLON)
        || is_unknown_type(p, ahead)
}

/// A name that is no type, used as one: `foo x;`, `foo *x = ...`.
fn is_unknown_type(p: &Parser<'_>, ahead: usize) -> bool {
    if p.nth(ahead) != IDENT || p.is_typedef_name(ahead) {
        return false;
    }
    match p.nth(ahead + 1) {
        IDENT => matches!(p.nth(ahead + 2), SEMICOLON | EQ | COMMA | L_BRACK | R_PAREN),
        _ => false,
    }
}

/// Declaration specifiers; the node is there even if it is empty.
pub(super) fn specifiers(p: &mut Parser<'_>) -> Specifiers {
    let m = p.start();
    let mut found = Specifiers::default();
    loop {
        let kind = p.current();
        let one = p.start();
        let node = match kind {
            _ATOMIC_KW if p.nth(1) == L_PAREN => {
                p.bump();
                p.bump();
                type_name(p);
                p.expect(R_PAREN);
                found.has_type = true;
                ATOMIC_SPECIFIER
            }
            _ if STORAGE.contains(kind) => {
                found.is_typedef |= kind == TYPEDEF_KW;
                p.bump();
                STORAGE_CLASS
            }
            _ if QUALIFIER.contains(kind) => {
                p.bump();
                TYPE_QUALIFIER
            }
            _ if BUILTIN.contains(kind) => {
                found.has_type = true;
                p.bump();
                BUILTIN_TYPE
            }
            INLINE_KW | _NORETURN_KW => {
                p.bump();
                FUNCTION_SPECIFIER
            }
            __EXTENSION___KW => {
                p.bump();
                EXTENSION_MARK
            }
            STRUCT_KW | UNION_KW => {
                structure(p);
                found.has_type = true;
                STRUCT_SPECIFIER
            }
            ENUM_KW => {
                enumeration(p);
                found.has_type = true;
                ENUM_SPECIFIER
            }
            TYPEOF_KW => {
                type_or_expression(p);
                found.has_type = true;
                TYPEOF_SPECIFIER
            }
            _ALIGNAS_KW => {
                type_or_expression(p);
                ALIGNAS_SPECIFIER
            }
            __ATTRIBUTE___KW => {
                one.abandon(p);
                attributes(p);
                found.any = true;
                continue;
            }
            IDENT if !found.has_type && (p.is_typedef_name(0) || is_unknown_type(p, 0)) => {
                if !p.is_typedef_name(0) {
                    let text = p.text(0);
                    p.error(format!("`{text}` is not a type"));
                }
                name_ref(p);
                found.has_type = true;
                TYPEDEF_NAME
            }
            _ => {
                one.abandon(p);
                break;
            }
        };
        found.any = true;
        one.complete(p, node);
    }
    m.complete(p, DECL_SPECIFIERS);
    found
}

/// `typeof(...)`, `_Alignas(...)`: a type or an expression in parentheses.
fn type_or_expression(p: &mut Parser<'_>) {
    p.bump();
    p.expect(L_PAREN);
    if at_type(p, 0) {
        type_name(p);
    } else {
        expressions::expression(p);
    }
    p.expect(R_PAREN);
}

/// A type name: specifiers and an abstract declarator.
pub(super) fn type_name(p: &mut Parser<'_>) {
    let m = p.start();
    if !specifiers(p).any {
        p.error("a type is missing here");
    }
    declarator(p, Form::Abstract);
    m.complete(p, TYPE_NAME);
}

/// The type of an iterator: specifiers alone, since its name follows.
pub(super) fn type_name_of_iterator(p: &mut Parser<'_>) {
    let m = p.start();
    specifiers(p);
    m.complete(p, TYPE_NAME);
}

fn structure(p: &mut Parser<'_>) {
    p.bump();
    attributes(p);
    if p.at(IDENT) {
        name(p);
    }
    if p.at(L_CURLY) {
        p.nested(|p| {
            member_list(p);
            Some(())
        });
        attributes(p);
    }
}

fn member_list(p: &mut Parser<'_>) {
    let m = p.start();
    p.bump();
    while !p.at_end() && !p.at(R_CURLY) {
        match p.current() {
            SEMICOLON => {
                let m = p.start();
                p.bump();
                m.complete(p, EMPTY_DECL);
            }
            _STATIC_ASSERT_KW => declarations::static_assert(p),
            PRAGMA_START => {
                let m = p.start();
                directive::directive(p);
                m.complete(p, DIRECTIVE_DECL);
            }
            _ => member(p),
        }
    }
    p.expect(R_CURLY);
    m.complete(p, MEMBER_LIST);
}

fn member(p: &mut Parser<'_>) {
    let m = p.start();
    let before = p.position;
    specifiers(p);
    while !p.at_end() && !p.at(SEMICOLON) && !p.at(R_CURLY) {
        let one = p.start();
        if !p.at(COLON) {
            declarator(p, Form::Named);
        }
        if p.eat(COLON) {
            expressions::conditional(p);
        }
        attributes(p);
        one.complete(p, MEMBER_DECLARATOR);
        if !p.eat(COMMA) {
            break;
        }
        attributes(p);
    }
    if !p.eat(SEMICOLON) {
        p.error("`;` is missing after this member");
        if p.position == before {
            p.bump();
        }
        p.skip_to(TokenSet::new(&[SEMICOLON, R_CURLY]));
        p.eat(SEMICOLON);
    }
    m.complete(p, MEMBER_DECL);
}

fn enumeration(p: &mut Parser<'_>) {
    p.bump();
    attributes(p);
    if p.at(IDENT) {
        name(p);
    }
    if !p.at(L_CURLY) {
        return;
    }
    let m = p.start();
    p.bump();
    while !p.at_end() && !p.at(R_CURLY) {
        if !p.at(IDENT) {
            p.error("the name of an enumerator is missing here");
            p.skip_to(TokenSet::new(&[COMMA, R_CURLY, SEMICOLON]));
            if !p.eat(COMMA) {
                break;
            }
            continue;
        }
        let one = p.start();
        if let Some(symbol) = p.symbol(0) {
            p.scopes.declare(symbol, false);
        }
        name(p);
        attributes(p);
        if p.eat(EQ) {
            expressions::conditional(p);
        }
        one.complete(p, ENUMERATOR);
        if !p.eat(COMMA) {
            break;
        }
    }
    p.expect(R_CURLY);
    m.complete(p, ENUMERATOR_LIST);
    attributes(p);
}
