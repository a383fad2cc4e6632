//! `async/captured-var`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::declare_as_val;

/// An activity that shares a `var` nothing keeps alive.
pub static RULE: Rule = Rule {
    code: "async/captured-var",
    severity: Severity::Error,
    summary: "An activity that shares a `var` nothing keeps alive.",
    explanation: r##"
An `async` may read and assign a `var` of the code around it, for both run at the same place. But the activity may still run
when the variable's scope has ended. So a `finish` must wait for it, and that `finish` must stand inside the
scope of the variable.

Put a `finish` around the `async`, or copy the value into a `val` first if it is only read.
"##,
    failing: r##"
class Example {
    static def count():Long {
        var total:Long = 0;
        async total = 1;
        return total;
    }
}
"##,
    fixed: r##"
class Example {
    static def count():Long {
        var total:Long = 0;
        finish async total = 1;
        return total;
    }
}
"##,
};

/// An activity shares a `var` that may not outlive it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedVar {
    /// The variable.
    pub local: LocalId,
}

impl Render for CapturedVar {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.local_name(self.local);
        let message =
            format!("this activity cannot share `{name}`: nothing waits for it inside the scope of `{name}`");
        let diagnostic = RULE.at(range, message).note(format!(
            "the activity may outlive the variable: put a `finish` around the `async`, inside the scope of `{name}`, or copy the value into a `val` before it"
        ));
        declare_as_val(cx, self.local).into_iter().fold(diagnostic, Diagnostic::fix)
    }
}
