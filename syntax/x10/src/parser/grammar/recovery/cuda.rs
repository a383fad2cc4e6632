//! CUDA's marks of functions, blocks and variables (`__global__`, `__device__`, `__shared__`), and arrays as
//! in C.

use crate::foreign_types::type_name;
use crate::parser::grammar::names::name;
use crate::parser::grammar::recovery::foreign_lookahead;
use crate::parser::grammar::recovery::replacement::{range_of, replaced, skip_as_error};
use crate::parser::state::Parser;
use crate::syntax_kind::SyntaxKind::*;

/// `__device__`, `__host__ __device__`: the annotation that was meant.
pub(crate) fn mark(p: &mut Parser<'_>) {
    let start = p.position;
    let m = p.start();
    let mut last = start;
    while foreign_lookahead::is_mark(p, last + 1) {
        last += 1;
    }
    let range = range_of(p, start, last);
    p.error_at(range, "code for devices is marked `@CUDA`");
    p.hint("import `x10.compiler.CUDA`, and mark the body of an `at`, which is a kernel, and the functions that it calls");
    p.replace_by("@CUDA".to_owned());
    if last > start {
        skip_as_error(p, last - start);
    }
    p.parse_type_without_annotations();
    m.complete(p, ANNOTATION);
}

/// `float a[256];`, and `__shared__ float s[256];`, which are parsed as variables, and `__shared__ val s =
/// ...`. Whether a variable was it.
pub(crate) fn array(p: &mut Parser<'_>) -> bool {
    let start = p.position;
    let is_extern = p.text(start) == "extern";
    match p.text(start + usize::from(is_extern)) {
        "__shared__" => shared_memory(p, usize::from(is_extern)),
        _ if is_extern => false,
        _ => variable(p, start, "an array is a `Rail`", "write `val a = new Rail[T](n);`"),
    }
}

fn shared_memory(p: &mut Parser<'_>, before: usize) -> bool {
    let message = "shared memory is a rail that a block makes before its threads";
    let hint = "write `val s = new Rail[T](n);` between the two loops of the kernel";
    let start = p.position + before;
    if matches!(p.kind_at(start + 1), T![val] | T![var]) {
        replaced(p, 1 + before, message, hint, "");
        return false;
    }
    variable(p, start + 1, message, hint)
}

/// The variable of an array as C declares it, whose type is at `ty`: `float a[16][16];`.
fn variable(p: &mut Parser<'_>, ty: usize, message: &str, hint: &str) -> bool {
    let start = p.position;
    let after_type = foreign_lookahead::name_after_type(p, ty);
    let Some(variable) = after_type.filter(|it| p.kind_at(it + 1) == T!['[']) else { return false };
    let mut sizes = Vec::new();
    let mut end = variable + 1;
    while p.kind_at(end) == T!['['] {
        let Some(close) = p.matching(end) else { return false };
        sizes.push(p.text_of(end + 1, close).trim());
        end = close + 1;
    }
    if p.kind_at(end) != T![;] {
        return false;
    }
    let name_text = p.text(variable);
    let element = type_name(p.text_of(ty, variable).trim());
    let size = match &sizes[..] {
        [one] => (*one).to_owned(),
        _ => sizes.iter().map(|it| factor(it)).collect::<Vec<_>>().join(" * "),
    };
    let meant = format!("val {name_text} = new Rail[{element}]({size})");
    let hint = match &sizes[..] {
        [_] => hint.to_owned(),
        [_, row] => {
            format!("{hint} Its elements are counted through: `{name_text}(i * {} + j)`", factor(row))
        }
        _ => format!("{hint} Its elements are counted through"),
    };
    let range = range_of(p, start, end - 1);
    p.error_at(range, message);
    p.hint(&hint);
    if sizes.iter().all(|it| !it.is_empty()) {
        p.replace_by(meant);
    }
    let m = p.start();
    skip_as_error(p, variable - start);
    let declarator = p.start();
    name(p);
    while p.at(T!['[']) {
        p.skip_balanced();
    }
    declarator.complete(p, DECLARATOR);
    p.eat(T![;]);
    m.complete(p, LOCAL_DECL);
    true
}

/// What is multiplied, in parentheses if it is more than a name or a number.
fn factor(text: &str) -> String {
    match text.chars().all(|it| it.is_alphanumeric() || it == '_') {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}
