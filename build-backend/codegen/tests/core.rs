//! Programs of the core and gpu dialects: `tests/core/NAME.mir` is read, verified, compiled by the system's
//! C++ compiler and run. Behind the program is a line `// ---- output`, and what it writes. Kernels run in
//! their CPU form, and their device code is compiled.

mod device;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use apg_codegen::{HEADERS, emit};
use apg_mir::text::{self, SpanDetail};
use apg_mir::verify::verify;
use apg_passes::pipeline::Pipeline;
use apg_toolchain::find_compiler;
use libtest_mimic::{Arguments, Failed, Trial};

/// Between a program and its output. Lines of the output are comments.
const SEPARATOR: &str = "// ---- output\n";

/// What a program with kernels is linked with: a launch runs the blocks in two parts, and writes a fault.
const LAUNCHER: &str = r#"
#include "apg_kernel.h"
extern "C" int printf(const char *, ...);
extern "C" void apg_run_kernel(apg_i64, const apg_kernel *kernel, const void *environment) {
  apg_fault fault = {};
  apg_launch launch = {};
  launch.fault = &fault;
  kernel->configure(environment, 0, 0, &launch);
  const apg_i64 blocks = (apg_i64)launch.blocks[0] * launch.blocks[1] * launch.blocks[2];
  launch.proven = kernel->proven ? (apg_u32)kernel->proven(environment, &launch) : 3;
  kernel->cpu(environment, &launch, 0, blocks / 2);
  kernel->cpu(environment, &launch, blocks / 2, blocks);
  if (fault.kind) printf("fault %u\n", fault.kind);
}
"#;

/// The ways in which programs are compiled: passes, and flags of the compiler.
const BUILDS: [(Pipeline, &[&str]); 2] = [
    (Pipeline { optimize: false, debug: true }, &["-O0"]),
    (Pipeline { optimize: true, debug: false }, &["-O2"]),
];

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/core");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let cases = entries.map(|it| it.path()).filter(|it| it.extension().is_some_and(|it| it == "mir"));
    let trials: Vec<Trial> = cases
        .map(|case| {
            let name = case.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Trial::test(name, move || check(&case))
        })
        .collect();
    assert!(!trials.is_empty(), "there are no programs");
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn check(case: &Path) -> Result<(), Failed> {
    let file = fs::read_to_string(case)?;
    let (input, output) = file.split_once(SEPARATOR).ok_or("there is no output")?;
    if !input.starts_with("// ") {
        return Err("the first line is a comment that says what the program shows".into());
    }
    let expected: String = output.lines().map(|it| format!("{}\n", it.trim_start_matches("// "))).collect();
    for (pipeline, flags) in BUILDS {
        let mut program = text::parse(input).map_err(|error| format!("{}:{error}", case.display()))?;
        verify(&program).map_err(|errors| format!("{errors:#?}"))?;
        let printed = text::print(&program, SpanDetail::All);
        assert_eq!(text::parse(&printed).map_err(|error| error.to_string())?, program, "round trip");
        pipeline.run(&mut program);
        let found = compile_and_run(&program, flags)?;
        if found != expected {
            return Err(format!("{}\n---- expected\n{expected}---- found\n{found}", case.display()).into());
        }
    }
    Ok(())
}

/// The output of a program.
fn compile_and_run(program: &apg_mir::Program, flags: &[&str]) -> Result<String, Failed> {
    let emitted = emit(program, false).map_err(|errors| format!("{errors:#?}"))?;
    let folder = tempfile::tempdir()?;
    for (name, text) in HEADERS {
        let header = folder.path().join(name);
        fs::create_dir_all(header.parent().unwrap_or(folder.path()))?;
        fs::write(header, text)?;
    }
    let compiler = find_compiler().map_err(|error| error.to_string())?;
    let mut command = Command::new(compiler.path());
    command.args(["-std=gnu++20", "-fwrapv", "-w", "-I"]).arg(folder.path()).args(flags);
    for unit in &emitted.units {
        let path: PathBuf = folder.path().join(format!("{}.cpp", unit.name));
        fs::write(&path, &unit.text)?;
        command.arg(path);
    }
    if !program.kernels.is_empty() {
        device::compile_device_code(&emitted.cuda)?;
        let launcher = folder.path().join("launcher.cpp");
        fs::write(&launcher, LAUNCHER)?;
        command.arg(launcher);
    }
    let output = folder.path().join("program");
    let compiled = command.arg("-o").arg(&output).output()?;
    if !compiled.status.success() {
        let text: String = emitted.units.iter().map(|it| it.text.as_str()).collect();
        return Err(format!("{}\n{text}", String::from_utf8_lossy(&compiled.stderr)).into());
    }
    let ran = Command::new(&output).output()?;
    let mut text = String::from_utf8_lossy(&ran.stdout).into_owned();
    if ran.status.code() != Some(0) {
        text.push_str(&match ran.status.code() {
            Some(code) => format!("exit status {code}\n"),
            None => "ended by a signal\n".to_owned(),
        });
    }
    Ok(text)
}
