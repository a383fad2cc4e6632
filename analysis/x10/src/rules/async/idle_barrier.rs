//! `async/idle-barrier`

use crate::diagnostics::{Rule, Severity};

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
