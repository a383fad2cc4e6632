//! Spacing between two tokens of a line: none or one blank.

use crate::lexer;
use crate::syntax_kind::SyntaxKind::{self, *};
use crate::syntax_node::SyntaxToken;

/// The white space between two neighbours on one line; `now` is what is there.
pub(super) fn between(left: &SyntaxToken, right: &SyntaxToken, now: &str) -> String {
    if right.kind().is_comment() || left.kind().is_comment() {
        // Comments at the ends of lines may have been aligned by hand.
        return if now.is_empty() || now.contains('\t') { " ".into() } else { now.to_string() };
    }
    // `1.f()`: what is apart now stays so, whatever `1.` alone would be.
    if !wants_blank(left, right) && (now.is_empty() || stay_apart(left, right)) {
        return String::new();
    }
    " ".into()
}

/// Whether the two are still the same tokens without white space between them.
fn stay_apart(left: &SyntaxToken, right: &SyntaxToken) -> bool {
    let joined = format!("{}{}", left.text(), right.text());
    let lexed = lexer::lex(&joined);
    lexed.kinds == [left.kind(), right.kind()] && lexed.starts[1] as usize == left.text().len()
}

fn parent(token: &SyntaxToken) -> SyntaxKind {
    token.parent().map_or(SOURCE_FILE, |it| it.kind())
}

fn wants_blank(left: &SyntaxToken, right: &SyntaxToken) -> bool {
    let (l, r) = (left.kind(), right.kind());
    match (l, r) {
        (T!['{'], T!['}']) | (T!['('], _) | (T!['['], _) | (_, T![')'] | T![']'] | T![,]) => false,
        (T![.], _) | (_, T![.]) | (T![@], _) => false,
        (_, T![;]) => matches!(l, T![;]) || (l == T!['('] && parent(right) == FOR_STMT),
        (T![,] | T![;], _) => true,
        (_, T!['{']) => !is_condition(right),
        (T!['{'], _) => !is_condition(left),
        (_, T!['}']) => !is_condition(right),
        (_, T!['(']) => before_paren(left, right),
        (_, T!['[']) => before_bracket(left, right),
        (_, T![:]) => spaced_colon(right),
        (T![:], _) => spaced_colon(left) || matches!(parent(left), SWITCH_LABEL | LABELED_STMT),
        (T![..], _) | (_, T![..]) => parent(if l == T![..] { left } else { right }) != BIN_EXPR,
        (T![=>], _) | (_, T![=>]) => parent(if l == T![=>] { left } else { right }) != FUNCTION_TYPE,
        _ => around_operator(left, right),
    }
}

fn is_condition(token: &SyntaxToken) -> bool {
    matches!(parent(token), GUARD | CONSTRAINT)
}

/// `c ? a : b` and `assert c : m`; not `x:T`, `case 1:`.
fn spaced_colon(token: &SyntaxToken) -> bool {
    matches!(parent(token), CONDITIONAL_EXPR | ASSERT_STMT)
}

fn before_paren(left: &SyntaxToken, right: &SyntaxToken) -> bool {
    match parent(right) {
        ARG_LIST => {
            let list = right.parent().and_then(|it| it.parent());
            list.is_some_and(|it| it.kind() == CLOCKED_CLAUSE)
        }
        PROPERTY_LIST | OPERATOR_NAME => false,
        FORMAL_LIST => {
            let owner = right.parent().and_then(|it| it.parent()).map_or(SOURCE_FILE, |it| it.kind());
            match owner {
                METHOD_DECL | CONSTRUCTOR_DECL | TYPE_DEF => false,
                OPERATOR_DECL => {
                    let is_word = left.kind().is_keyword() && left.kind() != T![operator];
                    !(is_word || left.kind() == T![']'] || is_prefix_of_declaration(left))
                }
                CLOSURE_EXPR | FUNCTION_TYPE if left.kind() == T![']'] => false,
                _ => general(left),
            }
        }
        LOOP_HEADER => true,
        _ => general(left),
    }
}

fn before_bracket(left: &SyntaxToken, right: &SyntaxToken) -> bool {
    match parent(right) {
        TYPE_ARG_LIST => parent(left) == OPERATOR_NAME && left.kind() == T![as],
        TYPE_PARAM_LIST => {
            let owner = right.parent().and_then(|it| it.parent()).map_or(SOURCE_FILE, |it| it.kind());
            matches!(owner, CLOSURE_EXPR | FUNCTION_TYPE) && general(left)
        }
        POINT_PATTERN => left.kind() != IDENT,
        _ => general(left),
    }
}

/// Whether a blank follows `left` when nothing is known of what comes: not after a prefix operator or a
/// type's colon.
fn general(left: &SyntaxToken) -> bool {
    match left.kind() {
        T![:] => spaced_colon(left),
        T![..] => parent(left) != BIN_EXPR,
        T![=>] => parent(left) != FUNCTION_TYPE,
        T!['('] | T!['['] | T![.] | T![@] => false,
        T!['{'] => !is_condition(left),
        _ => !is_prefix(left),
    }
}

/// An operator before its operand, or the sign of a type parameter.
fn is_prefix(token: &SyntaxToken) -> bool {
    matches!(parent(token), PREFIX_EXPR | TYPE_PARAM) || is_prefix_of_declaration(token)
}

/// `-` of `operator -this`.
fn is_prefix_of_declaration(token: &SyntaxToken) -> bool {
    if parent(token) != OPERATOR_DECL || !token.kind().is_punct() {
        return false;
    }
    let before = std::iter::successors(token.prev_sibling_or_token(), |it| it.prev_sibling_or_token());
    let before = before.map(|it| it.kind()).find(|it| !it.is_trivia() && *it != TYPE_PARAM_LIST);
    before == Some(T![operator])
}

fn around_operator(left: &SyntaxToken, right: &SyntaxToken) -> bool {
    if is_prefix(left) {
        return false;
    }
    let is_step = matches!(right.kind(), T![++] | T![--]) && parent(right) == POSTFIX_EXPR;
    let is_name = parent(right) == OPERATOR_NAME && right.kind().is_punct();
    // `operator()=`
    let in_name = parent(left) == OPERATOR_NAME && right.kind() == T![=];
    !(is_step || is_name || in_name)
}
