//! Refactorings: a selection between two cursors, what is offered, and the program afterwards.

use apg_syntax::TextRange;

use super::cursors;
use crate::fixture::{file, host};
use crate::ide::{assists, organized_imports};

/// The titles of the offered assists, and the program after the assist with a title that begins with `title`.
pub(super) fn after(text: &str, title: &str) -> (Vec<String>, Option<String>) {
    let (plain, offsets) = cursors(text);
    let range = TextRange::new(offsets[0], *offsets.last().expect("a cursor"));
    let host = host(&plain);
    let example = file(&host, crate::diagnostics::DEFAULT_FILE);
    let all = host.snapshot().with(|db| assists(db, example, range)).expect("not cancelled");
    let titles = all.iter().map(|a| a.title.clone()).collect();
    let chosen = all.into_iter().find(|a| a.title.starts_with(title));
    let edited = chosen.map(|assist| {
        let mut text = plain.clone();
        let mut edits = assist.edits;
        edits.sort_by_key(|e| std::cmp::Reverse(e.range.start()));
        for edit in edits {
            text.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.text);
        }
        text
    });
    (titles, edited)
}

fn in_method(statements: &str) -> String {
    format!("class Example {{\n    def f(n:Long) {{\n        {statements}\n    }}\n}}\n")
}

#[test]
fn an_expression_becomes_a_variable() {
    let (_, edited) = after(&in_method("Console.OUT.println($0n * 2$0 + 1);"), "Extract into `val");
    assert_eq!(edited, Some(in_method("val value = n * 2;\n        Console.OUT.println(value + 1);")));
    let (_, edited) = after(&in_method("val abs = 1; val b = 1 + $0Math.abs(n)$0;"), "Extract into `val");
    assert_eq!(edited, Some(in_method("val abs = 1; val abs2 = Math.abs(n);\n        val b = 1 + abs2;")));
    // Evaluated each time round, later, or not at all.
    for statement in [
        "while ($0n > 3$0) {}",
        "while ($0n > 3$0) f(n);",
        "for (i in 0..3) if (i > 1 && $0n > i$0) f(n);",
        "val b = n > 1 && $0n < 5$0;",
        "val a = 1, b = $0a + 1$0;",
        "var i:Long = 0; $0i$0++;",
        "var i:Long = 0; $0i$0 += 2;",
    ] {
        let (titles, _) = after(&in_method(statement), "Extract into `val");
        assert!(!titles.iter().any(|t| t.starts_with("Extract into `val")), "{statement}: {titles:?}");
    }
    let (_, edited) = after(&in_method("for (i in $0Math.abs(n)$0..9) f(i);"), "Extract into `val");
    assert_eq!(edited, Some(in_method("val abs = Math.abs(n);\n        for (i in abs..9) f(i);")));
    // Its parentheses go.
    let (_, edited) = after(&in_method("val b = ($0n + 1$0) as Int;"), "Extract into `val");
    assert_eq!(edited, Some(in_method("val value = n + 1;\n        val b = value as Int;")));
    let (_, edited) = after(&in_method("val b = ($0n + 1$0) as Int;"), "Extract into method");
    assert!(edited.expect("offered").contains("val b = extracted(n) as Int;"));
    let (_, edited) = after(&in_method("return($0n + 1$0);"), "Extract into `val");
    assert_eq!(edited, Some(in_method("val value = n + 1;\n        return(value);")));
    // An expression that its statement begins with: one edit, not two at one place.
    let (_, edited) = after(&in_method("$0Console.ERR$0.println(n);"), "Extract into `val");
    assert_eq!(edited, Some(in_method("val err = Console.ERR;\n        err.println(n);")));
}

