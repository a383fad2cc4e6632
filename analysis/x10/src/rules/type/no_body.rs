//! `type/no-body`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A method without code, or with code that it must not have.
pub static RULE: Rule = Rule {
    code: "type/no-body",
    severity: Severity::Error,
    summary: "A method without code, or with code that it must not have.",
    explanation: r##"
A method has a body unless it is `abstract` or `native` or belongs to an interface; such a method has none. An abstract
method can only be declared by an abstract class or an interface.
"##,
    failing: r##"
class Example {
    def area():Long;
}
"##,
    fixed: r##"
abstract class Example {
    abstract def area():Long;
}
"##,
};

/// A method whose body does not fit its declaration, or a call of one without a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoBody {
    /// A call of an abstract method through `super`.
    CalledBySuper(MethodId),
    /// A native method without native code.
    NativeWithoutCode(MethodId),
    /// A method of an interface with a body.
    BodyInInterface(MethodId),
    /// An abstract method with a body.
    BodyOfAbstract(MethodId),
    /// An abstract method of a class that is not.
    AbstractInConcreteClass(MethodId),
    /// A method without a body.
    Missing(MethodId),
}

impl NoBody {
    fn method(&self) -> MethodId {
        match self {
            NoBody::CalledBySuper(method)
            | NoBody::NativeWithoutCode(method)
            | NoBody::BodyInInterface(method)
            | NoBody::BodyOfAbstract(method)
            | NoBody::AbstractInConcreteClass(method)
            | NoBody::Missing(method) => *method,
        }
    }
}

impl Render for NoBody {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let method = self.method();
        let (class, name) = (method.class(cx.db).name(cx.db), method.name(cx.db));
        let (message, note) = match self {
            NoBody::CalledBySuper(_) => (
                format!("`{name}` is abstract in `{class}`: there is no code that `super.{name}` could run"),
                "leave the call out, or give the method of the superclass a body",
            ),
            NoBody::NativeWithoutCode(_) => (
                format!("nothing says what the native method `{name}` calls"),
                "write `@Native(\"c++\", \"code\")` in front of it, with `import x10.compiler.Native;`; or give it a body",
            ),
            NoBody::BodyInInterface(_) => (
                format!("`{name}` belongs to an interface and has a body"),
                "an interface promises methods: write the body in the classes that implement it",
            ),
            NoBody::BodyOfAbstract(_) => (
                format!("`{name}` is abstract and has a body"),
                "remove the body, or the modifier `abstract`",
            ),
            NoBody::AbstractInConcreteClass(_) => (
                format!("`{name}` is abstract, but `{class}` is not"),
                "declare the class `abstract`, or give the method a body",
            ),
            NoBody::Missing(_) => {
                (format!("`{name}` has no body"), "write one, or declare the method `abstract` or `native`")
            }
        };
        RULE.at(range, message).note(note)
    }
}
