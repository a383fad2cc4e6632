//! Tests of the parser: what compilers accept has no error, what they refuse has one.

mod support;

use std::path::Path;

use apg_c_syntax::ast::{self, AstNode};
use apg_c_syntax::{Disk, ParsedUnit, SyntaxKind, Unit, parse_unit, preprocess};

use crate::support::{system_toolchain, unit};

fn parsed(text: &str) -> (Unit, ParsedUnit) {
    let unit = unit(text);
    let parsed = parse_unit(&unit, None);
    (unit, parsed)
}

#[track_caller]
fn accepts(text: &str) -> (Unit, ParsedUnit) {
    let (unit, parsed) = parsed(text);
    assert!(unit.errors().is_empty(), "{:?}", unit.errors());
    assert!(
        parsed.main.errors().is_empty(),
        "{text}\n{:?}\n{:#?}",
        parsed.main.errors(),
        parsed.main.syntax()
    );
    (unit, parsed)
}

#[track_caller]
fn refuses(text: &str, message: &str) {
    let (_, parsed) = parsed(text);
    let errors = parsed.main.errors();
    assert!(errors.iter().any(|it| it.message.contains(message)), "{text}\n{errors:?}");
    for error in errors {
        assert!(error.span.end as usize <= text.len(), "{error:?}");
    }
}

#[test]
fn declarations_of_all_forms_are_accepted() {
    for text in [
        "int x, *y = 0, z[3] = {1, 2}, (*f)(int, char *), *(*g[4])(void);",
        "typedef unsigned long long size; size n; size f(size n) { size *p = (size *)n; return n * *p; }",
        "struct s { int a : 3, : 0, b; struct { union { int c; float d; }; }; int rest[]; } __attribute__((packed)) v;",
        "enum e { A, B = 2 + 1, C, } e; enum e f(enum e);",
        "struct t; struct t *p; const volatile struct t *const *restrict q;",
        "int f(int n) { int g(int k) { return k + n; } auto int h(void); int h(void) { return g(2); } return h(); }",
        "main() { return 0; }\nf(a, b) int a; char *b; { return a + *b; }",
        "static inline _Noreturn void stop(void); extern _Thread_local int t; register int r;",
        "int f(int n, int a[static n], int b[const *], int (*c)(int), int [], ...);",
        "_Static_assert(sizeof(int) == 4, \"int\"); _Alignas(16) int a; _Alignas(double) char b;",
        "_Atomic(int) x; _Atomic int *y; _Complex double z; unsigned __int128 w; _Float128 q; __auto_type v = 1;",
        "extern int old(int) __asm__(\"new\") __attribute__((nothrow, format(printf, 1, 2), aligned(sizeof(int))));",
        "__extension__ typedef struct { long long a; } l; typeof(int *) p; __typeof__(p) q;",
        "int a[] = { [0] = 1, [2 ... 4] = 5, 6 }; struct s { int x, y; } b = { .x = 1, y: 2 }, c = { .y = 3, 4 };",
        "struct s { int a[3]; } b = { .a[1] = 2, .a = { 1 } }; int z[0];",
        "typedef int T; void f(void) { T T = 1; T++; { int x = T * T; } } T after;",
        "typedef int T; int f(T), g(T x), h(int (T)), k(T T);",
        "__asm__(\".globl x\"); int x;;",
        "typedef int (*fn)(void); fn table[2]; fn get(int i) { return table[i]; }",
    ] {
        accepts(text);
    }
}

