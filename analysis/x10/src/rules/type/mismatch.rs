//! `type/mismatch`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::body::ExprId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::members::{Failure, describe_method};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::call::add_call_notes;
use crate::suggest::condition::explain_condition;
use crate::suggest::difference::Difference;
use crate::ty::Ty;

/// A value of a type other than the one needed.
pub static RULE: Rule = Rule {
    code: "type/mismatch",
    severity: Severity::Error,
    summary: "A value of a type other than the one needed.",
    explanation: r##"
An initialiser, assignment, argument or `return` provides a value whose type is not a subtype of the one needed, and no
implicit conversion leads from the one to the other. X10 converts implicitly only where no information is
lost to the reader: `Int` to `Long`, `Long` to `Double`, and what a class declares with an implicit `operator`.

Convert explicitly with `as`, or change one of the two types.
"##,
    failing: r##"
class Example {
    static def count(text:String):Int {
        val length:Int = text;
        return length;
    }
}
"##,
    fixed: r##"
class Example {
    static def count(text:String):Int {
        val length:Int = text.length();
        return length;
    }
}
"##,
};

/// What a value is needed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NeededAs {
    /// A value.
    Value,
    /// The place of an `at`.
    Place,
    /// The result.
    Result,
    /// An argument of the only candidate of a call.
    Argument {
        /// The method.
        of: MethodId,
        /// The name that is called.
        name: SmolStr,
        /// Why the call means no method.
        failure: Failure,
        /// All arguments.
        args: Vec<ExprId>,
    },
}

/// A value or type that is not what is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// A value has another type.
    Value {
        /// The value, its type and the one needed.
        difference: Difference,
        /// What it is needed for.
        needed_as: NeededAs,
    },
    /// A value of unknown origin has another type.
    Types {
        /// The type needed.
        needed: Ty,
        /// Its type.
        found: Ty,
    },
    /// A condition is no `Boolean`.
    Condition {
        /// The condition.
        value: ExprId,
        /// Its type.
        found: Ty,
        /// Values of its type may be `null`.
        has_null: bool,
    },
    /// `return;` where a value is needed.
    MissingResult {
        /// The result type.
        ty: Ty,
    },
    /// `return e;` where there is no result.
    NoResult {
        /// The code is a constructor.
        is_constructor: bool,
        /// The result type is declared.
        is_declared: bool,
    },
    /// A closure that is declared to give nothing ends in a value.
    ClosureValue {
        /// Its type.
        ty: Ty,
    },
    /// The value of a variable declared by `<:` is of no subtype.
    NotSubtype {
        /// The type of the value.
        found: Ty,
        /// The bound.
        bound: Ty,
    },
    /// The result of a method declared by `<:` is of no subtype.
    ResultNotSubtype {
        /// The result.
        found: Ty,
        /// The bound.
        bound: Ty,
    },
    /// `[i, j]` names another number of components than the point has.
    Rank {
        /// The number of names.
        count: usize,
        /// The type of the point.
        ty: Ty,
    },
    /// `[i, j]` of a value that has no components.
    NoPoint {
        /// The type of the value.
        ty: Ty,
    },
    /// `throw` of a value that is no exception.
    Throw {
        /// The type of the value.
        ty: Ty,
    },
    /// `catch` of a type that is no exception.
    Catch {
        /// The type.
        ty: Ty,
    },
    /// `switch` on a value that has no constants.
    Switch {
        /// The type of the value.
        ty: Ty,
    },
    /// `ateach` over what is no distribution.
    NoDistribution {
        /// The type of the value.
        ty: Ty,
    },
    /// A collecting `finish` with what is no reducer.
    NoReducer {
        /// The type of the value.
        ty: Ty,
    },
    /// A method offers values of another type than the `finish` takes.
    Offers {
        /// The method.
        name: SmolStr,
        /// The type of the values.
        offered: Ty,
        /// The type that the `finish` takes.
        element: Ty,
    },
}

