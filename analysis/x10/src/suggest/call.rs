//! Notes about calls that mean no method: the name as messages show it, candidates, and what replaces older
//! forms.

use super::cuda_atomic::element_in_two;
use crate::body::ExprId;
use crate::diagnostics::Diagnostic;
use crate::members::Failure;
use crate::rules::render::RenderContext;
use crate::scope::outdated_names::static_advice;

/// The name of a method as messages show it.
pub(crate) fn shown_name(name: &str) -> String {
    match name {
        "operator()" => "the application".to_owned(),
        "operator()=" => "the assignment of an element".to_owned(),
        "operator as" => "`operator as`".to_owned(),
        "operator implicit as" => "the implicit conversion".to_owned(),
        name => match name.strip_prefix("operator") {
            Some(operator) => format!("`operator {}`", operator.trim_start()),
            None => format!("`{name}`"),
        },
    }
}

/// Whether it is a call that prints several values, `println("x is", x)`.
pub(crate) fn prints_several(name: &str, args: &[ExprId]) -> bool {
    matches!(name, "print" | "println") && args.len() > 1
}

/// Adds to a failed call how values are printed, what replaces a static method of earlier X10, and how an
/// element is passed.
pub(crate) fn add_call_notes(
    cx: &RenderContext<'_>,
    diagnostic: Diagnostic,
    name: &str,
    failure: &Failure,
    args: &[ExprId],
) -> Diagnostic {
    let diagnostic = match prints_several(name, args) {
        true => diagnostic.note("one value is printed: join text by `+`, or give `printf` a format"),
        false => diagnostic,
    };
    add_older_forms(cx, diagnostic, name, failure, args)
}

/// Adds what replaces a static method of earlier X10 that the library keeps for itself, and how an element
/// is passed.
pub(crate) fn add_older_forms(
    cx: &RenderContext<'_>,
    diagnostic: Diagnostic,
    name: &str,
    failure: &Failure,
    args: &[ExprId],
) -> Diagnostic {
    let Failure::NoneFits(all) = failure else { return diagnostic };
    let class = all.first().map(|it| it.method.class(cx.db).name(cx.db));
    let advice = class.and_then(|class| static_advice(class, name));
    let diagnostic = advice.into_iter().fold(diagnostic, Diagnostic::note);
    element_in_two(cx, diagnostic, failure, args)
}