#[test]
fn expressions_and_statements_of_all_forms_are_accepted() {
    for text in [
        "a = b = c ? d : e, f ?: g; a += -b * !c + ~d % (e << 2 >> 1) ^ f & g | h && i || j;",
        "x = sizeof x + sizeof(int) + sizeof(int[3]) + _Alignof(int) + __alignof__(x) + sizeof (x)[0];",
        "p->q.r[i++](1, 2)--; (*f)(&a, &&label); *(int *)p = (char)-1; label: ;",
        "x = (struct s){ 1, .b = 2 }.a; y = (int[]){ 1, 2 }[0]; z = &(int){0};",
        "x = ({ int t = 1; t + 1; }); y = _Generic(x, int: 1, default: 2);",
        "x = __builtin_va_arg(ap, int) + __builtin_offsetof(struct s, a.b[1].c) + __builtin_types_compatible_p(int, long);",
        "x = __builtin_choose_expr(1, 2, 3) + __extension__ 4 + __real__ z + __imag__ z + 1.0i + 0x1p3f + L'a';",
        "if (a) b; else if (c) d; else { e; } while (x) y; do z; while (0); for (;;) break; for (int i = 0; i < n; i++) continue;",
        "switch (x) { case 1: case 2 ... 4: a; break; default: b; } switch (y) case 1: ;",
        "goto end; goto *p; end: return; ",
        "__label__ a, b; a: b: ; asm(\"nop\"); __asm__ volatile (\"x %0\" : \"=r\"(a), [n] \"+m\"(b) : \"r\"(c) : \"memory\", \"cc\"); asm goto (\"\" : : : : a);",
        "__attribute__((fallthrough)); s = \"a\" \"b\" L\"c\"; u: __attribute__((unused)) ; ;",
        "int n = 3; int a[n][n + 1]; int (*p)[n] = a; typedef int V[n]; V v; extern int f(int), g;",
    ] {
        accepts(&format!("void f(void) {{ {text} }}"));
    }
}

#[test]
fn directives_of_openmp_are_accepted() {
    for text in [
        "parallel for private(i, j) shared(a) firstprivate(b) lastprivate(c) reduction(+:s) reduction(&&: t) schedule(static, 4) if(n > 1) num_threads(4) default(none) collapse(2) nowait",
        "parallel if(parallel: a ? b : c) reduction(inscan, +: x) proc_bind(close) copyin(t)",
        "for schedule(monotonic: dynamic) ordered(2) linear(x: 2) linear(val(y): step(1)) order(concurrent)",
        "for schedule(nonmonotonic:static) schedule(runtime)",
        "critical (name) hint(1)",
        "atomic capture seq_cst",
        "task depend(in: a[0:n], b) depend(iterator(int i = 0:n:2, j = 0:2), out: c[i][:]) untied final(x) priority(1) affinity(a)",
        "target map(to: a[:n]) map(always, tofrom: b[0:n:2]) map(c) device(0) is_device_ptr(p) nowait defaultmap(tofrom: scalar) has_device_addr(q)",
        "target teams distribute parallel for simd num_teams(2) thread_limit(32) dist_schedule(static, 8) safelen(4) simdlen(8) aligned(p: 64)",
        "taskloop grainsize(strict: 4) in_reduction(f: x) allocate(omp_default_mem_alloc: x) nogroup",
        "ordered",
        "single copyprivate(a, b) nowait",
        "metadirective when(user={condition(n > 1)}: parallel for) otherwise()",
    ] {
        let (_, parsed) = accepts(&format!("void f(void) {{\n#pragma omp {text}\nfor (;;) ;\n}}"));
        let node = parsed.main.syntax().descendants().find_map(ast::DirectiveStmt::cast).unwrap();
        assert!(node.stmt().is_some(), "{text}");
    }
    for text in [
        "barrier",
        "flush(a, b)",
        "flush",
        "taskwait depend(in: x)",
        "taskyield",
        "cancel parallel if(x)",
        "cancellation point for",
        "ordered depend(sink: i - 1, j)",
        "target update to(a[0:n]) from(b)",
        "target enter data map(alloc: a)",
        "target exit data map(delete: a)",
        "depobj(d) depend(inout: x)",
        "threadprivate(x)",
        "declare reduction(mine : int, struct s * : omp_out += omp_in) initializer(omp_priv = 0)",
        "allocate(x) allocator(omp_low_lat_mem_alloc)",
        "scan inclusive(x)",
        "error at(execution) severity(warning) message(\"m\")",
        "accessible(p)",
        "declare target(x)",
        "declare target to(x) link(y) device_type(any)",
        "requires unified_shared_memory",
        "declare mapper(struct s v) map(v.a[0:v.n])",
    ] {
        let (_, parsed) = accepts(&format!("void f(void) {{\n#pragma omp {text}\n}}"));
        let node = parsed.main.syntax().descendants().find_map(ast::DirectiveStmt::cast).unwrap();
        assert!(node.stmt().is_none(), "{text}");
    }
    accepts(
        "#pragma omp declare simd uniform(a) linear(i) notinbranch\n#pragma omp declare simd\nint f(int *a, int i);\n#pragma omp declare target\nint x;\n#pragma omp end declare target",
    );
}

