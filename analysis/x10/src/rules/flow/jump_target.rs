//! `flow/jump-target`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::jump;

/// A `break`, `continue` or `return` that has nowhere to go.
pub static RULE: Rule = Rule {
    code: "flow/jump-target",
    severity: Severity::Error,
    summary: "A `break`, `continue` or `return` that has nowhere to go.",
    explanation: r##"
`break` leaves the loop or `switch` around it, or the statement of the given label; `continue` starts the next round of a
loop; `return` ends the method, closure or `at` expression. None of them can leave an `async`, an `at` or a closure: that code runs in another
activity, at another place, or later, and does not end what it was written in.

Move the jump to where it can be made, or let the inner code deliver a value that the code outside tests. An activity ends where its code
does: instead of `if (i >= n) return;`, as in a CUDA kernel, what follows is written under `if (i < n)`.
"##,
    failing: r##"
class Example {
    static def first(numbers:Rail[Long]):Long {
        finish for (number in numbers) async {
            if (number > 0) return number;
        }
        return 0;
    }
}
"##,
    fixed: r##"
class Example {
    static def first(numbers:Rail[Long]):Long {
        for (number in numbers) {
            if (number > 0) return number;
        }
        return 0;
    }
}
"##,
};

/// A jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jump {
    /// `break`
    Break,
    /// `continue`
    Continue {
        /// It names a label.
        has_label: bool,
    },
    /// `return`
    Return {
        /// It returns a value.
        has_value: bool,
    },
}

impl Jump {
    fn keyword(self) -> &'static str {
        match self {
            Jump::Break => "break",
            Jump::Continue { .. } => "continue",
            Jump::Return { .. } => "return",
        }
    }
}

/// A jump without a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JumpTarget {
    /// The target is outside of the code around the jump.
    Outside {
        /// The jump.
        jump: Jump,
        /// The closure, activity or place around it, as messages call it.
        around: &'static str,
        /// That is an activity.
        is_activity: bool,
    },
    /// `continue` names a statement that is no loop.
    NotALoop {
        /// The label.
        label: SmolStr,
    },
    /// No statement around the jump has the label.
    UnknownLabel {
        /// The jump.
        jump: Jump,
        /// The label.
        label: SmolStr,
        /// A label that resembles it.
        similar: Option<SmolStr>,
    },
    /// Nothing around the jump can be left by it.
    NoTarget {
        /// The jump.
        jump: Jump,
    },
}

impl Render for JumpTarget {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            JumpTarget::Outside { jump, around, is_activity } => {
                let message = format!("`{}` cannot leave the {around} around it", jump.keyword());
                outside(RULE.at(range, message), *jump, *is_activity, range, cx)
            }
            JumpTarget::NotALoop { label } => {
                RULE.at(range, format!("`continue` needs a loop, and `{label}` labels another statement"))
            }
            JumpTarget::UnknownLabel { jump, label, similar } => {
                let message = format!("no statement around this `{}` is labelled `{label}`", jump.keyword());
                let diagnostic = RULE.at(range, message);
                match similar {
                    Some(similar) => diagnostic.note(format!("did you mean `{similar}`?")),
                    None => diagnostic,
                }
            }
            JumpTarget::NoTarget { jump: Jump::Break } => {
                RULE.at(range, "`break` stands outside any loop or `switch`")
            }
            JumpTarget::NoTarget { jump } => {
                RULE.at(range, format!("`{}` stands outside any loop", jump.keyword()))
            }
        }
    }
}

/// What to write in place of a jump out of the code around it.
fn outside(
    mut diagnostic: Diagnostic,
    jump: Jump,
    is_activity: bool,
    range: TextRange,
    cx: &RenderContext<'_>,
) -> Diagnostic {
    let node = || jump::jump_at(&cx.syntax()?, range);
    match jump {
        Jump::Return { has_value: true } => diagnostic.note(
            "another activity or place cannot end the method: assign the result to a variable, or use an `at` expression",
        ),
        Jump::Return { has_value: false } => {
            let Some(node) = node() else { return diagnostic };
            diagnostic.fixes.extend(jump::fix(&node));
            diagnostic.note(format!(
                "another activity or place cannot end the method, and ends itself where its code does: {}",
                jump::advice(&node)
            ))
        }
        Jump::Break if is_activity => diagnostic.note(
            "the activities that a loop starts run side by side, and none stops the others: let each find out whether it has something to do",
        ),
        Jump::Continue { has_label } if is_activity => {
            let Some(node) = node() else { return diagnostic };
            diagnostic.fixes.extend(jump::fix(&node).filter(|_| !has_label));
            diagnostic.note(format!("an activity ends where its code does: {}", jump::advice(&node)))
        }
        Jump::Break | Jump::Continue { .. } => diagnostic
            .note("code of a closure or another place does not run inside the loop: test the condition outside"),
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_fix, check_none};

    #[test]
    fn return_in_an_activity_becomes_a_condition() {
        check_fix(
            &RULE,
            "class A { def f(n:Long) { finish async { if (n < 0) return; Console.OUT.println(n); } } }",
            "class A { def f(n:Long) { finish async { if (!(n < 0)) { Console.OUT.println(n); } } } }",
        );
    }

    #[test]
    fn break_out_of_an_activity() {
        check(
            &RULE,
            "class A { def f() { finish for (i in 0..9) async { if (i > 3) $0break;$0 } } }",
            "`break` cannot leave the `async` around it",
        );
    }

    #[test]
    fn break_of_a_loop_in_an_activity() {
        check_none(&RULE, "class A { def f() { finish async { for (i in 0..9) if (i > 3) break; } } }");
    }
}