#[test]
fn a_statement_or_expression_that_is_all_of_a_body_becomes_a_block() {
    for (before, wanted) in [
        ("val f = (x:Long) => $0x + 1$0;", "val f = (x:Long) => { val value = x + 1; value };"),
        ("val f = (x:Long) => 2 * ($0x + 1$0);", "val f = (x:Long) => { val value = x + 1; 2 * value };"),
        ("val f = (x:Long) => f($0x + 1$0);", "val f = (x:Long) => { val value = x + 1; f(value); };"),
        ("val a = at (here) $0n + 1$0;", "val a = at (here) { val value = n + 1; value };"),
        (
            "for (i in 0..3) f($0i + 1$0);",
            "for (i in 0..3) {\n            val value = i + 1;\n            f(value);\n        }",
        ),
        (
            "if (n > 0) f($0n - 1$0);\n        else f(n);",
            "if (n > 0) {\n            val value = n - 1;\n            f(value);\n        }\n        else f(n);",
        ),
        (
            "atomic f(\n            $0n - 1$0);",
            "atomic {\n            val value = n - 1;\n            f(\n                value);\n        }",
        ),
        (
            "finish async for (i in 0..$0(n - 1)$0) f(i);",
            "finish async {\n            val value = (n - 1);\n            for (i in 0..value) f(i);\n        }",
        ),
    ] {
        let (titles, edited) = after(&in_method(before), "Extract into `val");
        assert_eq!(edited, Some(in_method(wanted)), "{before}: {titles:?}");
    }
}

#[test]
fn a_body_that_is_an_expression_becomes_a_block() {
    let class = |body: &str| format!("class Example {{\n    val r = 2.0;\n    def area(){body}\n}}\n");
    let block = |value: &str, result: &str| {
        class(&format!(" {{\n        val value = {value};\n        return {result};\n    }}"))
    };
    let (_, edited) = after(&class(" = $0Math.PI * r$0 * r;"), "Extract into `val");
    assert_eq!(edited, Some(block("Math.PI * r", "value * r")));
    let (_, edited) = after(&class(":Double = 2 * ($0r + 1$0);"), "Extract into `val");
    assert_eq!(edited, Some(block("r + 1", "2 * value").replace("area()", "area():Double")));
    for body in [":void = $0Math.PI$0;", " = r > 1 && $0r < 3$0;"] {
        assert_eq!(after(&class(body), "Extract into `val").1, None, "{body}");
    }
}

#[test]
fn statements_are_wrapped() {
    let (titles, edited) = after(&in_method("$0Console.OUT.println(n);$0"), "Wrap in `finish async`");
    assert_eq!(titles.iter().filter(|t| t.starts_with("Wrap")).count(), 5);
    assert_eq!(edited, Some(in_method("finish async {\n            Console.OUT.println(n);\n        }")));
    // A local declared inside would not be in scope after the block.
    let (titles, _) = after(&in_method("$0val a = n;$0 Console.OUT.println(a);"), "Wrap");
    assert!(!titles.iter().any(|t| t.starts_with("Wrap")), "{titles:?}");
}

#[test]
fn statements_inside_others_are_taken() {
    let loop_of = |body: &str| {
        in_method(&format!(
            "var all:Long = 0;\n        for (i in 0..n) {{\n{body}\n        }}\n        return all;"
        ))
    };
    let selected = "            $0val twice = i * 2;\n            if (twice > 1) all += twice;$0";
    let (titles, edited) = after(&loop_of(selected), "Extract into method");
    assert!(titles.iter().any(|title| title == "Wrap in `finish`"), "{titles:?}");
    let edited = edited.expect("offered");
    assert!(
        edited.contains("            all = extracted(all, i);\n        }\n        return all;"),
        "{edited}"
    );
    // A piece of a statement is none.
    let (titles, _) = after(&in_method("for (i in 0..n) { f($0i); f(n$0); }"), "");
    assert!(!titles.iter().any(|title| title.starts_with("Wrap")), "{titles:?}");
}

#[test]
fn a_type_is_written_down() {
    let (_, edited) = after(&in_method("val $0half = n / 2;"), "Write the type");
    assert_eq!(edited, Some(in_method("val half:Long = n / 2;")));
}

#[test]
fn missing_methods_are_written() {
    let text = "interface Speaks { def speak(loud:Boolean):String; }\nclass Do$0g implements Speaks {\n    val a = 1;\n}\n";
    let (_, edited) = after(text, "Implement");
    let wanted = "interface Speaks { def speak(loud:Boolean):String; }\nclass Dog implements Speaks {\n    val a = 1;\n    public def speak(loud:Boolean):String {\n        throw new UnsupportedOperationException();\n    }\n}\n";
    assert_eq!(edited.as_deref(), Some(wanted));
}

