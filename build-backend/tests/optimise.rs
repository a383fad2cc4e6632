//! What optimised builds make of programs: objects in frames, calls of known functions, versions for closures.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_build::lower::{MainTarget, lower};
use apg_build::{mir, optimise};

/// The optimised functions whose names begin so, with these members in `Main`.
fn optimised(members: &str, name: &str) -> String {
    let text = format!(
        "import x10.util.*;\npublic class Main {{ {members}\n    public static def main(args:Rail[String]) {{ run(args.size); }} }}"
    );
    let files = apg_runtime::library::files().into_iter();
    let mut host = AnalysisHost::new(files.map(|(path, text)| (PathBuf::from(path), Arc::from(text))));
    let path = Path::new("/test/Main.x10");
    host.set_file(path, Some(Arc::from(text.as_str())));
    host.set_roots(&[path.to_owned()]);
    let analysis = host.snapshot();
    let file = analysis.file(path).expect("the file was set");
    let target = MainTarget { file, class: None };
    let lowered = analysis.with(|db| lower(db, &target)).expect("nothing changes meanwhile");
    let mut program = lowered.unwrap_or_else(|errors| panic!("{errors:#?}"));
    optimise::optimise(&mut program);
    let mut out = String::new();
    for (index, function) in program.functions.iter().enumerate() {
        if function.name.starts_with(name) {
            out += &mir::print::print_function(&program, mir::FunctionId(index as u32));
        }
    }
    out
}

#[test]
fn an_iterator_of_a_known_class_lies_in_the_frame() {
    let text = optimised(
        "static def run(n:Long) {
            val list = new ArrayList[Long]();
            var sum:Long = 0;
            for (x in list) sum += x;
            return sum;
        }",
        "Main.run",
    );
    assert!(text.contains("frame#0 x10.util.ArrayListIterator"), "{text}");
    assert!(!text.contains("interface "), "{text}");
}

#[test]
fn a_function_has_a_version_for_the_closure_it_gets() {
    let text = optimised(
        "static def twice(f:(Long)=>Long, n:Long):Long = n == 0 ? f(0) : f(n) + twice(f, n - 1);
         static def run(n:Long) = twice((x:Long)=>x + n, n);",
        "Main.",
    );
    assert!(text.contains("frame#0"), "{text}");
    // The version calls the closure's code, and itself; the other one, which nobody calls any more, does not.
    let versions =
        text.split("Main.twice").filter(|it| it.contains("closure#") && !it.contains("closure f_0"));
    assert!(versions.count() >= 1, "{text}");
}

#[test]
fn what_is_kept_stays_on_the_heap() {
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
        let text = optimised(&format!("{members} static def run(n:Long) {{ {body} }}"), "Main.run");
        assert!(!text.contains("frame#"), "{body}: {text}");
    }
}
