//! `type/mismatch`

use crate::diagnostics::{Rule, Severity};

/// A value of a type other than the one needed.
pub static RULE: Rule = Rule {
    code: "type/mismatch",
    severity: Severity::Error,
    summary: "A value of a type other than the one needed.",
    explanation: r##"
An initialiser, assignment, argument or `return` provides a value whose type is not a subtype of the one needed, and no
implicit conversion leads from the one to the other. X10 converts implicitly only where no information is
lost to the reader: `Int` to `Long`, `Long` to `Double`, and what a class declares with an implicit `operator`.

Convert explicitly with `as`, or change one of the two types.
"##,
    failing: r##"
class Example {
    static def count(text:String):Int {
        val length:Int = text;
        return length;
    }
}
"##,
    fixed: r##"
class Example {
    static def count(text:String):Int {
        val length:Int = text.length();
        return length;
    }
}
"##,
};
