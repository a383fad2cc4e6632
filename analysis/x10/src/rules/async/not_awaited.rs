//! `async/not-awaited`

use crate::diagnostics::{Rule, Severity};

/// A result that is read while the activity that writes it may still run.
pub static RULE: Rule = Rule {
    code: "async/not-awaited",
    severity: Severity::Warning,
    summary: "A result that is read while the activity that writes it may still run.",
    explanation: r##"
`async S` starts `S` and goes on at once. So do `Rail.asyncCopy` and a kernel that is started by `async at (p) @CUDA`. What they write is there only
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
