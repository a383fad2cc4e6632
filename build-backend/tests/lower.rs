//! Programs to MIR, with the class library.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_build::lower::{LowerError, MainTarget, lower};
use apg_build::mir;

fn program(text: &str) -> Result<mir::Program, Vec<LowerError>> {
    let library = apg_runtime::library::files().into_iter().map(|(path, text)| (PathBuf::from(path), Arc::from(text)));
    let mut host = AnalysisHost::new(library);
    let path = Path::new("/test/Main.x10");
    host.set_file(path, Some(Arc::from(text)));
    host.set_roots(&[path.to_owned()]);
    let analysis = host.snapshot();
    let file = analysis.file(path).expect("the file was set");
    analysis.with(|db| lower(db, &MainTarget { file, class: None })).expect("nothing changes meanwhile")
}

fn printed(text: &str) -> String {
    match program(text) {
        Ok(program) => mir::print::print(&program),
        Err(errors) => format!("{errors:#?}"),
    }
}

#[test]
fn hello() {
    let text = printed("import x10.io.Console; public class Main { public static def main(args:Rail[String]) { Console.OUT.println(\"hi\"); } }");
    println!("{text}");
    assert!(text.contains("main = Main.main"), "{text}");
}
