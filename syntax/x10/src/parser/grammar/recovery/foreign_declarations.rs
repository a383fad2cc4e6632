//! Declarations as Java and C++ write them, the type before the name: parsed as what they mean, so that one mistake is one error.
//! The validation reports them and says how X10 writes them.

use super::*;

/// Words that are types in other languages and start no X10 statement.
const TYPES: &[&str] = &[
    "int", "long", "short", "byte", "char", "float", "double", "boolean", "bool", "unsigned", "signed",
    "size_t",
];
/// Words that stand in the place of a type.
pub(crate) const INFERRED: &[&str] = &["auto", "let", "const"];

/// Whether a word looks like the name of a type.
pub(in crate::parser::grammar) fn names_type(word: &str) -> bool {
    word.starts_with(char::is_uppercase) || TYPES.contains(&word)
}

/// After the words of a type of C: `unsigned long`, `const int`.
fn after_words(p: &Parser<'_>, mut index: usize) -> usize {
    let is_type = |at: usize| p.kind_at(at) == IDENT && TYPES.contains(&p.text(at));
    if p.kind_at(index) == IDENT && p.text(index) == "const" && p.kind_at(index + 2) == IDENT {
        index += 1;
    }
    while is_type(index) && is_type(index + 1) {
        index += 1;
    }
    index
}

