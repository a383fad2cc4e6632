//! `flow/this-too-early`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// `this` is used before there is an object.
pub static RULE: Rule = Rule {
    code: "flow/this-too-early",
    severity: Severity::Error,
    summary: "`this` is used before there is an object.",
    explanation: r##"
A constructor starts with `this(...)` or `super(...)`, and one of a class with properties then sets them by `property(...)`. The
fields come after that: neither they nor any method that uses them can be used before (X10 2.6, "Fine Structure of
Constructors"). What leads to the properties' values is computed from the formals and in local variables.
"##,
    failing: r##"
class Example(size:Long) {
    var used:Long = 1;
    def this(wanted:Long) {
        property(wanted + used);
    }
}
"##,
    fixed: r##"
class Example(size:Long) {
    var used:Long = 1;
    def this(wanted:Long) {
        property(wanted + 1);
    }
}
"##,
};

/// A use of the object before its constructor has set the superclass or the properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThisTooEarly {
    /// The use.
    pub used: EarlyUse,
    /// The call that must come first.
    pub required: RequiredCall,
}

/// A use of an object under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyUse {
    /// `this`
    This,
    /// `super`
    Super,
    /// A method of the object.
    Call(MethodId),
}

/// A call in a constructor that makes a part of the object usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredCall {
    /// `property(...)`
    Property,
    /// `super(...)`
    Super,
}

impl Render for ThisTooEarly {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let before = match self.required {
            RequiredCall::Property => "`property(...)`",
            RequiredCall::Super => "`super(...)`",
        };
        let (message, note) = match self.used {
            EarlyUse::Call(method) => (
                format!("`{}` cannot be called before {before}", method.name(cx.db)),
                "until then only methods can be called that neither read nor assign fields, or that are marked `@NoThisAccess`",
            ),
            EarlyUse::This | EarlyUse::Super => (
                format!(
                    "`{}` cannot be used before {before}",
                    if self.used == EarlyUse::Super { "super" } else { "this" }
                ),
                "there are no fields yet: compute the values in `val`s of the constructor, and use those",
            ),
        };
        RULE.at(range, message).note(note)
    }
}
