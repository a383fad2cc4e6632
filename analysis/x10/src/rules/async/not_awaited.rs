//! `async/not-awaited`

use apg_syntax::{TextRange, TextSize};
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Fix, Related, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A result that is read while the activity that writes it may still run.
pub static RULE: Rule = Rule {
    code: "async/not-awaited",
    severity: Severity::Warning,
    summary: "A result that is read while the activity that writes it may still run.",
    explanation: r##"
`async S` starts `S` and continues at once. So do `Rail.asyncCopy` and a kernel that is started by `async at (p) @CUDA`. What they write is there only
after the end of a `finish` around them. The warning is given where the same code starts them, and reads the same elements or fields
afterwards, with nothing between that may wait: no end of a `finish`, no `when`, no clock, no loop that polls. It is given as well inside of a
`finish` that ends only after the read. Ranges and loops are compared by the elements that they stand for; what a kernel writes is taken as a
whole, unless its indices say more. `val`s that are other names of an object, a `GlobalRail` or a `GlobalRef` of it, and methods of the same file
are looked into. For `Rail.uncountedCopy` no `finish` waits at all.

Write `finish` before the statement that starts them; around a loop that starts many, so that they run at the same time.
"##,
    failing: r##"
class Example {
    static def squares(n:Long):Long {
        val result = new Rail[Long](n);
        for (i in 0..(n - 1)) async result(i) = i * i;
        return result(n - 1);
    }
}
"##,
    fixed: r##"
class Example {
    static def squares(n:Long):Long {
        val result = new Rail[Long](n);
        finish for (i in 0..(n - 1)) async result(i) = i * i;
        return result(n - 1);
    }
}
"##,
};

/// Memory that is read while what writes it may still run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAwaited {
    /// The name of what is read.
    pub name: SmolStr,
    /// The operation that writes it.
    pub writer: Writer,
    /// How the code can wait for it.
    pub remedy: Remedy,
    /// The read.
    pub read: TextRange,
    /// The statement that `finish` can be written before.
    pub finish: Option<TextSize>,
}

/// An operation that may still run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// A copy of elements.
    Copy,
    /// Something started by a method.
    Call(MethodId),
    /// A kernel.
    Kernel,
    /// Another activity.
    Activity,
}

/// How code waits for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// No `finish` waits for it: a `when` can.
    When,
    /// A barrier of its clock.
    Clock,
    /// A `finish` inside the one around both.
    InnerFinish,
    /// A `finish` around the loop, or inside of it.
    FinishAroundLoop,
    /// A `finish`.
    Finish,
}

impl Render for NotAwaited {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = &self.name;
        let what = match self.writer {
            Writer::Copy => "the copy".to_owned(),
            Writer::Call(method) => format!("what `{}` starts", method.name(cx.db)),
            Writer::Kernel => "the kernel".to_owned(),
            Writer::Activity => "what this starts".to_owned(),
        };
        let message = format!("`{name}` is read below while {what} may still run: nothing waits for it");
        let diagnostic = RULE.at(range, message).note(match self.remedy {
            Remedy::When => {
                "no `finish` waits for it: let it tell when it is done, and wait for that by `when`"
            }
            Remedy::Clock => "let all activities meet on their clock before the read: `Clock.advanceAll()`",
            Remedy::InnerFinish => {
                "the `finish` around both waits only at its end: write another one before this statement"
            }
            Remedy::FinishAroundLoop => "write `finish` around the loop, or before this statement",
            Remedy::Finish => "write `finish` before it",
        });
        let diagnostic = diagnostic.related(Related {
            file: cx.item.file(cx.db),
            range: self.read,
            message: "it is read here".to_owned(),
        });
        match self.finish {
            Some(start) => diagnostic.fix(Fix::insert("Write `finish`", start, "finish ")),
            None => diagnostic,
        }
    }
}