#[test]
fn directives_of_openacc_and_xcalablemp_are_accepted() {
    for text in [
        "acc parallel loop gang vector copyin(a[0:n]) copy(b) reduction(+:s) num_gangs(2) async(1) default(present)",
        "acc data copyin(readonly: x) create(y) present(z)",
        "acc kernels",
        "acc host_data use_device(p)",
        "xmp loop (i, j) on t(j, i) reduction(+:s)",
        "xmp loop on t[i]",
        "xmp task on p(1:4)",
        "xmp task on p[0]",
        "xmp gmove in",
        "xmp array on t(:, 1)",
        "xmp tasks",
        "xmp loop on t(i) reduction(firstmax:x/a, b/)",
        "xmp loop on t(i, j) expand(/unbound/1, 1:2)",
    ] {
        accepts(&format!("void f(void) {{\n#pragma {text}\nfor (;;) ;\n}}"));
    }
    for text in [
        "acc update host(a[0:n]) device(b)",
        "acc wait(1)",
        "acc enter data copyin(a)",
        "acc routine(f) seq",
        "xmp nodes p(4, *)",
        "xmp nodes p[2][*]",
        "xmp nodes q(2)=p(1:2)",
        "xmp template t(0:N-1, :)",
        "xmp distribute t(block, cyclic(2), gblock(m), *) onto p",
        "xmp align a[i][*] with t(i+1)",
        "xmp align [i] with t(i) :: a, b",
        "xmp align s.a[i] with t[i]",
        "xmp distribute t[gblock(*)] onto p",
        "xmp reduction(max:m/n,k[1][:]/)",
        "xmp shadow a[1][1:1]",
        "xmp reflect (a) width(/periodic/1:1, 0) orthogonal",
        "xmp lock(l:[1])",
        "xmp shadow [*] :: a, b",
        "xmp reflect (a) width(/periodic/1:1, 0) async(1)",
        "xmp barrier on p",
        "xmp reduction (+:x, y) on p",
        "xmp bcast (x) from p(1) on q",
        "xmp wait_async (1)",
        "xmp template_fix (block) t(0:n)",
        "xmp coarray x:[*]",
        "xmp post (p(1), 1)",
        "xmp local_alias a => b",
        "xmp reflect_init (a) width(1)",
    ] {
        accepts(&format!("void f(void) {{\n#pragma {text}\n}}"));
    }
    accepts("void f(void) {\n#pragma xmp gmove\na[0:10] = b[2:10:2];\nx[0:n]:[2] = y[:];\n}");
}

#[test]
fn typed_trees_give_the_parts_of_directives() {
    let text = "#define N 4\nvoid f(void) {\n#pragma omp parallel for reduction(+: a, b[0:N]) schedule(dynamic, N)\nfor (;;) ;\n}";
    let (unit, parsed) = accepts(text);
    let node = parsed.main.syntax().descendants().find_map(ast::Directive::cast).unwrap();
    assert_eq!(node.name(), "parallel for");
    let clauses: Vec<_> = node.clauses().map(|it| it.name()).collect();
    assert_eq!(clauses, ["reduction", "schedule"]);
    let reduction = node.clauses().next().unwrap();
    let modifiers: Vec<_> = reduction.clause_modifiers().filter_map(|it| it.text()).collect();
    assert_eq!((modifiers, reduction.items().count()), (vec!["+".to_string()], 2));
    let section = reduction.syntax().descendants().find_map(ast::SectionExpr::cast).unwrap();
    let length = section.subscript().unwrap().extent().unwrap();
    let span = parsed.main.span(&unit, length.range()).unwrap();
    assert_eq!(&text[span.range()], "N");
    let word = node.clauses().nth(1).unwrap().items().next().unwrap().word();
    assert_eq!(word.as_deref(), Some("dynamic"));
}

