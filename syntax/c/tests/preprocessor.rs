//! Tests of the preprocessor: examples of C17 6.10.3, and the system's compiler as an oracle.

mod support;

use std::path::Path;

use apg_c_syntax::{Disk, FileId, Toolchain, preprocess};

use crate::support::{Memory, spellings, spellings_without_pragmas, system_toolchain, tokens, unit};

#[track_caller]
fn expands(text: &str, expected: &str) {
    let unit = unit(text);
    assert_eq!(spellings(&unit).join(" "), expected, "{:?}", unit.errors());
    assert!(unit.errors().is_empty(), "{:?}", unit.errors());
}

#[track_caller]
fn fails(text: &str, message: &str) {
    let unit = unit(text);
    assert!(unit.errors().iter().any(|it| it.message.contains(message)), "{:?}", unit.errors());
}

#[test]
fn object_and_function_macros_are_expanded() {
    expands(
        "#define N 10\n#define sq(x) ((x)*(x))\nint a[N]; sq(N+1)",
        "int a [ 10 ] ; ( ( 10 + 1 ) * ( 10 + 1 ) )",
    );
    expands("#define f(a) a\nf f (1) f\n(2)", "f 1 2");
}

#[test]
fn a_macro_is_not_expanded_in_itself() {
    expands("#define x x+1\nx", "x + 1");
    expands("#define a b\n#define b a\na b", "a b");
    expands("#define f(x) f(x)\nf(f(1))", "f ( f ( 1 ) )");
}

#[test]
fn the_examples_of_the_standard_expand_as_it_says() {
    let example = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
                   #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n\
                   #define r(x,y) x ## y\n#define str(x) # x\n\
                   f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
                   p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };";
    expands(
        example,
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; \
         f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ; \
         int i [ ] = { 1 , 23 , 4 , 5 , } ; char c [ 2 ] [ 6 ] = { \"hello\" , \"\" } ;",
    );
    let paste = "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),\nt(10,,), t(,11,), t(,,12), t(,,) };";
    expands(paste, "int j [ ] = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ;");
    expands(
        "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n#define join(c, d) in_between(c hash_hash d)\njoin(x, y)",
        "\"x ## y\"",
    );
}

#[test]
fn variadic_macros_take_the_rest() {
    expands("#define e(f, ...) p(f, ##__VA_ARGS__)\ne(1) e(1, 2, 3)", "p ( 1 ) p ( 1 , 2 , 3 )");
    expands("#define e(f, a...) p(f, ## a)\ne(1) e(1, 2, 3)", "p ( 1 ) p ( 1 , 2 , 3 )");
    expands("#define e(f, ...) p(f __VA_OPT__(,) __VA_ARGS__)\ne(1) e(1, 2)", "p ( 1 ) p ( 1 , 2 )");
    expands("#define s(...) #__VA_ARGS__\ns(a, b   c)", "\"a, b c\"");
}

#[test]
fn strings_are_escaped_when_they_are_made_of_tokens() {
    expands(
        r#"#define s(x) #x
s("a\n" '"')"#,
        r#""\"a\\n\" '\"'""#,
    );
}

#[test]
fn conditions_are_computed() {
    let holds = |condition: &str| {
        spellings(&unit(&format!("#define A 2\n#if {condition}\nyes\n#else\nno\n#endif"))).join("") == "yes"
    };
    for it in [
        "1",
        "defined A",
        "defined(A) && !defined B",
        "A * 3 == 6",
        "-1 > 0u",
        "0 || (1 ? 1 : 1/0)",
        "'a' == 97",
        "(2, 3) == 3",
        "1 << 3 == 8",
        "~0 == -1",
        "0 && 1/0 || 1",
        "UNKNOWN == 0",
        "0x10 == 16",
        "-8 >> 1 == -4",
    ] {
        assert!(holds(it), "{it}");
    }
    assert!(!holds("0") && !holds("B") && !holds("1 ? 0 : 1"));
    fails("#if 1/0\n#endif", "division by zero");
    fails("#if\n#endif", "lacks a value");
    fails("#if 1.5\n#endif", "not an integer");
    fails("#if (1\n#endif", "lacks its `)`");
    fails("#if 1\nx", "no `#endif`");
    fails("#endif", "without an `#if`");
}

