//! `type/bad-override`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::db::Db;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::{ClassId, MethodId};
use crate::members::describe_method;
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A method that does not fit the method that it overrides.
pub static RULE: Rule = Rule {
    code: "type/bad-override",
    severity: Severity::Error,
    summary: "A method that does not fit the method that it overrides.",
    explanation: r##"
A method that overrides another stands for it wherever the other is called. So its result is a subtype of the other's,
it can be seen at least as far, it is static only if the other is, and the other is not `final`.

Constraints count: `Long` is no subtype of `Long{self!=0}`. Formals have the same constraints, for methods whose formals differ in
constraints alone are neither one method nor two.
"##,
    failing: r##"
class Shape {
    public def area():Long = 0;
}
class Square extends Shape {
    public def area():String = "large";
}
"##,
    fixed: r##"
class Shape {
    public def area():Long = 0;
}
class Square extends Shape {
    public def area():Long = 1;
}
"##,
};

/// A method does not fit the method that it overrides or is inherited with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadOverride {
    /// One of the two is static.
    Static {
        /// The overridden method.
        other: MethodId,
        /// Whether it is the overriding method.
        is_static: bool,
    },
    /// The overridden method is a property method with a body.
    OfPropertyMethod(MethodId),
    /// The overridden method is an abstract property method, and the overriding one is none.
    NotPropertyMethod(MethodId),
    /// The overridden method is `final`.
    OfFinal(MethodId),
    /// The overriding method is less visible.
    LessVisible {
        /// The overridden method.
        other: MethodId,
        /// Whether that one is public.
        is_public: bool,
    },
    /// The guard of the overriding method does not follow from that of this one.
    StrongerGuard(MethodId),
    /// The overriding method throws more.
    ThrowsMore {
        /// The overridden method.
        other: MethodId,
        /// The checked exception that only the overriding method declares.
        exception: Ty,
    },
    /// A formal has another constraint.
    Formal {
        /// The overridden method.
        other: MethodId,
        /// The formal's name in the overriding method.
        formal: SmolStr,
        /// Its type there.
        given: Ty,
        /// Its type in the overridden method.
        wanted: Ty,
    },
    /// The result is no subtype.
    Result {
        /// What asks for the result.
        promise: Promise,
        /// The result of the overriding method.
        given: Ty,
        /// The required result.
        wanted: Ty,
    },
    /// A class inherits two methods whose results exclude each other.
    Conflict {
        /// The class.
        class: ClassId,
        /// One of the methods.
        first: InheritedMethod,
        /// The other.
        second: InheritedMethod,
    },
}

/// What a method must agree with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Promise {
    /// A method that it overrides.
    Method(MethodId),
    /// A function type that its class implements.
    Function(Ty),
}

/// A method as a class inherits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InheritedMethod {
    /// The method.
    pub method: MethodId,
    /// The supertype that declares it.
    pub owner: Ty,
    /// Its result, seen from the class.
    pub result: Ty,
}

impl Render for BadOverride {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let db = cx.db;
        let (message, note) = match self {
            BadOverride::Static { other, is_static } => {
                let (mine, their) = if *is_static { ("static", "is not") } else { ("not static", "is") };
                let name = method_of_class(db, *other);
                let message = format!("this method is {mine}, but {name}, which it overrides, {their}");
                return RULE.at(range, message);
            }
            BadOverride::OfPropertyMethod(other) => (
                format!("{} is a property method and cannot be overridden", method_of_class(db, *other)),
                "constraints are decided by what it says: give this method another name".to_owned(),
            ),
            BadOverride::NotPropertyMethod(other) => (
                format!("{} is a property method, so this must be one as well", method_of_class(db, *other)),
                "constraints speak of it: write `property` instead of `def`".to_owned(),
            ),
            BadOverride::OfFinal(other) => (
                format!("{} is `final` and cannot be overridden", method_of_class(db, *other)),
                "remove `final` there, or give this method another name".to_owned(),
            ),
            BadOverride::LessVisible { other, is_public } => {
                let name = method_of_class(db, *other);
                let modifier = match is_public {
                    true => "write `public` before it",
                    false => "give it the same access modifier",
                };
                (
                    format!("this method can be seen less far than {name}, which it overrides"),
                    format!("every caller of that method must be able to call this one: {modifier}"),
                )
            }
            BadOverride::StrongerGuard(other) => (
                format!(
                    "the guard of this method asks for more than that of {}",
                    method_of_class(db, *other)
                ),
                "who may call that one must be able to call this: the guard may be weaker, not stronger"
                    .to_owned(),
            ),
            BadOverride::ThrowsMore { other, exception } => {
                let (name, exception) = (method_of_class(db, *other), cx.show(*exception));
                (
                    format!("this method throws `{exception}`, and {name} does not"),
                    "who calls that one catches only what it declares: declare it there too, or catch it here"
                        .to_owned(),
                )
            }
            BadOverride::Formal { other, formal, given, wanted } => {
                let (name, given, wanted) = (method_of_class(db, *other), cx.show(*given), cx.show(*wanted));
                (
                    format!("`{formal}` is `{given}`, but {name} takes `{wanted}`"),
                    format!("to override it, take `{wanted}`; to be another method, have another name"),
                )
            }
            BadOverride::Result { promise, given, wanted } => {
                let name = match promise {
                    Promise::Method(other) => method_of_class(db, *other),
                    Promise::Function(ty) => format!("`{}`, which its class implements,", cx.show(*ty)),
                };
                let (given, shown) = (cx.show(*given), cx.show(*wanted));
                (
                    format!("the result is `{given}`, but {name} gives `{shown}`"),
                    match wanted.is_void(db) {
                        true => "it must not give a result: declare it `:void`".to_owned(),
                        false => format!("make the result `{shown}` or a subtype"),
                    },
                )
            }
            BadOverride::Conflict { class, first, second } => (
                format!(
                    "`{}` inherits `{}` from `{}` with the result `{}`, and from `{}` with `{}`",
                    class.name(db),
                    describe_method(db, first.method),
                    cx.show(first.owner),
                    cx.show(first.result),
                    cx.show(second.owner),
                    cx.show(second.result)
                ),
                "no method can deliver both: rename one of them, or do not inherit from both".to_owned(),
            ),
        };
        RULE.at(range, message).note(note)
    }
}

/// "`method` of `Class`"
fn method_of_class(db: &dyn Db, method: MethodId) -> String {
    format!("`{}` of `{}`", method.name(db), method.class(db).name(db))
}
