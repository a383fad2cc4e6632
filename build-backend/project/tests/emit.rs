//! Whole programs to C++ that the system's compiler accepts, and to CUDA C++ that NVIDIA's does.

mod programs;

use apg_codegen as emit;
use apg_passes::pipeline::Pass;
use apg_runtime::cache::Cache;
use apg_toolchain::{Mode, SilentObserver};
use emit::Emitted;
use rayon::prelude::*;

fn compile_kernels(text: &str) -> Result<(), String> {
    apg_runtime::device::compile_for(text, "kernel.cu", (9, 0))
        .map(drop)
        .map_err(|error| format!("{}\n{text}", error.message))
}

/// The C++ and CUDA C++ of a program after the required passes alone: collective operations exist in kernels
/// only, and unroll factors have limits. What all passes make is compiled where programs are run.
fn emitted(lowering: &mut programs::Lowering, path: &std::path::Path) -> Result<Emitted, String> {
    let mut mir = lowering.mir(path)?;
    for name in ["inlining", "unroll-limits"] {
        Pass::from_name(name).expect("a pass of the pipeline").run(&mut mir);
    }
    emit::emit(&mir, false).map_err(|errors| format!("{errors:#?}"))
}

/// Whether the compilers accept it. Nothing is linked or run, so that nothing need be optimised.
fn compile(emitted: &Emitted, cache: &Cache, has_nvrtc: bool) -> Result<(), String> {
    let mode = Mode { debug: true, ..Mode::default() };
    apg_toolchain::compile_units(&emitted.units, &emit::HEADERS, mode, cache, &SilentObserver)
        .map_err(|error| error.to_string())?;
    for text in emitted.cuda.iter().filter(|_| has_nvrtc) {
        compile_kernels(text)?;
        if text.contains("apg_constants +") {
            compile_kernels(&format!("#define APG_CONSTANT\n{text}"))?;
        }
    }
    Ok(())
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
    let mut lowering = programs::Lowering::new();
    let all: Vec<_> = programs::all().into_iter().map(|path| (emitted(&mut lowering, &path), path)).collect();
    let failures: Vec<String> = all
        .into_par_iter()
        .filter_map(|(result, path)| {
            let message = result.and_then(|emitted| compile(&emitted, &cache, has_nvrtc)).err()?;
            Some(format!("{}: {message}", path.display()))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
