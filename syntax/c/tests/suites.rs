//! Public suites by path: of every C file that the compiler accepts, nothing is reported. `APG_C_SUITES` has
//! the folders, with colons between them.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use apg_c_syntax::{Disk, FileSystem, Severity, Toolchain, parse_unit, preprocess};

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

fn compiler_accepts(file: &Path) -> bool {
    let mut command = Command::new("cc");
    command.args(["-fopenmp", "-w", "-fsyntax-only"]).arg(file);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|it| it.success())
}

/// The problems of a file, one a line.
fn problems(file: &Path, toolchain: &Toolchain) -> Vec<String> {
    let text = Disk.read(file).unwrap();
    let unit = preprocess(file, text, toolchain, &Disk, None);
    let parsed = parse_unit(&unit, None);
    let place = |span: apg_c_syntax::Span| {
        let file = unit.file(span.file);
        let line = file.text[..span.start as usize].matches('\n').count() + 1;
        format!("{}:{line}", file.path.display())
    };
    let own = unit.errors().iter().filter(|it| it.severity == Severity::Error);
    let own = own.map(|it| format!("{}: {}", place(it.span), it.message));
    let errors = parsed.preamble.parse().errors().iter().chain(parsed.main.errors());
    own.chain(errors.map(|it| format!("{}: {}", place(it.span), it.message))).collect()
}

#[test]
fn what_the_compiler_accepts_has_no_error() {
    let Some(folders) = std::env::var_os("APG_C_SUITES") else { return };
    let Some(toolchain) = support::system_toolchain() else { return };
    let mut wrong = Vec::new();
    for folder in std::env::split_paths(&folders) {
        let mut files = Vec::new();
        c_files(&folder, &mut files);
        let accepted: Vec<_> = files.iter().filter(|it| compiler_accepts(it)).collect();
        let before = wrong.len();
        for file in &accepted {
            wrong.extend(problems(file, &toolchain).into_iter().take(3));
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!(
            "{name}: {} files, {} accepted, {} errors",
            files.len(),
            accepted.len(),
            wrong.len() - before
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
