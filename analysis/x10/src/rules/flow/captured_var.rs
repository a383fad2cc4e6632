//! `flow/captured-var`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::declare_as_val;

/// A closure that uses a `var` of the code around it.
pub static RULE: Rule = Rule {
    code: "flow/captured-var",
    severity: Severity::Error,
    summary: "A closure that uses a `var` of the code around it.",
    explanation: r##"
A closure keeps copies of the variables that it uses, for it may be called when they are gone, and at another place.
A copy of a `var` would not follow its changes, so only `val`s can be used, and none can be assigned.

Copy the value into a `val` before the closure, or keep the changing value in an object, such as a `Cell`.
"##,
    failing: r##"
class Example {
    static def adder():(Long)=>Long {
        var step:Long = 1;
        step += 1;
        return (number:Long) => number + step;
    }
}
"##,
    fixed: r##"
class Example {
    static def adder():(Long)=>Long {
        var step:Long = 1;
        step += 1;
        val fixed = step;
        return (number:Long) => number + fixed;
    }
}
"##,
};

/// A `var` is used by code that keeps copies of variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CapturedVar {
    /// By a closure.
    Closure {
        /// The variable.
        local: LocalId,
        /// Whether the closure assigns it.
        is_assigned: bool,
    },
    /// By a class that is declared in the code.
    Class {
        /// The variable.
        name: SmolStr,
        /// Whether the class assigns it.
        is_assigned: bool,
    },
}

impl Render for CapturedVar {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            CapturedVar::Closure { local, is_assigned } => {
                let name = cx.local_name(*local);
                let does = if *is_assigned { "assign" } else { "use" };
                let diagnostic = RULE
                    .at(range, format!("a closure cannot {does} `{name}`, a variable of the code around it that changes"))
                    .note(format!(
                        "a closure keeps copies of what it captures: copy the value into a `val` before the closure, or put `{name}` into a `Cell`"
                    ));
                declare_as_val(cx, *local).into_iter().fold(diagnostic, Diagnostic::fix)
            }
            CapturedVar::Class { name, is_assigned } => {
                let does = if *is_assigned { "assign" } else { "use" };
                RULE.at(range, format!("a class cannot {does} `{name}`, a variable of the code around it that changes"))
                    .note(format!(
                        "its objects keep copies of what it uses: copy the value into a `val` before the class, or put `{name}` into a `Cell`"
                    ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::check_fix;

    #[test]
    fn unassigned_capture_becomes_a_val() {
        check_fix(
            &RULE,
            "class A { def f() { var x:Long = 1; return () => x; } }",
            "class A { def f() { val x:Long = 1; return () => x; } }",
        );
    }
}
