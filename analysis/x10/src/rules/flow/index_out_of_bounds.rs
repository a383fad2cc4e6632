//! `flow/index-out-of-bounds`

use apg_syntax::TextRange;

use crate::body::ExprId;
use crate::diagnostics::{Diagnostic, Fix, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::rules::values::{Amount, IterationKind, Occasion, with_origin};

/// An index outside of a rail or string.
pub static RULE: Rule = Rule {
    code: "flow/index-out-of-bounds",
    severity: Severity::Warning,
    summary: "An index outside of a rail or string.",
    explanation: r##"
The elements of a rail of size `n` and the characters of a string of length `n` have the indices 0 to `n - 1`. This index is another one
whenever the program gets there, or in one iteration of a loop that every run of the loop reaches, or in an activity that every run starts:
a thread of a kernel, for example. An `ArrayIndexOutOfBoundsException` is raised, or a `StringIndexOutOfBoundsException`.

A range contains both its ends: `0..n` has `n + 1` numbers. Write `0..(n - 1)`, or the range `a.range()` of the indices of the rail `a`.
"##,
    failing: r##"
class Example {
    static def sum(a:Rail[Long]):Long {
        var sum:Long = 0;
        for (i in 0..a.size) sum += a(i);
        return sum;
    }
}
"##,
    fixed: r##"
class Example {
    static def sum(a:Rail[Long]):Long {
        var sum:Long = 0;
        for (i in 0..(a.size - 1)) sum += a(i);
        return sum;
    }
}
"##,
};

/// What is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// A rail, here or elsewhere.
    Rail,
    /// A string.
    String,
}

/// An index is outside of a rail or string for certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexOutOfBounds {
    /// What is indexed.
    pub container: Container,
    /// The rail or string.
    pub receiver: ExprId,
    /// The index.
    pub index: ExprId,
    /// The value of the index.
    pub value: Amount,
    /// The number of elements; `None` if the index is negative.
    pub length: Option<Amount>,
    /// What has given the index its value.
    pub index_origin: Option<TextRange>,
    /// What has made the rail or string.
    pub made: Option<TextRange>,
    /// When.
    pub occasion: Occasion,
}

impl IndexOutOfBounds {
    /// Ends the range of a loop one element earlier, where its last index is the size.
    fn fix(&self, cx: &RenderContext<'_>) -> Option<Fix> {
        let Occasion::Iterations(iterations) = &self.occasion else { return None };
        let [iteration] = &iterations[..] else { return None };
        let last = iteration.last?;
        let length = self.length?;
        let is_size = self.value == length
            || matches!((self.value, length), (Amount::Offset(a, x), Amount::Offset(b, y)) if a == b && x == y);
        let [(local, _)] = iteration.variables[..] else { return None };
        let is_counter = cx.source(cx.expr(self.index)?.range)? == cx.local_name(local);
        if !is_size || !is_counter {
            return None;
        }
        let written = cx.source(last)?;
        let suffix = if written.ends_with(['n', 'N']) && written.starts_with(|it: char| it.is_ascii_digit()) {
            "n"
        } else {
            ""
        };
        let is_int = cx.expr(self.index).is_some_and(|it| it.ty.base(cx.db) == crate::ty::Ty::int(cx.db));
        let text = match written.trim_end_matches(['n', 'N', 'l', 'L']).parse::<i64>() {
            Ok(number) => format!("{}{suffix}", number - 1),
            Err(_) => format!("({written} - 1{})", if is_int { "n" } else { "" }),
        };
        Some(Fix::replace(format!("End the range at `{text}`"), last, text))
    }
}

