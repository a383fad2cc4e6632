//! Property test: any text gives a tree whose text is the input, fast and without a panic.

use apg_syntax::{Edit, TextRange, TextSize, parse};
use proptest::prelude::*;

#[track_caller]
fn check(text: &str) -> usize {
    let parse = parse(text);
    assert_eq!(parse.syntax().text().len(), TextSize::of(text));
    assert!(parse.syntax().text() == text);
    for error in parse.errors() {
        assert!(usize::from(error.range.end()) <= text.len(), "{error:?}");
        assert!(text.is_char_boundary(error.range.start().into()), "{error:?}");
        assert!(text.is_char_boundary(error.range.end().into()), "{error:?}");
    }
    parse.errors().len()
}

#[test]
fn deep_nesting_is_an_error_not_a_stack_overflow() {
    let openers = [
        "(",
        "[",
        "{",
        "f(",
        "x[",
        "T{",
        "class A {",
        "class A { def f() {",
        "-",
        "!",
        "@A ",
        "async ",
        "finish ",
        "if (x) ",
        "for (x in ",
        "at (",
        "at (p) ",
        "(x:T)=>",
        "new A(",
        "new A() {",
        "a ? ",
        "a ? b : ",
        "x = ",
        "while (x) ",
        "L: for (;;) ",
        "switch (x) { case 1: ",
        "try {",
        "foo { ",
        "p.async { ",
        "x as ",
        "x as T[",
        "(T)=>",
        "a + (",
        "a = ",
        "else if (x) {} ",
        "if (x) {} else ",
        "do ",
        "operator (",
        "x instanceof T{",
        "\"",
        "/*",
        "'",
        "@A(",
        "f<",
        "new A<",
    ];
    for opener in openers {
        for head in ["", "class A { def f() { ", "class A { val x:", "class A { val x = ", "class A extends "]
        {
            let text = format!("{head}{}", opener.repeat(2_000));
            assert!(check(&text) > 0, "{head}{opener}...");
        }
    }
}

#[test]
fn deep_nesting_that_is_closed_gives_one_error() {
    for (open, close) in [("(", ")"), ("[", "]"), ("f(", ")"), ("new A(", ")")] {
        let text = format!("class A {{ val x = {}1{}; }}", open.repeat(100_000), close.repeat(100_000));
        assert_eq!(check(&text), 1, "{open}");
    }
    // Angle brackets so deep are operators, of which there are too many in a row.
    let text = format!("class A {{ val x = f{}{}(1); }}", "<A".repeat(100_000), ">".repeat(100_000));
    assert_eq!(check(&text), 1);
    let text = format!("class A {{ def f() {{ {}{} }} }}", "{".repeat(100_000), "}".repeat(100_000));
    assert_eq!(check(&text), 1);
}

#[test]
fn braces_that_lack_before_each_else_end_a_limited_number_of_blocks() {
    for piece in ["if (x) { y();\n else { z(); }\n", "if (x) {\n else "] {
        let errors = check(&format!("class A {{\n def f() {{\n{}}}\n}}\n", piece.repeat(1_000)));
        assert!((100..400).contains(&errors), "{piece}: {errors}");
    }
}

#[test]
fn long_chains() {
    for (head, link, tail) in [
        ("val x = a", " + a", ";"),
        ("val x = a", ".b", ";"),
        ("val x = a", "(1)", ";"),
        ("val x = a", " as T", ";"),
        ("val x = a", "++", ";"),
        ("val x = A", "<A", ";"),
        ("val x:a", ".b", ";"),
        ("val x = a", " ? b : c", ";"),
        ("if (x) {}", " else if (y) {}", ""),
    ] {
        for count in [200, 1_000_000 / link.len()] {
            let text = format!("class A {{ def f() {{ {head}{}{tail} }} }}", link.repeat(count));
            let errors = check(&text);
            assert!(count > 200 || errors == 0, "{link}: {errors}");
        }
    }
}

