//! Regions: `tests/regions/NAME.c` is lowered, its kernels are compiled by the system's C++ compiler and by
//! NVRTC, and run in their CPU form. Behind the program is a line `// ---- main` and the `main` in MIR that
//! launches the kernels, then `// ---- output` with what it writes; or `// ---- errors` with what is
//! reported.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use apg_c_analysis::{AnalysisHost, FileSystem, Parsed, Toolchain, parsed};
use apg_codegen::{HEADERS, emit};
use apg_lower_c::{Source, Unsupported, lower};
use apg_mir::text::{self, SpanDetail};
use apg_mir::verify::verify;
use apg_passes::pipeline::Pipeline;
use libtest_mimic::{Arguments, Failed, Trial};

const MAIN: &str = "// ---- main\n";
const OUTPUT: &str = "// ---- output\n";
const ERRORS: &str = "// ---- errors\n";

/// What a program is linked with: a launch runs the blocks in two parts.
const LAUNCHER: &str = r#"
#include "apg_kernel.h"
extern "C" void apg_run_kernel(apg_i64, const apg_kernel *kernel, const void *environment) {
  apg_fault fault = {};
  apg_launch launch = {};
  launch.fault = &fault;
  kernel->configure(environment, 3, 0, &launch);
  const apg_i64 blocks = (apg_i64)launch.blocks[0] * launch.blocks[1] * launch.blocks[2];
  launch.proven = kernel->proven ? (apg_u32)kernel->proven(environment, &launch) : 3;
  kernel->cpu(environment, &launch, 0, blocks / 2);
  kernel->cpu(environment, &launch, blocks / 2, blocks);
  if (fault.kind) __builtin_trap();
}
"#;

/// The cases declare what they use.
struct NoHeaders;

impl FileSystem for NoHeaders {
    fn read(&self, _: &Path) -> Option<Arc<str>> {
        None
    }
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regions");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let cases = entries.map(|it| it.path()).filter(|it| it.extension().is_some_and(|it| it == "c"));
    let trials: Vec<Trial> = cases
        .map(|case| {
            let name = case.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Trial::test(name, move || check(&case))
        })
        .collect();
    assert!(!trials.is_empty(), "there are no programs");
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn parse(source: &str) -> Arc<Parsed> {
    let mut host = AnalysisHost::new(Arc::new(NoHeaders));
    let file = host.set_file(Path::new("/case.c"), source.into(), &Arc::new(Toolchain::default()));
    parsed(host.database(), file).clone()
}

fn check(case: &Path) -> Result<(), Failed> {
    let file = fs::read_to_string(case)?;
    if let Some((source, expected)) = file.split_once(ERRORS) {
        return check_errors(source, expected);
    }
    let (source, rest) = file.split_once(MAIN).ok_or("there is no main")?;
    let (driver, output) = rest.split_once(OUTPUT).ok_or("there is no output")?;
    let parsed = parse(source);
    let program = lower(&[Source { parsed: &parsed, path: Path::new("case.c") }], 0)
        .map_err(|errors| shown(&parsed, &errors))?;
    verify(&program).map_err(|errors| format!("{errors:#?}"))?;
    let kernels = text::print(&program, SpanDetail::All);
    // The text declares types in another order.
    let parsed_again = text::parse(&kernels).map_err(|error| error.to_string())?;
    if text::print(&parsed_again, SpanDetail::All) != kernels {
        return Err(format!("the program does not round-trip:\n{kernels}").into());
    }
    let whole = format!("{}{driver}", text::print(&program, SpanDetail::Statements));
    for optimize in [false, true] {
        let mut program = text::parse(&whole).map_err(|error| format!("{error}\n{whole}"))?;
        verify(&program).map_err(|errors| format!("{errors:#?}\n{whole}"))?;
        Pipeline { optimize, debug: !optimize }.run(&mut program);
        let found = compile_and_run(&program, if optimize { "-O2" } else { "-O0" })?;
        if found != uncommented(output) {
            return Err(format!("---- expected\n{output}---- found\n{found}\n{whole}").into());
        }
    }
    Ok(())
}

fn uncommented(lines: &str) -> String {
    lines.lines().map(|it| format!("{}\n", it.trim_start_matches("// "))).collect()
}

fn shown(parsed: &Parsed, errors: &[Unsupported]) -> String {
    let line = |error: &Unsupported| {
        let range = parsed.spelled(error.range).unwrap_or_default();
        let line = parsed.text()[..usize::from(range.start())].matches('\n').count() + 1;
        let at = &parsed.text()[range];
        format!("{line}: {}: {}: {}\n", at.lines().next().unwrap_or_default(), error.message, error.advice)
    };
    errors.iter().map(line).collect()
}

fn check_errors(source: &str, expected: &str) -> Result<(), Failed> {
    let parsed = parse(source);
    let found = match lower(&[Source { parsed: &parsed, path: Path::new("case.c") }], 0) {
        Ok(_) => String::new(),
        Err(errors) => shown(&parsed, &errors),
    };
    match found == uncommented(expected) {
        true => Ok(()),
        false => Err(format!("---- expected\n{expected}---- found\n{found}").into()),
    }
}

/// Compiles device code in all its variants, if this machine has NVRTC, which needs no GPU.
fn compile_device_code(sources: &[String]) -> Result<(), Failed> {
    if let Err(missing) = apg_runtime::device::compiler_version() {
        assert!(std::env::var("APG_REQUIRE").is_err(), "APG_REQUIRE is set, but {missing}");
        return Ok(());
    }
    for source in sources {
        apg_runtime::device::compile_for(source, "kernel.cu", (9, 0))
            .map_err(|error| format!("{}\n{source}", error.message))?;
    }
    Ok(())
}

/// The output of a program.
fn compile_and_run(program: &apg_mir::Program, level: &str) -> Result<String, Failed> {
    let emitted = emit(program, false).map_err(|errors| format!("{errors:#?}"))?;
    compile_device_code(&emitted.cuda)?;
    let folder = tempfile::tempdir()?;
    for (name, text) in HEADERS {
        let header = folder.path().join(name);
        fs::create_dir_all(header.parent().unwrap_or(folder.path()))?;
        fs::write(header, text)?;
    }
    let compiler = apg_toolchain::find_compiler().map_err(|error| error.to_string())?;
    let mut command = Command::new(compiler.path());
    command.args(["-std=gnu++20", "-fwrapv", "-w", level, "-I"]).arg(folder.path());
    let mut sources: Vec<(String, &str)> =
        emitted.units.iter().map(|it| (format!("{}.cpp", it.name), it.text.as_str())).collect();
    sources.push(("launcher.cpp".to_owned(), LAUNCHER));
    for (name, text) in sources {
        let path: PathBuf = folder.path().join(name);
        fs::write(&path, text)?;
        command.arg(path);
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
        text.push_str(&format!("{}\n", ran.status));
    }
    Ok(text)
}
