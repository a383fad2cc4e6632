//! `type/not-enclosing`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::ClassId;
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A class whose `this` or superclass is not at hand.
pub static RULE: Rule = Rule {
    code: "type/not-enclosing",
    severity: Severity::Error,
    summary: "A class whose `this` or superclass is not at hand.",
    explanation: r##"
`C.this` is the object of a class around the code, and `super` selects from the superclass; a class that extends nothing has none.
"##,
    failing: r##"
class Other {
    var count:Long = 0;
}
class Example {
    def count():Long = Other.this.count;
}
"##,
    fixed: r##"
class Other {
    var count:Long = 0;
}
class Example {
    val other = new Other();
    def count():Long = other.count;
}
"##,
};

/// A use of an object around the code that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotEnclosing {
    /// `C.this` with a `C` that is no class.
    NoClass,
    /// `C.this` outside of `C`.
    NotInside {
        /// The class.
        ty: Ty,
    },
    /// `super` in a class without superclass.
    NoSuperclass {
        /// The class.
        class: ClassId,
    },
    /// `x.new C()` of a class whose objects are not inside other objects.
    NotInner {
        /// The class.
        name: SmolStr,
    },
}

impl Render for NotEnclosing {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            NotEnclosing::NoClass => RULE.at(range, "`C.this` needs the name of a class around this code"),
            NotEnclosing::NotInside { ty } => {
                RULE.at(range, format!("the code is not inside `{}`", cx.show(*ty)))
            }
            NotEnclosing::NoSuperclass { class } => {
                RULE.at(range, format!("`{}` has no superclass", class.name(cx.db)))
            }
            NotEnclosing::NotInner { name } => RULE
                .at(range, format!("objects of `{name}` are not inside other objects"))
                .note(format!("write `new {name}(...)` alone")),
        }
    }
}
