//! Property of incremental parsing: after any edits, tokens, trees and errors are those of a parse from the
//! beginning.

mod support;

use std::path::Path;
use std::sync::Arc;

use apg_c_syntax::{
    ExpansionId, FileId, ParsedUnit, SyntaxNode, Toolchain, Unit, parse_unit, preprocess, reparse,
};
use proptest::prelude::*;
use support::Memory;

/// Programs with macros, directives, typedef names, conditionals and errors.
const PROGRAMS: &[&str] = &[
    "#include \"a.h\"\n#define TWICE(x) ((x) + (x))\n#define BODY { return 1; }\nint total;\n\
     static int add(int a, int b) {\n    // a comment\n    number sum = TWICE(a) + b;\n    return sum;\n}\n\
     int f(void) BODY\nstruct s { int x, y; };\nint main(void) {\n    struct s v = { 1, 2 };\n\
     #pragma omp parallel for reduction(+ : total)\n    for (int i = 0; i < LIMIT; i++) { total += add(i, v.x); }\n\
     \x20   if (total > 3) { total = '\\n'; } else total--;\n    return total; /* end */\n}\nint last = 7;\n",
    "typedef int T;\nvoid g(void) { T x; { int T = 3; x = T * 2; } }\ntypedef struct { T t; } U;\n\
     U u;\nT h(U *p) { typedef long L; L l = p->t; return (T) l; }\n#ifdef NONE\nint k(void) { }\n#else\n\
     int k(void) { return sizeof(T); }\n#endif\nvoid m(T) ;\nint broken(void) { return 1 + ; }\nint after(void) { g(); return 0; }\n",
    "#include <assert.h>\nint p(int q) { assert(q); return __LINE__; }\n#include \"a.h\"\nnumber n = 4;\n\
     #pragma omp threadprivate(n)\nint r(int z)\n{\n  _Pragma(\"omp critical\") { z++; }\n  return z;\n}\n\
     #define LATE 1\nint s(void) { return LATE; }\nint t(void) { int a[] = { 1, 2, LATE }; return a[0] ? a[1] : \"x\"[0]; }\n",
    "int open(int n) {\n    if (n) {\n        n++;\n}\nstatic int next(int n) {\n    return n;\n}\n\
     int outer(int n) {\nint inner(int k) {\n    return k;\n}\n    return inner(n);\n}\n",
    "#define STEP 1\n#define NEXT(x) ((x) + STEP)\nint a(int x) { return NEXT(x); }\nint b(int y) { return y * 2; }\n\
     #undef STEP\n#define STEP 2\n#define LATE 3\nint c(int z) { return NEXT(z) + LATE; }\n#undef LATE\nint d(int w) { return w; }\n",
    "#define FAST\nint a(int x) {\n#ifdef FAST\n    x = 1;\n#else\n    x = 2; {\n#endif\n#if defined(SLOW) && 1\n    x++;\n#elif __has_include(\"a.h\")\n\
     x--;\n#endif\n    return x;\n}\nint b(int y) {\n#if !defined SLOW\n    y += 1;\n#  pragma omp atomic\n    y++;\n#endif\n    return y;\n}\n\
     #define SLOW 1\n#undef FAST\n#if SLOW\nint c(int z) {\n#else\nint c(void) { int z = 0;\n#endif\n    return z;\n}\nint d(int w) { return w; }\n",
];

const HEADER: &str = "#define LIMIT 10\ntypedef int number;\nextern int other;\n";

/// What is typed.
const PIECES: &[&str] = &[
    "x",
    "1",
    " ",
    "\n",
    ";",
    "{",
    "}",
    "(",
    ")",
    "+ 2",
    "TWICE(3)",
    "NEXT(1)",
    "LATE",
    "T",
    "U",
    "number",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "\\\n",
    "#",
    "#define M 1\n",
    "\n#pragma omp barrier\n",
    "\n#if 1\n",
    "\n#endif\n",
    "\n#ifdef FAST\n",
    "\n#else\n",
    "\n#if SLOW\ny();\n#endif\n",
    "_Pragma(\"once\")",
    "__attribute__((",
    "int y = 2;",
    "typedef char T;",
    "if (x) { y(); }",
    "__LINE__",
    "__COUNTER__",
    "#pragma xmp nodes p(2)\n",
    "\n#include \"a.h\"\n",
    "é",
];

