//! Lowering of whole programs with the class library: the MIR of each construct, and rejected programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_lower_x10::{LowerError, MainTarget, lower};
use apg_mir as mir;

fn program_with(text: &str, class: Option<&str>) -> Result<mir::Program, Vec<LowerError>> {
    let files = apg_runtime::class_library::files().into_iter();
    let mut host = AnalysisHost::new(files.map(|(path, text)| (PathBuf::from(path), Arc::from(text))));
    let path = Path::new("/test/Main.x10");
    host.set_file(path, Some(Arc::from(text)));
    host.set_roots(&[path.to_owned()]);
    let analysis = host.snapshot();
    let file = analysis.file(path).expect("the file was set");
    let target = MainTarget { file, class: class.map(str::to_owned) };
    analysis.with(|db| lower(db, &target)).expect("nothing changes meanwhile")
}

fn program(text: &str) -> mir::Program {
    program_with(text, None).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// The MIR of the functions of the user's classes, and the kernels.
fn mine(text: &str) -> String {
    let mut program = program(text);
    // The numbers of cycles change with the library.
    program.functions.iter_mut().for_each(|it| it.recursion.cycle = it.recursion.cycle.min(1));
    let file = program.files.iter().position(|it| it.ends_with("Main.x10")).expect("the program's file");
    let mut out = String::new();
    for (index, function) in program.functions.iter().enumerate() {
        // The tables of library classes are left out.
        if function.span.file.index() == file {
            out += &mir::text::print_function(&program, mir::FunctionId(index as u32));
        }
    }
    for index in 0..program.kernels.len() {
        out += &mir::text::print_kernel(&program, mir::KernelId(index as u32));
    }
    // Ordinals of global names change with the library: they are removed.
    let without_ordinals = |text: &str| {
        let mut result = String::new();
        let mut is_global = false;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            is_global = c == '@' || (is_global && c != '%');
            if c == '#' && is_global {
                while chars.next_if(char::is_ascii_digit).is_some() {}
            } else {
                result.push(c);
            }
        }
        result
    };
    without_ordinals(&out)
}

/// The body of `main` with these statements, with these members around it.
fn main_with(members: &str, body: &str) -> String {
    mine(&format!("public class Main {{ {members} public static def main(args:Rail[String]) {{ {body} }} }}"))
}

fn codes(text: &str) -> Vec<&'static str> {
    program_with(text, None).err().unwrap_or_default().iter().map(|it| it.code).collect()
}

#[test]
fn range_loops_allocate_nothing_and_end_at_the_largest_number() {
    let body = "var s:Long = 0; for (i in 1..args.size) s += i; \
                for (i in Int.MAX_VALUE..Int.MAX_VALUE) s += i; for (x in new Rail[Long](3)) s -= x;";
    insta::assert_snapshot!(main_with("", body));
}

#[test]
fn loops_with_labels_and_compound_conditions() {
    let body = "var i:Long = 0; outer: while (i++ < 10) { do { if (i == 3) continue outer; if (i == 5) break outer; } \
                while (i++ < 4); }";
    insta::assert_snapshot!(main_with("", body));
}

#[test]
fn loops_are_unrolled_by_the_constant_factor_of_their_annotation() {
    for times in ["8", "TIMES", "2 * TIMES - 8", "own"] {
        let body = format!(
            "val own = 8; var sum:Long = 0; @x10.compiler.Unroll({times}) for (i in 1..args.size) sum += i; Console.OUT.println(sum);"
        );
        let text = main_with("static TIMES = 8;", &body);
        assert!(text.contains(" unroll 8 {"), "{times}:\n{text}");
    }
}