#[test]
fn mistakes_are_reported_where_they_are_spelled() {
    refuses("int x = ;", "an expression is missing");
    refuses("int f(void) { return 1 }", "`;` is missing");
    refuses("void f(void) { if x) y; }", "`(` is missing");
    refuses("foo x;", "`foo` is not a type");
    refuses("void f(void) { else ; }", "no `if`");
    refuses("}", "closes nothing");
    refuses("int x = 08;", "not a number");
    refuses("int x = \"a;\n", "closing quote");
    refuses("void f(void) {", "`}` is missing");
    refuses("#pragma omp paralel for\n", "not a directive");
    refuses("void f(void) {\n#pragma omp parallel privat(x)\n;}", "`privat` is not a clause");
    refuses("void f(void) {\n#pragma omp parallel private(x\n;}", "`)` of clause `private`");
    refuses("void f(void) {\n#pragma omp parallel num_threads\n;}", "needs `(...)`");
    refuses("void f(void) {\n#pragma omp parallel\n}", "needs a statement");
    refuses("#pragma omp\n", "name of a directive");
    let (_, parsed) = parsed("void f(void) {\n#pragma omp parallel privat(x)\n;}");
    let error = &parsed.main.errors()[0];
    assert_eq!(
        (error.hint.as_deref(), error.replacement.as_deref()),
        (Some("did you mean `private`?"), Some("private"))
    );
}

#[test]
fn an_error_leaves_the_rest_of_the_file_parsed() {
    let (_, parsed) =
        parsed("int a = 1 +;\nint f(void) { x = ; return 2; }\nint b;\nstruct { int } s;\nint c;");
    let tree = parsed.main.tree();
    assert_eq!(tree.external_decls().count(), 5, "{:#?}", tree.syntax());
}

#[test]
fn a_modifier_that_is_no_expression_leaves_the_directive_whole() {
    let (_, parsed) = parsed("void f(void) {\n#pragma omp teams if(w()<(){):\n;\n}\nint last;\n");
    let tree = parsed.main.tree();
    assert_eq!(tree.external_decls().count(), 2, "{:#?}", tree.syntax());
    assert!(!parsed.main.errors().is_empty());
}

#[test]
fn deep_nesting_is_an_error_and_not_a_stack_overflow() {
    for open in [
        "(",
        "{",
        "[",
        "-",
        "f(",
        "x[",
        "*",
        "if (x) ",
        "a = ",
        "a ? b : ",
        "(int)",
        "({",
        "sizeof ",
        "!",
        "while (1) ",
    ] {
        let (_, parsed) = parsed(&format!("void f(void) {{ {}", open.repeat(10_000)));
        assert!(!parsed.main.errors().is_empty(), "{open}");
    }
    for open in [
        "int (",
        "int *",
        "struct {",
        "int a[",
        "int f(int (",
        "#pragma omp declare simd\n",
        "enum {",
        "int a = {",
    ] {
        let (_, parsed) = parsed(&open.repeat(10_000));
        assert!(!parsed.main.errors().is_empty(), "{open}");
    }
    let (_, sum) = parsed(&format!("int x = 1{};", " + 1".repeat(100_000)));
    assert!(sum.main.errors().iter().any(apg_c_syntax::SyntaxError::is_limit));
}

