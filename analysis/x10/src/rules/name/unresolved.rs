//! `name/unresolved`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A name that nothing in scope declares.
pub static RULE: Rule = Rule {
    code: "name/unresolved",
    severity: Severity::Error,
    summary: "A name that nothing in scope declares.",
    explanation: r##"
A name must be declared: as a local variable or formal parameter around its use, as a field, method or
type parameter of an enclosing class, or as a class that the file's package, its imports or `x10.lang` provide.

Usually it is misspelt, or the class that declares it is not imported. Correct the spelling, declare it, or
add the `import`.
"##,
    failing: r##"
class Example {
    static def twice(number:Long) = 2 * numbr;
}
"##,
    fixed: r##"
class Example {
    static def twice(number:Long) = 2 * number;
}
"##,
};

/// A word that has no meaning where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unresolved {
    /// `x -> e` where there is no `x`: a closure as other languages write it.
    ArrowClosure {
        /// The formal.
        name: SmolStr,
    },
    /// `self` outside of a constraint.
    SelfOutside,
    /// `super` as a value.
    SuperAsValue,
    /// A package has no such type.
    NotInPackage {
        /// The package.
        package: SmolStr,
        /// The name.
        name: SmolStr,
        /// Types of that name in other packages.
        elsewhere: Vec<SmolStr>,
    },
}

impl Render for Unresolved {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            Unresolved::ArrowClosure { name } => RULE
                .at(range, format!("there is no `{name}` here, and a closure is written with `=>`"))
                .note(format!("write `({name}:Type) => ...`")),
            Unresolved::SelfOutside => RULE
                .at(range, "`self` has a meaning only in the constraint of a type")
                .note("the object itself is called `this`"),
            Unresolved::SuperAsValue => {
                RULE.at(range, "`super` is no value: a method or field has to be selected from it")
            }
            Unresolved::NotInPackage { package, name, elsewhere } => {
                let diagnostic = RULE.at(range, format!("the package `{package}` has no type `{name}`"));
                elsewhere.iter().fold(diagnostic, |it, there| it.note(format!("there is `{there}`")))
            }
        }
    }
}
