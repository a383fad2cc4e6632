//! Whole programs to C++ that the system's compiler accepts, and to CUDA C++ that NVIDIA's does.

mod programs;

use apg_codegen as emit;
use apg_passes::pipeline::Pass;
use apg_runtime::cache::Cache;
use apg_toolchain::{Profile, SilentObserver};

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
    let mut lowering = programs::Lowering::new();
    for path in programs::all() {
        let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        let result = lowering.mir(&path).and_then(|mut mir| {
            // Required passes only: collective operations exist in kernels only, and unroll factors have
            // limits.
            for name in ["inlining", "unroll-limits"] {
                Pass::from_name(name).expect("a pass of the pipeline").run(&mut mir);
            }
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
