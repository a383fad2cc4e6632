//! Which bodies of `at` run in the message handler: those that are non-blocking and of bounded cost.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_lower_x10::{MainTarget, lower};
use apg_mir as mir;
use apg_passes::analysis::bounded_cost::BoundedCost;
use apg_passes::analysis::class_hierarchy::ClassHierarchy;
use apg_passes::pipeline::optimize_host_code;

const MEMBERS: &str = "
    static class Cell { var v:Long = 0; val list = new Rail[Long](10); var next:Cell = null; var text:String = null; }
    static struct Pair(x:Long, y:Double) { def this(x:Long, y:Double) { property(x, y); } }
    static class Walks { def length(n:Long):Long { var k:Long = n; while (k > 10) k /= 2; return k; } }
    static val fixed = Long.parse(\"3\");
    static def loop(n:Long):Long { var sum:Long = 0; for (i in 1..n) sum += i * sum; return sum; }
    static def again(n:Long):Long = n <= 0 ? 0 : 1 + again(n - 1);
    static def twice(n:Long) = n + n;
    static class Runs extends Walks { def length(n:Long) = n; }";

/// Whether each of these `at`s has a bounded body, in development builds and in optimised ones.
fn bounded(statements: &[&str]) -> Vec<[bool; 2]> {
    let methods = statements.iter().enumerate().map(|(index, statement)| {
        format!(
            "static def run{index}(p:Place, n:Long, g:GlobalRef[Cell], count:GlobalRef[AtomicLong], h:PlaceLocalHandle[Cell],
                r:GlobalRail[Long], s:String, c:Cell, f:(Long)=>Long, w:Walks) {{ {statement}; }}\n"
        )
    });
    let methods: String = methods.collect();
    let calls = (0..statements.len())
        .map(|index| format!("run{index}(here, n, g, count, h, r, args(0), c, f, w);\n"));
    let calls: String = calls.collect();
    let text = format!(
        "import x10.util.concurrent.AtomicLong;
        public class Main {{ {MEMBERS} {methods}
            public static def main(args:Rail[String]) {{
                val n = args.size, c = new Cell(), g = GlobalRef(c), count = GlobalRef(new AtomicLong(0));
                val h = PlaceLocalHandle.make[Cell](Place.places(), () => new Cell());
                val r = GlobalRail[Long](c.list), f = (x:Long) => x + n;
                val w = n > 5 ? new Runs() as Walks : new Walks();
                {calls}
        }} }}"
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
    let mut program = lowered.unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"));
    let development = bodies(&program, statements.len());
    optimize_host_code(&mut program);
    let optimised = bodies(&program, statements.len());
    development.into_iter().zip(optimised).map(|(development, optimised)| [development, optimised]).collect()
}

/// Whether all closures of each method are bounded.
fn bodies(program: &mir::Program, count: usize) -> Vec<bool> {
    let hierarchy = ClassHierarchy::new(program);
    let mut costs = BoundedCost::new(program, &hierarchy);
    let mut found = Vec::new();
    for index in 0..count {
        let name = format!("Main.run{index}$closure");
        let is_body = |class: &&mir::Class| {
            let code = class.vtable.get(mir::slot::CLOSURE_APPLY as usize).copied().flatten();
            class.kind == mir::ClassKind::Closure
                && code.is_some_and(|code| program.functions[code.index()].name == name)
        };
        let bodies: Vec<_> = program.classes.iter().filter(is_body).collect();
        assert!(!bodies.is_empty(), "no {name}");
        found.push(bodies.into_iter().all(|body| costs.is_bounded(body)));
    }
    found
}

#[track_caller]
fn check(statements: &[&str], expected: bool) {
    let found = bounded(statements);
    let wrong: Vec<_> = statements.iter().zip(found).filter(|(_, found)| *found != [expected; 2]).collect();
    assert!(wrong.is_empty(), "not {expected}: {wrong:#?}");
}

#[test]
fn handlers_that_read_or_write_a_field_run_inline() {
    let statements = [
        "at (p) { }",
        "val x = at (p) here",
        "val x = at (p) n + 1",
        "val x = at (p) n / twice(n)",
        "val x = at (p) g().v",
        "at (p) { g().v = n; }",
        "at (p) { count().incrementAndGet(); }",
        "val x = at (p) count().get()",
        "val x = at (p) h().v",
        "val x = at (p) h().list(n)",
        "val x = at (p) r(n)",
        "at (p) { r(n) = n; }",
        "val x = at (p) h().text",
        "val x = at (p) h().next",
        "val x = at (p) Pair(n, 0.5)",
        "val x = at (p) new Pair(n, 0.5)",
        "val x = at (p) s.length()",
        "val x = at (p) n.toString()",
        "val x = at (p) Math.sqrt(n as Double)",
        "at (p) { if (h().v < n) h().v = n; else h().next = c; }",
    ];
    check(&statements, true);
}

#[test]
fn handlers_that_loop_call_or_block_do_not_run_inline() {
    let statements = [
        "val x = at (p) loop(n)",
        "val x = at (p) again(n)",
        "val x = at (p) f(n)",
        "val x = at (p) w.length(n)",
        "val x = at (p) fixed",
        "at (p) { atomic g().v++; }",
        "at (p) { when (h().v > 0) h().v--; }",
        "at (p) { async h().v = 1; h().v = 2; }",
        "at (p) { at (here) { } }",
        "at (p) { finish async h().v = 1; }",
        "at (p) { Console.OUT.println(n); }",
        "at (p) { System.sleep(n); }",
        "val x = at (p) new Rail[Long](n)",
        "val x = at (p) h().text + s",
        "val x = at (p) new String(new Rail[Char](3))",
        "val x = at (p) s.substring(1n)",
        "val x = at (p) s.indexOf(\"x\")",
        "at (p) { throw new Exception(); }",
    ];
    check(&statements, false);
}