/// A missing property method most likely returns the property of its name.
#[test]
fn missing_property_methods_give_the_properties() {
    let text = "interface Shape { property rank():Long; }\nclass Bo$0x(rank:Long) implements Shape {}\n";
    let (_, edited) = after(text, "Implement");
    let wanted = "interface Shape { property rank():Long; }\nclass Box(rank:Long) implements Shape {\n    public property rank():Long = rank;\n}\n";
    assert_eq!(edited.as_deref(), Some(wanted));
}

/// A property of another type is not returned.
#[test]
fn missing_methods_give_properties_of_their_types() {
    let given = |text: &str| after(text, "Implement").1.expect("a method is missing");
    let box_of = |ty: &str| {
        given(&format!(
            "interface Has[T] {{ def get():T; }}\nclass Bo$0x(get:Long) implements Has[{ty}] {{}}\n"
        ))
    };
    assert!(box_of("Long").contains("public def get():Long = get;"));
    assert!(box_of("Any").contains("public def get():Any = get;"));
    assert!(box_of("String").contains("public def get():String {\n"));
    let inherited = "interface Has[T] { def get():T; }\nclass Base[T](get:T) {}\nclass Bo$0x extends Base[Long] implements Has[Long] { def this() { super(1); } }\n";
    assert!(given(inherited).contains("public def get():Long = get;"));
    let other = given(&inherited.replace("Has[Long]", "Has[String]"));
    assert!(other.contains("public def get():String {\n"), "{other}");
    let cleared =
        given("interface Clears { def clear():void; }\nclass Bo$0x(clear:Long) implements Clears {}\n");
    assert!(cleared.contains("public def clear():void {\n"), "{cleared}");
    let generic = given("interface Has { def get[T]():Long; }\nclass Bo$0x(get:Long) implements Has {}\n");
    assert!(generic.contains("public def get[T]():Long {\n"), "{generic}");
}

#[test]
fn imports_are_put_in_order() {
    let text = "import x10.util.Random;\nimport x10.util.HashMap;\nimport x10.io.*;\nimport x10.util.HashMap;\nclass Example { val m:HashMap[Long,Long] = null; }\n";
    let host = host(text);
    let example = file(&host, crate::diagnostics::DEFAULT_FILE);
    let edit = host.snapshot().with(|db| organized_imports(db, example)).expect("not cancelled");
    assert_eq!(edit.map(|e| e.text).as_deref(), Some("import x10.io.*;\nimport x10.util.HashMap;"));
}

/// A comment separates imports, or belongs to the import on its line.
#[test]
fn imports_are_put_in_order_among_comments() {
    let organized = |imports: &str| {
        let text = format!("{imports}\nclass Example {{ val m:HashMap[Long,Random] = null; }}\n");
        let host = host(&text);
        let example = file(&host, crate::diagnostics::DEFAULT_FILE);
        let edit = host.snapshot().with(|db| organized_imports(db, example)).expect("not cancelled")?;
        let mut text = text;
        text.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.text);
        text.split_once("\nclass").map(|(imports, _)| imports.to_owned())
    };
    let tidy = "// Files.\nimport x10.io.*;\n\n// Collections.\nimport x10.util.HashMap; // maps\nimport x10.util.Random;\n";
    assert_eq!(organized(tidy), None);
    let untidy = "// Files.\nimport x10.io.*;\n\n// Collections.\nimport x10.util.Random;\nimport x10.util.Team;\nimport x10.util.HashMap; // maps\n";
    assert_eq!(organized(untidy).as_deref(), Some(tidy));
    let behind = "import x10.util.Random; /* numbers */\nimport x10.util.HashMap; // maps";
    let sorted = "import x10.util.HashMap; // maps\nimport x10.util.Random; /* numbers */";
    assert_eq!(organized(behind).as_deref(), Some(sorted));
    // Nothing is left between two comments.
    let unused =
        "import x10.util.Random;\n// Gone.\nimport x10.util.Team;\n// Last.\nimport x10.util.HashMap;";
    let kept = "import x10.util.Random;\n// Gone.\n// Last.\nimport x10.util.HashMap;";
    assert_eq!(organized(unused).as_deref(), Some(kept));
}

