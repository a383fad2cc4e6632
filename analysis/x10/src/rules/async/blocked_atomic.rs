//! `async/blocked-atomic`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Code of an `atomic` or `when` that starts or waits for other activities.
pub static RULE: Rule = Rule {
    code: "async/blocked-atomic",
    severity: Severity::Warning,
    summary: "Code of an `atomic` or `when` that starts or waits for other activities.",
    explanation: r##"
While an activity runs the code of an `atomic` or `when`, no other `atomic` of the place runs. What waits in there (`finish`, `at`, a further `when`,
the barrier of a clock) could wait for an activity that waits for this one, and what it starts (`async`) would not belong to the step. X10
2.6 forbids both, and raises an `IllegalOperationException` when the program gets there.

Do only the step itself in the `atomic`: compute before it, with the values in `val`s, and start or wait after it.
"##,
    failing: r##"
class Example {
    static def add(sum:Cell[Long], p:Place, work:()=>Long) {
        atomic {
            finish async work();
            sum() += 1;
        }
    }
}
"##,
    fixed: r##"
class Example {
    static def add(sum:Cell[Long], p:Place, work:()=>Long) {
        finish async work();
        atomic {
            sum() += 1;
        }
    }
}
"##,
};

/// An operation that blocks or starts activities in `atomic` code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedAtomic {
    /// The keyword or call.
    pub operation: BlockingOperation,
}

/// Operations that block or start activities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockingOperation {
    /// `async`
    Async,
    /// `ateach`
    AtEach,
    /// `finish`
    Finish,
    /// `at`
    At,
    /// `when`
    When,
    /// `Clock.advanceAll()`
    Barrier,
}

impl BlockingOperation {
    /// As it is written.
    fn as_str(self) -> &'static str {
        match self {
            BlockingOperation::Async => "async",
            BlockingOperation::AtEach => "ateach",
            BlockingOperation::Finish => "finish",
            BlockingOperation::At => "at",
            BlockingOperation::When => "when",
            BlockingOperation::Barrier => "Clock.advanceAll()",
        }
    }
}

impl Render for BlockedAtomic {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("`{}` in the code of an `atomic` or `when`", self.operation.as_str()))
            .note("it would wait or start others while no other `atomic` of the place can run: an IllegalOperationException is raised here when the program runs")
            .note("do it before or after the `atomic`, with what both need in a `val`")
    }
}
