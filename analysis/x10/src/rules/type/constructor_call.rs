//! `type/constructor-call`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A constructor call that completes no object.
pub static RULE: Rule = Rule {
    code: "type/constructor-call",
    severity: Severity::Error,
    summary: "A constructor call that completes no object.",
    explanation: r##"
`this(...)`, `super(...)` and `property(...)` complete the object that is being made; they are statements of a constructor, and not of the closures and
activities in it. Constructors that call each other in a circle complete none.
"##,
    failing: r##"
class Example(size:Long) {
    def this(size:Long) {
        property(size);
    }
    def grow() {
        property(2);
    }
}
"##,
    fixed: r##"
class Example(size:Long) {
    def this(size:Long) {
        property(size);
    }
    def grow() = new Example(2);
}
"##,
};

/// A constructor call where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstructorCall {
    /// `this(...)` as an expression.
    ThisAsValue,
    /// `super(...)` or `this(...)` outside of a constructor.
    OutsideConstructor {
        /// `super` or `this`.
        word: &'static str,
    },
    /// `property(...)` outside of a constructor.
    Properties,
}

impl Render for ConstructorCall {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            ConstructorCall::ThisAsValue => {
                RULE.at(range, "`this(...)` can only be called at the start of a constructor")
            }
            ConstructorCall::OutsideConstructor { word } => RULE
                .at(range, format!("`{word}(...)` can only be called in a constructor"))
                .note(format!("to call a method of the object, write `{word}.name(...)`")),
            ConstructorCall::Properties => {
                RULE.at(range, "`property(...)` can only be called in a constructor")
            }
        }
    }
}
