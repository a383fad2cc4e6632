//! `place/lost-write`

use apg_syntax::TextRange;

use crate::body::Captured;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A change of a copy that nothing sees.
pub static RULE: Rule = Rule {
    code: "place/lost-write",
    severity: Severity::Warning,
    summary: "A change of a copy that nothing sees.",
    explanation: r##"
`at (p) S` runs `S` on copies of all objects that it captures, also where `p` is `here`. What `S` assigns to an element or a field of such an object
changes the copy, which is dropped when `S` ends: the object outside stays as it is. The warning is given where nothing in the `at` uses the copy.

Deliver the value as the result of the `at`, `a(i) = at (p) e`. Or hold the object in a `GlobalRef` and go back to it with the value,
`at (ref) ref()(i) = v`. Elements of a `GlobalRail` are copied by `Rail.asyncCopy`; an object for each place is in a `PlaceLocalHandle`.
"##,
    failing: r##"
class Example {
    static def identify(p:Place):Rail[Long] {
        val ids = new Rail[Long](1);
        at (p) {
            ids(0) = here.id;
        }
        return ids;
    }
}
"##,
    fixed: r##"
class Example {
    static def identify(p:Place):Rail[Long] {
        val ids = new Rail[Long](1);
        ids(0) = at (p) here.id;
        return ids;
    }
}
"##,
};

/// A change of a captured copy that nothing reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostWrite {
    /// The captured variable.
    pub root: Captured,
}

impl Render for LostWrite {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = match self.root {
            Captured::Local(local) => cx.local_name(local),
            Captured::This => "this",
        };
        RULE.at(range, format!("this changes a copy of `{name}`, which is lost when the `at` ends"))
            .note(format!("an `at` works on copies of what it captures: `{name}` outside of it stays as it is"))
            .note(format!(
                "deliver the value as the result, `val v = at (p) e`, or make `val g = GlobalRef({name})` before the `at` and go back in it: `at (g) {{ ... g() ... }}`"
            ))
    }
}
