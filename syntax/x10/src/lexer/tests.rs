use super::lex;
use crate::syntax_kind::SyntaxKind::{self, *};

fn kinds(text: &str) -> Vec<(SyntaxKind, &str)> {
    let lexed = lex(text);
    assert!(lexed.errors.is_empty(), "{text}: {:?}", lexed.errors);
    tokens(text)
}

fn tokens(text: &str) -> Vec<(SyntaxKind, &str)> {
    let lexed = lex(text);
    let all: Vec<_> = (0..lexed.kinds.len()).map(|it| (lexed.kinds[it], &text[lexed.range(it)])).collect();
    assert_eq!(all.iter().map(|it| it.1).collect::<String>(), text);
    all
}

#[test]
fn every_punctuation_is_one_token() {
    for raw in 0..SyntaxKind::LAST as u16 {
        let kind = SyntaxKind::from_raw(raw);
        if let Some(text) = kind.text() {
            assert_eq!(kinds(text), [(kind, text)]);
        }
    }
}

#[test]
fn arrows_are_longest() {
    assert_eq!(kinds("x>-1"), [(IDENT, "x"), (LFUNNEL, ">-"), (INT_NUMBER, "1")]);
    assert_eq!(kinds("a<-=b"), [(IDENT, "a"), (LARROWEQ, "<-="), (IDENT, "b")]);
}

#[test]
fn numbers() {
    assert_eq!(kinds("1..5"), [(INT_NUMBER, "1"), (DOT2, ".."), (INT_NUMBER, "5")]);
    assert_eq!(kinds("1..f"), [(INT_NUMBER, "1"), (DOT2, ".."), (IDENT, "f")]);
    assert_eq!(kinds("1.foo"), [(FLOAT_NUMBER, "1.f"), (IDENT, "oo")]);
    assert_eq!(kinds("1.equals"), [(INT_NUMBER, "1"), (DOT, "."), (IDENT, "equals")]);
    assert_eq!(kinds("1.5.foo"), [(FLOAT_NUMBER, "1.5"), (DOT, "."), (IDENT, "foo")]);
    assert_eq!(kinds("1?u:c"), [(INT_NUMBER, "1?u"), (COLON, ":"), (IDENT, "c")]);
    for one in ["0", "1_0n", "0x1F_Ful", "0XFy", "0b10s", "017", "7yu", "7L"] {
        assert_eq!(kinds(one), [(INT_NUMBER, one)]);
    }
    for one in ["1.", "1.e5", "1e-5f", ".5", "09.5", "1d", "1_0.5_0e1_0d"] {
        assert_eq!(kinds(one), [(FLOAT_NUMBER, one)]);
    }
    assert_eq!(kinds("1_"), [(INT_NUMBER, "1"), (IDENT, "_")]);
}

#[test]
fn names() {
    for one in ["x", "$x", "_", "Ünï", "x²", "price€", "`two words`", "`\\``", "values"] {
        assert_eq!(kinds(one), [(IDENT, one)]);
    }
    assert_eq!(kinds("val"), [(VAL_KW, "val")]);
}

#[test]
fn comments() {
    assert_eq!(kinds("/**/x"), [(BLOCK_COMMENT, "/**/"), (IDENT, "x")]);
    assert_eq!(kinds("/***/"), [(DOC_COMMENT, "/***/")]);
    assert_eq!(kinds("/* /* */x"), [(BLOCK_COMMENT, "/* /* */"), (IDENT, "x")]);
    assert_eq!(kinds("//x\r\ny"), [(LINE_COMMENT, "//x"), (WHITESPACE, "\r\n"), (IDENT, "y")]);
    assert_eq!(kinds("\u{feff} x"), [(WHITESPACE, "\u{feff} "), (IDENT, "x")]);
}

#[test]
fn native_code_has_lines_of_its_own() {
    let code = "\"\n  if (x) {\n    puts(\\\"a\\\");\n  }\n\"";
    let statement = format!("@Native(\"c++\", {code}) {{}}");
    assert!(kinds(&statement).contains(&(STRING, code)), "{:?}", kinds(&statement));
    assert!(lex(&statement).errors.is_empty());
    let forgotten = "@Native(\"c++\", \"f()) {}\n}\ndef g() { h(\"a\"); }";
    let errors = lex(forgotten).errors;
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].message.contains("no closing"));
}

