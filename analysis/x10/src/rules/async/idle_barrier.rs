//! `async/idle-barrier`

use apg_syntax::{TextRange, TextSize};

use crate::diagnostics::{Diagnostic, Fix, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A barrier in an activity that is on no clock.
pub static RULE: Rule = Rule {
    code: "async/idle-barrier",
    severity: Severity::Warning,
    summary: "A barrier in an activity that is on no clock.",
    explanation: r##"
`Clock.advanceAll()` waits for the other activities of all clocks that *this* activity is registered on. An `async` without `clocked` is on
none, also inside of a `clocked finish`: the barrier waits for nobody.

Write `clocked async` for each activity of a `clocked finish`, or name the clocks: `async clocked (c) ...`.
"##,
    failing: r##"
class Example {
    static def phases(a:Rail[Long], b:Rail[Long]) {
        clocked finish {
            for (i in 0..3) async {
                a(i) = i;
                Clock.advanceAll();
                b(i) = a(3 - i);
            }
        }
    }
}
"##,
    fixed: r##"
class Example {
    static def phases(a:Rail[Long], b:Rail[Long]) {
        clocked finish {
            for (i in 0..3) clocked async {
                a(i) = i;
                Clock.advanceAll();
                b(i) = a(3 - i);
            }
        }
    }
}
"##,
};

/// A barrier in an activity that is on no clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleBarrier {
    /// The start of the `async`, if a `clocked finish` around it can register its activity.
    pub clockable: Option<TextSize>,
}

impl Render for IdleBarrier {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let diagnostic = RULE.at(range, "this activity is on no clock: the barrier waits for nobody");
        match self.clockable {
            Some(start) => diagnostic
                .note("write `clocked async` for each activity of a `clocked finish`")
                .fix(Fix::insert("Write `clocked async`", start, "clocked ")),
            None => diagnostic
                .note("write `clocked finish` around the activities and `clocked async` for each, or name the clocks: `async clocked (c)`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::check_fix;

    #[test]
    fn activity_of_a_clocked_finish_joins_its_clock() {
        check_fix(
            &RULE,
            "class A { def f() { clocked finish { async { Clock.advanceAll(); } } } }",
            "class A { def f() { clocked finish { clocked async { Clock.advanceAll(); } } } }",
        );
    }
}