/// Where the name is, if a type and a name seem to stand at `index`: `int x`, `String[] s`, `Rail[Long] r`.
pub(in crate::parser::grammar) fn name_after_type(p: &Parser<'_>, index: usize) -> Option<usize> {
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
                at = angle_brackets::after(p, at)?;
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

/// Those of [`TYPES`] that X10's class library does not define.
const UNKNOWN: &[&str] = &["bool", "unsigned", "signed", "size_t"];

/// Whether a declaration of variables starts at `index`: what follows the name ends or continues one. A type follows the name too
/// after a word that is none: `let x: T`.
pub(in crate::parser::grammar) fn is_variable(p: &Parser<'_>, index: usize) -> bool {
    p.kind_at(index) != T![void]
        && name_after_type(p, index).is_some_and(|name| match p.kind_at(name + 1) {
            T![=] | T![;] | T![,] => true,
            T![:] => INFERRED.contains(&p.text(index)),
            _ => false,
        })
}

/// Whether a method starts at `index`, after its modifiers.
pub(in crate::parser::grammar) fn is_method(p: &Parser<'_>, index: usize) -> bool {
    name_after_type(p, index).is_some_and(|it| p.kind_at(it + 1) == T!['('])
}

/// Whether a formal starts at `index`.
pub(in crate::parser::grammar) fn is_formal(p: &Parser<'_>, index: usize) -> bool {
    p.kind_at(index) != T![void]
        && name_after_type(p, index).is_some_and(|it| matches!(p.kind_at(it + 1), T![,] | T![')']))
}

/// Whether the header `(T x : xs)` of a loop opens at `index`.
pub(in crate::parser::grammar) fn is_loop(p: &Parser<'_>, index: usize) -> bool {
    name_after_type(p, index + 1).is_some_and(|it| p.kind_at(it + 1) == T![:])
}

/// The type; what is none in X10 is put aside.
pub(in crate::parser::grammar) fn type_before_name(p: &mut Parser<'_>) {
    let Some(name) = name_after_type(p, p.position) else { return };
    let is_array = (p.position..name).any(|it| p.kind_at(it) == T!['['] && p.kind_at(it + 1) == T![']']);
    let word = p.text(p.position);
    let is_simple = (p.position..name).all(|it| matches!(p.kind_at(it), IDENT | T![.] | T!['['] | T![']']));
    let words = (p.position..name - 1).any(|it| p.kind_at(it) == IDENT && p.kind_at(it + 1) == IDENT);
    if is_array || words || !is_simple || INFERRED.contains(&word) || UNKNOWN.contains(&word) {
        aside(p, name);
        return;
    }
    types::type_with(p, types::Braces::Other);
    if p.position < name {
        aside(p, name);
    }
}

fn aside(p: &mut Parser<'_>, end: usize) {
    let m = p.start();
    while p.position < end && !p.at_end() {
        p.bump();
    }
    m.complete(p, ERROR);
}

/// A method whose result stands before its name.
pub(in crate::parser::grammar) fn method(p: &mut Parser<'_>, m: Marker) {
    let result = p.start();
    type_before_name(p);
    result.complete(p, RESULT_TYPE);
    members::method(p, m);
}

/// `(T x : xs)`, the header of a loop.
pub(in crate::parser::grammar) fn loop_header(p: &mut Parser<'_>) {
    let open = p.position;
    p.bump();
    let m = p.start();
    type_before_name(p);
    name(p);
    m.complete(p, FORMAL);
    aside(p, p.position + 1);
    exprs::expr(p);
    lists::close_bracket(p, open, T![')']);
}

/// Whether the bracket at `open`, after what may be a rail, holds an index rather than types.
pub(in crate::parser::grammar) fn is_index(p: &Parser<'_>, open: usize) -> bool {
    let Some(close) = p.matching(open) else { return false };
    let lower = |index: usize| {
        p.kind_at(index) == IDENT
            && p.text(index).starts_with(char::is_lowercase)
            && !TYPES.contains(&p.text(index))
    };
    // Only a call has type arguments.
    let is_call = p.kind_at(close + 1) == T!['('];
    // Nor are types assigned to, or followed by others.
    let next = p.kind_at(close + 1);
    let is_set = next.is_assignment() || matches!(next, T!['['] | T![++] | T![--]);
    let is_again = open > 0 && p.kind_at(open - 1) == T![']'];
    if (is_set || is_again && !is_call) && close > open + 1 {
        return true;
    }
    match p.kind_at(open + 1) {
        INT_NUMBER | FLOAT_NUMBER | STRING | CHAR | T![-] => true,
        IDENT if matches!(p.kind_at(open + 2), T![+] | T![-] | T![*] | T![/] | T![%]) => true,
        // `a[i]` with a name of a variable before it and in it; `a[b[i]]`, `a[f(i)]`, `a[p.i]`.
        IDENT if open > 0 && lower(open - 1) && lower(open + 1) && !is_call => {
            matches!(p.kind_at(close - 1), T![')'] | T![']']) || lower(close - 1)
        }
        _ => false,
    }
}

/// `[i]` as an index: the call that was meant.
pub(in crate::parser::grammar) fn index(p: &mut Parser<'_>) {
    let open = p.position;
    let close = p.matching(open).unwrap_or(open);
    report_index(p, open, close);
    let m = p.start();
    p.bump();
    let first = |p: &Parser<'_>| exprs::at_first(p);
    lists::bracketed(p, open, T![']'], "an index", first, |p| {
        exprs::expr(p);
    });
    m.complete(p, ARG_LIST);
}

/// `a[i][j]` is one error, whether elements have two indices or are rails.
fn report_index(p: &mut Parser<'_>, open: usize, close: usize) {
    if open > 0 && p.kind_at(open - 1) == T![']'] && p.is_reported_in_line() {
        return;
    }
    let message = "elements are read and set with parentheses: square brackets hold types";
    let mut last = close;
    while let Some(next) = p.matching(last + 1).filter(|_| p.kind_at(last + 1) == T!['[']) {
        last = next;
    }
    let range = p.input.range(p.lexed, open).cover(p.input.range(p.lexed, last));
    if last > close {
        p.report(p.position, crate::syntax_error::SyntaxError::new(range, message).as_gap());
        p.hint("write `a(i, j)` for an array of two dimensions, and `a(i)(j)` for a rail of rails");
        return;
    }
    p.error_at(range, message);
    p.hint("write `a(i)`, and `a(i) = value`");
    let inside = p.text_of(open + 1, close).to_owned();
    p.replace_by(format!("({inside})"));
}

/// Whether `[n]` after the class in `new` is the length of an array, not types.
pub(in crate::parser::grammar) fn is_array_length(p: &Parser<'_>) -> bool {
    let open = p.position;
    let length = match p.kind_at(open + 1) {
        IDENT => p.text(open + 1).starts_with(char::is_lowercase) && !TYPES.contains(&p.text(open + 1)),
        kind => matches!(kind, INT_NUMBER | T![']'] | T!['(']),
    };
    p.at(T!['[']) && length && p.matching(open).is_some_and(|it| p.kind_at(it + 1) != T!['('])
}

/// Whether `[]` after a type makes an array of it; before a parenthesis it lacks type arguments.
pub(in crate::parser::grammar) fn is_array(p: &Parser<'_>) -> bool {
    p.at(T!['[']) && p.nth(1) == T![']'] && p.nth(2) != T!['(']
}

/// `T[]`, `T[][]`, at the brackets; the type starts at `start`.
pub(in crate::parser::grammar) fn array_type(
    p: &mut Parser<'_>,
    start: usize,
    element: Completed,
) -> Completed {
    let mut rail = crate::validation::type_name(p.text_of(start, p.position)).to_owned();
    let m = element.precede(p);
    while is_array(p) {
        rail = format!("Rail[{rail}]");
        p.bump();
        p.bump();
    }
    let range = p.range_since(start);
    p.error_at(range, "an array is a `Rail`");
    p.hint(&format!("write `{rail}`"));
    p.replace_by(rail);
    m.complete(p, ERROR)
}

/// Whether `(T) x` stands here: a cast as other languages write it. The value starts as nothing that may follow a parenthesis does.
pub(in crate::parser::grammar) fn is_cast(p: &Parser<'_>) -> bool {
    let start = p.position;
    let value =
        matches!(p.kind_at(start + 3), IDENT | INT_NUMBER | FLOAT_NUMBER | STRING | T![this] | T![new]);
    p.at(T!['('])
        && p.kind_at(start + 1) == IDENT
        && p.kind_at(start + 2) == T![')']
        && value
        && !p.input.newline_before(start + 3)
}

/// `(T) x`
pub(in crate::parser::grammar) fn cast(p: &mut Parser<'_>) -> Completed {
    let start = p.position;
    let ty = crate::validation::type_name(p.text(start + 1)).to_owned();
    let m = p.start();
    p.bump();
    types::type_with(p, types::Braces::Other);
    p.eat(T![')']);
    let value = p.position;
    exprs::unary(p);
    if p.last_error != p.position {
        let text = format!("{} as {ty}", p.text_of(value, p.position));
        let range = p.range_since(start);
        p.error_at(range, "a cast follows its value");
        p.hint(&format!("write `{text}`"));
        p.replace_by(text);
    }
    m.complete(p, CAST_EXPR)
}

/// `new T[n]`: at the bracket.
pub(in crate::parser::grammar) fn array_length(p: &mut Parser<'_>, class: usize) {
    let open = p.position;
    let close = p.matching(open).unwrap_or(open);
    let range = p.input.range(p.lexed, class).cover(p.input.range(p.lexed, close));
    let element = crate::validation::type_name(p.text_of(class, open)).to_owned();
    let length = p.text_of(open + 1, close).to_owned();
    let text = match (length.is_empty(), p.kind_at(close + 1)) {
        (true, T!['{']) => "[a, b, c]".to_owned(),
        (true, _) => format!("Rail[{element}](n)"),
        (false, _) => format!("Rail[{element}]({length})"),
    };
    p.error_at(range, "an array is a `Rail`");
    if text.starts_with('[') {
        p.hint("a rail of given elements is written `[a, b, c]`");
    } else {
        p.hint(&format!("write `new {text}`"));
        // `new T[n][m]` makes rails of rails, each by itself.
        if p.kind_at(close + 1) != T!['['] {
            p.replace_by(text);
        }
    }
    aside(p, close + 1);
    if p.at(T!['{']) {
        p.skip_balanced();
    }
}
