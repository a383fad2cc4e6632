//! Refactorings: a selection between two cursors, what is offered, and the program afterwards.

use apg_syntax::TextRange;

use super::cursors;
use crate::fixture::{file, host};
use crate::ide::{assists, organized_imports};

/// The titles that are offered, and the program after the one whose title starts so.
fn after(text: &str, title: &str) -> (Vec<String>, Option<String>) {
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
    let (_, edited) = after(&in_method("Console.OUT.println($0n * 2$0 + 1);"), "Extract");
    assert_eq!(edited, Some(in_method("val value = n * 2;\n        Console.OUT.println(value + 1);")));
    let (_, edited) = after(&in_method("val abs = 1; val b = 1 + $0Math.abs(n)$0;"), "Extract");
    assert_eq!(edited, Some(in_method("val abs = 1; val abs2 = Math.abs(n);\n        val b = 1 + abs2;")));
    // Evaluated each time round, later, or not at all.
    for statement in [
        "while ($0n > 3$0) {}",
        "val b = n > 1 && $0n < 5$0;",
        "val f = (x:Long) => $0x + 1$0;",
        "for (i in 0..3) f($0i + 1$0);",
        "if (n > 0) f($0n - 1$0);",
        "atomic f($0n - 1$0);",
        "val a = 1, b = $0a + 1$0;",
    ] {
        let (titles, _) = after(&in_method(statement), "Extract");
        assert!(!titles.iter().any(|t| t.starts_with("Extract")), "{statement}: {titles:?}");
    }
    let (_, edited) = after(&in_method("for (i in $0Math.abs(n)$0..9) f(i);"), "Extract");
    assert_eq!(edited, Some(in_method("val abs = Math.abs(n);\n        for (i in abs..9) f(i);")));
}

#[test]
fn statements_are_wrapped() {
    let (titles, edited) = after(&in_method("$0Console.OUT.println(n);$0"), "Wrap in `finish async`");
    assert_eq!(titles.iter().filter(|t| t.starts_with("Wrap")).count(), 5);
    assert_eq!(edited, Some(in_method("finish async {\n            Console.OUT.println(n);\n        }")));
    // What is declared inside would not be known after it.
    let (titles, _) = after(&in_method("$0val a = n;$0 Console.OUT.println(a);"), "Wrap");
    assert!(!titles.iter().any(|t| t.starts_with("Wrap")), "{titles:?}");
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

#[test]
fn imports_are_put_in_order() {
    let text = "import x10.util.Random;\nimport x10.util.HashMap;\nimport x10.io.*;\nimport x10.util.HashMap;\nclass Example { val m:HashMap[Long,Long] = null; }\n";
    let host = host(text);
    let example = file(&host, crate::diagnostics::DEFAULT_FILE);
    let edit = host.snapshot().with(|db| organized_imports(db, example)).expect("not cancelled");
    assert_eq!(edit.map(|e| e.text).as_deref(), Some("import x10.io.*;\nimport x10.util.HashMap;"));
}
