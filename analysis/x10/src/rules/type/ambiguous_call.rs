//! `type/ambiguous-call`

use crate::diagnostics::{Rule, Severity};

/// A call that several methods fit equally well.
pub static RULE: Rule = Rule {
    code: "type/ambiguous-call",
    severity: Severity::Error,
    summary: "A call that several methods fit equally well.",
    explanation: r##"
Of the methods that fit a call, one must be more specific than all others: each of its formals takes no more than the other's does.
Where two methods are each better for one argument, X10 does not choose.

Convert an argument with `as`, so that only one method is best.
"##,
    failing: r##"
class Example {
    static def pick(a:Any, b:String) = "first";
    static def pick(a:String, b:Any) = "second";
    static def main(args:Rail[String]) {
        Console.OUT.println(pick("a", "b"));
    }
}
"##,
    fixed: r##"
class Example {
    static def pick(a:Any, b:String) = "first";
    static def pick(a:String, b:Any) = "second";
    static def main(args:Rail[String]) {
        Console.OUT.println(pick("a" as Any, "b"));
    }
}
"##,
};
