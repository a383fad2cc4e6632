//! Words of CUDA before functions, blocks and variables: `__global__`, `__device__`, `__shared__`.

use super::habits::{aside, range_of, replaced};
use super::*;

/// Words that mark code for devices.
const MARKS: &[&str] = &["__global__", "__device__", "__host__"];

/// Whether a word that marks code for devices stands at `index`, before what it marks.
pub(super) fn is_mark(p: &Parser<'_>, index: usize) -> bool {
    let next = p.kind_at(index + 1);
    p.kind_at(index) == IDENT
        && MARKS.contains(&p.text(index))
        && (next == IDENT || next.is_keyword() || matches!(next, T!['{'] | T![@]))
}

/// `__device__`, `__host__ __device__`: the annotation that was meant.
pub(super) fn mark(p: &mut Parser<'_>) {
    let start = p.position;
    let m = p.start();
    let mut last = start;
    while is_mark(p, last + 1) {
        last += 1;
    }
    let range = range_of(p, start, last);
    p.error_at(range, "code for devices is marked `@CUDA`");
    p.hint("import `x10.compiler.CUDA`, and mark the body of an `at`, which is a kernel, and the functions that it calls");
    p.replace_by("@CUDA".to_owned());
    if last > start {
        aside(p, last - start);
    }
    types::type_with_no_annotations(p);
    m.complete(p, ANNOTATION);
}

/// `__shared__ val s = ...`, and `__shared__ float s[256];`, which is parsed as a variable. Whether that was it.
pub(super) fn shared_memory(p: &mut Parser<'_>) -> bool {
    if p.text(p.position) != "__shared__" {
        return false;
    }
    let message = "shared memory is a rail that a block makes before its threads";
    let hint = "write `val s = new Rail[T](n);` between the two loops of the kernel";
    if matches!(p.nth(1), T![val] | T![var]) {
        replaced(p, 1, message, hint, "");
        return false;
    }
    let start = p.position;
    let after_type = foreign::name_after_type(p, start + 1);
    let Some(variable) = after_type.filter(|it| p.kind_at(it + 1) == T!['[']) else { return false };
    let open = variable + 1;
    let Some(close) = p.matching(open).filter(|it| matches!(p.kind_at(it + 1), T![;] | T!['['])) else {
        return false;
    };
    let range = range_of(p, start, close);
    p.error_at(range, message);
    p.hint(hint);
    if p.kind_at(close + 1) == T![;] {
        let (name, count) = (p.text(variable), p.text_of(open + 1, close));
        let element = crate::validation::type_name(p.text_of(start + 1, variable).trim());
        p.replace_by(format!("val {name} = new Rail[{element}]({count})"));
    }
    let m = p.start();
    aside(p, variable - start);
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
