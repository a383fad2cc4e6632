//! Compiler and linker options for the program's own C++ code and the libraries that it uses.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The user's options for the program's C++ code. Folders are absolute.
#[derive(Clone, Debug, Default)]
pub struct NativeOptions {
    /// Folders of headers.
    pub include_folders: Vec<PathBuf>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub macros: Vec<String>,
    /// Folders of libraries, also at run time.
    pub library_folders: Vec<PathBuf>,
    /// Libraries by the names that `-l` takes.
    pub libraries: Vec<String>,
    /// Options before the files, for compiling and linking.
    pub before: Vec<String>,
    /// Options after the files, for linking.
    pub after: Vec<String>,
}

/// Folders that linkers search by default.
const SYSTEM_LIBRARY_FOLDERS: [&str; 4] = ["/usr/local/lib", "/usr/lib", "/usr/lib64", "/lib"];

impl NativeOptions {
    /// Options for compiling the program's C++ code.
    pub fn compile_flags(&self) -> Vec<String> {
        let macros = self.macros.iter().map(|it| format!("-D{it}"));
        let folders = self.include_folders.iter().map(|it| format!("-I{}", it.display()));
        self.before.iter().cloned().chain(macros).chain(folders).collect()
    }

    /// Options for linking, after the objects. Libraries in the named folders are found there at run time as
    /// well.
    pub fn link_flags(&self) -> Vec<String> {
        let folders = self.library_folders.iter().map(|it| it.display());
        let folders = folders.flat_map(|it| [format!("-L{it}"), format!("-Wl,-rpath,{it}")]);
        let libraries = self.libraries.iter().map(|it| format!("-l{it}"));
        folders.chain(libraries).chain(self.after.iter().cloned()).collect()
    }

    /// Whether options affect linking.
    pub fn has_link_options(&self) -> bool {
        !(self.before.is_empty() && self.link_flags().is_empty())
    }

    /// Identity of the linked libraries: path, size and modification time of each file.
    pub fn libraries_identity(&self) -> String {
        let in_folders = self.libraries.iter().flat_map(|name| self.library_files(name));
        let named = self.before.iter().chain(&self.after).map(PathBuf::from);
        in_folders.chain(named).filter_map(|it| identity(&it)).collect()
    }

    /// The files that `-lNAME` can mean.
    fn library_files(&self, name: &str) -> Vec<PathBuf> {
        let names = match name.strip_prefix(':') {
            Some(file) => vec![file.to_owned()],
            None => vec![format!("lib{name}.so"), format!("lib{name}.a"), format!("lib{name}.dylib")],
        };
        let system = SYSTEM_LIBRARY_FOLDERS.map(PathBuf::from);
        let multiarch = PathBuf::from(format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH));
        let folders = self.library_folders.iter().chain(&system).chain([&multiarch]);
        folders.flat_map(|folder| names.iter().map(|name| folder.join(name))).collect()
    }
}

fn identity(file: &Path) -> Option<String> {
    let data = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let modified = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}\n", file.display(), data.len(), modified.as_nanos()))
}
