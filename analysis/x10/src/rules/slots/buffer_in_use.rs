//! `slots/buffer-in-use`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// An element of a buffer that is changed or read while it is sent or received.
pub static RULE: Rule = Rule {
    code: "slots/buffer-in-use",
    severity: Severity::Warning,
    summary: "An element of a buffer that is changed or read while it is sent or received.",
    explanation: r##"
`asyncSend` and `asyncRecv` only begin a transfer. Until `wait` has returned, the elements of `asyncSend` must stay as they are, and those of
`asyncRecv` may hold anything: what is stored there may be sent, or be overwritten; what is read there may be old.

Move the access behind the `wait`, or use other elements.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.*;

class Example {
    static def run(p:Place, blocks:Slots, data:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val me = blocks(block);
                    val sent = me.asyncSend(0, data, block * 64n, 64);
                    data(block * 64n + thread) = thread;
                    me.wait(sent);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.util.*;

class Example {
    static def run(p:Place, blocks:Slots, data:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val me = blocks(block);
                    val sent = me.asyncSend(0, data, block * 64n, 64);
                    me.wait(sent);
                    data(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// An access to a buffer in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferInUse {
    /// The operation that has begun.
    pub method: MethodId,
    /// The buffer.
    pub rail: LocalId,
    /// Whether the element is changed.
    pub is_store: bool,
    /// Where the transfer begins.
    pub begin: TextRange,
}

impl Render for BufferInUse {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let verb = if self.is_store { "changes" } else { "reads" };
        let (name, call) = (cx.local_name(self.rail), cx.method_name(self.method));
        RULE.at(range, format!("this {verb} an element of `{name}` that `{call}` still transfers"))
            .note("move it behind the `wait`, or use other elements")
            .related(cx.related(self.begin, "the transfer begins here, and is awaited later"))
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_none};

    fn kernel(body: &str) -> String {
        format!(
            "import x10.compiler.CUDA; import x10.util.*; class A {{ \
             static def f(p:Place, s:Slots, one:Slot, d:GlobalRail[Int]{{self.home() == p}}, n:Int) {{ finish async at (p) @CUDA {{ \
             finish for (b in 0n..7n) async clocked finish for (t in 0n..63n) clocked async {{ {body} }} }} }} }}"
        )
    }

    #[test]
    fn a_store_before_the_wait_is_reported() {
        check(
            &RULE,
            &kernel(
                "val me = s(b); val q = me.asyncSend(0, d, 64n * b, 64); $0d(64n * b + t) = 1n$0; me.wait(q);",
            ),
            "this changes an element of `d` that `Slot.asyncSend` still transfers",
        );
        check(
            &RULE,
            &kernel("val me = s(b); val q = me.asyncRecv(0, d, n, 4); val x = $0d(n + 3n)$0; me.wait(q);"),
            "this reads an element of `d` that `Slot.asyncRecv` still transfers",
        );
    }

    #[test]
    fn other_elements_and_times_are_none() {
        check_none(
            &RULE,
            &kernel(
                "val me = s(b); val q = me.asyncSend(0, d, 64n * b, 64); me.wait(q); d(64n * b + t) = 1n;",
            ),
        );
        check_none(
            &RULE,
            &kernel(
                "val me = s(b); val q = me.asyncSend(0, d, 64n * b, 64); d(64n * b + 64n + t) = 1n; me.wait(q);",
            ),
        );
        check_none(
            &RULE,
            &kernel("val me = s(b); val q = me.asyncSend(0, d, n, 4); val x = d(n); me.wait(q);"),
        );
        check_none(
            &RULE,
            &kernel("val me = s(b); val q = me.asyncRecv(0, d, n, 4); val x = d(n + 4n); me.wait(q);"),
        );
    }

    #[test]
    fn a_buffer_of_an_activity_is_reported() {
        check(
            &RULE,
            "import x10.util.*; class A { static def f(me:Slot, r:Rail[Int]) { val q = me.asyncSend(1, r, 0, 4); $0r(3) = 1n$0; me.wait(q); r(3) = 2n; } }",
            "this changes an element of `r` that `Slot.asyncSend` still transfers",
        );
    }
}
