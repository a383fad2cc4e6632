//! `async/unclocked`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Fix, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A `clocked async` outside any `clocked finish`.
pub static RULE: Rule = Rule {
    code: "async/unclocked",
    severity: Severity::Error,
    summary: "A `clocked async` outside any `clocked finish`.",
    explanation: r##"
The clock of a `clocked async` is that of the `clocked finish` around it: all its activities meet at `Clock.advanceAll()`. The `finish`
must be the innermost one around the `async`, in the same method or closure.

Write `clocked finish`, or name the clocks that the activity is registered on: `async clocked (c) ...`.
"##,
    failing: r##"
class Example {
    static def main(args:Rail[String]) {
        finish {
            for (i in 0..3) clocked async Clock.advanceAll();
        }
    }
}
"##,
    fixed: r##"
class Example {
    static def main(args:Rail[String]) {
        clocked finish {
            for (i in 0..3) clocked async Clock.advanceAll();
        }
    }
}
"##,
};

/// A `clocked async` outside of a `clocked finish`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclocked {
    /// The word `finish` of the `finish` that waits for it.
    pub finish: Option<TextRange>,
}

impl Render for Unclocked {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let diagnostic = RULE.at(range, "no `clocked finish` is around this `clocked async`").note(
            "write `clocked finish` for the `finish` that waits for it, or name the clocks: `async clocked (c)`",
        );
        match self.finish {
            Some(finish) => diagnostic.fix(Fix::insert("Write `clocked finish`", finish.start(), "clocked ")),
            None => diagnostic,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::check_fix;

    #[test]
    fn finish_becomes_clocked() {
        check_fix(
            &RULE,
            "class A { def f() { finish { clocked async f(); } } }",
            "class A { def f() { clocked finish { clocked async f(); } } }",
        );
    }
}
