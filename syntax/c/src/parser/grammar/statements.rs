//! Statements (C17 6.8) with GNU's labels, ranges and assembler statements.

use super::attributes::attributes;
use super::specifiers::at_declaration;
use super::*;

/// Where an error in a statement ends.
const STATEMENT_END: TokenSet = TokenSet::new(&[
    SEMICOLON,
    L_CURLY,
    R_CURLY,
    IF_KW,
    FOR_KW,
    WHILE_KW,
    DO_KW,
    SWITCH_KW,
    RETURN_KW,
    BREAK_KW,
    CONTINUE_KW,
    GOTO_KW,
    CASE_KW,
    DEFAULT_KW,
]);

/// `{ ... }` with a scope of its own, if it has one.
pub(super) fn block(p: &mut Parser<'_>, has_scope: bool) -> Option<Completed> {
    p.nested(|p| {
        let m = p.start();
        p.bump();
        if has_scope {
            p.scopes.open();
        }
        let sections = p.allows_sections;
        p.allows_sections &= !p.in_directive;
        while !p.at_end() && !p.at(R_CURLY) && !recovery::at_function_behind_open_block(p) {
            let before = p.position;
            block_item(p);
            if p.position == before {
                p.bump_error("a statement is missing here");
            }
        }
        p.allows_sections = sections;
        if has_scope {
            p.scopes.close();
        }
        p.expect(R_CURLY);
        Some(m.complete(p, COMPOUND_STMT))
    })
}

fn block_item(p: &mut Parser<'_>) {
    match p.current() {
        _STATIC_ASSERT_KW => declarations::static_assert(p),
        __LABEL___KW => {
            let m = p.start();
            p.bump();
            loop {
                name(p);
                if !p.eat(COMMA) {
                    break;
                }
            }
            p.expect(SEMICOLON);
            m.complete(p, LOCAL_LABELS);
        }
        __EXTENSION___KW if !at_declaration(p) => statement(p),
        _ if at_declaration(p) => declarations::declaration(p, false),
        _ => statement(p),
    }
}

/// A statement.
pub(super) fn statement(p: &mut Parser<'_>) {
    p.nested(|p| {
        any_statement(p);
        Some(())
    });
}

fn any_statement(p: &mut Parser<'_>) {
    let kind = p.current();
    match kind {
        L_CURLY => {
            block(p, true);
            return;
        }
        PRAGMA_START => return directive::directive_statement(p),
        _ => {}
    }
    let m = p.start();
    let node = match kind {
        IF_KW => if_statement(p),
        SWITCH_KW | WHILE_KW => {
            p.bump();
            condition(p);
            statement(p);
            if kind == SWITCH_KW { SWITCH_STMT } else { WHILE_STMT }
        }
        DO_KW => {
            p.bump();
            statement(p);
            if p.expect(WHILE_KW) {
                condition(p);
                semicolon(p);
            }
            DO_STMT
        }
        FOR_KW => for_statement(p),
        GOTO_KW => {
            p.bump();
            if p.eat(STAR) {
                expressions::expression(p);
            } else {
                name_ref(p);
            }
            semicolon(p);
            GOTO_STMT
        }
        CONTINUE_KW | BREAK_KW => {
            p.bump();
            semicolon(p);
            if kind == BREAK_KW { BREAK_STMT } else { CONTINUE_STMT }
        }
        RETURN_KW => {
            p.bump();
            if !p.at(SEMICOLON) {
                expressions::expression(p);
            }
            semicolon(p);
            RETURN_STMT
        }
        CASE_KW => {
            p.bump();
            expressions::conditional(p);
            if p.eat(ELLIPSIS) {
                expressions::conditional(p);
            }
            p.expect(COLON);
            labeled(p);
            CASE_STMT
        }
        DEFAULT_KW => {
            p.bump();
            p.expect(COLON);
            labeled(p);
            DEFAULT_STMT
        }
        ASM_KW => assembler(p),
        IDENT if p.nth(1) == COLON && !(p.allows_sections && p.nth(2) == L_BRACK) => {
            name(p);
            p.bump();
            attributes(p);
            labeled(p);
            LABELED_STMT
        }
        ELSE_KW => {
            p.bump_error("this `else` has no `if`");
            ERROR
        }
        _ => {
            attributes(p);
            if !p.at(SEMICOLON) {
                expressions::expression(p);
            }
            semicolon(p);
            EXPR_STMT
        }
    };
    m.complete(p, node);
}

