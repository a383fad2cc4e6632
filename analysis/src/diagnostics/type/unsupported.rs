//! `type/unsupported`

use crate::diagnostics::{Rule, Severity};

/// A part of X10 that apg does not compile yet.
pub static RULE: Rule = Rule {
    code: "type/unsupported",
    severity: Severity::Error,
    summary: "A part of X10 that apg does not compile yet.",
    explanation: r##"
The construct is X10, and it is parsed and formatted, but it cannot be compiled yet. apg says so rather than to compile it wrongly.

The note of the message says how to write the same without it.
"##,
    failing: r##"
class Example {
    static def main(args:Rail[String]) {
        val least = 2;
        val limit = new Any() {
            public def toString():String = "at least " + least;
        };
        Console.OUT.println(limit);
    }
}
"##,
    mended: r##"
class Limit {
    val least:Long;
    def this(least:Long) { this.least = least; }
    public def toString():String = "at least " + least;
}
class Example {
    static def main(args:Rail[String]) {
        val limit = new Limit(2);
        Console.OUT.println(limit);
    }
}
"##,
};