/// The unrolling factors of an outer loop and of an inner loop with `@Unroll(20000)`.
fn unrolled(inner: &str) -> (u32, u32) {
    let text = format!(
        "public class Main {{ public static def main(args:Rail[String]) {{ var s:Long = 0; val n = args.size; \
         @x10.compiler.Unroll(8) for (var k:Long = 0; k < 64; k++) {{ @x10.compiler.Unroll(20000) {inner} s += k * s; }} \
         Console.OUT.println(s); }} }}"
    );
    let mut program = program(&text);
    apg_passes::pipeline::Pass::from_name("unroll-limits").expect("a pass").run(&mut program);
    let mut found = Vec::new();
    for function in &program.functions {
        mir::walk::visit_stmts(&function.body, &mut |it| {
            if let mir::StmtKind::Loop { unroll: Some(times), .. } = it.kind {
                found.push(times);
            }
        });
    }
    assert_eq!(found.len(), 2, "{inner}");
    (found[0], found[1])
}

#[test]
fn unrolling_is_limited_by_trip_count_and_size() {
    for (inner, trip_count) in [
        ("for (var j:Long = 0; j < 8; j++)", 8),
        ("for (var j:Int = 0n; j < 8n; j += 3n)", 3),
        ("for (var j:Long = 2; j <= 8; j++)", 7),
        ("for (var j:Long = 9; j > 1; j -= 2)", 4),
        ("for (var j:Long = 9; j >= 1; j -= 2)", 5),
        ("for (var j:Long = 5; j < 5; j++)", 1),
        ("for (j in 3n..7n)", 5),
    ] {
        assert_eq!(unrolled(inner), (8, trip_count), "{inner}");
    }
    for inner in [
        "for (var j:Long = n; j < 8; j++)",
        "for (var j:Long = 0; j < n; j++)",
        "for (var j:Long = 1; j < 8; j *= 2)",
        "for (var j:Long = 0; j != 8; j += 3)",
        "for (j in 0..n)",
    ] {
        let (outer, times) = unrolled(inner);
        assert!(outer == 1 && times > 1000, "{inner}: {outer}, {times}");
    }
}

#[test]
fn operands_are_evaluated_left_to_right() {
    let members = "static def f(n:Long):Long = n;";
    let body = "var a:Long = 1; val b = a + (a = 2) + f(a); val r = new Rail[Long](4); r(f(0)) = f(1); r(f(2)) += 3; \
                val c = f(b) > 0 && f(r(0)) > 1;";
    insta::assert_snapshot!(main_with(members, body));
}

#[test]
fn closures_and_activities_capture_the_variables_they_use() {
    let members = "var n:Long = 0; def add(k:Long):()=>Long = ()=>n + k;";
    let body = "var s:Long = 0; finish for (i in 1..3) async atomic s += i; \
                val t = at (here) s * 2; at (here) new Main().add(t)();";
    insta::assert_snapshot!(main_with(members, body));
}

#[test]
fn values_are_boxed_and_unboxed() {
    let body = "val a:Any = 1; val b = (a as Long) + 1; val c = a instanceof Int; val d = a == (b as Any); \
                val f:(Long)=>Any = (i:Long)=>i;";
    insta::assert_snapshot!(main_with("", body));
}

#[test]
fn objects_and_structs_are_constructed() {
    let text = "struct P(x:Long) { val twice = x * 2; def next():P = P(x + 1); } \
                class A(k:Long) { var p:P = P(k); def get():Any = k; } \
                class B extends A { def this() { super(3); } def get():Long = p.next().twice; } \
                public class Main { static val ONE = 1; static val LATE = new B(); \
                  public static def main(args:Rail[String]) { val a:A = LATE; val g = a.get(); val h = LATE.k + ONE; } }";
    insta::assert_snapshot!(mine(text));
}

#[test]
fn generic_virtual_methods_dispatch_on_the_class() {
    let text = "class A { def m[T](t:T):String = \"A\" + t; } class B extends A { def m[T](t:T):String = \"B\" + t; } \
                public class Main { public static def main(args:Rail[String]) { \
                  val a:A = args.size > 0 ? new A() : new B(); a.m[Long](1); } }";
    insta::assert_snapshot!(mine(text));
}

#[test]
fn finally_runs_on_every_exit() {
    let body = "try { throw new Exception(\"a\"); } catch (e:IllegalArgumentException) { return; } \
                catch (e:Exception) { val m = e.getMessage(); } finally { args(0) = null; }";
    insta::assert_snapshot!(main_with("", body));
}

