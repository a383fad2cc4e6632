//! Tests of generated code: programs built by hand, compiled by the system's C++ compiler and run on a small
//! runtime.

mod block_interchange;
mod builders;
mod device;
mod host;
mod index_set_split;
mod kernels;
mod launch_conditions;
mod prefetch;
mod shared_fills;
mod simd_chunks;
mod slot_blocks;
mod software_pipeline;
mod transpose_loads;
mod unroll_collectives;

use std::process::Command;

use crate::EmitError;
use crate::translation_unit::UnitKind;
use crate::unit::Emitted;
use apg_mir::Program;
use apg_toolchain::find_compiler;

/// The code of a program, which is numbered first.
fn emit(program: &Program) -> Result<Emitted, Vec<EmitError>> {
    let mut program = program.clone();
    program.assign_ids();
    super::emit(&program, false)
}

/// Compiles and runs a program; returns its output.
fn run(program: &Program) -> String {
    let emitted = emit(program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let folder = tempfile::tempdir().unwrap();
    let compiler = find_compiler().expect("these tests need a C++ compiler");
    for (name, text) in super::HEADERS {
        let header = folder.path().join(name);
        std::fs::create_dir_all(header.parent().unwrap()).unwrap();
        std::fs::write(header, text).unwrap();
    }
    let mut command = Command::new(compiler.path());
    command.args(["-std=gnu++20", "-fwrapv", "-w", "-O1", "-march=native", "-I"]).arg(folder.path());
    for unit in &emitted.units {
        let path = folder.path().join(format!("{}.cpp", unit.name));
        std::fs::write(&path, &unit.text).unwrap();
        assert!(unit.kind != UnitKind::Kernels || !program.kernels.is_empty());
        command.arg(path);
    }
    let runtime = folder.path().join("runtime.cpp");
    std::fs::write(&runtime, include_str!("runtime.cpp")).unwrap();
    let output = folder.path().join("program");
    let compiled = command.arg(runtime).arg("-o").arg(&output).output().unwrap();
    if !compiled.status.success() {
        let text: String = emitted.units.iter().map(|it| it.text.as_str()).collect();
        panic!("{}\n{text}", String::from_utf8_lossy(&compiled.stderr));
    }
    let ran = Command::new(&output).output().unwrap();
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// Compiles the device code of a program's kernels, if this machine has NVRTC, which needs no GPU.
fn compile_cuda(program: &Program) {
    if let Err(missing) = apg_runtime::device::compiler_version() {
        assert!(std::env::var("APG_REQUIRE").is_err(), "APG_REQUIRE is set, but {missing}");
        eprintln!("skipped: {missing}");
        return;
    }
    let emitted = emit(program).unwrap_or_else(|errors| panic!("{errors:?}"));
    for text in &emitted.cuda {
        let narrow = "#define APG_PROVEN\n#define APG_NARROW\n";
        for head in ["", "#define APG_OVERLAP\n", &format!("{narrow}#define APG_PIPELINED\n")] {
            let text = &format!("{head}{text}");
            if let Err(error) = apg_runtime::device::compile_for(text, "kernel.cu", (9, 0)) {
                panic!("{}\n{text}", error.message);
            }
        }
    }
}
