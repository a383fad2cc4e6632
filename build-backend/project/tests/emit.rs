//! Whole programs to C++ that the system's compiler accepts, and to CUDA C++ that NVIDIA's does.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_codegen as emit;
use apg_lower_x10::{MainTarget, lower};
use apg_mir as mir;
use apg_passes::pipeline::Pass;
use apg_runtime::cache::Cache;
use apg_toolchain::{Profile, SilentObserver};

/// The MIR of a program, or its errors.
fn program(path: &Path) -> Result<mir::Program, String> {
    let files = apg_runtime::class_library::files().into_iter();
    let mut host = AnalysisHost::new(files.map(|(path, text)| (PathBuf::from(path), Arc::from(text))));
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    host.set_file(path, Some(Arc::from(text)));
    host.set_roots(&[path.to_owned()]);
    let analysis = host.snapshot();
    let file = analysis.file(path).expect("the file was set");
    let lowered =
        analysis.with(|db| lower(db, &MainTarget { file, class: None })).expect("nothing changes meanwhile");
    let mut program = lowered.map_err(|errors| format!("{errors:#?}"))?;
    // Required passes only: collective operations exist in kernels only, and unroll factors have limits.
    for name in ["inlining", "unroll-limits"] {
        Pass::from_name(name).expect("a pass of the pipeline").run(&mut program);
    }
    Ok(program)
}

/// Programs of the tests and the examples, and those in `$APG_TEST_PROGRAMS`.
fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
    let mut folders = vec![root.join("tests/programs"), root.join("examples")];
    if let Some(more) = std::env::var_os("APG_TEST_PROGRAMS") {
        folders = std::env::split_paths(&more).collect();
    }
    let mut found = Vec::new();
    for folder in folders {
        if folder.is_file() {
            found.push(folder);
            continue;
        }
        for entry in std::fs::read_dir(folder).expect("a folder of programs").flatten() {
            if entry.path().extension().is_some_and(|it| it == "x10") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

fn compiles(text: &str) -> Result<(), String> {
    apg_runtime::device::compile_for(text, "kernel.cu", (9, 0))
        .map(drop)
        .map_err(|error| format!("{}\n{text}", error.message))
}

#[test]
fn generated_code_compiles() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = Cache::at(folder.path().to_owned());
    let has_nvrtc = apg_runtime::device::compiler_version().is_ok();
    assert!(
        has_nvrtc || std::env::var_os("APG_REQUIRE").is_none(),
        "APG_REQUIRE is set, but there is no NVRTC"
    );
    let mut failures = Vec::new();
    for path in programs() {
        let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        let result = program(&path).and_then(|mir| {
            let emitted = emit::emit(&mir, false).map_err(|errors| format!("{errors:#?}"))?;
            apg_toolchain::build(
                &emitted.units,
                &emit::HEADERS,
                Profile::Dev.into(),
                &Default::default(),
                &cache,
                &SilentObserver,
            )
            .map_err(|error| error.to_string())?;
            for text in emitted.cuda.iter().filter(|_| has_nvrtc) {
                compiles(text)?;
                if text.contains("apg_constants +") {
                    compiles(&format!("#define APG_CONSTANT\n{text}"))?;
                }
            }
            Ok(())
        });
        if let Err(message) = result {
            failures.push(format!("{name}: {message}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
