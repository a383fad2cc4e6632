//! Parallel regions of C programs to CUDA C++ that NVIDIA's compiler accepts.

use std::path::{Path, PathBuf};

use apg_project::build::Options;
use apg_project::c::{Parallel, Placement, translate_program};

/// Whether there is the compiler.
fn has_nvrtc() -> bool {
    let has_nvrtc = apg_runtime::device::compiler_version().is_ok();
    assert!(
        has_nvrtc || std::env::var_os("APG_REQUIRE").is_none(),
        "APG_REQUIRE is set, but there is no NVRTC"
    );
    has_nvrtc
}

fn check(text: &str) {
    if let Err(error) = apg_runtime::device::compile_for(text, "region.cu", (9, 0)) {
        panic!("{}\n{text}", error.message);
    }
}

/// The device code of the regions of a program.
fn regions(file: &Path) -> Vec<String> {
    let sources = [file.to_owned()];
    let translated = translate_program(&sources, &[], Options::default(), Parallel::Device);
    match translated.expect("it is read").expect("it has no errors") {
        Placement::Devices(program) => {
            assert!(program.on_host.is_empty(), "{}: {:?}", file.display(), program.on_host);
            program.regions.into_iter().flat_map(|it| it.emitted.cuda).collect()
        }
        Placement::Host(reasons) => panic!("{}: {reasons:?}", file.display()),
    }
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c-programs/parallel");
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut found: Vec<PathBuf> = entries.map(|it| it.expect("an entry").path()).collect();
    found.retain(|it| it.extension().is_some_and(|it| it == "c"));
    found.sort();
    found
}

#[test]
fn device_code_of_regions_compiles() {
    if !has_nvrtc() || std::process::Command::new("cc").arg("--version").output().is_err() {
        return;
    }
    let programs = programs();
    assert!(!programs.is_empty());
    for program in programs {
        let codes = regions(&program);
        assert!(!codes.is_empty(), "{}", program.display());
        codes.iter().for_each(|it| check(it));
    }
}

#[test]
fn all_entries_of_teams_have_a_device_form() {
    if !has_nvrtc() || std::process::Command::new("cc").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a.c");
    std::fs::write(&file, "void f(void) {\n#pragma omp parallel\n;\n}\n").expect("written");
    let codes = regions(&file);
    let [text] = codes.as_slice() else { panic!("{} regions", codes.len()) };
    // Their addresses make the compiler keep them.
    let stores: String = (apg_mir::team::names().enumerate())
        .map(|(index, name)| format!("  to[{index}] = (const void *)apg_{name};\n"))
        .collect();
    check(&format!("{text}\nextern \"C\" __global__ void addresses(const void **to) {{\n{stores}}}\n"));
}
