//! Loop versioning of X10 programs: which accesses lose their checks, and which guards are tested before.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_lower_x10::{MainTarget, lower};
use apg_mir as mir;
use apg_passes::pipeline::Pass;

/// The functions of `Main` after loop versioning, for a `main` with this body and these other members.
fn versioned(members: &str, body: &str) -> String {
    let text = format!(
        "import x10.array.*; public class Main {{ {members} public static def main(args:Rail[String]) {{ {body} }} }}"
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
    let mut program = lowered.unwrap_or_else(|errors| panic!("{errors:#?}"));
    Pass::from_name("loop-versioning").expect("the pass exists").run(&mut program);
    let mut out = String::new();
    for (index, function) in program.functions.iter().enumerate() {
        if function.name.starts_with("Main.") {
            out += &mir::text::print_function(&program, mir::FunctionId(index as u32));
        }
    }
    out
}

/// The accesses with and without checks to elements of rails in a method with this body, where `a` and `b`
/// are rails and `n` is a number.
fn accesses(body: &str) -> (usize, usize) {
    let members = format!("static def run(a:Rail[Long], b:Rail[Long], n:Long) {{ {body} }}");
    let text = versioned(&members, "run(null, null, 9);").replace("@x10.lang.Rail[x10.lang.Long]", "Rail");
    let start = text.find("function @Main.run").expect("the method is lowered");
    let text = text[start..].split("\n}").next().unwrap_or_default();
    let (_, text) = text.split_once("];").expect("declarations of variables");
    let checked = text.matches("?[").count();
    (checked, text.matches(']').count() - checked)
}

#[test]
fn loops_of_all_forms_have_an_unchecked_version() {
    assert_eq!(accesses("for (i in 1..n) a(2 * i - n + 3) = i;"), (1, 1));
    assert_eq!(accesses("for (i in 0n..(n as Int)) { val k = i + 1n; if (k > 3n) a(k) = 1; }"), (1, 1));
    assert_eq!(accesses("for (var i:Long = n; i >= 0; i -= 2) a(i) = i;"), (1, 1));
    assert_eq!(accesses("for ([i, j] in (0..n) * (2..n)) a(i + j) = i;"), (1, 2));
    // Accesses in the condition and in the update stay: the variable may be past its end.
    assert_eq!(accesses("for (var i:Long = 0; i < n; i += a(n)) b(i) = i;"), (2, 0));
    assert_eq!(accesses("for (var i:Long = 0; i < n && a(i) < 9; i++) b(i) = i;"), (2, 0));
}

#[test]
fn arrays_are_covered_at_indices_and_at_points() {
    let unchecked = |body: &str| {
        let setup = "val a = new Array_2[Long](9, args.size);";
        let text = versioned("", &format!("{setup} {body}"));
        (text.matches(".uncheckedGet(").count() + text.matches(".uncheckedSet(").count(), text)
    };
    let (count, text) = unchecked("for (i in 0..8) for (j in 0..3) a(i, j) = a(j, i);");
    assert_eq!(count, 4, "{text}");
    let (count, text) = unchecked("for (p in a.indices()) a(p) = 1;");
    assert!(count == 2 && text.matches("Point.make(").count() == 1, "{text}");
    assert_eq!(unchecked("for (i in 0..8) a(i * i, 0) = 1;").0, 0);
}

#[test]
fn bounds_checks_of_characters_are_hoisted_out_of_counted_loops() {
    let tests = |members: &str, body: &str| versioned(members, body).matches("rt.string_char_at").count();
    // The checked version has the checks, the unchecked one has none.
    let sum = "var n:Long = 0; for (i in 0n..(s.length() - 1n)) ";
    assert_eq!(tests("", &format!("val s = args(0); {sum} n += s.charAt(i).ord() + s(i).ord();")), 1);
    assert_eq!(tests("", "val s = args(0); for (var i:Long = 3; i > 0; i--) s.charAt(i as Int);"), 1);
    let nest = "for (j in 1n..t.length()) if (s.charAt(i) == t.charAt(j - 1n)) n++;";
    // Of two loops: no check if both strings are long enough, that of `s` if `t` is, both otherwise.
    assert_eq!(tests("", &format!("val s = args(0), t = args(1); {sum} {nest}")), 3);
    // In all versions: an index that is not affine, and a string that changes.
    assert_eq!(
        tests("", &format!("val s = args(0); val r = new Rail[Int](9); {sum} n += s.charAt(r(n)).ord();")),
        1
    );
    let changing =
        versioned("", &format!("var s:String = args(0); {sum} {{ n += s.charAt(i).ord(); s += i; }}"));
    assert!(!changing.contains("null"), "{changing}");
}