#[test]
fn constraints_are_checked_at_casts() {
    let text = "class A(k:Long) { } public class Main { public static def main(args:Rail[String]) { \
                  val a:A = new A(args.size); val b = a as A{self.k==3}; val c = args.size instanceof Long{self==2}; } }";
    insta::assert_snapshot!(mine(text));
}

#[test]
fn kernels_have_captures_launch_and_body() {
    let text = "import x10.compiler.CUDA; import x10.util.CUDAUtilities; \
        public class Main { @CUDA static def square(x:Float):Float = x * x; \
          public static def main(args:Rail[String]) { val p = here; val n = 8n; val scale = 2.0f; \
            val table = new Rail[Float](4, 1.0f); val out = CUDAUtilities.makeGlobalRail[Float](p, 64); \
            finish async at (p) @CUDA { \
              val c = CUDAConstantRail(table); \
              finish for (block in 0n..(n-1n)) async { \
                val s = new Rail[Float](8, (i:Long)=>i as Float); \
                clocked finish for (thread in 0n..7n) clocked async { \
                  s(thread) = square(s(thread)) * scale; Clock.advanceAll(); \
                  out(block * 8n + thread) = s(7n - thread) + c(thread % 4n); } } } } }";
    insta::assert_snapshot!(mine(text));
}

#[test]
fn programs_without_a_valid_main_are_rejected() {
    assert_eq!(codes("public class Main { }"), ["build/no-main"]);
    assert_eq!(codes("public class Main { public def main(args:Rail[String]) { } }"), ["build/bad-main"]);
    assert_eq!(codes("public class Main { public static def main(n:Long) { } }"), ["build/bad-main"]);
}

#[test]
fn native_blocks_for_x10s_original_runtime_are_ignored() {
    let main = |block: &str| {
        format!(
            "import x10.compiler.Native; public class Main {{ public static def main(Rail[String]) {{ {block} }} }}"
        )
    };
    let blocks = [
        "@Native(\"c++\", \"f();\") {}",
        "@Native(\"c++\", \"f();\") { Console.OUT.println(); }",
        "@Native(\"java\", \"f();\") {}",
    ];
    for block in blocks {
        assert_eq!(codes(&main(block)), [""; 0], "{block}");
    }
    assert_eq!(codes(&main("@Native(\"c++\", \"x10aux::f();\") {}")), ["build/native-block"]);
}

#[test]
fn main_is_chosen_by_class() {
    let text = "class A { public static def main(a:Rail[String]) { } } class B { public static def main(a:Rail[String]) { } }";
    assert_eq!(codes(text), ["build/two-mains"]);
    assert!(program_with(text, Some("B")).is_ok());
    let inside = "class A { public static def main(a:Rail[String]) { } static class B { public static def main(a:Rail[String]) { } } }";
    assert!(program_with(inside, None).is_ok());
}

#[test]
fn unbounded_types_are_reported() {
    let text = "public class Main { static def f[T](n:Long, t:T):void { if (n > 0) f[Rail[T]](n - 1, null); } \
                public static def main(args:Rail[String]) { f[Long](3, 1); } }";
    assert_eq!(codes(text), ["build/endless-types"]);
}

#[test]
fn a_struct_cannot_contain_itself() {
    let text = "struct S { val t:T; def this(t:T) { this.t = t; } } struct T { val s:S; def this(s:S) { this.s = s; } } \
                public class Main { static def f(s:S):void { } public static def main(args:Rail[String]) { \
                  f(new Rail[S](1)(0)); } }";
    assert!(codes(text).contains(&"build/endless-struct"), "{:?}", codes(text));
}

#[test]
fn code_with_errors_is_rejected() {
    let text =
        "public class Main { public static def main(args:Rail[String]) { val x = nothing; val y = x + 1; } }";
    assert!(codes(text).contains(&"build/erroneous"), "{:?}", codes(text));
}

