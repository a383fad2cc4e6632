//! `name/duplicate-local`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A local variable with the name of another one.
pub static RULE: Rule = Rule {
    code: "name/duplicate-local",
    severity: Severity::Error,
    summary: "A local variable with the name of another one.",
    explanation: r##"
A local variable or formal may hide a field of the same name, which is still there as `this.name`, but not another local of the same
method or closure: a reader would take the one for the other.

Choose another name.
"##,
    failing: r##"
class Example {
    static def sum(number:Long):Long {
        for (number in 0..9) Console.OUT.println(number);
        return number;
    }
}
"##,
    fixed: r##"
class Example {
    static def sum(number:Long):Long {
        for (index in 0..9) Console.OUT.println(index);
        return number;
    }
}
"##,
};

/// A local variable that hides another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateLocal {
    /// The name of both.
    pub name: SmolStr,
}

impl Render for DuplicateLocal {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("`{}` is already the name of a local variable here", self.name)).note(
            "a local may hide a field, but not another local of the same method or closure: choose another name",
        )
    }
}
