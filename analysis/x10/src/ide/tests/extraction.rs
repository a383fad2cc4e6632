//! Extraction of methods and variables where the code around the moved code changes too.

use super::assists::after;
use crate::diagnostics::Severity;
use crate::fixture::{file, host};

/// Several results are returned in one struct, and an early exit as a Boolean. The moved code is kept as
/// written.
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
        (
            "var a:Long = 0; var b:Long = 1;\n        if (n > 2) { $0a = n; b += n;$0 f(a + b); }",
            "var a:Long = 0; var b:Long = 1;\n        if (n > 2) { val results = extracted(n, b); a = results.first; b = results.second; f(a + b); }",
            "(n:Long, var b:Long):x10.util.Pair[Long, Long]",
            "var a:Long;\n        a = n; b += n;\n        return x10.util.Pair[Long, Long](a, b);",
        ),
    ] {
        let (titles, edited) = after(&of(body, ""), "Extract into method");
        let edited = edited.unwrap_or_else(|| panic!("{body}: {titles:?}"));
        assert_eq!(edited, of(wanted, &extracted(head, moved)));
        assert_right(&edited);
    }
}

fn assert_right(text: &str) {
    let host = host(text);
    let example = file(&host, crate::diagnostics::DEFAULT_FILE);
    let found =
        host.snapshot().with(|db| crate::file_diagnostics(db, example).to_vec()).expect("not cancelled");
    assert!(found.iter().all(|it| it.severity != Severity::Error), "{text}\n{found:?}");
}

/// The class after extraction of this code, in a class with a field; `None` if no extraction is offered.
fn extracted_from(body: &str) -> Option<String> {
    let class = format!(
        "class Example {{\n    val results = 7;\n    def f(n:Long):void {{\n        {body}\n    }}\n}}\n"
    );
    assert_right(&class.replace("$0", ""));
    let edited = after(&class, "Extract into method").1;
    edited.iter().for_each(|it| assert_right(it));
    edited
}

/// The code after the selection, and the end of the new method, must be reachable.
#[test]
fn statements_that_do_not_complete_are_not_extracted() {
    for body in [
        "$0if (n > 1) { return; } else { f(1); return; }$0",
        "$0if (n > 1) return; throw new Exception();$0",
        "$0while (true) { if (n > 1) return; }$0",
        "$0do { if (n > 1) return; } while (true);$0",
        "$0for (;;) { if (n > 1) return; }$0",
        "$0f(1); if (n > 3) return; else throw new Exception();$0",
        "$0try { return; } finally { f(1); }$0",
        "$0f(1); { f(2); return; }$0",
        "$0f(1); return;$0",
        "var a:Long = n; try { $0a += 1; throw new Exception();$0 } catch (e:Exception) { f(a); }",
    ] {
        assert_eq!(extracted_from(body), None, "{body}");
    }
    for body in [
        "$0if (n > 1) return;$0",
        "$0if (n > 1) { return; } else { f(1); }$0",
        "$0if (n > 1) return; val a = n, b = n;$0",
        "$0do { if (n > 1) return; } while (n < 0);$0",
        "$0for (i in 0..n) { if (i > 1) return; }$0 f(1);",
        "$0try { if (n > 1) return; } finally { f(1); }$0",
        "$0label: while (true) { if (n > 1) return; break label; }$0",
    ] {
        let edited = extracted_from(body).unwrap_or_else(|| panic!("{body}"));
        assert!(edited.contains("if (extracted(n)) return;"), "{edited}");
    }
}

/// The name of the result collides neither with a later local nor with a field.
#[test]
fn the_name_of_an_extracted_result_is_fresh() {
    let start = "var a:Long = 0; var b:Long = 0;\n        ";
    for (body, wanted) in [
        ("$0a += n; b += 2;$0 f(a + b);", "val results = "),
        ("$0a += n; b += 2;$0 val results = a; f(results + b);", "val results2 = "),
        ("$0a += n; b += 2;$0 f(results + a + b);", "val results2 = "),
        ("$0a += n; b += results;$0 val results2 = a; f(results2 + b);", "val results3 = "),
    ] {
        let edited = extracted_from(&format!("{start}{body}")).unwrap_or_else(|| panic!("{body}"));
        assert!(edited.contains(wanted), "{edited}");
    }
}

/// A class declared in a method is not in scope elsewhere.
#[test]
fn local_classes_stay_with_the_code_that_names_them() {
    let class = "class L { val q = 1; }";
    for body in [
        format!("{class} $0val a = new L(); val b = 4;$0 f(a.q + b);"),
        format!("{class} $0f(new L().q);$0"),
        format!("{class} val a = new L(); $0val b = a.q;$0 f(b);"),
        format!("{class} f($0new L().q + n$0);"),
        format!("$0{class} val a = new L();$0 f(a.q);"),
        format!("$0{class}$0 f(new L().q);"),
    ] {
        assert_eq!(extracted_from(&body), None, "{body}");
    }
    for body in
        [format!("{class} $0val b = n * 2;$0 f(b + new L().q);"), format!("$0{class} f(new L().q);$0 f(n);")]
    {
        assert!(extracted_from(&body).is_some(), "{body}");
    }
}

/// Nothing may be inserted between the parts of a kernel.
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
