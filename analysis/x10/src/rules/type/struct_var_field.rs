//! `type/struct-var-field`

use crate::diagnostics::{Rule, Severity};

/// A struct with a field that can change.
pub static RULE: Rule = Rule {
    code: "type/struct-var-field",
    severity: Severity::Error,
    summary: "A struct with a field that can change.",
    explanation: r##"
A struct is a value: it is copied wherever it goes, into arguments, elements of rails and other places. A change of one copy
would be lost in the others, so the fields of a struct are all `val`. Make a changed struct instead, or use a class.
"##,
    failing: r##"
struct Counter {
    var count:Long = 0;
}
"##,
    fixed: r##"
struct Counter(count:Long) {
    def next():Counter = Counter(count + 1);
}
"##,
};
