//! `type/misplaced-annotation`

use crate::diagnostics::{Rule, Severity};

/// An annotation where its interface does not let it stand.
pub static RULE: Rule = Rule {
    code: "type/misplaced-annotation",
    severity: Severity::Error,
    summary: "An annotation where its interface does not let it stand.",
    explanation: r##"
An annotation is an interface, and says by what it extends where it may stand: `ClassAnnotation`, `FieldAnnotation` (properties
too), `MethodAnnotation` (constructors and operators too), `StatementAnnotation`, `ExpressionAnnotation`, all of
`x10.lang.annotations` (X10 2.6, "Annotations on Program Elements").
"##,
    failing: r##"
import x10.lang.annotations.MethodAnnotation;

interface Checked extends MethodAnnotation {}

@Checked class Example {}
"##,
    fixed: r##"
import x10.lang.annotations.ClassAnnotation;

interface Checked extends ClassAnnotation {}

@Checked class Example {}
"##,
};
