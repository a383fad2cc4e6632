//! `flow/null-dereference`

use apg_syntax::TextRange;

use crate::body::ExprId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::rules::values::{Occasion, with_origin};

/// A use of an object where there is `null`.
pub static RULE: Rule = Rule {
    code: "flow/null-dereference",
    severity: Severity::Warning,
    summary: "A use of an object where there is `null`.",
    explanation: r##"
Here a field, a method or an element of an object is used, but whenever the program gets there, the value is `null`: it has been assigned,
or a condition says so. A `NullPointerException` is raised.

Use the object only where it is not `null`. Often the condition is the wrong way round.
"##,
    failing: r##"
class Example {
    static def length(text:String):Int {
        if (text == null) return text.length();
        return 0n;
    }
}
"##,
    fixed: r##"
class Example {
    static def length(text:String):Int {
        if (text != null) return text.length();
        return 0n;
    }
}
"##,
};

/// A use of what is `null` for certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NullDereference {
    /// The value.
    pub object: ExprId,
    /// What has made it `null`, or says so.
    pub origin: Option<TextRange>,
    /// When.
    pub occasion: Occasion,
}

impl Render for NullDereference {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let object = cx.quoted(range).unwrap_or_else(|| "this value".to_owned());
        let message = match self.occasion {
            Occasion::Always if object == "null" => "`null` has no members".to_owned(),
            Occasion::Always => format!("`{object}` is `null` here"),
            Occasion::Iterations(_) => format!("`{object}` is `null`{}", self.occasion.show(cx)),
        };
        let diagnostic =
            RULE.at(range, message).note("a NullPointerException is raised here when the program runs");
        with_origin(diagnostic, self.origin, "the `null` comes from here", cx)
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_none};

    #[track_caller]
    fn check_body(body: &str, message: &str) {
        check(&RULE, &class(body), message);
    }

    #[track_caller]
    fn check_no_problem(body: &str) {
        check_none(&RULE, &class(body));
    }

    fn class(body: &str) -> String {
        format!(
            "class A {{ var next:A; val other:A; def this(o:A) {{ other = o; }} \
             def g():Long = 1; static def make():A = null; \
             def f(a:A, b:Boolean, s:String, r:Rail[Long], h:()=>Long):Long {{ {body} }} }}"
        )
    }

    #[test]
    fn assigned_null() {
        check_body("var x:A = a; x = null; return $0x$0.g();", "`x` is `null` here");
        check_body(
            "val x:A = null; x.next = a; return 0;".replace("x.next", "$0x$0.next").as_str(),
            "`x` is `null` here",
        );
        check_body("val x:Rail[Long] = null; return $0x$0(0);", "`x` is `null` here");
        check_body("val x:()=>Long = null; return $0x$0();", "`x` is `null` here");
        check_body("val x:Rail[Long] = null; for (y in $0x$0) r(0) = y; return 0;", "`x` is `null` here");
    }

    #[test]
    fn null_on_one_path() {
        check_no_problem("var x:A = null; if (b) x = a; return x.g();");
        check_no_problem("var x:A = null; for (i in 1..3) x = a; return x.g();");
        check_no_problem("val x = make(); return x.g();");
    }

    #[test]
    fn conditions() {
        check_body("if (a == null) return $0a$0.g(); return 0;", "`a` is `null` here");
        check_body("if (a != null || $0a$0.g() == 1) return 1; return 0;", "`a` is `null` here");
        check_body("return null != s ? 1 : $0s$0.length() as Long;", "`s` is `null` here");
        check_body("if (!(a != null)) return $0a$0.next == null ? 1 : 0; return 0;", "`a` is `null` here");
        check_no_problem("if (a == null || a.g() == 1) return 1; return a.g();");
        check_no_problem("if (a == null) throw new Exception(); return a.g();");
        check_no_problem("if (a == null) { } return a.g();");
        check_body("if (a == null) { $0a$0.g(); return a.g(); } return 0;", "`a` is `null` here");
        check_no_problem("while (a == null) { return 0; } return a.g();");
    }

    #[test]
    fn fields() {
        check_body("if (other == null) return $0other$0.g(); return 0;", "`other` is `null` here");
        check_body("if (this.other == null) return $0other$0.g(); return 0;", "`other` is `null` here");
        check_no_problem("if (next == null) { next = a; return next.g(); } return 0;");
        check_no_problem("if (next == null) return next.g(); return 0;");
        check_no_problem("if (a.other == null) return other.g(); return 0;");
    }

    #[test]
    fn type_tests() {
        check_no_problem("val x:Any = b ? null : a; if (x instanceof A) return (x as A).g(); return 0;");
        check_no_problem("var x:A = null; if (x instanceof A) return x.g(); return 0;");
    }

    #[test]
    fn loops_to_a_fixpoint() {
        check_no_problem("var x:A = null; while (b) { if (x != null) r(0) = x.g(); x = a; } return 0;");
        check_body(
            "var x:A = null; while (b) { r(0) = $0x$0.g(); x = a; } return 0;",
            "`x` is `null` in the first iteration",
        );
        check_no_problem("var x:A = null; while (b) { if (r(0) > 1) r(0) = x.g(); x = a; } return 0;");
        check_no_problem("var x:A = null; for (i in 0..3) { if (i > 0) r(0) = x.g(); x = a; } return 0;");
    }

    #[test]
    fn closures_and_activities() {
        check_no_problem("var x:A = null; finish { async { x = a; } } return x.g();");
        check_body("val x:A = null; val c = () => $0x$0.g(); return c();", "`x` is `null` here");
    }

    #[test]
    fn text_of_null() {
        check_no_problem("val x:A = null; val t = \"\" + x; return x == null ? 1 : 0;");
    }
}