#[test]
fn jumps_out_of_closures_are_rejected() {
    let text = "public class Main { public static def main(args:Rail[String]) { while (true) { async { break; } } } }";
    let found = codes(text);
    assert!(found.iter().all(|it| it.starts_with("build/")) && !found.is_empty(), "{found:?}");
}

/// A comma-separated list of `count` elements.
fn list(count: usize, element: impl Fn(usize) -> String) -> String {
    (0..count).map(element).collect::<Vec<_>>().join(", ")
}

#[test]
fn many_constants_become_a_table() {
    let table = |literal: &str| {
        let text = main_with("", &format!("val a = [{literal}]; Console.OUT.println(a);"));
        (text.matches("table_rail ").count(), text.matches("] = ").count())
    };
    assert_eq!(table(&list(20_000, |it| format!("{}", it * 7))), (1, 0));
    assert_eq!(table(&list(100, |it| format!("-{it}.5f"))), (1, 0));
    assert_eq!(table(&list(100, |it| format!("\"w{it}\""))), (1, 0));
    assert_eq!(table(&list(50, |it| format!("[[{it}, 1], [2]]"))), (1, 0));
    // Few constants, and what is no constant.
    assert_eq!(table("1, 2, 3"), (0, 3));
    assert_eq!(table(&list(100, |it| if it == 50 { "args.size".into() } else { it.to_string() })), (1, 1));
    assert_eq!(table(&list(600, |it| format!("args.size + {it}"))), (0, 600));
}

/// A superclass precedes its subclasses, and tables refer to existing functions.
#[test]
fn programs_are_well_formed() {
    let text = "import x10.util.ArrayList; public class Main { public static def main(args:Rail[String]) { \
                  val l = new ArrayList[Any](); l.add(1); l.add(\"a\"); for (x in l) x10.io.Console.OUT.println(x); } }";
    let program = program(text);
    for (index, class) in program.classes.iter().enumerate() {
        assert!(
            class.superclass.is_none_or(|it| it.index() < index),
            "{} comes before its superclass",
            class.name
        );
        let interfaces = class.interfaces.iter().flat_map(|it| it.1.iter());
        for function in class.vtable.iter().chain(interfaces).flatten() {
            let function = &program.functions[function.index()];
            assert!(!function.name.is_empty(), "a table of {} has a function without code", class.name);
        }
    }
    let mut calls = 0;
    for function in &program.functions {
        mir::walk::visit_exprs(&function.body, &mut |expr, _| {
            if let mir::ExprKind::Call { function: callee, args } = &expr.kind {
                let callee = &program.functions[callee.index()];
                assert_eq!(callee.params as usize, args.len(), "{} calls {}", function.name, callee.name);
                assert_eq!(callee.result, expr.ty, "{} calls {}", function.name, callee.name);
                for (param, arg) in callee.locals.iter().zip(args) {
                    assert_eq!(param.ty, arg.ty, "{} calls {}", function.name, callee.name);
                }
                calls += 1;
            }
        });
    }
    assert!(calls > 50, "{calls} calls");
}

#[test]
fn unsupported_kernel_type_arguments_name_the_instantiating_call() {
    let text = "import x10.compiler.CUDA;
public class Main {
    static def copy[T](from:GlobalRail[T]{self.home() == here}, to:GlobalRail[T]{self.home() == here}) {
        finish async at (here) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (t in 0n..127n) clocked async { to(t) = from(t); }
            }
        }
    }
    public static def main(Rail[String]) {
        val numbers = GlobalRail[Int](new Rail[Int](1024));
        copy[Int](numbers, numbers);
        val strings = GlobalRail[String](new Rail[String](1024));
        copy[String](strings, strings);
    }
}
";
    let errors = program_with(text, None).expect_err("strings are no elements for a device");
    let [error] = errors.as_slice() else { panic!("{errors:#?}") };
    assert_eq!(error.code, "build/kernel-type");
    assert!(error.notes.iter().any(|it| it.ends_with("Main.x10:14")), "{:?}", error.notes);
}
