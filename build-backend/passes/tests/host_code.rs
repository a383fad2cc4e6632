//! Optimised MIR of programs: stack allocation, devirtualised calls, and specialisation for closures.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_lower_x10::{MainTarget, lower};
use apg_mir as mir;
use apg_passes::pipeline::{optimize_host_code, optimize_kernels};

/// The optimised functions with names that begin with `name`, for a `Main` with these members.
fn optimized(members: &str, name: &str) -> String {
    let mut program = lowered(members);
    optimize_host_code(&mut program);
    let mut out = String::new();
    for (index, function) in program.functions.iter().enumerate() {
        if function.name.starts_with(name) {
            out += &mir::text::print_function(&program, mir::FunctionId(index as u32));
        }
    }
    out
}

/// A program with these members in `Main`.
fn lowered(members: &str) -> mir::Program {
    let text = format!(
        "import x10.util.*;\npublic class Main {{ {members}\n    public static def main(args:Rail[String]) {{ run(args.size); }} }}"
    );
    let files = apg_runtime::class_library::files().into_iter();
    let mut host = AnalysisHost::new(files.map(|(path, text)| (PathBuf::from(path), Arc::from(text))));
    let path = Path::new("/test/Main.x10");
    host.set_file(path, Some(Arc::from(text.as_str())));
    host.set_roots(&[path.to_owned()]);
    let analysis = host.snapshot();
    let file = analysis.file(path).expect("the file was set");
    let target = MainTarget { file, class: None };
    let lowered = analysis.with(|db| lower(db, &target)).expect("nothing changes meanwhile");
    lowered.unwrap_or_else(|errors| panic!("{errors:#?}"))
}

#[test]
fn iterators_of_a_known_class_are_stack_allocated() {
    let text = optimized(
        "static def run(n:Long) {
            val list = new ArrayList[Long]();
            var sum:Long = 0;
            for (x in list) sum += x;
            return sum;
        }",
        "Main.run",
    );
    assert!(text.contains("stack 0 @x10.util.ArrayListIterator"), "{text}");
    assert!(!text.contains("interface "), "{text}");
}

#[test]
fn points_read_only_by_their_loop_are_stack_allocated() {
    let text = optimized(
        "static def run(n:Long) {
            val region = x10.regionarray.Region.make(0..n, 0..n);
            val step = Point.make(1, 0);
            var sum:Long = 0;
            for (p in region) {
                val q = p + step;
                sum += q(0) * q(1);
            }
            return sum;
        }",
        "Main.run",
    );
    assert!(text.matches("@x10.lang.Point()").count() >= 2 && text.contains("stack 0 "), "{text}");
    assert!(!text.contains("new @x10.lang.Point"), "{text}");
}

const VECTORS: &str = "static class Vec { val x:Double; def this(x:Double) { this.x = x; }
        def plus(v:Vec) = new Vec(x + v.x); def times(k:Double) = new Vec(x * k); def twice() = plus(this);
        def dot(v:Vec) = x * v.x; }
     static def next(n:Long) { Console.OUT.println(n); return n as Double; }";

#[test]
fn arguments_read_only_by_the_callee_are_stack_allocated() {
    for value in [
        "a.plus(b).dot(a.times(2.0))",
        "a.plus(b).times(3.0).twice().dot(b)",
        "a.times(a.plus(b).x).x + (n > 3 ? 1.0 : 2.0)",
    ] {
        let run = format!(
            "{VECTORS} static def run(n:Long):Double {{
                val a = new Vec(n as Double); val b = new Vec(2.0); return {value}; }}"
        );
        let text = optimized(&run, "Main.run");
        assert!(text.contains("stack 2 ") && !text.contains("new @Main.Vec"), "{value}: {text}");
    }
}

#[test]
fn hoisted_temporaries_keep_evaluation_order() {
    let run = format!(
        "{VECTORS} static def run(n:Long):Double {{
            val a = new Vec(n as Double);
            if (n > 5 && a.times(next(7)).x > 3.0) return 1.0;
            return next(1) + a.times(next(2)).dot(a) + next(3); }}"
    );
    let text = optimized(&run, "Main.run");
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    let calls = ["(7)", "(1)", "(2)", "(3)"].map(at);
    assert!(calls.is_sorted(), "{calls:?}: {text}");
    // An operand that is evaluated conditionally is not hoisted.
    assert!(at("%n > 5") < calls[0], "{text}");
}

#[test]
fn functions_are_specialised_for_closure_arguments() {
    let text = optimized(
        "static def twice(f:(Long)=>Long, n:Long):Long = n == 0 ? f(0) : f(n) + twice(f, n - 1);
         static def run(n:Long) = twice((x:Long)=>x + n, n);",
        "Main.",
    );
    assert!(text.contains("stack 0 "), "{text}");
    // The clone calls the closure's code directly, and calls itself; the original, which has no callers left,
    // does not.
    let versions = text.split("Main.twice").filter(|it| it.contains("closure(") && !it.contains("closure @"));
    assert!(versions.count() >= 1, "{text}");
}