#[test]
fn groups_are_chosen_by_their_conditions() {
    let text = "#if 0\na\n#if 1\nb\n#else\nc\n#endif\n#elif 1\nd\n#elif 1\ne\n#else\nf\n#endif\n#ifdef X\ng\n#else\nh\n#endif\n#ifndef X\ni\n#endif";
    expands(text, "d h i");
}

#[test]
fn built_in_macros_have_values() {
    expands("__LINE__\n__LINE__ __COUNTER__ __COUNTER__ __INCLUDE_LEVEL__", "1 2 0 1 0");
    expands("#line 100 \"b.c\"\n__LINE__ __FILE__", "100 \"b.c\"");
    // As GCC: of what a macro expands to, that of its name.
    expands("#define M(x) x __LINE__\nM(\n\n__LINE__) __LINE__", "4 2 4");
    expands("#define L __LINE__\n#define M(x) x L\n\nM(\na)", "a 4");
}

#[test]
fn headers_are_found_read_and_guarded() {
    let files = Memory::of(&[
        ("d/a.h", "#ifndef A\n#define A\nin_a\n#include \"b.h\"\n#endif"),
        ("d/b.h", "#pragma once\nin_b __INCLUDE_LEVEL__"),
        ("s/a.h", "system_a"),
        ("s/only.h", "#include_next <only.h>\nfirst"),
        ("t/only.h", "second"),
    ]);
    let dirs = ["s", "t"].map(|it| apg_c_syntax::IncludeDir { path: it.into(), is_system: true });
    let toolchain = Toolchain { include_dirs: dirs.to_vec(), ..Toolchain::default() };
    let text = "#include \"a.h\"\n#include \"a.h\"\n#include \"b.h\"\n#include <a.h>\n#define H <only.h>\n#include H\n\
                #if __has_include(\"b.h\") && !__has_include(<c.h>)\nyes\n#endif\n#include \"c.h\"\n";
    let unit = preprocess(Path::new("d/main.c"), text.into(), &toolchain, &files, None);
    assert_eq!(spellings(&unit).join(" "), "in_a in_b 2 system_a second first yes");
    let errors: Vec<_> = unit.errors().iter().map(|it| it.message.as_str()).collect();
    assert_eq!(errors, ["the file `c.h` is not found"]);
    let files: Vec<_> = unit.files().iter().map(|it| it.path.to_str().unwrap()).collect();
    assert_eq!(files, ["<predefined>", "d/main.c", "d/a.h", "d/b.h", "s/a.h", "s/only.h", "t/only.h"]);
}

#[test]
fn tokens_know_where_they_are_spelled_and_their_macros() {
    let text = "#define ONE 1\n#define F(x) (x + ONE)\nint a = F(b);";
    let unit = unit(text);
    let at = |spelling: &str| tokens(&unit).into_iter().find(|it| unit.text(it.text) == spelling).unwrap();
    let spelled = |it: &str| text[at(it).span.range()].to_string();
    let names = |it: &str| {
        let token = at(it);
        unit.macro_stack(&token).iter().map(|it| unit.text(it.macro_name).to_string()).collect::<Vec<_>>()
    };
    let site = |it: &str| text[unit.expansion_site(&at(it)).range()].to_string();
    assert!(at("a").is_spelled());
    assert_eq!(
        (spelled("1"), names("1"), site("1")),
        ("1".into(), vec!["ONE".into(), "F".into()], "F(b)".into())
    );
    assert_eq!((spelled("b"), names("b"), site("b")), ("b".into(), vec!["F".into()], "F(b)".into()));
    assert_eq!((spelled("+"), names("+")), ("+".into(), vec!["F".into()]));
    assert_eq!(at("b").span.file, FileId::MAIN);
}

