//! `type/wrong-property-count`

use crate::diagnostics::{Rule, Severity};

/// Values for the wrong number of properties.
pub static RULE: Rule = Rule {
    code: "type/wrong-property-count",
    severity: Severity::Error,
    summary: "Values for the wrong number of properties.",
    explanation: r##"
`C(a,b)` as a type stands for `C{self.p==a, self.q==b}`, where `p` and `q` are all the properties of `C`. So it has
one value for each of them. To constrain only some, write the constraint in braces.
"##,
    failing: r##"
class Pixel(x:Long, y:Long) {
    static def origin(p:Pixel(0)):Boolean = true;
}
"##,
    fixed: r##"
class Pixel(x:Long, y:Long) {
    static def origin(p:Pixel{self.x==0}):Boolean = true;
}
"##,
};