/// The statement of a label; a label may also end its block.
fn labeled(p: &mut Parser<'_>) {
    if p.at(R_CURLY) {
        return;
    }
    // A declaration after a label is C23, and common.
    if at_declaration(p) && !(p.at(IDENT) && p.nth(1) == COLON) {
        return;
    }
    statement(p);
}

fn semicolon(p: &mut Parser<'_>) {
    if p.eat(SEMICOLON) {
        return;
    }
    p.error("`;` is missing here");
    // What follows in the same line belongs to the mistake.
    let starts_line = p.tokens.get(p.position).is_none_or(|it| it.is_line_start());
    if !starts_line || p.at(R_PAREN) || p.at(R_BRACK) {
        p.skip_to(STATEMENT_END);
        p.eat(SEMICOLON);
    }
}

fn condition(p: &mut Parser<'_>) {
    p.expect(L_PAREN);
    expressions::expression(p);
    if !p.at(R_PAREN) {
        p.error("`)` is missing here");
        p.skip_to(TokenSet::new(&[R_PAREN, SEMICOLON, L_CURLY, R_CURLY]));
    }
    p.eat(R_PAREN);
}

fn if_statement(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    condition(p);
    statement(p);
    if p.eat(ELSE_KW) {
        statement(p);
    }
    IF_STMT
}

fn for_statement(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    p.scopes.open();
    p.expect(L_PAREN);
    let m = p.start();
    if at_declaration(p) {
        declarations::declaration(p, false);
    } else {
        if !p.at(SEMICOLON) {
            expressions::expression(p);
        }
        p.expect(SEMICOLON);
    }
    m.complete(p, FOR_INIT);
    let m = p.start();
    if !p.at(SEMICOLON) {
        expressions::expression(p);
    }
    p.expect(SEMICOLON);
    m.complete(p, FOR_CONDITION);
    if !p.at(R_PAREN) {
        let m = p.start();
        expressions::expression(p);
        m.complete(p, FOR_STEP);
    }
    if !p.at(R_PAREN) {
        p.error("`)` is missing here");
        p.skip_to(TokenSet::new(&[R_PAREN, L_CURLY, R_CURLY]));
    }
    p.eat(R_PAREN);
    statement(p);
    p.scopes.close();
    FOR_STMT
}

fn assembler(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    while matches!(p.current(), VOLATILE_KW | INLINE_KW | GOTO_KW) {
        let m = p.start();
        p.bump();
        m.complete(p, ASM_QUALIFIER);
    }
    p.expect(L_PAREN);
    primary::string_literal(p);
    while p.at(COLON) {
        let m = p.start();
        p.bump();
        while !p.at_end() && !matches!(p.current(), COLON | R_PAREN) {
            let before = p.position;
            let one = p.start();
            if p.eat(L_BRACK) {
                name(p);
                p.expect(R_BRACK);
            }
            if p.at(STRING) {
                primary::string_literal(p);
                if p.eat(L_PAREN) {
                    expressions::expression(p);
                    p.expect(R_PAREN);
                }
            } else {
                name_ref(p);
            }
            one.complete(p, ASM_OPERAND);
            if !p.eat(COMMA) && p.position == before {
                break;
            }
        }
        m.complete(p, ASM_OPERANDS);
    }
    p.expect(R_PAREN);
    semicolon(p);
    ASM_STMT
}