fn from_scratch(text: &Arc<str>, files: &Memory) -> (Unit, ParsedUnit) {
    let unit = preprocess(Path::new("main.c"), text.clone(), &Toolchain::default(), files, None);
    let parsed = parse_unit(&unit, None);
    (unit, parsed)
}

/// All that others see of a unit and its trees.
fn seen((unit, parsed): &(Unit, ParsedUnit)) -> String {
    let mut out = String::new();
    for token in unit.tokens().iter() {
        let stack: Vec<_> =
            unit.macro_stack(token).iter().map(|it| (unit.text(it.macro_name), it.invocation)).collect();
        let (text, site) = (unit.text(token.text), unit.expansion_site(token));
        let starts_line = token.is_line_start();
        let flags = (starts_line, token.has_space_before(), token.is_spelled());
        out += &format!("{:?} {text:?} {:?} {site:?} {flags:?} {stack:?}\n", token.kind, token.span);
    }
    out += &format!("{:?}\n", unit.errors());
    let main = &parsed.main;
    out += &format!("{:#?}\n", main.syntax());
    for error in main.errors() {
        let is_expanded = error.expansion != ExpansionId::NONE;
        let place = (error.range, error.span, is_expanded);
        out += &format!("{} {place:?} {:?} {:?}\n", error.message, error.hint, error.replacement);
    }
    out += &format!("{:?}", unit.files().iter().map(|it| (&it.path, it.included_at)).collect::<Vec<_>>());
    for node in main.syntax().descendants() {
        out += &format!("{:?}", main.span(unit, SyntaxNode::text_range(&node)));
    }
    out
}

/// The start of the character around an offset.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0)
}