impl Render for IndexOutOfBounds {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        // The pattern of `val [a, b] = rail` indexes at its own range.
        let written = cx.expr(self.receiver).map(|it| it.range).filter(|it| *it != range);
        let receiver = written.and_then(|it| cx.quoted(it));
        let (noun, parts, exception) = match self.container {
            Container::Rail => ("the rail", "elements", "ArrayIndexOutOfBoundsException"),
            Container::String => ("the string", "characters", "StringIndexOutOfBoundsException"),
        };
        let receiver = receiver.map_or(noun.to_owned(), |it| format!("`{it}`"));
        let occasion = self.occasion.show(cx);
        let value = self.value.show(cx);
        let message = match self.length {
            None => format!("an index of {receiver} is negative: it is {value}{occasion}"),
            Some(length) => {
                let count = match length {
                    Amount::Exactly(0) => format!("no {parts}"),
                    Amount::Exactly(1) => format!("1 {}", parts.trim_end_matches('s')),
                    length => format!("{} {parts}", length.show(cx)),
                };
                format!("an index is outside of {receiver}, which has {count}: it is {value}{occasion}")
            }
        };
        let is_thread = matches!(&self.occasion, Occasion::Iterations(all)
            if all.last().is_some_and(|it| it.kind == IterationKind::Activity));
        let raised = match is_thread {
            true => format!("this activity raises an {exception}"),
            false => format!("an {exception} is raised here when the program runs")
                .replace("an String", "a String"),
        };
        let last = match self.length {
            Some(Amount::Exactly(length @ 1..)) => format!(": indices are 0 to {}", length - 1),
            Some(Amount::Offset(symbol, offset)) => {
                format!(": indices are 0 to `{}`", symbol.show_sum(offset - 1, cx))
            }
            _ => String::new(),
        };
        let diagnostic = RULE.at(range, message).note(format!("{raised}{last}"));
        let diagnostic = with_origin(diagnostic, self.index_origin, "the index comes from here", cx);
        let made = self.made.filter(|_| self.length.is_some());
        let diagnostic = with_origin(diagnostic, made, "the size comes from here", cx);
        match self.fix(cx) {
            Some(fix) => diagnostic.fix(fix),
            None => diagnostic,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_fix, check_none};

    #[track_caller]
    fn check_body(body: &str, message: &str) {
        check(&RULE, &method(body), message);
    }

    #[track_caller]
    fn check_no_problem(body: &str) {
        check_none(&RULE, &method(body));
    }

    fn method(body: &str) -> String {
        format!(
            "import x10.compiler.CUDA; class A {{ val data = new Rail[Long](8); static def h(i:Long):Long = i; \
             def f(a:Rail[Long], n:Long, m:Int, s:String, b:Boolean):Long {{ {body} }} }}"
        )
    }

    #[test]
    fn constant_index_and_size() {
        check_body(
            "val r = new Rail[Long](10); return r($010$0);",
            "an index is outside of `r`, which has 10 elements: it is 10",
        );
        check_body(
            "val r = [1, 2, 3]; r($03$0) = 1; return 0;",
            "an index is outside of `r`, which has 3 elements: it is 3",
        );
        check_body(
            "val r = new Rail[Long](); return r($00$0);",
            "an index is outside of `r`, which has no elements: it is 0",
        );
        check_no_problem("val r = new Rail[Long](10); return r(9) + r(0);");
    }

    #[test]
    fn negative_index() {
        check_body("return a($0-1$0);", "an index of `a` is negative: it is -1");
        check_body("if (n < 0) return a($0n$0); return 0;", "an index of `a` is negative: it is at most -1");
        check_no_problem("if (n < 1) return a(n); return 0;");
    }

    #[test]
    fn compound_assignment() {
        check_body(
            "val r = new Rail[Long](2); r($02$0) += 1; return 0;",
            "an index is outside of `r`, which has 2 elements: it is 2",
        );
        check_body(
            "val r = new Rail[Long](2); r($02$0)++; return 0;",
            "an index is outside of `r`, which has 2 elements: it is 2",
        );
    }

