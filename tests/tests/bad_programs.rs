//! Programs that lead a checker in circles, or ask for too much: diagnostics, in bounded time and memory, and
//! never a panic.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;

/// Checks a program of these files, the first of which is named, and counts its errors by rule.
#[track_caller]
fn errors(files: &[(&str, &str)]) -> BTreeMap<String, usize> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let output = check(folder.path(), &[files[0].0]);
    let mut counts = BTreeMap::new();
    for line in output.stdout.lines() {
        let finding: serde_json::Value = serde_json::from_str(line).expect("JSON");
        if finding["severity"] == "error" {
            *counts.entry(finding["code"].as_str().expect("a code").to_owned()).or_insert(0) += 1;
        }
    }
    assert_eq!(output.status, i32::from(!counts.is_empty()), "{}", output.stderr);
    counts
}

/// Runs `apg check`: it ends in time, within bounds of memory, and without a panic.
#[track_caller]
fn check(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    // Threads reserve far more addresses than they use.
    command.args(["-c", "ulimit -v 8388608; exec \"$0\" \"$@\""]).arg(tools::apg());
    command.args(["check", "--message-format", "json"]).args(arguments).current_dir(folder);
    // Far more than it takes: a debug build on a busy machine is slow.
    let output = programs::run(command, Duration::from_secs(300)).expect("it ends");
    assert!(!output.stderr.contains("panicked"), "{}", output.stderr);
    assert!(!output.stdout.contains("internal/panic"), "{}", output.stdout);
    output
}

#[track_caller]
fn only(found: &BTreeMap<String, usize>, codes: &[&str]) {
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(names, codes);
}

#[test]
fn inheritance_in_circles() {
    let found = errors(&[(
        "a.x10",
        "class A extends B {} class B extends C {} class C extends A {} interface I extends J {} interface J extends I {}
         class D { def m(a:A, i:I) = a.toString() + i.typeName(); }
         interface K[T] extends L[K[K[T]]] {} interface L[T] extends K[L[L[T]]] {}",
    )]);
    only(&found, &["type/cyclic-inheritance"]);
    assert_eq!(found["type/cyclic-inheritance"], 7);
}

#[test]
fn type_definitions_in_circles() {
    let found = errors(&[(
        "a.x10",
        "class D { static type X = Y; static type Y = X; static type Z[T] = Z[Z[T]]; static type L(n:Long) = L(n);
           var x:X; var z:Z[Long]; var l:L(3); def m(x:X) = x; }",
    )]);
    only(&found, &["type/cyclic-typedef"]);
}

#[test]
fn constraints_in_circles() {
    let found = errors(&[(
        "a.x10",
        "class E(a:Long{self==b}, b:Long{self==a}) {
           property p():Long = q(); property q():Long = p();
           def m(e:E{self.p()==3}):E{self.q()==4} = e as E{self.q()==4};
         }
         class F[T]{T<:F[T]} {}
         class G(x:Long) { val y:Long{self==y} = 3; def n(g:G{self.x==g.x}) = g.x; }",
    )]);
    assert!(!found.contains_key("internal/panic"));
}