/// A text with a range of it replaced.
fn edited(text: &str, at: usize, length: usize, piece: &str) -> String {
    let start = boundary(text, at % (text.len() + 1));
    let end = boundary(text, start + length).max(start);
    format!("{}{piece}{}", &text[..start], &text[end..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn an_edited_file_is_parsed_as_from_the_beginning(
        program in 0..PROGRAMS.len(),
        edits in proptest::collection::vec((any::<usize>(), 0_usize..8, 0..PIECES.len()), 1..8),
    ) {
        let files = Memory::of(&[("a.h", HEADER), ("assert.h", "#define assert(x) ((x) ? 0 : __LINE__)\n")]);
        let mut text: Arc<str> = PROGRAMS[program].into();
        let mut now = from_scratch(&text, &files);
        for (at, length, piece) in edits {
            // Most edits keep braces, as those of people do.
            let piece = if at % 3 == 0 { PIECES[piece] } else { PIECES[piece % 4] };
            text = edited(&text, at, if at % 5 == 0 { length } else { 0 }, piece).into();
            let expected = from_scratch(&text, &files);
            if let Some(found) = reparse(&now.0, &now.1, &text, &Toolchain::default(), &files) {
                let (again, expected) = (seen(&found), seen(&expected));
                let differing = again.lines().zip(expected.lines()).find(|(again, expected)| again != expected);
                prop_assert!(again == expected, "{differing:?} in {text}");
                now = found;
            } else {
                now = expected;
            }
        }
    }
}

#[test]
fn an_edit_in_a_body_parses_this_function_alone() {
    let files = Memory::of(&[("a.h", HEADER)]);
    let text: Arc<str> = PROGRAMS[0].into();
    let first = from_scratch(&text, &files);
    let next: Arc<str> = text.replace("+ b;", "+ b * 2 + other;\n    sum++;").into();
    let again = reparse(&first.0, &first.1, &next, &Toolchain::default(), &files).expect("one function");
    assert_eq!(seen(&again), seen(&from_scratch(&next, &files)));
    let children = |parsed: &ParsedUnit| -> Vec<_> { parsed.main.syntax().children().collect() };
    let kept = children(&first.1)
        .into_iter()
        .zip(children(&again.1))
        .filter(|(old, new)| std::ptr::eq::<rowan::GreenNodeData>(&*old.green(), &*new.green()));
    assert_eq!(kept.count(), children(&first.1).len() - 1);
}

#[test]
fn what_concerns_other_declarations_is_parsed_from_the_beginning() {
    let files = Memory::of(&[("a.h", HEADER)]);
    let again = |old: &str, new: &str| {
        let first = from_scratch(&old.into(), &files);
        assert_eq!(&*first.0.file(FileId::MAIN).text, old);
        reparse(&first.0, &first.1, &new.into(), &Toolchain::default(), &files).is_some()
    };
    let body = "int a(void) { int x = 1; return x; }\nint b(void) { return 2; }\n";
    assert!(again(body, &body.replace("x = 1", "x = 12")));
    for (old, new) in [("x = 1", "x = 1 /*"), ("x = 1;", "x = 1; }"), ("x = 1", "x = 1 //")] {
        assert!(!again(body, &body.replace(old, new)), "{new}");
    }
    assert!(!again(body, &body.replace(" int x", "\n#define return\nint x")));
    // Macros that change behind a function concern it only where it names them, by others too.
    let changed = format!("#define A 1\n#define B A\n{body}#undef A\n#define A 2\nint c = B;\n");
    assert!(again(&changed, &changed.replace("x = 1", "x = 12")));
    for name in ["A", "B"] {
        assert!(!again(&changed, &changed.replace("x = 1", &format!("x = {name}"))), "{name}");
    }
    // Conditionals that are complete, of macros that mean the same at the end of the file.
    let conditional =
        format!("#define A\n{}", body.replace("return x", "\n#ifdef A\nx++;\n#endif\nreturn x"));
    assert!(again(&conditional, &conditional.replace("x++", "x += 2")));
    assert!(again(&conditional, &conditional.replace("#ifdef A", "#if !defined(A) || 0")));
    assert!(!again(&conditional, &conditional.replace("#endif", "")));
    assert!(!again(&conditional, &conditional.replace("x++;", "#define B\n")));
    let later = format!("{conditional}#undef A\n");
    assert!(!again(&later, &later.replace("x++", "x += 2")));
    let header = conditional.replace("#ifdef A", "#if __has_include(\"a.h\")");
    assert!(!again(&header, &header.replace("x++", "x += 2")));
    let outer = format!(
        "#if 0\n{body}#endif\n#ifdef A\nint c(int x) {{\n#else\nint c(void) {{\n#endif\nreturn 1; }}\n"
    );
    assert!(!again(&outer, &outer.replace("return 1", "return 1 + 1")));
    let typedef = "typedef struct { int x; } T;\nT *t;\n";
    assert!(again(typedef, &typedef.replace("x;", "x, y;")));
    assert!(!again(typedef, &typedef.replace("} T", "} T, U")));
    // A header that has changed meanwhile.
    let text = format!("#include \"a.h\"\n{body}");
    let first = from_scratch(&text.as_str().into(), &files);
    let other = Memory::of(&[("a.h", "int changed;\n")]);
    let new: Arc<str> = text.replace("x = 1", "x = 3").into();
    assert!(reparse(&first.0, &first.1, &new, &Toolchain::default(), &other).is_none());
}

#[test]
fn an_unclosed_attribute_ends_with_its_declaration() {
    let files = Memory::of(&[]);
    let old = "int f(void) __attribute__((noreturn);\n\
               int g(void) { int a = 1; if (a) { a = 2; } return a; }\n";
    let first = from_scratch(&old.into(), &files);
    let new: Arc<str> = old.replace("if (a)", "if a)").into();
    if let Some(again) = reparse(&first.0, &first.1, &new, &Toolchain::default(), &files) {
        assert_eq!(seen(&again), seen(&from_scratch(&new, &files)));
    }
}