    #[test]
    fn size_of_the_type() {
        check(
            &RULE,
            "class A { def f(a:Rail[Long]{self.size==3}) = a($03$0); }",
            "an index is outside of `a`, which has 3 elements: it is 3",
        );
        check_none(&RULE, "class A { def f(a:Rail[Long]{self.size==3}) = a(2); }");
    }

    #[test]
    fn symbolic_size() {
        check_body(
            "return a($0a.size$0);",
            "an index is outside of `a`, which has `a.size` elements: it is `a.size`",
        );
        check_body(
            "val r = new Rail[Long](n); r(0) = 1; return r($0n$0);",
            "an index is outside of `r`, which has `n` elements: it is `n`",
        );
        check_body(
            "if (n >= a.size) return a($0n$0); return 0;",
            "an index is outside of `a`, which has `a.size` elements: it is at least `a.size`",
        );
        check_no_problem("if (n > a.size - 2) return a(n); return 0;");
        check_no_problem("if (n >= 0 && n < a.size) return a(n); return 0;");
        check_no_problem("return a(a.size - 1);");
    }

    #[test]
    fn last_iteration() {
        check_body(
            "for (i in 0..a.size) a($0i$0) = 0; return 0;",
            "an index is outside of `a`, which has `a.size` elements: it is `a.size` in the last iteration, where `i` is `a.size`",
        );
        check_body(
            "val r = new Rail[Long](10); for (i in 0..10) r($0i$0) = i; return 0;",
            "an index is outside of `r`, which has 10 elements: it is 10 in the last iteration, where `i` is 10",
        );
        check_body(
            "for (var i:Long = 0; i <= a.size; i++) a($0i$0) = i; return 0;",
            "an index is outside of `a`, which has `a.size` elements: it is `a.size` in the last iteration, where `i` is `a.size`",
        );
        check_body(
            "for (var i:Long = 0; i < a.size; ++i) { val t = a($0i + 1$0); } return 0;",
            "an index is outside of `a`, which has `a.size` elements: it is `a.size` in the last iteration, where `i` is `a.size - 1`",
        );
        check_no_problem("for (i in 0..(a.size - 1)) a(i) = 0; return 0;");
        check_no_problem("for (i in a.range()) a(i) = 0; return 0;");
        check_no_problem("for (var i:Long = 0; i < a.size; i++) a(i) = i; return 0;");
        check_no_problem("for (t in 0..n) for (var i:Long = 0; i < t; i++) a(i) = i; return 0;");
        check_no_problem("for (var i:Long = 0; i < 0; i++) a(i) = i; return 0;");
        check_no_problem(
            "for (x in 1..2) for (y in 1..2) for (t in 0..2) for (var k:Long = 0; k < t; k++) a(k) = t; return 0;",
        );
        check_no_problem("for (i in 0..n) a(i) = 0; return 0;");
    }

    #[test]
    fn iterations_that_may_not_be_reached() {
        check_no_problem("for (i in 0..a.size) { if (n == i) break; a(i) = 0; } return 0;");
        check_no_problem("for (i in 0..a.size) { if (n == i) return 1; a(i) = 0; } return 0;");
        check_no_problem("for (i in 0..a.size) { if (i < a.size) a(i) = 0; } return 0;");
        check_no_problem("for (i in 0..a.size) { if (b) a(i) = 0; } return 0;");
        check_no_problem("for (i in 0..a.size) { h(i); a(i) = 0; } return 0;");
        check_no_problem("for (i in 0..a.size) { if (b) continue; a(i) = 0; } return 0;");
        check_no_problem("for (i in 0..a.size) { while (b) a(i) = 0; } return 0;");
        check_no_problem("for (i in 0..a.size) { val c = () => a(i); } return 0;");
    }

    #[test]
    fn first_iteration() {
        check_body(
            "for (i in 0..9) a($0i - 1$0) = 0; return 0;",
            "an index of `a` is negative: it is -1 in the first iteration, where `i` is 0",
        );
        check_no_problem("for (i in 0..9) if (i > 0) a(i - 1) = 0; return 0;");
        check_no_problem("for (i in 1..9) a(i - 1) = 0; return 0;");
    }

