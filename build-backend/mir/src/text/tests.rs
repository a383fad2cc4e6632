//! Round trips of the text form, and errors with their places.

use super::*;
use crate::{ExprKind, Program, StmtKind};

/// Every declaration, statement and expression, as the printer lays them out.
const EVERYTHING: &str = include_str!("everything.mir");

fn parsed(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The error of a text, with its place.
fn error(text: &str) -> String {
    match parse(text) {
        Ok(program) => panic!("parsed as\n{}", print(&program, SpanDetail::All)),
        Err(error) => error.to_string(),
    }
}

/// A function with these statements; `%i` is an `i64`, `%c` a `ref @C`.
fn with_body(body: &str) -> String {
    format!(
        "class @C {{ field x: i64; vtable [@f, -]; }}\ninterface @I slots 1;\nstruct @S {{ field y: i32; }}\n\
         function @f(%i: i64, %c: ref @C): void {{\n{body}\n}}"
    )
}

#[test]
fn every_construct_is_printed_as_it_was_read() {
    let program = parsed(EVERYTHING);
    assert_eq!(print(&program, SpanDetail::All), EVERYTHING);
}

#[test]
fn every_construct_is_read_as_it_was() {
    let program = parsed(EVERYTHING);
    let again = parsed(&print(&program, SpanDetail::All));
    assert_eq!(format!("{program:#?}"), format!("{again:#?}"));
}

#[test]
fn spans_are_inherited_where_they_are_not_printed() {
    let program = parsed(EVERYTHING);
    let text = print(&program, SpanDetail::Statements);
    assert_eq!(print(&parsed(&text), SpanDetail::Statements), text);
    let bare = print(&program, SpanDetail::None);
    assert_eq!(print(&parsed(&bare), SpanDetail::All), bare, "spans of natives only");
}

#[test]
fn lines_of_the_text_have_the_spans_of_their_statements() {
    let text = with_body("  %i = 1; @7:3-9\n  if true { @8:3-10:4\n    %i = 2; @9:5\n  }");
    let (text, lines) = print_with_lines(&parsed(&text));
    let line_of = |part: &str| {
        let at = text.lines().position(|it| it.contains(part)).unwrap_or_else(|| panic!("{part} in {text}"));
        lines[at].map(|it| it.start.line)
    };
    assert_eq!(text.lines().count(), lines.len());
    assert_eq!([line_of("%i = 1"), line_of("if true"), line_of("%i = 2")], [Some(7), Some(8), Some(9)]);
    assert_eq!(line_of("class @C"), None);
}

#[test]
fn references_outside_of_their_tables_are_printed_and_not_read() {
    let mut program = parsed(&with_body("%c?.x = 3;"));
    let StmtKind::SetField { class, value, .. } = &mut program.functions[0].body[0].kind else {
        panic!("an assignment")
    };
    class.0 = 9;
    value.kind = ExprKind::Local(crate::LocalId(77));
    let text = print(&program, SpanDetail::All);
    assert!(text.contains("<field 0>(<class 9>) = <local 77>:i64;"), "{text}");
    assert!(parse(&text).is_err());
}

#[test]
fn errors_say_where_and_what_to_write() {
    for (body, expected) in [
        (
            "%j = 1;",
            "5:1: a local named `%j` is not declared: add it to `var [...]` in front of the first statement",
        ),
        ("%i = %i + %i + 1;", "5:14: write parentheses around one of the two operations"),
        (
            "%i = convert(3);",
            "5:16: the type of this expression does not follow from its operands: write `:TYPE` in front of `;`",
        ),
        ("%i = 3", "6:1: `;` is needed here, not `}`"),
        ("%i = @g(1);", "5:6: a function named `@g` is not declared"),
        ("@F(1);", "5:1: a function named `@F` is not declared; there is `@f`"),
        ("@f(1);", "5:1: `f` needs 2 arguments, not 1"),
        ("%i = %c.z;", "5:9: `C` has no field named `z`; it has `x`"),
        ("%i = struct @S(1:i32, 2:i32).y;", "5:13: `S` needs 1 fields, not 2"),
        ("%i = virtual @C 2(%c);", "5:17: there is no slot 2: the table has 2"),
        ("interface @I 1(%c);", "5:14: there is no slot 1: the table has 1"),
        ("closure @I();", "5:11: the receiver is missing: it is the first argument"),
        (
            "%i = stack 0 @C();",
            "5:12: this function has 0 stack objects: write `stack [@CLASS, ...];` in front of `var`",
        ),
        ("%i = struct @S(1:i32):i64;", "5:23: the value of a struct has no other type: remove this one"),
        ("(%i:struct @S).y = 1:i32;", "5:1: the local has another type: remove that one"),
        ("break L1;", "5:7: no statement around this one has the label `L1`"),
        ("L1: { continue L1; }", "5:16: `L1` is no loop, so that it cannot be continued: use `break`"),
        ("L1: { }\nL1: { }", "6:1: `L1` is the label of another statement of this function"),
        ("while true { }", "5:1: write a label in front of `while`, such as `L0: while`"),
        ("%i = 99999999999999999999;", "5:6: this number does not fit 64 bits"),
        ("%i = -9223372036854775809;", "5:6: this number does not fit 64 bits with a sign"),
        ("%i = min(1);", "5:6: `min` does not take 1 operands"),
        ("%i = select(true, 1);", "5:6: `select` needs 3 operands, not 2"),
        (
            "%i = 3:i65;",
            "5:8: no type is named `i65`: write `void`, `bool`, `char`, `i8` to `i64`, `u8` to `u64`, `f32`, `f64`, `any`, `ref @C`, `struct @S`, `pointer TYPE`, `array NUMBER of TYPE` or `function(TYPE): TYPE`",
        ),
        (
            "%i + 1 = 3;",
            "5:1: only a local, a field, an element or a static can be assigned; `store PLACE = VALUE` stores into memory",
        ),
        ("goto L1;", "5:6: no statement `label L1;` is in this function: add it, or remove the `goto`"),
        ("label L1;\nlabel L1;", "6:7: `L1` is the label of another statement of this function"),
        (
            "store %i = 1;",
            "5:7: `%i` is a local, which is in no memory: declare it in `memory [...]`, or write `(*%i)` for what it points to",
        ),
        (
            "store %m = 1;",
            "5:7: a variable named `%m` is not declared: add it to `memory [...]` in front of `var`",
        ),
        ("store (*%i) = 1;", "5:9: this is no pointer: only pointers point to a place"),
        (
            "%i = load (*zero:pointer i64)[3];",
            "5:31: only arrays have elements: write `(*offset(POINTER, INDEX))` for a pointer",
        ),
        ("%i = load (*zero:pointer i64).x;", "5:31: only structs and unions have fields"),
        (
            "%i = 1:pointer(private) i8;",
            "5:16: no address space is named `private`: write `generic`, `global`, `shared` or `constant`",
        ),
        ("%i = 1:array -1 of i8;", "5:14: the length of an array is not negative"),
        ("%i = 1:pointer function(..., i8): i8;", "5:30: no parameter follows `...`"),
        (
            "bytes \"\\u{100}\";",
            "5:7: a byte is a character up to `\\u{ff}`: write one character for each byte",
        ),
        ("rt.print(\"a", "5:10: this string does not end in its line: add `\"`"),
        (
            "rt.print(\"\\q\");",
            "5:11: unknown escape: write `\\n`, `\\r`, `\\t`, `\\\\`, `\\\"`, `\\'` or `\\u{1f600}`",
        ),
        (
            "%i = thread.idx;",
            "5:13: no thread index is named `idx`: write `rank`, `lane`, `warp`, `count`, `grid_size` or `grid_index`",
        ),
        ("%i = 1; @5:1:2:3", "5:9: a position is `@line:column`, or `@file:line:column`"),
        ("%i = 1; @3:1:2", "5:9: there is no file 3: the text declares 0"),
        (
            "%i = foo(1);",
            "5:6: no expression begins with `foo`: write `@foo(...)` for a function, `%foo` for a local",
        ),
        ("\u{1}", "5:1: unexpected character `\\u{1}`"),
    ] {
        assert_eq!(error(&with_body(body)), expected, "{body}");
    }
}

#[test]
fn declarations_are_unique_and_acyclic() {
    for (text, expected) in [
        ("klass @C { }", "1:1: no declaration begins with `klass`"),
        (
            "class @C { }\nclass @C { }",
            "2:7: a class named `@C` is declared 1 times above: this one is `@C#1`",
        ),
        ("class @C#1 { }", "1:7: this is the first declaration of `@C`: remove `#1`"),
        ("struct @S { field a: i8; field a: i8; }", "1:32: a field named `a` is declared 1 times above"),
        ("function @f(%a: i8, %a: i8): void { }", "1:21: a local named `%a` is declared 1 times above"),
        (
            "class @C extends @D { }\nclass @D extends @C { }",
            "1:18: a superclass is declared above its subclasses",
        ),
        ("class @C extends @C { }", "1:18: a superclass is declared above its subclasses"),
        (
            "struct @S { field t: struct @T; }\nstruct @T { field s: struct @S; }",
            "2:8: the struct `T` contains itself",
        ),
        ("struct @S { field s: struct @S; }", "1:8: the struct `S` contains itself"),
        ("main @f;\nmain @f;\nfunction @f(): void { }", "2:6: there is another declaration of this above"),
        ("function @f(): void {", "1:12: this declaration does not end: add `;` or `}`"),
        ("}", "1:1: a declaration, such as `function @name(): void { }`, is needed here, not `}`"),
        ("kernel @k { }", "1:14: the kernel above has no `body { }`"),
        ("class @C of i32 { }", "1:10: no kind of class is named `of`"),
        ("class @C { vtable [@f] }", "1:20: a function named `@f` is not declared"),
    ] {
        let found = error(text);
        assert!(found.starts_with(expected), "{text}\n{found}\n{expected}");
    }
}

#[test]
fn structs_that_double_are_refused_before_they_fill_the_memory() {
    let mut text = String::from("struct @S0 { field a: i64; }\n");
    for level in 1..60 {
        let inner = level - 1;
        text += &format!("struct @S{level} {{ field a: struct @S{inner}; field b: struct @S{inner}; }}\n");
    }
    assert!(error(&text).contains("has more than 65536 scalars"));
    let mut text = String::from("struct @S0 { field a: i64; }\n");
    for level in 1..100_000 {
        text.insert_str(0, &format!("struct @S{level} {{ field a: struct @S{}; }}\n", level - 1));
        if level == 2000 {
            break;
        }
    }
    assert!(error(&text).contains("structs are nested more than 64 levels deep"));
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = |open: &str, inner: &str, close: &str, depth: usize| {
        with_body(&format!("{}{inner}{}", open.repeat(depth), close.repeat(depth)))
    };
    for (open, inner, close) in [
        ("{ ", "", "}"),
        ("if true { ", "", "}"),
        ("(", "1", ")"),
        ("neg(", "1", ")"),
        ("(1 + ", "1", ")"),
        ("finish { ", "", "}"),
        ("try { } finally { ", "", "}"),
        ("", "%c", "!"),
        ("%c[", "0", "]"),
    ] {
        assert!(
            error(&deep(open, inner, close, 100_000)).contains("nested more than 1000 levels deep"),
            "{open}"
        );
    }
    // At the limit, everything that a program goes through still works on a small stack.
    for (open, inner, close) in [("{ ", "", "}"), ("neg(", "1", ");"), ("(%i + ", "1", ")")] {
        let close = if inner == "1" { close.trim_end_matches(';') } else { close };
        let text = deep(open, inner, close, 900);
        let text = if inner == "1" { text.replace("\n}", ";\n}") } else { text };
        let program = parsed(&text);
        assert_eq!(parsed(&print(&program, SpanDetail::All)).functions.len(), 1);
    }
}

#[test]
fn prefixes_and_single_edits_of_a_program_are_read_or_refused() {
    for end in (0..EVERYTHING.len()).step_by(7).filter(|it| EVERYTHING.is_char_boundary(*it)) {
        let _ = parse(&EVERYTHING[..end]);
    }
    let tokens = ["}", "{", "(", ")", "@C", "%i", ";", "\"", "-1", ":", "L0:", "struct", "'"];
    for (index, (at, _)) in EVERYTHING.match_indices([' ', '(', ';']).enumerate().step_by(3) {
        let mut text = EVERYTHING.to_owned();
        text.insert_str(at, tokens[index % tokens.len()]);
        if let Ok(program) = parse(&text) {
            let printed = print(&program, SpanDetail::All);
            assert_eq!(print(&parsed(&printed), SpanDetail::All), printed, "{text}");
        }
    }
}
