//! `flow/escaping-this`

use crate::diagnostics::{Rule, Severity};

/// `this` gets away before its object is constructed.
pub static RULE: Rule = Rule {
    code: "flow/escaping-this",
    severity: Severity::Error,
    summary: "`this` gets away before its object is constructed.",
    explanation: r##"
Until a constructor has ended, its object is not complete: fields may lack their values. So `this` must not become known to
anybody else meanwhile. In constructors, field initialisers and the methods that they call, `this` is only there to read and
assign fields and to call methods that cannot be overridden. It cannot be stored, passed on, compared, printed, captured by a
closure or an `at`, or kept by an object of an inner class (X10 2.6, "Object Initialization").

Do it after `new`: in a static method that makes the object and then uses it. What a closure needs of the object is copied into
`val`s first.
"##,
    failing: r##"
class Example {
    static val all = new Rail[Example](10);
    def this(index:Long) {
        all(index) = this;
    }
}
"##,
    fixed: r##"
class Example {
    static val all = new Rail[Example](10);
    def this() {}
    static def make(index:Long):Example {
        val made = new Example();
        all(index) = made;
        return made;
    }
}
"##,
};
