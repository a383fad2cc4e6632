//! Expressions by binding power (Pratt, *Top Down Operator Precedence*, 1973).

use crate::parser::grammar::operand::Operand;
use crate::parser::grammar::recovery::{
    foreign_syntax, foreign_values, foreign_words, replacement, reserved_words, typos,
};
use crate::parser::grammar::{atoms, items, types};
use crate::parser::limits::CHAIN_LIMIT;
use crate::parser::state::{Completed, Parser};
use crate::parser::token_set::TokenSet;
use crate::syntax_kind::SyntaxKind::{self, *};

const PREFIX: TokenSet =
    TokenSet::new(&[T![+], T![-], T![!], T![~], T![^], T![|], T![&], T![*], T![/], T![%], T![++], T![--]]);

const FIRST: TokenSet = TokenSet::new(&[
    IDENT,
    INT_NUMBER,
    FLOAT_NUMBER,
    CHAR,
    STRING,
    T![true],
    T![false],
    T![null],
    T![this],
    T![self],
    T![here],
    T![super],
    T!['('],
    T!['['],
    T![new],
    T![operator],
    T![void],
    T![at],
    T![finish],
    T![@],
])
.union(PREFIX);

pub(super) fn at_first(p: &Parser<'_>) -> bool {
    p.at_set(&FIRST) || reserved_words::is_value(p, p.position) || foreign_values::at_statement(p)
}

/// An expression, assignments included.
pub(super) fn expr(p: &mut Parser<'_>) -> Option<Completed> {
    let saved = std::mem::replace(&mut p.at_statement, false);
    let result = any_expr(p);
    p.at_statement = saved;
    result
}

/// An expression at the start of a statement: stops before braces that may be a trailing closure.
pub(super) fn statement_expr(p: &mut Parser<'_>) -> Option<Completed> {
    p.at_statement = true;
    let result = any_expr(p);
    p.at_statement = false;
    result
}

/// An expression in the header of a statement that lacks its parentheses: stops before the braces of the
/// body.
pub(super) fn header_expr(p: &mut Parser<'_>) {
    let saved = std::mem::replace(&mut p.body_follows, true);
    statement_expr(p);
    p.body_follows = saved;
}

fn any_expr(p: &mut Parser<'_>) -> Option<Completed> {
    p.nested(|p| {
        let (start, errors) = (p.position, p.errors.len());
        let lhs = binary(p, 0)?;
        if !p.current().is_assignment() {
            return Some(lhs);
        }
        if !matches!(lhs.kind, NAME_EXPR | FIELD_EXPR | CALL_EXPR | ERROR) && p.errors.len() == errors {
            let range = p.range_since(start);
            p.error_at(range, "this cannot be assigned to");
            if lhs.kind == TYPE_EXPR {
                p.hint("an element is set with parentheses: `a(i) = value`");
            }
            p.last_error = usize::MAX;
        }
        let m = lhs.precede(p);
        p.bump();
        expr(p);
        Some(m.complete(p, ASSIGN_EXPR))
    })
}

/// How tightly an operator between two operands binds; they all group to the left.
fn power(kind: SyntaxKind) -> u8 {
    match kind {
        T![..] => 18,
        T![*] | T![/] | T![%] | T![**] => 17,
        T![+] | T![-] => 16,
        T![haszero] | T![isref] => 15,
        T![<:] | T![:>] => 14,
        T![<<] | T![>>] | T![>>>] | T![->] | T![<-] | T![-<] | T![>-] | T![!] | T![<>] | T![><] => 13,
        T![instanceof] => 12,
        T![<] | T![>] | T![<=] | T![>=] => 11,
        T![==] | T![!=] => 10,
        T![~] | T![!~] => 9,
        T![&] => 8,
        T![^] => 7,
        T![|] => 6,
        T![&&] => 5,
        T![||] => 4,
        T![?] => 3,
        _ => 0,
    }
}

/// Operands and the operators between them that bind at least as tightly as `least`.
fn binary(p: &mut Parser<'_>, least: u8) -> Option<Completed> {
    let mut lhs = unary(p)?;
    for _ in 0..CHAIN_LIMIT {
        let op = p.current();
        let power = power(op);
        if foreign_syntax::at_type_test(p) {
            let m = lhs.into_expr(p).precede(p);
            foreign_syntax::type_test(p);
            types::type_(p);
            lhs = Operand::expr(m.complete(p, INSTANCE_OF_EXPR));
            continue;
        }
        if power == 0 {
            typos::instance_of(p);
            if p.at(T![instanceof]) {
                continue;
            }
        }
        if foreign_values::at_word_operator(p) && least <= 4 {
            let m = lhs.into_expr(p).precede(p);
            foreign_values::word_operator(p);
            p.nested(|p| binary(p, 5));
            lhs = Operand::expr(m.complete(p, BIN_EXPR));
            continue;
        }
        if foreign_values::at_range_sign(p) && least <= self::power(T![..]) {
            let m = lhs.into_expr(p).precede(p);
            foreign_values::range_sign(p);
            p.nested(|p| binary(p, self::power(T![..]) + 1));
            lhs = Operand::expr(m.complete(p, BIN_EXPR));
            continue;
        }
        if lhs.path.is_some() && lhs.node.kind == NAME_EXPR && foreign_syntax::at_bare_arrow(p) {
            lhs = bare_closure(p, lhs);
            return Some(lhs.into_expr(p));
        }
        if power == 0 || power < least {
            if op == T![=>] && lhs.path.is_some() {
                lhs = bare_closure(p, lhs);
            }
            return Some(lhs.into_expr(p));
        }
        lhs = match op {
            T![<:] | T![:>] => subtype(p, lhs),
            T![haszero] | T![isref] => type_test(p, lhs),
            T![instanceof] => {
                let m = lhs.into_expr(p).precede(p);
                p.bump();
                types::type_(p);
                foreign_syntax::tested_variable(p);
                Operand::expr(m.complete(p, INSTANCE_OF_EXPR))
            }
            T![?] => conditional(p, lhs),
            _ => {
                let m = lhs.into_expr(p).precede(p);
                p.bump();
                p.at_statement = false;
                foreign_values::third_sign(p, op);
                if foreign_words::operator_rest(p, op) {
                    return Some(m.complete(p, ERROR));
                }
                if op == T![..] {
                    foreign_values::open_end(p);
                }
                p.nested(|p| binary(p, power + 1));
                Operand::expr(m.complete(p, BIN_EXPR))
            }
        };
    }
    p.error(format!("this expression has more than {CHAIN_LIMIT} operators in a row"));
    p.hint("split it into several statements");
    p.gave_up = true;
    Some(lhs.into_expr(p))
}

