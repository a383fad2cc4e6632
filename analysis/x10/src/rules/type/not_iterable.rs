//! `type/not-iterable`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::body::{ExprId, ExprKind};
use crate::diagnostics::{Diagnostic, Fix, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;
use crate::ty::known::Known;

/// A `for` over a value that has no elements.
pub static RULE: Rule = Rule {
    code: "type/not-iterable",
    severity: Severity::Error,
    summary: "A `for` over a value that has no elements.",
    explanation: r##"
`for (x in e)` iterates over a range such as `0..9`, over the elements of a `Rail`, and over the elements of any object whose class implements
`Iterable[T]`.

To count up to a number, write a range: `for (i in 0..(n-1))`.
"##,
    failing: r##"
class Example {
    static def show(count:Long) {
        for (i in count) Console.OUT.println(i);
    }
}
"##,
    fixed: r##"
class Example {
    static def show(count:Long) {
        for (i in 0..(count-1)) Console.OUT.println(i);
    }
}
"##,
};

/// A value that `for` cannot iterate over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotIterable {
    /// The value.
    pub value: ExprId,
    /// Its type.
    pub ty: Ty,
    /// Methods of the value that give what can be iterated over.
    pub methods: Vec<SmolStr>,
}

impl Render for NotIterable {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let message = format!("`for` cannot iterate over a value of type `{}`", cx.show(self.ty));
        let diagnostic = RULE
            .at(range, message)
            .note("it iterates over a range such as `0..n`, a `Rail`, and whatever implements `Iterable[T]`");
        self.fixes(cx).into_iter().fold(diagnostic, Diagnostic::fix)
    }
}

impl NotIterable {
    /// What was probably meant: `map.entries()`, `text.chars()`; of a number the range below it.
    fn fixes(&self, cx: &RenderContext<'_>) -> Vec<Fix> {
        let Some(value) = cx.expr(self.value) else { return Vec::new() };
        let Some(written) = cx.source(value.range) else { return Vec::new() };
        let fix = |text: String| Fix::replace(format!("Iterate over `{text}`"), value.range, text);
        let is_simple = written.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '(' | ')'));
        let known = self.ty.primitive(cx.db);
        if known.is_some_and(Known::is_number) {
            let bound = if is_simple { written } else { format!("({written})") };
            let (zero, one) = if known == Some(Known::Int) { ("0n", "1n") } else { ("0", "1") };
            let fits = matches!(known, Some(Known::Int | Known::Long));
            let is_literal = matches!(value.kind, ExprKind::Literal(_));
            return match fits && !is_literal {
                true => vec![fix(format!("{zero}..({bound}-{one})"))],
                false => Vec::new(),
            };
        }
        let methods = self.methods.iter().filter(|_| is_simple);
        methods.map(|name| fix(format!("{written}.{name}()"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_fix};

    #[test]
    fn number_becomes_the_range_below_it() {
        check_fix(
            &RULE,
            "class A { def f(n:Long) { for (i in n) f(i); } }",
            "class A { def f(n:Long) { for (i in 0..(n-1)) f(i); } }",
        );
    }

    #[test]
    fn string_offers_its_characters() {
        check(
            &RULE,
            "class A { def f(s:String) { for (c in $0s$0) {} } }",
            "`for` cannot iterate over a value of type `String`",
        );
    }
}