#[test]
fn generics_that_grow_without_bound() {
    let found = errors(&[(
        "a.x10",
        "class A[T] {
           def m():A[A[T]] = new A[A[T]]();
           static def f[T](a:A[T]):void { f(new A[A[T]]()); }
           val x:A[A[T]] = null;
           def deep() = x.m().m().m().m().m().m().m().m().m().m();
         }
         class B[T] extends A[B[B[T]]] {}
         class C { static def g(b:B[Long]) = b.x.x.x.x.x.x; }",
    )]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_class_named_as_a_package() {
    let found = errors(&[
        (
            "a.x10",
            "class a { static val b = 3; }\nclass t { def m() = a.b; def n(x:a) = x; def o(x:a.C) = x; }",
        ),
        ("a/C.x10", "package a; public class C {}"),
    ]);
    only(&found, &["name/unknown-type"]);
}

#[test]
fn a_thousand_overloads() {
    let mut text = String::from("class A {\n");
    for index in 0..1000 {
        let _ = writeln!(text, "static class C{index} {{}} static def m(a:C{index}, b:Any) = {index};");
    }
    text += "static def t() { m(new C7(), 3); m(null, 4); m(\"x\", 3); }\n}";
    let found = errors(&[("a.x10", &text)]);
    only(&found, &["type/ambiguous-call", "type/no-matching-call"]);
}

#[test]
fn expressions_of_thousands_of_terms() {
    let sum = vec!["a"; 5000].join("+");
    let found = errors(&[("a.x10", &format!("class A {{ static def f(a:Long) = {sum}; }}"))]);
    only(&found, &["syntax/error"]);
    let statements: String = (1..3000).map(|n| format!("val x{n} = x{} + 1;", n - 1)).collect();
    let found = errors(&[("a.x10", &format!("class A {{ static def f(x0:Long) {{ {statements} }} }}"))]);
    assert!(found.is_empty(), "{found:?}");
    let chain = "this".to_owned() + &".m()".repeat(400);
    let found = errors(&[("a.x10", &format!("class A {{ def m():A = this; def n() = {chain}; }}"))]);
    assert!(found.is_empty() || found.keys().all(|code| code == "syntax/error"), "{found:?}");
}

#[test]
fn thousands_of_declarations_that_lean_on_each_other() {
    let methods: String = (0..5000).map(|n| format!("def m{n}() = m{}();\n", n + 1)).collect();
    let found = errors(&[("a.x10", &format!("class A {{ {methods} def m5000() = 1; }}"))]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_file_that_changes_while_it_is_checked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.x10");
    let body: String = (0..2000).map(|n| format!("def m{n}() = {n};\n")).collect();
    let sources = [format!("class A {{ {body} }}"), "class A { def m( }".to_owned(), String::new()];
    std::fs::write(&path, &sources[0]).expect("written");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for text in sources.iter().cycle() {
                if done.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
                // As editors do: a new file in place of the old one.
                let new = folder.path().join("new");
                std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, &path)).expect("written");
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        for _ in 0..5 {
            let output = check(folder.path(), &["a.x10"]);
            assert!(output.status == 0 || output.status == 1, "{}", output.stderr);
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn broken_source_paths() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    write("a.x10", b"import lib.Good; import lib.Broken; class A { def m(g:Good, b:Broken) = g.n(); }");
    write("path/lib/Good.x10", b"package lib; public class Good { public def n() = 3; }");
    write("path/lib/Broken.x10", b"package lib; public class Broken { def (((");
    write("path/lib/Binary.x10", b"package lib; \xff\xfe");
    let output = check(folder.path(), &["a.x10", "--source-path", "path"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    for path in ["nowhere", "a.x10"] {
        let output = check(folder.path(), &["a.x10", "--source-path", path]);
        assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
        assert!(output.stderr.contains(path), "{}", output.stderr);
    }
}

/// Many files are checked in parallel: what is said, and in which order, does not depend on it.
#[test]
fn checking_many_files_says_the_same_each_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for file in 0..40 {
        let text = format!(
            "class C{file} {{ def m() = C{}.missing(); def n():String = {file}; }}\n",
            (file + 1) % 40
        );
        std::fs::write(folder.path().join(format!("C{file}.x10")), text).expect("written");
    }
    let first = check(folder.path(), &["."]);
    assert_eq!(first.stdout.lines().count(), 80, "{}", first.stdout);
    let place = |line: &str| {
        let finding: serde_json::Value = serde_json::from_str(line).expect("JSON");
        (finding["file"].as_str().expect("a file").to_owned(), finding["column"].as_u64().expect("a column"))
    };
    let places: Vec<_> = first.stdout.lines().map(place).collect();
    assert!(places.is_sorted(), "{places:?}");
    for _ in 0..4 {
        assert_eq!(check(folder.path(), &["."]).stdout, first.stdout);
    }
}

/// `--stats` counts the lines of the program and says time and memory, beside the report and not in it.
#[test]
fn statistics_of_a_check() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, lines) in [("A", 10), ("B", 25)] {
        let text = format!("class {name} {{\n{}}}\n", "    // a line\n".repeat(lines - 2));
        std::fs::write(folder.path().join(format!("{name}.x10")), text).expect("written");
    }
    let output = check(folder.path(), &[".", "--stats"]);
    assert_eq!((output.status, output.stdout.as_str()), (0, ""));
    let line = output.stderr.lines().find(|line| line.contains("35 lines in ")).expect("statistics");
    let number = |after: &str, before: &str| -> f64 {
        let rest = line.split(after).nth(1).expect("said");
        rest.split(before).next().expect("said").parse().expect("a number")
    };
    let (seconds, memory, each) =
        (number(" in ", " s;"), number("at most ", " MB"), number("memory, ", " kB"));
    assert!(seconds > 0.0 && memory > 1.0, "{line}");
    assert!((memory * 1e3 / 35.0 - each).abs() < each / 50.0, "{line}");
    assert!(!check(folder.path(), &["."]).stderr.contains("lines in"));
}