#[test]
fn inapplicable_assists_are_not_offered() {
    let offered = |statements: &str| {
        let (titles, _) = after(&in_method(statements), "Wrap");
        let wraps = titles.iter().filter_map(|t| t.strip_prefix("Wrap in `"));
        wraps.map(|t| t.trim_end_matches('`').to_owned()).collect::<Vec<_>>().join(", ")
    };
    // Another activity cannot return from this one.
    assert_eq!(offered("$0if (n > 0) return;$0"), "finish, atomic");
    assert_eq!(offered("while (n > 0) { $0if (n > 1) break;$0 }"), "finish, atomic");
    assert_eq!(offered("$0while (n > 0) { break; }$0"), "finish, async, finish async, at (...), atomic");
    // A variable is shared only with code that waits.
    assert_eq!(offered("var x:Long = 0; $0x = n;$0 Console.OUT.println(x);"), "finish, finish async, atomic");
    assert_eq!(offered("$0async { }$0"), "finish, async, finish async, at (...)");
}

#[test]
fn code_becomes_a_method() {
    let with = |body: &str, more: &str| {
        format!("class Example {{\n    def f(n:Long) {{\n        {body}\n    }}{more}\n}}\n")
    };
    // Used locals become parameters; a local declared inside and used later becomes the result.
    let (_, edited) = after(
        &with(
            "val a = n * 2;\n        $0val b = a + n;\n        // kept\n        Console.OUT.println(b);$0\n        Console.OUT.println(b);",
            "",
        ),
        "Extract into method",
    );
    let wanted = with(
        "val a = n * 2;\n        val b = extracted(n, a);\n        Console.OUT.println(b);",
        "\n\n    private static def extracted(n:Long, a:Long):Long {\n        val b = a + n;\n        // kept\n        Console.OUT.println(b);\n        return b;\n    }",
    );
    assert_eq!(edited, Some(wanted));
    // A local that is changed and used later is returned.
    let (_, edited) = after(
        &with("var s:Long = 0;\n        $0s += n;$0\n        Console.OUT.println(s);", ""),
        "Extract into method",
    );
    let wanted = with(
        "var s:Long = 0;\n        s = extracted(n, s);\n        Console.OUT.println(s);",
        "\n\n    private static def extracted(n:Long, var s:Long):Long {\n        s += n;\n        return s;\n    }",
    );
    assert_eq!(edited, Some(wanted));
    let (_, edited) = after(&with("Console.OUT.println($0n * n$0 + 1);", ""), "Extract into method");
    let wanted = with(
        "Console.OUT.println(extracted(n) + 1);",
        "\n\n    private static def extracted(n:Long):Long = n * n;",
    );
    assert_eq!(edited, Some(wanted));
    // A returned value is returned by the call.
    let (_, edited) =
        after(&with("$0if (n > 1) return n;\n        return 2 * n;$0", ""), "Extract into method");
    let wanted = with(
        "return extracted(n);",
        "\n\n    private static def extracted(n:Long):Long {\n        if (n > 1) return n;\n        return 2 * n;\n    }",
    );
    assert_eq!(edited, Some(wanted));
    for body in [
        "$0async { return; }$0",
        "while (n > 0) { $0if (n > 1) break; return 2;$0 }",
        "while (n > 0) { $0if (n > 1) break; if (n > 2) return;$0 }",
        "var a:Long = 0; $0a += n; if (n > 0) return;$0 Console.OUT.println(a);",
        "val f = (a:Long) => { $0val b = a + n; return b;$0 };",
        "var a:Long; var b:Long;\n        $0if (n > 0) a = 1; else b = 2;$0 Console.OUT.println(n);",
    ] {
        let (titles, _) = after(&with(body, ""), "Extract into method");
        assert!(!titles.iter().any(|t| t.starts_with("Extract into method")), "{body}: {titles:?}");
    }
}