#[test]
fn ten_megabytes_on_one_line() {
    // An unoptimised parser takes its time; its steps grow with the text all the same.
    let size = if cfg!(debug_assertions) { 300_000 } else { 10_000_000 };
    let text = format!("class A {{ def f() {{ {} }} }}", "x = y + 1; ".repeat(size / 11));
    assert_eq!(check(&text), 0);
    for piece in ["x ", "} ", "(]", "{ [ ( ", "@A ", "static ", "a, ", ") ", "; ", "class "] {
        check(&piece.repeat(size / 10 / piece.len()));
    }
}

#[test]
fn odd_bytes() {
    for text in [
        "\0",
        "\u{feff}",
        "\u{feff}\u{feff}",
        "\r",
        "\r\r\n\n",
        "class A {\r\n}\r",
        "\"\\ud800\"",
        "'\\",
        "\"",
        "'",
        "`",
        "/*",
        "/**",
        "//",
        "class A { val s = \"abc",
        "class A { val s = 'a",
        "\u{ffff}",
        "\u{10ffff}",
        "é",
        "class É { }",
        "#",
        "\\",
        "@",
        "package",
        "import a.",
        "class",
        "class A {",
        "class A { def",
        "class A { def f() { x.",
        "class A { operator",
        "\u{2028}",
    ] {
        check(text);
    }
    let binary: Vec<u8> = (0..200_000u32).map(|it| (it.wrapping_mul(2654435761) >> 13) as u8).collect();
    check(&String::from_utf8_lossy(&binary));
}

/// Pieces of programs, whole and broken.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "“",
        "”",
        "‘",
        "–",
        "é",
        "class A ",
        "struct S ",
        "interface I ",
        "type T = ",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ",",
        ":",
        ".",
        "..",
        "=",
        "=>",
        "==",
        "<:",
        "@",
        "?",
        "+",
        "-",
        "!",
        "++",
        "def f",
        "def this",
        "operator this",
        "operator ",
        "property ",
        "val x",
        "var y",
        "x",
        "Foo",
        "1",
        "2.5f",
        "\"s\"",
        "'c'",
        "if ",
        "else ",
        "for (i in r) ",
        "for (;;) ",
        "while ",
        "do ",
        "switch ",
        "case 1:",
        "default:",
        "try ",
        "catch (e:E) ",
        "finally ",
        "async ",
        "finish ",
        "at (p) ",
        "clocked ",
        "atomic ",
        "when (c) ",
        "ateach ",
        "return ",
        "throw ",
        "new ",
        "as ",
        "instanceof ",
        "haszero",
        "this",
        "super",
        "self",
        "here",
        "static ",
        "public ",
        "native ",
        "import a.b;",
        "package p;",
        "extends ",
        "implements ",
        "throws ",
        "offer ",
        "x.async ",
        "\n",
        " ",
        "// c\n",
        "/* c */",
        "void",
        "in ",
        "label: ",
        "assert ",
        "break ",
        "null",
        "{ f() }",
    ])
}

fn program() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..60).prop_map(|it| it.concat())
}

proptest! {
    // Failing cases belong into a test of their own here, not into a file.
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_kept(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_sequence_of_pieces_is_kept(text in program()) {
        check(&text);
    }

    #[test]
    fn reparsing_equals_parsing(before in program(), insert in program(), at in any::<prop::sample::Index>(), length in 0..20usize) {
        let mut text = format!("class A {{ def f() {{ {before} }} def g() {{ (x:T)=>{{ y; }} }} }}");
        let old = parse(&text);
        let between_characters = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = between_characters(at.index(text.len()));
        let end = between_characters((start + length).min(text.len()));
        let edit = Edit::new(TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32)), insert);
        edit.apply(&mut text);
        let (new, full) = (old.reparse(&edit), parse(&text));
        prop_assert_eq!(new.errors(), full.errors());
        prop_assert!(new == full, "{:#?}\n{:#?}", new.syntax(), full.syntax());
    }

    #[test]
    fn formatting_is_stable(text in program()) {
        if let Ok(once) = apg_syntax::formatted(&text) {
            let twice = apg_syntax::formatted(&once);
            prop_assert_eq!(twice, Ok(once));
        }
    }
}
