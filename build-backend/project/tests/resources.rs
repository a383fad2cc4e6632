//! Resource reports of kernels. Without NVRTC only the reason is checked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_project::build::{Options, translate};
use apg_runtime::device;
use apg_toolchain::resources::kernels;

const PROGRAM: &str = "import x10.compiler.CUDA;
import x10.util.CUDAUtilities;
public class Needs {
    public static def main(args:Rail[String]) {
        val out = CUDAUtilities.makeGlobalRail[Int](here, 128);
        finish async at (here) @CUDA {
            finish for (block in 0n..3n) async {
                val tile = new Rail[Int](100, 0n);
                clocked finish for (thread in 0n..31n) clocked async { out(block * 32n + thread) = tile(thread); }
            }
        }
    }
}
";

#[test]
fn resource_report_has_line_threads_and_memory() {
    let files = apg_runtime::class_library::files().into_iter();
    let mut host = AnalysisHost::new(files.map(|(path, text)| (PathBuf::from(path), Arc::from(text))));
    let path = Path::new("/test/Needs.x10");
    host.set_file(path, Some(Arc::from(PROGRAM)));
    host.set_roots(&[path.to_owned()]);
    let analysis = host.snapshot();
    let file = analysis.file(path).expect("the file was set");
    let translated = translate(&analysis, file, None, Options::default()).expect("a program");
    let architectures = device::architectures();
    match kernels(&translated.mir, &translated.emitted.cuda, &architectures) {
        Err(why) => assert!(architectures.is_empty(), "{why}"),
        Ok(found) => {
            let [kernel] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!(
                (kernel.line, kernel.threads, kernel.threads_known, kernel.shared),
                (6, 32, true, Some(400))
            );
            assert_eq!(kernel.needs.len(), architectures.len());
            assert!(kernel.needs.iter().all(|it| it.resources.registers > 0), "{found:?}");
            assert!(kernel.describe().contains("Needs.x10:6: kernel Needs_main_6"), "{}", kernel.describe());
        }
    }
}