#[test]
fn specialisation_for_nested_closures_is_bounded() {
    let text = optimized(
        "static def composed(f:()=>Long, g:()=>Long, n:Long):Long =
            n == 0 ? f() + g() : composed(() => f() + 1, () => g() + f(), n - 1);
        static def run(n:Long) = composed(() => n, () => n + 1, n);",
        "Main.composed",
    );
    let count = text.matches("function ").count();
    assert!((2..100).contains(&count), "{count} functions");
}

#[test]
fn arguments_read_only_by_all_virtual_targets_are_stack_allocated() {
    for (keeps, kept) in [("", false), ("last = v;", true)] {
        let members = format!(
            "{VECTORS}
             static abstract class Shape {{ abstract def holds(v:Vec):Boolean; }}
             static class Left extends Shape {{ def holds(v:Vec) = v.x < 0; }}
             static class Own extends Shape {{ var last:Vec = null; def holds(v:Vec) {{ {keeps} return true; }} }}
             static def run(n:Long):Boolean {{
                 val shapes = [new Left() as Shape, new Own()];
                 val f = n > 3 ? (v:Vec)=>v.x > 1 : (v:Vec)=>v.x < 1;
                 val first = f(new Vec(2.0));
                 return shapes(n).holds(new Vec(n as Double)) && first; }}"
        );
        let text = optimized(&members, "Main.run");
        assert!(text.contains("virtual @") && text.contains("stack 0 "), "{text}");
        assert_eq!(text.contains("new Vec"), kept, "{text}");
    }
}

#[test]
fn strings_are_appended_in_place_until_they_escape() {
    let body = |body: &str| {
        let members = format!(
            "static val KEPT = new ArrayList[String]();
             static def run(n:Long):String {{ var s:String = \"\"; {body} return s; }}"
        );
        optimized(&members, "Main.run")
    };
    for (code, grows) in [
        ("for (i in 1..n) s += i;", true),
        ("for (i in 1..n) { if (s.length() > 9n) s += n; s = s + i + n; KEPT.add(s); }", true),
        ("s += n; s += n;", false),
        ("for (i in 1..n) { val t = s; s = t + KEPT.add(t); }", false),
        ("for (i in 1..n) { s = i + s; }", false),
    ] {
        let text = body(code);
        assert_eq!(text.contains("string_append("), grows, "{code}: {text}");
    }
    let text = body("for (i in 1..n) { s += i; if (i == 7) KEPT.add(s); }");
    let before = text.split("ArrayList[String].add").next().unwrap_or_default();
    assert!(
        before.contains("string_append(") && before.trim_end_matches([' ', '\n', '@']).ends_with("= false;"),
        "{text}"
    );
}

#[test]
fn escaping_objects_stay_on_the_heap() {
    let members =
        "static class Node { val next:Node; def this(next:Node) { this.next = next; } def me() = this; }
         static val KEPT = new ArrayList[Node]();
         static def keep(node:Node) { KEPT.add(node); }
         static def pass(node:Node) = node;";
    for body in [
        "val node = new Node(null); keep(node);",
        "var last:Node = null; for (i in 1..n) { val node = new Node(last); last = node; }",
        "val node = pass(new Node(null)); keep(node);",
        "val node = new Node(null); async { keep(node); }",
        "val node = new Node(null); keep(new Node(node));",
        "val node = new Node(null); keep(node.me());",
    ] {
        let text = optimized(&format!("{members} static def run(n:Long) {{ {body} }}"), "Main.run");
        assert!(!text.contains("stack 0 "), "{body}: {text}");
    }
}

#[test]
fn kernels_rematerialise_captures_computed_from_other_captures() {
    let members = |before: &str, uses: &str| {
        format!(
            "static def run(n:Long) {{ val p = here; val out = new GlobalRail[Long](new Rail[Long](64)); {before}
             finish async at (p) @x10.compiler.CUDA {{
                 finish for (block in 0n..0n) async {{
                     clocked finish for (t in 0n..63n) clocked async {{ out(t) = {uses}; }}
                 }}
             }} }}"
        )
    };
    // The lowered program, and the optimised one, in which closures may be gone.
    let made = |before: &str, uses: &str| {
        [false, true].map(|release| {
            let mut program = lowered(&members(before, uses));
            if release {
                optimize_host_code(&mut program);
            }
            optimize_kernels(&mut program);
            let text = mir::text::print(&program, mir::text::SpanDetail::None);
            let captures =
                text.lines().filter_map(|it| it.trim().strip_prefix("capture ")?.split_once(" = "));
            captures
                .map(|(name, value)| format!("{} = {value}", &name[..name.find(':').unwrap()]))
                .collect::<Vec<_>>()
        })
    };
    for (before, uses, expected) in [
        ("val a = n * n + 1;", "n + a", &["a = (%n * %n) + 1;"][..]),
        (
            "val a = n as Int; val b = a * 3n; val c = b - a;",
            "n + a + b + c",
            &["a = convert(%n):i32;", "b = %a * 3:i32;", "c = %b - %a;"],
        ),
        // The other number is not captured, or there is more to it.
        ("val a = n * n;", "a", &[]),
        ("val a = n / 3;", "n + a", &[]),
        ("val a:Long; if (n > 3) a = n * n; else a = n + n;", "n + a", &[]),
    ] {
        for found in made(before, uses) {
            assert_eq!(found, expected, "{before}");
        }
    }
}