/// A method that needs no object has none: in an `at` it would be copied to the other place. What is asked of
/// types goes along.
#[test]
fn an_extracted_method_takes_what_it_needs() {
    let class = "class Example[T](size:Long) {T haszero} {
    class Inner {}
    var kept:T;
    def f[U, V](u:U, n:Long, pair:(a:Long, n:Long)=>Long) {U <: Comparable[U]} {
        BODY
    }
}
";
    for (body, wanted) in [
        ("at (here) { val a = $0n * 2$0; }", "private static def extracted(n:Long):Long = n * 2;"),
        ("val a = $0n * size$0;", "private def extracted(n:Long):Long = n * size;"),
        ("val a = $0kept == kept$0;", "private def extracted():Boolean = kept == kept;"),
        ("val a = $0new Inner()$0;", "private def extracted():Inner = new Inner();"),
        ("val a = $0Zero.get[T]()$0;", "private def extracted():T = Zero.get[T]();"),
        (
            "val a = $0u.compareTo(u)$0;",
            "private static def extracted[U](u:U){U <: Comparable[U]}:Int = u.compareTo(u);",
        ),
        (
            "var n2:Long = 0; val a:Long = 1; $0n2 = pair(a, n2);$0 Console.OUT.println(n2);",
            "private static def extracted(pair:(Long, Long)=>Long, var n2:Long, a:Long):Long {",
        ),
    ] {
        let (titles, edited) = after(&class.replace("BODY", body), "Extract into method");
        let edited = edited.unwrap_or_default();
        assert!(edited.contains(wanted), "{body}: {titles:?}\n{edited}");
    }
}

/// Types that are not imported are qualified.
#[test]
fn types_are_written_so_that_they_are_known() {
    let (_, edited) = after(&in_method("val $0out = Console.OUT;"), "Write the type");
    assert_eq!(edited, Some(in_method("val out:x10.io.Printer = Console.OUT;")));
    for (body, wanted) in [
        ("val $0o = (p:x10.io.Printer, n:Long) => n;", "val o:(x10.io.Printer, Long)=>Long ="),
        (
            "val $0o = new Comparable[Long]() { public def compareTo(n:Long):Int = 0n; };",
            "val o:Comparable[Long] =",
        ),
        ("val $0o = new Example[Long]().new In();", "val o:Example[Long].In ="),
        ("val $0o = new In();", "val o:In ="),
    ] {
        let class =
            format!("class Example[T] {{\n    class In {{}}\n    def f() {{\n        {body}\n    }}\n}}\n");
        let (titles, edited) = after(&class, "Write the type");
        let edited = edited.unwrap_or_default();
        assert!(edited.contains(wanted), "{body}: {titles:?}\n{edited}");
    }
    let (_, edited) =
        after(&in_method("Console.OUT.println(n + $0Console.OUT.hashCode()$0);"), "Extract into method");
    let edited = edited.expect("offered");
    assert!(edited.contains("private static def extracted():Long = Console.OUT.hashCode();"), "{edited}");
}

#[test]
fn operators_are_implemented_as_operators() {
    let text = "abstract class Base[T] {
    abstract operator this(i:Long, j:Long):T;
    abstract operator this(i:Long) = (v:T):T;
    abstract operator this + (o:T):T;
    abstract operator (o:T) * this:T;
    abstract operator - this:T;
    abstract property half():Long;
}
class Im$0pl extends Base[String] { }
";
    let (_, edited) = after(text, "Implement the 6 missing methods");
    let edited = edited.expect("offered");
    for declared in [
        "{\n    operator this(i:Long, j:Long):String {",
        "    operator this(i:Long) = (v:String):String {",
        "    operator this + (o:String):String {",
        "    operator (o:String) * this:String {",
        "    operator - this:String {",
    ] {
        assert!(edited.contains(declared), "{declared}\n{edited}");
    }
    let left = crate::fixture::report(&edited);
    assert!(!left.contains("type/not-implemented") && !left.contains("syntax/"), "{left}\n{edited}");
}

/// A class may implement a function type.
#[test]
fn functions_are_implemented_as_operators() {
    let text = "class Im$0pl[T] implements (T, Long)=>Rail[T], ()=>void { }\n";
    let (_, edited) = after(text, "Implement the 2 missing methods");
    let edited = edited.expect("offered");
    for declared in ["public operator this(x1:T, x2:Long):Rail[T] {", "public operator this():void {"] {
        assert!(edited.contains(declared), "{declared}\n{edited}");
    }
    let left = crate::fixture::report(&edited);
    assert!(!left.contains("type/not-implemented") && !left.contains("syntax/"), "{left}\n{edited}");
}

#[test]
fn common_methods_are_overridden() {
    let (titles, edited) = after("class Exam$0ple {\n    val a = 1;\n}\n", "Override `toString`");
    assert!(titles.iter().any(|t| t == "Override `equals`"), "{titles:?}");
    let edited = edited.expect("offered");
    assert!(edited.contains("public def toString():String {\n        return "), "{edited}");
}