#[test]
fn system_headers_parse_without_an_error() {
    let Some(toolchain) = system_toolchain() else { return };
    let text: String = support::HEADERS.iter().map(|it| format!("#include <{it}>\n")).collect();
    for text in support::HEADERS.iter().map(|it| format!("#include <{it}>\n")).chain([text]) {
        for text in [text.clone(), format!("#define _GNU_SOURCE\n{text}")] {
            let unit = preprocess(Path::new("main.c"), text.as_str().into(), &toolchain, &Disk, None);
            let parsed = parse_unit(&unit, None);
            let errors = parsed.preamble.parse().errors();
            let first = errors.first().map(|it| {
                (it, &unit.file(it.span.file).path, &unit.file(it.span.file).text[it.span.range()])
            });
            assert!(errors.is_empty(), "{text}: {first:?}");
            assert!(
                unit.preamble_tokens().is_empty()
                    || parsed.preamble.parse().tree().external_decls().count() > 0
            );
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]
    #[test]
    fn any_tokens_give_a_tree_of_all_of_them(
        words in proptest::collection::vec(proptest::sample::select(WORDS), 0..60)
    ) {
        let text = words.join(" ");
        let unit = unit(&text);
        let parsed = parse_unit(&unit, None);
        for (parse, tokens) in [(parsed.preamble.parse(), unit.preamble_tokens()), (&parsed.main, unit.tokens())] {
            let spelled: String = tokens.iter().map(|it| unit.text(it.text)).collect();
            let squeeze = |it: &str| it.split_whitespace().collect::<String>();
            proptest::prop_assert_eq!(squeeze(&parse.syntax().to_string()), squeeze(&spelled));
            for error in parse.errors() {
                proptest::prop_assert!(text.get(std::ops::Range::<usize>::from(error.span.range())).is_some() || error.span.file.0 != 1);
            }
        }
    }
}

/// What random sources are made of.
const WORDS: &[&str] = &[
    "int",
    "x",
    "T",
    "typedef",
    "struct",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "*",
    "=",
    "1",
    "0x",
    "'a'",
    "\"s\"",
    "if",
    "else",
    "for",
    "while",
    "return",
    ":",
    "?",
    "...",
    ".",
    "->",
    "++",
    "&&",
    "__attribute__",
    "((",
    "))",
    "sizeof",
    "_Generic",
    "default",
    "case",
    "enum",
    "asm",
    "\n#pragma omp parallel\n",
    "\n#pragma omp for private(x)\n",
    "\n#pragma omp declare simd\n",
    "\n#pragma omp task depend(in:",
    "\n#pragma xmp align a[i] with t(i)\n",
    "\n#if 1\n",
    "\n#endif\n",
    "\n#define x(a) a##a #a\n",
    "\n#define T x T\n",
    "_Pragma(\"omp barrier\")",
    "\n#include \"main.c\"\n",
    "\n#pragma acc data copy(",
    "__extension__",
    "typeof",
    "é",
    "\\",
    "/*",
    "\n",
];

#[test]
fn a_block_without_its_end_ends_at_the_next_function() {
    let functions = |text: &str| {
        let (_, parsed) = parsed(text);
        let names =
            parsed.main.syntax().children().filter(|it| it.kind() == SyntaxKind::FUNCTION_DEF).count();
        (names, parsed.main.errors().len())
    };
    for open in [
        "void f(int n) {\n    if (n) {\n        n++;\n}\n",
        "void f(int n) {\n    for (;;) {\n        while (n) {\n            n--;\n    }\n    }\n",
        "void f(int n) {\n    #pragma omp parallel\n    {\n        n++;\n}\n",
    ] {
        for next in [
            "int g(void) {\n    return 1;\n}\n",
            "static inline struct s *g(int (*h)(int), int a[2]) {\n    return 0;\n}\n",
            "const char *g(void) __attribute__((noinline))\n{\n    return 0;\n}\n",
        ] {
            let text = format!("{open}{next}int last(void) {{ return 2; }}\n");
            assert_eq!(functions(&text), (3, 1), "{text}");
        }
    }
    // GNU's functions in functions, however they are indented.
    let nested = "int f(int n) {\nint g(int k) {\nreturn k + n;\n}\nreturn g(2);\n}\n";
    accepts(nested);
    assert_eq!(functions(nested), (1, 0));
    // Calls and declarations begin no function.
    assert_eq!(functions("void f(void) {\ng();\nint h(void);\n{ }\n").0, 1);
}
