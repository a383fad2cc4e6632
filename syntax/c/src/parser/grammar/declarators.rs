//! Declarators (C17 6.7.6).

use super::attributes::attributes;
use super::specifiers::{at_type, specifiers};
use super::*;
use crate::symbol::Symbol;

/// Which declarators may stand somewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// With a name.
    Named,
    /// Without one: in type names.
    Abstract,
    /// Either: of parameters.
    Parameter,
}

/// What a declarator declares.
#[derive(Default)]
pub(super) struct Declared {
    pub(super) name: Option<Symbol>,
    /// The type around the name is that of a function.
    pub(super) is_function: bool,
    /// The function's parameters are K&R identifiers.
    pub(super) has_identifiers: bool,
    /// Names of the function's parameters.
    pub(super) parameters: Vec<Symbol>,
    /// An array, function or pointer was around the name before.
    is_derived: bool,
}

/// A declarator; nothing if an abstract one is empty.
pub(super) fn declarator(p: &mut Parser<'_>, form: Form) -> Declared {
    let mut declared = Declared::default();
    p.nested(|p| {
        any_declarator(p, form, &mut declared);
        Some(())
    });
    declared
}

fn any_declarator(p: &mut Parser<'_>, form: Form, declared: &mut Declared) {
    if p.at(STAR) || p.at(CARET) {
        let m = p.start();
        p.bump();
        qualifiers(p);
        p.nested(|p| {
            any_declarator(p, form, declared);
            Some(())
        });
        declared.is_derived = true;
        m.complete(p, POINTER_DECLARATOR);
        return;
    }
    direct_declarator(p, form, declared);
}

fn qualifiers(p: &mut Parser<'_>) {
    loop {
        match p.current() {
            CONST_KW | VOLATILE_KW | RESTRICT_KW | _ATOMIC_KW => {
                let m = p.start();
                p.bump();
                m.complete(p, TYPE_QUALIFIER);
            }
            __ATTRIBUTE___KW => attributes(p),
            _ => return,
        }
    }
}

fn direct_declarator(p: &mut Parser<'_>, form: Form, declared: &mut Declared) {
    let mut done = None;
    match p.current() {
        IDENT if form != Form::Abstract => done = Some(name_declarator(p, declared)),
        __ATTRIBUTE___KW if form != Form::Abstract => done = Some(name_declarator(p, declared)),
        L_PAREN if is_nested(p, form) => {
            let m = p.start();
            p.bump();
            attributes(p);
            p.nested(|p| {
                any_declarator(p, form, declared);
                Some(())
            });
            p.expect(R_PAREN);
            done = Some(m.complete(p, PAREN_DECLARATOR));
        }
        _ if form == Form::Named => p.error("a name is missing here"),
        _ => {}
    }
    loop {
        match p.current() {
            L_BRACK => {
                let m = open(p, done);
                array_suffix(p);
                declared.is_derived = true;
                done = Some(m.complete(p, ARRAY_DECLARATOR));
            }
            L_PAREN => {
                let m = open(p, done);
                let (names, has_identifiers) = function_suffix(p);
                if !declared.is_derived {
                    declared.is_function = true;
                    declared.parameters = names;
                    declared.has_identifiers = has_identifiers;
                }
                declared.is_derived = true;
                done = Some(m.complete(p, FUNCTION_DECLARATOR));
            }
            _ => return,
        }
    }
}

fn open(p: &mut Parser<'_>, inner: Option<Completed>) -> Marker {
    match inner {
        Some(inner) => inner.precede(p),
        None => p.start(),
    }
}

fn name_declarator(p: &mut Parser<'_>, declared: &mut Declared) -> Completed {
    let m = p.start();
    attributes(p);
    if p.at(IDENT) {
        declared.name = p.symbol(0);
    }
    name(p);
    m.complete(p, NAME_DECLARATOR)
}

/// Whether a parenthesis opens a declarator, and not parameters of a nameless function.
fn is_nested(p: &Parser<'_>, form: Form) -> bool {
    let opens_parameters = at_type(p, 1) || matches!(p.nth(1), R_PAREN | ELLIPSIS | REGISTER_KW | STATIC_KW);
    form == Form::Named || !opens_parameters
}

fn array_suffix(p: &mut Parser<'_>) {
    p.bump();
    p.eat(STATIC_KW);
    qualifiers(p);
    p.eat(STATIC_KW);
    if p.at(STAR) && p.nth(1) == R_BRACK {
        p.bump();
    } else if !p.at(R_BRACK) {
        expressions::expression(p);
    }
    p.expect(R_BRACK);
}

/// `(...)` with parameters or K&R identifiers; gives their names, and whether they are identifiers.
fn function_suffix(p: &mut Parser<'_>) -> (Vec<Symbol>, bool) {
    p.bump();
    let mut names = Vec::new();
    let has_identifiers = p.at(IDENT) && !at_type(p, 0) && matches!(p.nth(1), COMMA | R_PAREN);
    if has_identifiers {
        let m = p.start();
        loop {
            names.extend(p.symbol(0));
            name(p);
            if !p.eat(COMMA) || !p.at(IDENT) {
                break;
            }
        }
        m.complete(p, IDENTIFIER_LIST);
    } else if !p.at(R_PAREN) {
        p.scopes.open();
        parameters(p, &mut names);
        p.scopes.close();
    }
    p.expect(R_PAREN);
    (names, has_identifiers)
}

fn parameters(p: &mut Parser<'_>, names: &mut Vec<Symbol>) {
    let m = p.start();
    while !p.at_end() && !p.at(R_PAREN) {
        if p.eat(ELLIPSIS) {
            break;
        }
        let before = p.position;
        let one = p.start();
        let found = specifiers(p);
        if !found.any {
            p.error("the type of this parameter is missing");
        }
        let declared = declarator(p, Form::Parameter);
        if let Some(name) = declared.name {
            p.scopes.declare(name, false);
            names.push(name);
        }
        attributes(p);
        one.complete(p, PARAM_DECL);
        if !p.eat(COMMA) {
            if p.at(R_PAREN) {
                break;
            }
            p.error("`,` or `)` is missing here");
            p.skip_to(TokenSet::new(&[COMMA, R_PAREN, SEMICOLON, L_CURLY, R_CURLY]));
            if !p.eat(COMMA) || p.position == before {
                break;
            }
        }
    }
    m.complete(p, PARAM_LIST);
}