impl Render for Mismatch {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            Mismatch::Value { difference, needed_as } => {
                let (needed, found) = (cx.show(difference.needed), cx.show(difference.found));
                let message = match needed_as {
                    NeededAs::Place => format!("`at` needs a place, found `{found}`"),
                    NeededAs::Result => format!("the result type is `{needed}`, found `{found}`"),
                    NeededAs::Value | NeededAs::Argument { .. } => format!("expected `{needed}`, found `{found}`"),
                };
                let diagnostic = RULE.at(range, message);
                let NeededAs::Argument { of, name, failure, args } = needed_as else {
                    return difference.explain(diagnostic, cx);
                };
                let diagnostic = with_method(diagnostic, *of, difference.found, cx);
                add_call_notes(cx, difference.explain(diagnostic, cx), name, failure, args)
            }
            Mismatch::Types { needed, found } => {
                RULE.at(range, format!("expected `{}`, found `{}`", cx.show(*needed), cx.show(*found)))
            }
            Mismatch::Condition { value, found, has_null } => {
                let message = format!("a condition is a `Boolean`, found `{}`", cx.show(*found));
                explain_condition(cx, *value, *has_null, RULE.at(range, message))
            }
            Mismatch::MissingResult { ty } => {
                RULE.at(range, format!("`return` needs a value of type `{}`", cx.show(*ty)))
            }
            Mismatch::NoResult { is_constructor, is_declared } => {
                let message = match is_constructor {
                    true => "a constructor returns no value",
                    false => "the result type is `void`, so no value can be returned",
                };
                RULE.at(range, message).note(match is_declared {
                    true => "declare the result type, or write `return;`",
                    false => "return a value on all paths or on none",
                })
            }
            Mismatch::ClosureValue { ty } => {
                let message = format!(
                    "this closure is declared to give nothing, and ends in a value of type `{}`",
                    cx.show(*ty)
                );
                RULE.at(range, message)
                    .note("leave the result type out, or make it a statement: `{ ...; }`")
            }
            Mismatch::NotSubtype { found, bound } => RULE
                .at(range, format!("`{}` is not a subtype of `{}`", cx.show(*found), cx.show(*bound)))
                .note("`<: T` takes the type of the value, which must be a subtype of `T`"),
            Mismatch::ResultNotSubtype { found, bound } => {
                let (found, bound) = (cx.show(*found), cx.show(*bound));
                RULE.at(range, format!("the result is `{found}`, not a subtype of `{bound}`"))
            }
            Mismatch::Rank { count, ty } => RULE
                .at(range, format!("`[...]` names {count} components, and the point has another number of them"))
                .note(format!("it is a `{}`", cx.show(*ty))),
            Mismatch::NoPoint { ty } => RULE
                .at(range, format!("`[...]` takes a `Point` apart, and this is a value of type `{}`", cx.show(*ty)))
                .note("to iterate over an integer range by index, write the plain name: `for (i in 0..n)`"),
            Mismatch::Throw { ty } => RULE
                .at(range, format!("a value of type `{}` cannot be thrown", cx.show(*ty)))
                .note("only exceptions can: instances of `CheckedThrowable` and its subclasses, such as `Exception`"),
            Mismatch::Catch { ty } => {
                RULE.at(range, format!("`{}` is no exception, so it can never be caught", cx.show(*ty)))
            }
            Mismatch::Switch { ty } => RULE
                .at(range, format!("`switch` needs an integer, `Char` or `String`, found `{}`", cx.show(*ty)))
                .note("compare by `if` and `else if` instead"),
            Mismatch::NoDistribution { ty } => RULE
                .at(range, format!("`ateach` needs a `Dist`, found `{}`", cx.show(*ty)))
                .note("to run at every place, write `for (p in Place.places()) at (p) async { ... }`"),
            Mismatch::NoReducer { ty } => RULE
                .at(range, format!("a collecting `finish` needs a `Reducible`, found `{}`", cx.show(*ty)))
                .note("it says how the offered values are combined, for example `Reducible.SumReducer[Long]()`"),
            Mismatch::Offers { name, offered, element } => {
                let (offered, element) = (cx.show(*offered), cx.show(*element));
                RULE.at(
                    range,
                    format!("`{name}` offers values of type `{offered}`, and the `finish` here takes `{element}`"),
                )
            }
        }
    }
}

/// Adds the method whose argument does not fit.
fn with_method(diagnostic: Diagnostic, method: MethodId, found: Ty, cx: &RenderContext<'_>) -> Diagnostic {
    let diagnostic = diagnostic.note(format!("it is an argument of `{}`", describe_method(cx.db, method)));
    let is_global_rail = Ty::this_type(cx.db, method.class(cx.db)).global_rail_element(cx.db).is_some();
    match is_global_rail && found.base(cx.db) == Ty::long(cx.db) {
        true => diagnostic
            .note("rails of other places are made by `CUDAUtilities.makeGlobalRail[T](place, size)`"),
        false => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_fix, check_none};

    #[test]
    fn literal_gets_the_suffix_of_the_needed_type() {
        check(&RULE, "class A { val n:Int = $05$0; }", "expected `Int`, found `Long`");
        check_fix(&RULE, "class A { val n:Int = 5; }", "class A { val n:Int = 5n; }");
    }

    #[test]
    fn assignment_as_condition_becomes_a_comparison() {
        check_fix(
            &RULE,
            "class A { def f(var n:Long) { if (n = 5) f(1); } }",
            "class A { def f(var n:Long) { if (n == 5) f(1); } }",
        );
    }

    #[test]
    fn string_is_parsed_where_a_number_is_needed() {
        check_fix(
            &RULE,
            "class A { def f(s:String) { val n:Int = s; } }",
            "class A { def f(s:String) { val n:Int = Int.parse(s); } }",
        );
    }

    #[test]
    fn integer_fits_a_wider_type() {
        check_none(&RULE, "class A { def f(n:Int) { val wide:Long = n; } }");
    }
}