#[test]
fn a_kernel_keeps_its_rails_on_the_device_and_its_constants_outside() {
    let kernel = |inner: &str| {
        format!(
            "import x10.compiler.CUDA;\nclass Example {{\n    static def run(p:Place, out:GlobalRail[Float]{{self.home() == p}}, values:Rail[Float], n:Float) {{\n        finish async at (p) @CUDA {{\n            finish for (block in 0n..7n) async {{\n                clocked finish for (thread in 0n..63n) clocked async {{\n                    {inner}\n                }}\n            }}\n        }}\n    }}\n}}\n"
        )
    };
    let (_, edited) = after(&kernel("out(thread) = val$0ues(thread);"), "Keep `values` on the device");
    let edited = edited.expect("offered");
    for part in [
        "import x10.util.CUDAUtilities;",
        "val valuesOnDevice = CUDAUtilities.makeGlobalRail[Float](p, values.size);\n        finish Rail.asyncCopy(values, 0, valuesOnDevice, 0, values.size);\n        finish async at (p)",
        "out(thread) = valuesOnDevice(thread);",
        "}\n        CUDAUtilities.deleteGlobalRail(valuesOnDevice);",
    ] {
        assert!(edited.contains(part), "no `{part}` in\n{edited}");
    }
    let (_, edited) = after(&kernel("val$0ues(thread) = 1.0f;"), "Keep `values` on the device");
    assert!(edited.is_some_and(|text| {
        text.contains("finish Rail.asyncCopy(valuesOnDevice, 0, values, 0, values.size);")
    }));
    let (_, edited) = after(&kernel("out(thread) = $0n * 2.0f$0 + thread;"), "Hoist out of the kernel");
    let edited = edited.expect("offered");
    assert!(edited.contains("val value = n * 2.0f;\n        finish async at"), "{edited}");
    assert!(edited.contains("out(thread) = value + thread;"), "{edited}");
}

/// A created declaration has the types that the surrounding code determines, and leaves no error.
#[test]
fn missing_declarations_are_created_where_they_are_named() {
    let with = |statement: &str| {
        format!(
            "class Example {{
    def f[T](n:Long, t:T) {{
        {statement}
    }}
    static def g(n:Long) = n;
}}

class Other {{
    val a = 1;
}}

interface Shape {{ }}
"
        )
    };
    let todo = "throw new UnsupportedOperationException();";
    for (statement, title, wanted) in [
        (
            "val a:Long = 1 + miss$0ing(n, \"x\", n);",
            "Create method `missing`",
            format!("    }}\n\n    private def missing(n:Long, value:String, n2:Long):Long {{\n        {todo}\n    }}\n    static"),
        ),
        ("if (isGo$0od(n)) return;", "Create method", "private def isGood(n:Long):Boolean {".to_owned()),
        ("k$0eep(t, null);", "Create method", "private def keep[T](t:T, value:Any):void {".to_owned()),
        ("g(ha$0lf());", "Create method", "private def half():Long {".to_owned()),
        (
            "new Other().mi$0ssing(here);",
            "Create method",
            format!("    val a = 1;\n\n    def missing(value:Place):void {{\n        {todo}\n    }}\n}}"),
        ),
        ("val o:Other = Other.ma$0ke(n);", "Create method", "    static def make(n:Long):Other {".to_owned()),
        ("val a = (s:Shape) => s.ar$0ea() * 2.0;", "Create method", "{\n    def area():Double;\n}".to_owned()),
        ("this.cou$0nt = n * 2;", "Create field `count`", "{\n    private var count:Long;\n    def f".to_owned()),
        ("val ok:Boolean = re$0ady;", "Create field", "{\n    private var ready:Boolean;\n    def f".to_owned()),
        ("new Other().na$0me = \"x\";", "Create field", "class Other {\n    var name:String;\n    val".to_owned()),
        (
            "val a = new Thi$0ng(n, \"x\");",
            "Create class `Thing`",
            "    static def g(n:Long) = n;\n}\n\nclass Thing {\n    def this(n:Long, value:String) {\n    }\n}\n\nclass Other".to_owned(),
        ),
        ("val a:Rail[Du$0al[Long, T]] = null;", "Create class", "class Dual[T, U] {\n}".to_owned()),
    ] {
        let (titles, edited) = after(&with(statement), title);
        let edited = edited.unwrap_or_default();
        assert!(edited.contains(&wanted), "{statement}: {titles:?}\n{edited}");
        let left = crate::fixture::report(&edited);
        let is_right = ["name/", "type/", "syntax/", "flow/"].iter().all(|family| !left.contains(family));
        assert!(is_right, "{statement}: {left}\n{edited}");
    }
    let (_, edited) = after("class A implements Ma$0de[Long] {\n}\n", "Create interface");
    assert_eq!(edited.as_deref(), Some("class A implements Made[Long] {\n}\n\ninterface Made[T] {\n}\n"));
    // Existing members, and members of library classes.
    for statement in
        ["g$0(n);", "g$0(t);", "\"x\".mis$0sing(n);", "val m = n.mis$0sing;", "Con$0sole.OUT.println(n);"]
    {
        let (titles, _) = after(&with(statement), "Create");
        assert!(!titles.iter().any(|title| title.starts_with("Create")), "{statement}: {titles:?}");
    }
}

