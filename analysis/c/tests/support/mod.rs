//! Shared by tests: files in memory over those of the disk, diagnostics of a text, the system's compiler.

#![allow(dead_code, reason = "each test uses a part")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use apg_c_analysis::{AnalysisHost, Diagnostic, FileSystem, Toolchain, decode, file_diagnostics};

/// The files of the disk.
pub(crate) struct Disk;

impl FileSystem for Disk {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        path.is_file().then(|| std::fs::read(path).ok()).flatten().map(|it| decode(it).into())
    }
}

/// The compiler of the system with OpenMP; without headers if there is none.
pub(crate) fn toolchain() -> Arc<Toolchain> {
    Arc::new(Toolchain::request("cc", &["-fopenmp".to_owned()]).unwrap_or_default())
}

/// The diagnostics of a text.
pub(crate) fn diagnostics_of(path: &Path, text: &str, toolchain: &Arc<Toolchain>) -> Vec<Diagnostic> {
    let mut host = AnalysisHost::new(Arc::new(Disk));
    let file = host.set_file(path, text.into(), toolchain);
    file_diagnostics(host.database(), file).clone()
}

/// Whether the system's compiler accepts a file; `None` if there is none with OpenMP.
pub(crate) fn compiler_accepts(file: &Path) -> Option<bool> {
    let mut command = Command::new("cc");
    // Placement and sharing are checked in a pass after the syntax.
    command.args(["-fopenmp", "-w", "-S", "-o", "-"]).arg(file);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().ok().map(|it| it.success())
}

/// A text with the first fix of a diagnostic.
pub(crate) fn fixed(text: &str, diagnostic: &Diagnostic) -> Option<String> {
    let mut edits = diagnostic.fixes.first()?.edits.clone();
    edits.sort_by_key(|it| std::cmp::Reverse((it.range.start(), it.range.end())));
    let mut text = text.to_owned();
    for edit in edits {
        text.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.text);
    }
    Some(text)
}
