//! Programs to MIR, with the class library.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_build::lower::{LowerError, MainTarget, lower};
use apg_build::mir;

fn program(text: &str) -> Result<mir::Program, Vec<LowerError>> {
    let files = apg_runtime::library::files().into_iter();
    let mut host = AnalysisHost::new(files.map(|(path, text)| (PathBuf::from(path), Arc::from(text))));
    let path = Path::new("/test/Main.x10");
    host.set_file(path, Some(Arc::from(text)));
    host.set_roots(&[path.to_owned()]);
    let analysis = host.snapshot();
    let file = analysis.file(path).expect("the file was set");
    analysis.with(|db| lower(db, &MainTarget { file, class: None })).expect("nothing changes meanwhile")
}

/// The MIR of the functions whose name starts with `prefix`.
fn functions(text: &str, prefix: &str) -> String {
    let program = match program(text) {
        Ok(program) => program,
        Err(errors) => return format!("{errors:#?}"),
    };
    let named = program.functions.iter().enumerate().filter(|it| it.1.name.starts_with(prefix));
    named.map(|it| mir::print::print_function(&program, mir::FunctionId(it.0 as u32))).collect()
}

/// The body of `main` with these statements.
fn main_of(body: &str) -> String {
    functions(
        &format!("public class Main {{ public static def main(args:Rail[String]) {{ {body} }} }}"),
        "Main.main",
    )
}

fn codes(text: &str) -> Vec<&'static str> {
    program(text).err().unwrap_or_default().iter().map(|it| it.code).collect()
}

#[test]
fn hello() {
    println!("{}", main_of("x10.io.Console.OUT.println(\"hi\");"));
    println!(
        "{}",
        main_of(
            "var s:Long = 0; for (i in 1..10) s += i; val r = new Rail[Long](10, (i:Long)=>i*i); for (x in r) s += x; x10.io.Console.OUT.println(\"sum \" + s);"
        )
    );
    println!(
        "{}",
        main_of(
            "var s:Long = 0; finish for (i in 1..10) async { atomic s += i; } val t = at (here.parent()) { return s * 2; }; at (here) x10.io.Console.OUT.println(t); var z:Long = 3; while (z++ < 10) { if (z == 4) continue; } val l = new x10.util.ArrayList[String](); l.add(\"a\"); for (x in l) x10.io.Console.OUT.println(x);"
        )
    );
}

#[test]
fn programs_without_a_usable_main() {
    assert_eq!(codes("public class Main { }"), ["build/no-main"]);
    assert_eq!(codes("public class Main { public def main(args:Rail[String]) { } }"), ["build/bad-main"]);
    let two = "class A { public static def main(a:Rail[String]) { } } class B { public static def main(a:Rail[String]) { } }";
    assert_eq!(codes(two), ["build/two-mains"]);
}

#[test]
fn endless_types_are_reported() {
    let text = "public class Main { static def f[T](n:Long, t:T):void { if (n > 0) f[Rail[T]](n - 1, null); } \
                public static def main(args:Rail[String]) { f[Long](3, 1); } }";
    assert_eq!(codes(text), ["build/endless-types"]);
}