    #[test]
    fn nested_loops() {
        check_body(
            "val r = new Rail[Long](20); for (i in 0..3) for (j in 0..5) r($0i * 5 + j$0) = 1; return 0;",
            "an index is outside of `r`, which has 20 elements: it is 20 in the last iteration, where `i` is 3 and `j` is 5",
        );
        check_body(
            "val r = new Rail[Long](4 * 5); for ([i, j] in 0..3 * 0..5) r($0i * 5 + j$0) = 1; return 0;",
            "an index is outside of `r`, which has 20 elements: it is 20 in the last iteration, where `i` is 3 and `j` is 5",
        );
        check_no_problem(
            "val r = new Rail[Long](20); for (i in 0..3) for (j in 0..4) r(i * 5 + j) = 1; return 0;",
        );
        check_no_problem(
            "val r = new Rail[Long](4); for (i in 0..4) for (j in 0..(i - 1)) r(j) = 1; return 0;",
        );
    }

    #[test]
    fn activities_run_all_iterations() {
        check_body(
            "val r = new Rail[Long](10); finish for (i in 0..10) async { h(i); } finish for (i in 0..10) async { r($0i$0) = 1; } return 0;",
            "an index is outside of `r`, which has 10 elements: it is 10 where `i` is 10",
        );
    }

    #[test]
    fn strings() {
        check_body(
            "return \"abc\".charAt($03n$0) == 'a' ? 1 : 0;",
            "an index is outside of `\"abc\"`, which has 3 characters: it is 3",
        );
        check_body(
            "return s($0s.length()$0) == 'a' ? 1 : 0;",
            "an index is outside of `s`, which has `s.length()` characters: it is `s.length()`",
        );
        check_body(
            "for (i in 0n..s.length()) { val c = s.charAt($0i$0); } return 0;",
            "an index is outside of `s`, which has `s.length()` characters: it is `s.length()` in the last iteration, where `i` is `s.length()`",
        );
        check_no_problem("return s.charAt(s.length() - 1n) == 'a' ? 1 : 0;");
    }

    #[test]
    fn fix_ends_the_range_earlier() {
        check_fix(
            &RULE,
            "class A { def f(a:Rail[Long]) { for (i in 0..a.size) a(i) = 1; } }",
            "class A { def f(a:Rail[Long]) { for (i in 0..(a.size - 1)) a(i) = 1; } }",
        );
        check_fix(
            &RULE,
            "class A { def f() { val a = new Rail[Long](5); for (i in 0n..5n) a(i) = 1; } }",
            "class A { def f() { val a = new Rail[Long](5); for (i in 0n..4n) a(i) = 1; } }",
        );
    }

    #[test]
    fn threads_of_a_kernel() {
        let kernel = |threads: &str, index: &str| {
            format!(
                "import x10.compiler.CUDA;
class A {{
    static def run(p:Place, out:GlobalRail[Float]{{self.home() == p}}) {{
        finish async at (p) @CUDA {{
            finish for (block in 0n..7n) async {{
                val shared = new Rail[Float](64);
                clocked finish for (thread in 0n..{threads}) clocked async {{
                    shared({index}) = 1f;
                    out(block * 64n + thread) = shared(0);
                }}
            }}
        }}
    }}
}}"
            )
        };
        check(
            &RULE,
            &kernel("64n", "$0thread$0"),
            "an index is outside of `shared`, which has 64 elements: it is 64 where `block` is 0 and `thread` is 64",
        );
        check(
            &RULE,
            &kernel("63n", "$0thread - 1n$0"),
            "an index of `shared` is negative: it is -1 where `block` is 0 and `thread` is 0",
        );
        check_none(&RULE, &kernel("63n", "thread"));
        check_none(&RULE, &kernel("127n", "thread % 64n"));
    }
}
