//! Public suites by path: of every C file that the compiler accepts, no error is reported. `APG_C_SUITES` has
//! the folders, with colons between them.

mod support;

use std::path::{Path, PathBuf};

use apg_c_analysis::decode;
use apg_diagnostics::Severity;
use support::{compiler_accepts, diagnostics_of, toolchain};

/// The C files below a folder, in order.
fn c_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true => c_files(&path, files),
            false if path.extension().is_some_and(|it| it == "c") => files.push(path),
            false => {}
        }
    }
}

#[test]
fn what_the_compiler_accepts_has_no_error() {
    let Some(folders) = std::env::var_os("APG_C_SUITES") else { return };
    let toolchain = toolchain();
    let mut wrong = Vec::new();
    for folder in std::env::split_paths(&folders) {
        let mut files = Vec::new();
        c_files(&folder, &mut files);
        for file in files {
            let text = decode(std::fs::read(&file).unwrap());
            let found = diagnostics_of(&file, &text, &toolchain);
            for it in &found {
                let line = text[..usize::from(it.range.start())].matches('\n').count() + 1;
                println!("{}:{line}: {}", file.file_name().unwrap_or_default().to_string_lossy(), it.code);
            }
            let errors: Vec<_> = found.iter().filter(|it| it.severity == Severity::Error).collect();
            if errors.is_empty() || compiler_accepts(&file) != Some(true) {
                continue;
            }
            for error in errors {
                let line = text[..usize::from(error.range.start())].matches('\n').count() + 1;
                wrong.push(format!("{}:{line}: {}: {}", file.display(), error.code, error.message));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