/// An assist that would leave an error is not offered.
#[test]
fn declarations_of_uncertain_type_are_not_created() {
    let with = |statement: &str| {
        format!(
            "class Example[C] {{
    val r = new Rail[Long](1);
    def f[T](n:Long, t:T) {{
        class Local {{ }}
        {statement}
    }}
    static def of[T](t:T) {{
    }}
}}

class Other {{ }}

struct NoZero {{ val n:Long{{self!=0}}; def this() {{ n = 1; }} }}

interface Shape {{ }}

class Square implements Shape {{ }}
"
        )
    };
    for statement in [
        // Type parameters and classes that are not known where it goes.
        "this.cou$0nt = t;",
        "new Other().mis$0sing(t);",
        "mis$0sing(new Local());",
        "new Other().na$0me = new Local();",
        // Guesses.
        "val a = n << mis$0sing();",
        "cou$0nt++;",
        "cou$0nt += 1;",
        "throw mis$0sing();",
        "switch (mis$0sing()) { case 1: break; }",
        "for (i in mis$0sing()) { }",
        "r(0) = mis$0sing();",
        "val a:Boolean = mis$0sing(n) instanceof Long;",
        "val a:Long = mis$0sing(n).size;",
        "mis$0sing(unknown);",
        "val a = () => { return mis$0sing(); };",
        "of(mis$0sing());",
        "mis$0sing[Long](1);",
        "mis$0sing(1)(2);",
        "Mis$0sing.go(1);",
        "this.ze$0ro = NoZero();",
        // Other classes would lack it.
        "val a = (s:Shape) => s.ar$0ea() * 2.0;",
        // Not every class would do.
        "try { } catch (e:Mis$0sing) { }",
        "@Mis$0sing { }",
        "val a = new Mis$0sing(1) { };",
        "val a = new Mis$0sing(t);",
        // Code with syntax errors around the name.
        "mis$0sing(n); val = ;",
    ] {
        let (titles, _) = after(&with(statement), "Create");
        assert!(!titles.iter().any(|title| title.starts_with("Create")), "{statement}: {titles:?}");
    }
    for text in [
        "interface A extends Mis$0sing { }",
        "class A { def f() throws Mis$0sing { } }",
        "class A extends Mis$0sing { def this() { super(1); } }",
        "class A { def f() { mis$0sing(1); }",
    ] {
        let (titles, _) = after(text, "Create");
        assert!(!titles.iter().any(|title| title.starts_with("Create")), "{text}: {titles:?}");
    }
    for (statement, wanted) in [
        ("val `val` = n; mis$0sing(`val`, `val`);", "private def missing(`val`:Long, `val2`:Long):void {"),
        ("val a:Long = n > 0 ? (mis$0sing(n)) : 1;", "private def missing(n:Long):Long {"),
        ("if (n == mis$0sing()) { }", "private def missing():Long {"),
    ] {
        let (titles, edited) = after(&with(statement), "Create method");
        let edited = edited.unwrap_or_default();
        assert!(edited.contains(wanted), "{statement}: {titles:?}\n{edited}");
    }
}