#[test]
fn directives_of_openmp_are_token_runs_with_macros() {
    expands(
        "#define N 4\n#pragma omp parallel num_threads(N)\n;",
        "#pragma omp parallel num_threads ( 4 ) \n ;",
    );
    expands(
        "#define P(x) _Pragma(#x) y\nP(omp for schedule(static, 2))",
        "#pragma omp for schedule ( static , 2 ) \n y",
    );
    expands("#define M 8\n#pragma xmp nodes p(M)\n", "#pragma xmp nodes p ( 8 ) \n");
    // The name of a directive may be a macro, too.
    expands("#define F parallel for\n#pragma omp F nowait\n;", "#pragma omp parallel for nowait \n ;");
    expands("#define p _Pragma(\"omp parallel\")\n#pragma omp p\n;", "#pragma omp p \n ;");
    expands("#define L loop\n#pragma acc L\n;", "#pragma acc loop \n ;");
    let other = unit("#pragma pack(1)\nint x;");
    assert_eq!((spellings(&other).join(" "), other.other_pragmas().len()), ("int x ;".to_string(), 1));
}

#[test]
fn other_pragmas_of_operators_are_marked_among_the_tokens() {
    let text = "#define TWICE(x) x x\n#define S(x) #x\n_Pragma(\"GCC unroll 4\") a\n\
        TWICE(b _Pragma(\"GCC ivdep\") c) S(_Pragma(\"pack()\"))\n\
        #if 1 _Pragma(\"once\")\nd\n#endif\n_Pragma(\"omp for\") _Pragma(\"pack()\")";
    let unit = unit(text);
    let markers = unit.operator_pragmas().iter().map(|it| (it.0, unit.text(it.1.text))).collect::<Vec<_>>();
    assert_eq!(spellings(&unit)[..7].join(" "), "a b c b c \"_Pragma(\\\"pack()\\\")\" d");
    let wanted = [(0, "#pragma GCC unroll 4"), (2, "#pragma GCC ivdep"), (4, "#pragma GCC ivdep")];
    assert_eq!((&markers[..3], markers.last()), (&wanted[..], Some(&(11, "#pragma pack()"))));
    // An operator ends at its parenthesis.
    let end = unit.tokens().iter().find(|it| unit.text(it.text) == "\n").expect("the end");
    assert_eq!(end.span.start as usize, text.find("omp for").expect("it") + "omp for\")".len());
}

#[test]
fn bad_input_ends_with_an_error() {
    fails("#define f(x) x\nf(1", "lack their `)`");
    fails("#define f(x, x) x", "twice");
    fails("#define f(x) #y", "needs a parameter");
    fails("#define a ##", "token on each side");
    fails("#define f(a, b) a ## b\nf(+, /)", "does not make a token");
    fails("#define f(a) a\nf(1, 2)", "takes 1 arguments");
    fails("#includ <stdio.h>", "not a directive");
    fails("#include", "needs");
    fails("#error stop here", "stop here");
    let itself = Memory::of(&[("a.h", "#include \"a.h\"\n")]);
    let unit =
        preprocess(Path::new("main.c"), "#include \"a.h\"".into(), &Toolchain::default(), &itself, None);
    assert!(unit.errors()[0].message.contains("200 levels deep"), "{:?}", unit.errors());
    let doubling: String = (1..40).map(|it| format!("#define m{it} m{} m{}\n", it - 1, it - 1)).collect();
    fails(&format!("{doubling}m39"), "expand to more than");
    let nested = format!("#define f(x) x\n{}{}", "f(".repeat(10_000), ")".repeat(10_000));
    fails(&nested, "nested more than");
    fails(&format!("#if {}1\n#endif", "(".repeat(10_000)), "too deep");
    fails(&format!("#if {}1\n#endif", "!".repeat(100_000)), "too deep");
}

