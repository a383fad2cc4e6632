//! Parses every `.x10` file below the given folders and says which have errors, with the first of each
//! (or all, with `--all-errors`).

use std::path::{Path, PathBuf};

fn main() {
    let mut files = Vec::new();
    let all = std::env::args().any(|it| it == "--all-errors");
    for folder in std::env::args_os().skip(1) {
        collect(Path::new(&folder), &mut files);
    }
    files.sort();
    let (mut good, mut bytes) = (0, 0);
    let start = std::time::Instant::now();
    for file in &files {
        let Ok(data) = std::fs::read(file) else { continue };
        let text = String::from_utf8_lossy(&data);
        bytes += text.len();
        let parse = apg_syntax::parse(&text);
        match parse.errors() {
            [] => good += 1,
            errors => {
                let shown = if all { errors.len() } else { 1 };
                for error in &errors[..shown] {
                    let offset = usize::from(error.range.start());
                    let line = text[..offset].matches('\n').count() + 1;
                    println!("{}:{line}: {} ({} errors)", file.display(), error.message, errors.len());
                }
            }
        }
        assert_eq!(parse.syntax().to_string(), text, "{}", file.display());
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{good} of {} files without errors; {:.1} MB in {seconds:.2} s",
        files.len(),
        bytes as f64 / 1e6
    );
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let Ok(entries) = std::fs::read_dir(path) else { return };
        entries.flatten().for_each(|it| collect(&it.path(), files));
    } else if path.extension().is_some_and(|it| it == "x10") {
        files.push(path.to_path_buf());
    }
}
