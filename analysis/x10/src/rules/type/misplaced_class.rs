//! `type/misplaced-class`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::ClassId;
use crate::rules::render::{Render, RenderContext};

/// A struct or static class where it cannot stand.
pub static RULE: Rule = Rule {
    code: "type/misplaced-class",
    severity: Severity::Error,
    summary: "A struct or static class where it cannot stand.",
    explanation: r##"
A struct inside a class is declared `static`: it holds its fields and nothing else, so it cannot belong to an object of the class
around it. And a class that does belong to an object, an inner class, cannot have static member classes.
"##,
    failing: r##"
class Example {
    struct Pair {
        val a:Long = 1;
    }
}
"##,
    fixed: r##"
class Example {
    static struct Pair {
        val a:Long = 1;
    }
}
"##,
};

/// A member class whose class cannot hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MisplacedClass {
    /// A member struct that is not static.
    InnerStruct(ClassId),
    /// A static member class of an inner class.
    StaticInInner {
        /// The static class.
        class: ClassId,
        /// The inner class around it.
        outer: ClassId,
    },
}

impl Render for MisplacedClass {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            MisplacedClass::InnerStruct(class) => RULE
                .at(range, format!("the struct `{}` inside a class must be `static`", class.name(cx.db)))
                .note("a struct holds its fields and nothing else, so it cannot belong to an object: write `static struct`"),
            MisplacedClass::StaticInInner { class, outer } => {
                let (class, outer) = (class.name(cx.db), outer.name(cx.db));
                RULE.at(range, format!("`{class}` is static, but `{outer}` around it is not"))
                    .note("an inner class belongs to an object, and has no static member classes: move it out, or make the class around it `static`")
            }
        }
    }
}
