//! The database of C files: open documents, with headers from the disk, or unsaved ones from the editor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_c_analysis::{Analysis, AnalysisHost, Toolchain};
use apg_project::c::{self, Disk};
use apg_project::compile_commands;
use rustc_hash::FxHashMap;

/// The database of C files. The folders of headers are requested of the system's compiler when the first
/// document with its flags is opened.
pub(crate) struct CFiles {
    host: AnalysisHost,
    disk: Arc<Disk>,
    toolchains: FxHashMap<Vec<String>, Arc<Toolchain>>,
    /// The flags of each document, by the compilation database of its folder.
    flags: FxHashMap<PathBuf, Vec<String>>,
}

impl Default for CFiles {
    fn default() -> CFiles {
        let disk = Arc::new(Disk::default());
        CFiles {
            host: AnalysisHost::new(disk.clone()),
            disk,
            toolchains: FxHashMap::default(),
            flags: FxHashMap::default(),
        }
    }
}

impl CFiles {
    /// Sets the text of a document.
    pub(crate) fn set(&mut self, path: &Path, text: Arc<str>) {
        if c::is_header(path) {
            self.disk.set_unsaved(path, Some(text));
            self.host.headers_changed();
            return;
        }
        let toolchain = self.toolchain(path);
        self.host.set_file(path, text, &toolchain);
    }

    /// The compiler of a file with its flags; without them if it does not take them.
    fn toolchain(&mut self, path: &Path) -> Arc<Toolchain> {
        let flags = self.flags.entry(path.to_owned()).or_insert_with(|| compile_commands::flags_of(path));
        if let Some(known) = self.toolchains.get(flags) {
            return known.clone();
        }
        let requested = c::toolchain(flags).or_else(|_| c::toolchain(&[])).unwrap_or_default();
        let toolchain = Arc::new(requested);
        self.toolchains.insert(flags.clone(), toolchain.clone());
        toolchain
    }

    /// Forgets a document.
    pub(crate) fn remove(&mut self, path: &Path) {
        if c::is_header(path) {
            self.disk.set_unsaved(path, None);
            self.host.headers_changed();
            return;
        }
        self.flags.remove(path);
        self.host.remove_file(path);
    }

    /// Reads headers and flags again, which may have changed on the disk.
    pub(crate) fn reload_headers(&mut self) {
        self.disk.forget();
        self.flags.clear();
        self.host.headers_changed();
    }

    /// A snapshot.
    pub(crate) fn snapshot(&self) -> Analysis {
        self.host.snapshot()
    }
}
