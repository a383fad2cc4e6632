//! `type/no-outer-object`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::ClassId;
use crate::rules::render::{Render, RenderContext};

/// An object of an inner class without an object around it.
pub static RULE: Rule = Rule {
    code: "type/no-outer-object",
    severity: Severity::Error,
    summary: "An object of an inner class without an object around it.",
    explanation: r##"
A class declared inside another without `static` is an inner class: each of its objects is inside an object of the class around,
`Outer.this`. In an instance method of that class, `new Inner()` puts the new object inside `this`. In static code, and in other classes,
there is no such object: `value.new Inner()` says which one is meant.

A class that does not need the object around is better declared `static`.
"##,
    failing: r##"
class List {
    class Node {
        var next:Node = null;
    }
    static def single():Node = new Node();
}
"##,
    fixed: r##"
class List {
    static class Node {
        var next:Node = null;
    }
    static def single():Node = new Node();
}
"##,
};

/// A class whose objects are inside others is instantiated where there is no such object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoOuterObject {
    /// The class.
    pub class: ClassId,
    /// The class of the object around.
    pub outer: ClassId,
}

impl Render for NoOuterObject {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (name, outer) = (self.class.name(cx.db), self.outer.name(cx.db));
        RULE.at(
            range,
            format!("objects of `{name}` are inside an object of `{outer}`, and there is none here"),
        )
        .note(format!("name the object with `value.new {name}(...)`, or declare `static class {name}`"))
    }
}
