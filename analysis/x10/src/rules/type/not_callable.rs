//! `type/not-callable`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Fix, Rule, Severity};
use crate::ids::ClassId;
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;
use crate::ty::known::Known;

/// A call of what cannot be called.
pub static RULE: Rule = Rule {
    code: "type/not-callable",
    severity: Severity::Error,
    summary: "A call of what cannot be called.",
    explanation: r##"
`f(x)` calls a method of that name, or applies a value: a function, or an object whose class declares `operator this(...)`, such as a rail, whose
elements are read that way. The name of a struct makes a value of it; an object of a class is made by `new C(x)`.
"##,
    failing: r##"
class Example {
    static def first(count:Long) = count(0);
}
"##,
    fixed: r##"
class Example {
    static def first(counts:Rail[Long]) = counts(0);
}
"##,
};

/// A call of what cannot be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCallable {
    /// Of a value.
    Value {
        /// Its type.
        ty: Ty,
    },
    /// Of a field, as if it was a method.
    Field {
        /// The field.
        name: SmolStr,
        /// It is a property.
        is_property: bool,
        /// The parentheses of the call.
        parentheses: TextRange,
    },
    /// Of a type parameter.
    TypeParameter {
        /// The parameter.
        ty: Ty,
    },
    /// Of a class, as if it was a struct.
    Class {
        /// The class.
        class: ClassId,
        /// The class with its type arguments, if they are a part of the name.
        exact: Option<Ty>,
        /// The type arguments of the call.
        type_args: Vec<Ty>,
    },
}

impl Render for NotCallable {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            NotCallable::Value { ty } => {
                let note = match ty.is_known(cx.db, Known::Place) {
                    true => "an activity starts at another place by `at (p) async { ... }`",
                    false => {
                        "only functions can, and objects of classes with `operator this(...)`, such as rails"
                    }
                };
                let shown = cx.show(*ty);
                RULE.at(range, format!("a value of type `{shown}` cannot be called or indexed")).note(note)
            }
            NotCallable::Field { name, is_property, parentheses } => {
                let kind = if *is_property { "property" } else { "field" };
                RULE.at(range, format!("`{name}` is a {kind}, not a method"))
                    .note("its value is read without parentheses")
                    .fix(Fix::replace("Remove the parentheses", *parentheses, ""))
            }
            NotCallable::TypeParameter { ty } => {
                RULE.at(range, format!("`{}` is a type parameter, and no function", cx.show(*ty)))
            }
            NotCallable::Class { class, exact, type_args } => {
                let name = class.name(cx.db);
                let given: Vec<String> = type_args.iter().map(|it| cx.show(*it)).collect();
                let made = match (&given[..], exact) {
                    ([], Some(ty)) => cx.show(*ty),
                    ([], None) => name.to_string(),
                    _ => format!("{name}[{}]", given.join(",")),
                };
                RULE.at(range, format!("`{name}` is a class, not a function or a struct"))
                    .note(format!("to make an object of it, write `new {made}(...)`"))
                    .fix(Fix::insert("Add `new`", range.start(), "new "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_fix, check_none};

    #[test]
    fn class_is_instantiated_by_new() {
        check_fix(&RULE, "class A { static def make() = A(); }", "class A { static def make() = new A(); }");
    }

    #[test]
    fn property_is_read_without_parentheses() {
        check(&RULE, "class A { def f(r:Rail[Long]) = $0r.size()$0; }", "`size` is a property, not a method");
        check_fix(
            &RULE,
            "class A { def f(r:Rail[Long]) = r.size(); }",
            "class A { def f(r:Rail[Long]) = r.size; }",
        );
    }

    #[test]
    fn struct_without_new() {
        check_none(&RULE, "struct S { static def make() = S(); }");
    }
}
