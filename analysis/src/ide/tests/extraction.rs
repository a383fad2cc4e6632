//! What becomes a method or a variable, where that takes more than moving it.

use super::assists::after;
use crate::diagnostics::Severity;
use crate::fixture::{file, host};

/// Several values come back as one, the end of the method around as an answer; what is moved stays as it was written.
#[test]
fn an_extracted_method_gives_back_what_is_needed() {
    let of = |body: &str, more: &str| {
        format!("class Example {{\n    def f(n:Long):void {{\n        {body}\n    }}{more}\n}}\n")
    };
    let extracted = |head: &str, body: &str| {
        format!("\n\n    private static def extracted{head} {{\n        {body}\n    }}")
    };
    for (body, wanted, head, moved) in [
        (
            "var lo:Long = 0; var hi:Long = 0;\n        $0for (i in 0..n) {\n            lo -= i; hi+=i;\n        }$0\n        f(lo + hi);",
            "var lo:Long = 0; var hi:Long = 0;\n        val results = extracted(n, lo, hi);\n        lo = results.first;\n        hi = results.second;\n        f(lo + hi);",
            "(n:Long, var lo:Long, var hi:Long):x10.util.Pair[Long, Long]",
            "for (i in 0..n) {\n            lo -= i; hi+=i;\n        }\n        return x10.util.Pair[Long, Long](lo, hi);",
        ),
        (
            "var a:Long = 0;\n        $0a = n  *2;\n        val b = a;\n        var c:Int = 1n;$0\n        f(a + b + c);",
            "var a:Long = 0;\n        val results = extracted(n);\n        val b = results.first;\n        var c = results.second;\n        a = results.third;\n        f(a + b + c);",
            "(n:Long):x10.util.Triple[Long, Int, Long]",
            "var a:Long;\n        a = n  *2;\n        val b = a;\n        var c:Int = 1n;\n        return x10.util.Triple[Long, Int, Long](b, c, a);",
        ),
        (
            "$0while (true) {\n            if (n > 3) return;\n            if (n > 2) break;\n        }$0\n        f(n);",
            "if (extracted(n)) return;\n        f(n);",
            "(n:Long):Boolean",
            "while (true) {\n            if (n > 3) return true;\n            if (n > 2) break;\n        }\n        return false;",
        ),
        (
            "var y:Long = 0;\n        $0y = n+1;$0",
            "var y:Long = 0;\n        extracted(n);",
            "(n:Long):void",
            "var y:Long;\n        y = n+1;",
        ),
        (
            "val y:Long;\n        $0y = n+1;$0\n        f(y);",
            "val y:Long;\n        y = extracted(n);\n        f(y);",
            "(n:Long):Long",
            "val y:Long;\n        y = n+1;\n        return y;",
        ),
    ] {
        let (titles, edited) = after(&of(body, ""), "Extract into method");
        let edited = edited.unwrap_or_else(|| panic!("{body}: {titles:?}"));
        assert_eq!(edited, of(wanted, &extracted(head, moved)));
        let host = host(&edited);
        let example = file(&host, crate::diagnostics::DEFAULT_FILE);
        let found =
            host.snapshot().with(|db| crate::file_diagnostics(db, example).to_vec()).expect("not cancelled");
        assert!(found.iter().all(|it| it.severity != Severity::Error), "{edited}\n{found:?}");
    }
}

/// Between the parts of a kernel stands nothing else.
#[test]
fn values_of_a_kernel_are_kept_in_its_threads() {
    let kernel = |range: &str, value: &str| {
        format!(
            "import x10.compiler.*;\nclass Example {{\n    def f(p:Place, n:Int, out:GlobalRail[Int]) {{\n        finish async at (p) @CUDA {{\n            \
             finish for (block in 0n..{range}) async {{\n                clocked finish for (thread in 0n..7n) clocked async {{\n                    \
             out(thread) = {value};\n                }}\n            }}\n        }}\n    }}\n}}\n"
        )
    };
    assert_eq!(after(&kernel("$0(n - 1n)$0", "n"), "Extract into `val").1, None);
    let (titles, edited) = after(&kernel("7n", "$0thread * n$0"), "Extract into `val");
    assert!(edited.is_some_and(|it| it.contains("val value = thread * n;")), "{titles:?}");
}
