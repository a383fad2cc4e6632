//! `flow/jump-target`

use crate::diagnostics::{Rule, Severity};

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