fn conditional(p: &mut Parser<'_>, condition: Operand) -> Operand {
    let m = condition.into_expr(p).precede(p);
    p.bump();
    if foreign_words::null_test(p) {
        p.nested(|p| binary(p, 0));
        return Operand::expr(m.complete(p, ERROR));
    }
    expr(p);
    if p.expect(T![:]) {
        p.at_statement = false;
        p.nested(|p| binary(p, 0));
    }
    Operand::expr(m.complete(p, CONDITIONAL_EXPR))
}

/// `T <: U`, `T :> U`
fn subtype(p: &mut Parser<'_>, lhs: Operand) -> Operand {
    let ty = operand_type(p, lhs);
    let m = ty.precede(p);
    p.bump();
    types::type_(p);
    Operand::expr(m.complete(p, SUBTYPE_EXPR))
}

/// `T haszero`, `T isref`
fn type_test(p: &mut Parser<'_>, lhs: Operand) -> Operand {
    let kind = if p.at(T![haszero]) { HAS_ZERO_EXPR } else { IS_REF_EXPR };
    let ty = operand_type(p, lhs);
    let m = ty.precede(p);
    p.bump();
    Operand::expr(m.complete(p, kind))
}

/// The operand of an operator on types.
fn operand_type(p: &mut Parser<'_>, lhs: Operand) -> Completed {
    lhs.into_type(p).unwrap_or_else(|| {
        let op = p.current().text().unwrap_or_default();
        p.error(format!("`{op}` needs a type before it"));
        lhs.node
    })
}

/// `x => e`: formals need parentheses. The expression after the arrow is still parsed. No more is known of
/// the whole than that it is an argument.
fn bare_closure(p: &mut Parser<'_>, formal: Operand) -> Operand {
    let name = p.text(p.position - 1);
    let range = replacement::range_of(p, p.position - 1, p.position);
    p.error_at(range, "the formals of a closure stand in parentheses");
    p.hint(&format!("write `({name}:Type) => ...`"));
    let m = formal.node.precede(p);
    p.bump();
    atoms::closure_body(p);
    let m = m.complete(p, ERROR).precede(p);
    Operand::expr(m.complete(p, NAME_EXPR))
}

/// Prefix operators and annotations, before an operand.
pub(super) fn unary(p: &mut Parser<'_>) -> Option<Operand> {
    let kind = p.current();
    if PREFIX.contains(kind) {
        p.at_statement = false;
        return p.nested(|p| {
            let m = p.start();
            p.bump();
            if let Some(operand) = unary(p) {
                operand.into_expr(p);
            }
            Some(Operand::expr(m.complete(p, PREFIX_EXPR)))
        });
    }
    if kind == T![@] {
        p.at_statement = false;
        return p.nested(|p| {
            let m = p.start();
            items::annotations(p);
            if p.at(T![at]) {
                return Some(Operand::expr(atoms::at_expr(p, m)));
            }
            if let Some(operand) = unary(p) {
                operand.into_expr(p);
            }
            Some(Operand::expr(m.complete(p, ANNOTATED_EXPR)))
        });
    }
    postfix(p)
}

/// An operand with casts and `++`, `--`.
fn postfix(p: &mut Parser<'_>) -> Option<Operand> {
    let mut lhs = atoms::chain(p)?;
    let mut length = 0;
    while p.at(T![as]) && length < CHAIN_LIMIT {
        let m = lhs.into_expr(p).precede(p);
        p.bump();
        foreign_syntax::cast_sign(p);
        types::type_(p);
        lhs = Operand::expr(m.complete(p, CAST_EXPR));
        length += 1;
    }
    while (p.at(T![++]) || p.at(T![--])) && length < CHAIN_LIMIT {
        let m = lhs.into_expr(p).precede(p);
        p.bump();
        lhs = Operand::expr(m.complete(p, POSTFIX_EXPR));
        length += 1;
        if p.at(T![as]) {
            p.error("`as` binds tighter than all other operators");
            p.hint("put what is cast in parentheses");
            p.bump();
            types::type_(p);
        }
    }
    Some(lhs)
}