#[test]
fn a_member_or_the_end_of_the_annotation_ends_native_code_whose_quote_was_forgotten() {
    let member = "static def b(s:String) { foo(x, \")\"); }";
    for first in
        ["puts(1)) static def a() { }", "puts(1))", "puts(1)\n@Inline def c() { }", "puts(1);\n val c = 1;"]
    {
        let text = format!("@Native(\"c++\", \"{first}\n{member}");
        let lexed = lex(&text);
        assert_eq!(lexed.errors.len(), 1, "{text}: {:?}", lexed.errors);
        assert!(lexed.errors[0].message.contains("no closing"), "{text}");
        assert!(tokens(&text).contains(&(STRING, "\")\"")), "{text}");
    }
    let native =
        "@Native(\"c++\", \"{ int val = f(1);\n static int b;\n val = 3;\n struct S { };\n g(); }\")";
    assert!(lex(native).errors.is_empty());
}

#[test]
fn malformed_tokens_give_one_error_each() {
    for (text, kinds, message) in [
        ("\"abc\nx", vec![STRING, WHITESPACE, IDENT], "no closing"),
        ("\"abc\\", vec![STRING], "no closing"),
        ("\"abc);\nf(\"d\"", vec![STRING, WHITESPACE, IDENT, L_PAREN, STRING], "no closing"),
        ("\"abc\nf(\"d\"", vec![STRING, WHITESPACE, IDENT, L_PAREN, STRING], "no closing"),
        ("\"abc\n}\"d\"", vec![STRING, WHITESPACE, R_CURLY, STRING], "no closing"),
        ("'ab'", vec![CHAR], "exactly one character"),
        ("''", vec![CHAR], "exactly one character"),
        ("'''", vec![CHAR], "needs a backslash"),
        ("'\\ud800'", vec![CHAR], "surrogate"),
        ("\"\\q\"", vec![STRING], "not an escape"),
        ("\"\\u12\"", vec![STRING], "four hexadecimal"),
        ("/* x", vec![BLOCK_COMMENT], "no end"),
        ("`x", vec![IDENT], "no closing"),
        ("09", vec![INT_NUMBER], "octal"),
        ("0xR", vec![INT_NUMBER], "hexadecimal"),
        ("\0\0#", vec![ERROR_TOKEN], "not part of any token"),
        ("“say \\\"hi\\\"”", vec![STRING], "quotes"),
        ("é–b", vec![IDENT, MINUS, IDENT], "`–` (U+2013)"),
        ("a\u{a0}b", vec![IDENT, WHITESPACE, IDENT], "not a space"),
        ("“hello”;", vec![STRING, SEMICOLON], "quotes"),
        ("‘x’", vec![CHAR], "quotes"),
        ("“hello\nx", vec![STRING, WHITESPACE, IDENT], "quotes"),
        ("x\u{feff}", vec![IDENT, WHITESPACE], "not a space"),
    ] {
        let found: Vec<_> = tokens(text).iter().map(|it| it.0).collect();
        assert_eq!(found, kinds, "{text:?}");
        let errors = lex(text).errors;
        assert_eq!(errors.len(), 1, "{text:?}: {errors:?}");
        assert!(errors[0].message.contains(message), "{text:?}: {}", errors[0].message);
    }
}

#[test]
fn strings_go_on_to_their_quote() {
    for text in ["\"a\nb\"", "\"a\r\n\n b\\\"c\"", "\"a;b\n c\""] {
        assert_eq!(kinds(text), [(STRING, text)]);
        assert!(lex(text).errors.is_empty(), "{text:?}");
    }
}

#[test]
fn of_a_conflict_the_first_version_counts() {
    let text = "a\n<<<<<<< ours\nb\n=======\nc {\n>>>>>>> theirs\nd";
    let all = tokens(text);
    let tokens: Vec<_> = all.iter().filter(|it| it.0 != WHITESPACE).copied().collect();
    let other = (BLOCK_COMMENT, "=======\nc {\n>>>>>>> theirs");
    let expected = [(IDENT, "a"), (LINE_COMMENT, "<<<<<<< ours"), (IDENT, "b"), other, (IDENT, "d")];
    assert_eq!(tokens, expected);
    assert_eq!(lex(text).errors.len(), 1);
    assert_eq!(kinds("======="), [(EQ2, "=="), (EQ2, "=="), (EQ2, "=="), (EQ, "=")]);
}
