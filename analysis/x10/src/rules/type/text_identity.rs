//! `type/text-identity`

use apg_syntax::TextRange;

use crate::body::ExprId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::conversion::{operand, replaced};

/// A comparison of strings as objects.
pub static RULE: Rule = Rule {
    code: "type/text-identity",
    severity: Severity::Warning,
    summary: "A comparison of strings as objects.",
    explanation: r##"
A `String` is an object, and `==` asks whether two objects are the same one. A text that was read or put together is another object than one
that is written in the program, also if all their characters are the same.

Compare strings with `equals`.
"##,
    failing: r##"
class Example {
    static def isHelp(argument:String) = argument == "--help";
}
"##,
    fixed: r##"
class Example {
    static def isHelp(argument:String) = argument.equals("--help");
}
"##,
};

/// Strings are compared by `==` or `!=`, one of them written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextIdentity {
    /// By `!=`.
    pub negated: bool,
    /// The operand that is not null.
    pub receiver: ExprId,
    /// The other operand.
    pub argument: ExprId,
}

impl Render for TextIdentity {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let op = if self.negated { "!=" } else { "==" };
        let diagnostic = RULE.at(
            range,
            format!(
                "`{op}` asks whether two strings are one object, not whether their characters are the same"
            ),
        );
        let source = |id| cx.source(cx.expr(id)?.range);
        let (Some(receiver), Some(argument)) = (source(self.receiver), source(self.argument)) else {
            return diagnostic;
        };
        let not = if self.negated { "!" } else { "" };
        let text = format!("{not}{}.equals({argument})", operand(&receiver));
        replaced(diagnostic.note("`equals` compares characters"), range, text)
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check_fix, check_none};

    #[test]
    fn comparison_becomes_equals() {
        check_fix(
            &RULE,
            "class A { def f(s:String) = s != \"a\"; }",
            "class A { def f(s:String) = !\"a\".equals(s); }",
        );
    }

    #[test]
    fn comparison_of_two_variables() {
        check_none(&RULE, "class A { def f(s:String, t:String) = s == t; }");
    }
}
