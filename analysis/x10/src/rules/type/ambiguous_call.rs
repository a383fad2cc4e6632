//! `type/ambiguous-call`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::members::Failure;
use crate::rules::render::{Render, RenderContext};
use crate::suggest::call::shown_name;

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

/// A call that means several methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmbiguousCall {
    /// The name that is called.
    pub name: SmolStr,
    /// The methods.
    pub methods: Vec<MethodId>,
}

impl Render for AmbiguousCall {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let shown = shown_name(&self.name);
        let message =
            format!("{shown} means several methods, none of which is more specific than the others");
        let diagnostic = RULE
            .at(range, message)
            .note("convert an argument with `as` to the type that the method you mean takes");
        let notes = Failure::Ambiguous(self.methods.clone()).notes(cx.db);
        notes.into_iter().fold(diagnostic, Diagnostic::note)
    }
}
