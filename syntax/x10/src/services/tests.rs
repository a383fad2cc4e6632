use super::*;
use crate::parse::parse;
use apg_source::TextSize;

/// The text without the mark `$0`, and where that stood.
fn cursor(text: &str) -> (String, TextSize) {
    let at = text.find("$0").unwrap();
    (text.replace("$0", ""), TextSize::new(at as u32))
}

#[test]
fn brackets_match() {
    for (text, partner) in [
        ("class A $0{ def f() { } }", Some("}")),
        ("class A { def f$0(x:T) { } }", Some(")")),
        ("class A { def f() { g(h(1))$0; } }", Some("(")),
        ("class A { def f() { x; } }$0", Some("{")),
        ("class $0A { }", None),
        ("class A $0{", None),
    ] {
        let (text, offset) = cursor(text);
        let found = matching_bracket(&parse(&text).syntax(), offset);
        assert_eq!(found.map(|it| &text[it]), partner, "{text}");
    }
    let text = "class A { def f() { g(h(1)); } }";
    let found = matching_bracket(&parse(text).syntax(), TextSize::new(26)).unwrap();
    assert_eq!(usize::from(found.start()), 21);
}

#[test]
fn comments_continue() {
    for (text, expected) in [
        ("  // one$0\nclass A { }", Some("\n  // ")),
        ("  /// o$0ne\nclass A { }", Some("\n  /// ")),
        ("class A { } // one$0", None),
        ("class A { } // o$0ne", Some("\n// ")),
        ("  /** one$0\n */class A { }", Some("\n   * ")),
        ("/* one */$0 class A { }", None),
        ("class A { $0 }", None),
    ] {
        let (text, offset) = cursor(text);
        assert_eq!(comment_continuation(&parse(&text).syntax(), offset).as_deref(), expected, "{text}");
    }
}

#[test]
fn folds() {
    let text = "import a.B;\nimport c.D;\n// one\n// two\n\n/**\n * Doc.\n */\nclass A {\n  def f(x:T,\n    y:U) { }\n}\n";
    let folds: Vec<_> =
        folding_ranges(&parse(text).syntax()).iter().map(|it| (it.kind, &text[it.range])).collect();
    assert_eq!(
        folds,
        [
            (FoldKind::Imports, "import a.B;\nimport c.D;"),
            (FoldKind::Comment, "// one\n// two"),
            (FoldKind::Comment, "/**\n * Doc.\n */"),
            (FoldKind::Region, "{\n  def f(x:T,\n    y:U) { }\n}"),
            (FoldKind::Region, "(x:T,\n    y:U)"),
        ]
    );
}

#[test]
fn selections_grow() {
    let (text, offset) = cursor("class A { def f() { g(a + b$0c, d); } }");
    let ranges = selection_ranges(&parse(&text).syntax(), offset);
    let sources: Vec<_> = ranges.iter().map(|it| &text[*it]).collect();
    assert_eq!(
        sources,
        [
            "bc",
            "a + bc",
            "a + bc, d",
            "(a + bc, d)",
            "g(a + bc, d)",
            "g(a + bc, d);",
            "{ g(a + bc, d); }",
            "def f() { g(a + bc, d); }",
            "{ def f() { g(a + bc, d); } }",
            "class A { def f() { g(a + bc, d); } }",
        ]
    );
}

#[test]
fn symbols_are_nested() {
    let text = "class A[T](p:Int) { val x:Int = 1, y = 2; def this() { } def f(a:T):Int = 1; static operator (a:A) + (b:A) = a; struct B { } }\ntype C = A;";
    let symbols = document_symbols(&parse(text).tree());
    fn show(symbols: &[Symbol], depth: usize, out: &mut String) {
        for it in symbols {
            let detail = it.detail.as_deref().unwrap_or("-");
            *out += &format!("{}{:?} {} {detail}\n", "  ".repeat(depth), it.kind, it.name);
            show(&it.children, depth + 1, out);
        }
    }
    let mut shown = String::new();
    show(&symbols, 0, &mut shown);
    assert_eq!(
        shown,
        "Class A [T]\n  Property p Int\n  Field x Int\n  Field y -\n  Constructor this ()\n  Method f (a:T):Int\n  Operator operator+ (a:A, b:A)\n  Struct B -\nTypeDef C A\n"
    );
}

#[test]
fn highlights() {
    use HighlightKind::*;
    let text = "import x10.util.Random; /* c */ class A { static def f(x:Int) { L: for (i in r) @B g(a.h(1) + \"s\"); } }";
    let found: Vec<_> =
        highlight(&parse(text).syntax()).iter().map(|it| (&text[it.range], it.kind)).collect();
    assert_eq!(
        found,
        [
            ("import", Keyword),
            ("x10", Namespace),
            ("util", Namespace),
            ("Random", Type),
            ("/* c */", Comment),
            ("class", Keyword),
            ("A", Class),
            ("static", Modifier),
            ("def", Keyword),
            ("f", Method),
            ("x", Parameter),
            ("Int", Type),
            ("L", Label),
            ("for", Keyword),
            ("i", Variable),
            ("in", Keyword),
            ("r", Variable),
            ("@", Decorator),
            ("B", Decorator),
            ("g", Method),
            ("a", Variable),
            ("h", Method),
            ("1", Number),
            ("+", Operator),
            ("\"s\"", String),
        ]
    );
}