#[test]
fn a_preamble_is_reused_while_its_text_and_files_are_the_same() {
    let text = "#include \"a.h\"\n#define B 2\nint x = A + B;";
    let toolchain = Toolchain::default();
    let run = |text: &str, header: &str, old: Option<&std::sync::Arc<apg_c_syntax::Preamble>>| {
        preprocess(Path::new("main.c"), text.into(), &toolchain, &Memory::of(&[("a.h", header)]), old)
    };
    let first = run(text, "int h;\n#define A 1\n", None);
    assert_eq!(spellings(&first).join(" "), "int h ; int x = 1 + 2 ;");
    let second = run(&text.replace("x = A", "y = A + A"), "int h;\n#define A 1\n", Some(first.preamble()));
    assert_eq!(spellings(&second).join(" "), "int h ; int y = 1 + 1 + 2 ;");
    assert!(std::sync::Arc::ptr_eq(first.preamble(), second.preamble()));
    let third = run(text, "int h;\n#define A 3\n", Some(first.preamble()));
    assert_eq!(spellings(&third).join(" "), "int h ; int x = 3 + 2 ;");
    let fourth = run(&text.replace("B 2", "B 5"), "int h;\n#define A 1\n", Some(first.preamble()));
    assert_eq!(spellings(&fourth).join(" "), "int h ; int x = 1 + 5 ;");
}

#[test]
fn an_empty_preamble_is_reused_too() {
    let toolchain = Toolchain::default();
    let run = |text: &str, header: &str, old: Option<&std::sync::Arc<apg_c_syntax::Preamble>>| {
        preprocess(Path::new("main.c"), text.into(), &toolchain, &Memory::of(&[("a.h", header)]), old)
    };
    // The header ends inside of a declaration, which the file completes.
    let text = "#include \"a.h\"\nh; int x;";
    let first = run(text, "int\n", None);
    assert_eq!((spellings(&first).join(" "), first.preamble().prefix()), ("int h ; int x ;".into(), ""));
    let second = run(&text.replace('x', "y"), "int\n", Some(first.preamble()));
    assert_eq!(spellings(&second).join(" "), "int h ; int y ;");
    assert!(std::sync::Arc::ptr_eq(first.preamble(), second.preamble()));
    let third = run("#include \"a.h\"\nint x;", "int h;\n", Some(second.preamble()));
    assert_eq!(spellings(&third).join(" "), "int h ; int x ;");
    assert_eq!(third.preamble().prefix(), "#include \"a.h\"\n");
}

#[test]
fn a_null_directive_ends_with_its_line() {
    let unit = unit("#define A 1\n# // nothing\n#\nint main(void) {\n}");
    assert_eq!(unit.preamble().prefix(), "#define A 1\n# // nothing\n#\n");
    assert_eq!(spellings(&unit).join(" "), "int main ( void ) { }");
}

#[test]
fn headers_expand_as_the_compiler_expands_them() {
    let Some(toolchain) = system_toolchain() else { return };
    let dir = std::env::temp_dir();
    for header in support::HEADERS {
        let text = format!("#include <{header}>\n");
        let file = dir.join(format!("apg-c-{}-{}.c", std::process::id(), header.replace('/', "-")));
        std::fs::write(&file, &text).unwrap();
        let expected = support::expanded_by_compiler(&file);
        std::fs::remove_file(&file).unwrap();
        let unit = preprocess(&file, text.into(), &toolchain, &Disk, None);
        let errors: Vec<_> =
            unit.errors().iter().map(|it| (&it.message, &unit.file(it.span.file).path)).collect();
        assert!(errors.is_empty(), "{header}: {errors:?}");
        let found = spellings_without_pragmas(&unit);
        let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
        let near = differs.unwrap_or(found.len().min(expected.len()));
        let around = |it: &[String]| it[near.saturating_sub(5)..(near + 5).min(it.len())].join(" ");
        assert!(found == expected, "{header}: {} instead of {}", around(&found), around(&expected));
    }
}
