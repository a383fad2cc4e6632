//! Compiler and linker options for the program's own C++ code and the libraries that it uses.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What the user says of the program's C++ code. Folders are absolute.
#[derive(Clone, Debug, Default)]
pub struct NativeOptions {
    /// Where headers are looked for.
    pub include_folders: Vec<PathBuf>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub macros: Vec<String>,
    /// Where libraries are looked for, also when the program runs.
    pub library_folders: Vec<PathBuf>,
    /// Libraries by the names that `-l` takes.
    pub libraries: Vec<String>,
    /// Options in front of the files, for compiling and linking.
    pub before: Vec<String>,
    /// Options behind the files, for linking.
    pub after: Vec<String>,
}

/// Where linkers look without being told.
const SYSTEM_LIBRARY_FOLDERS: [&str; 4] = ["/usr/local/lib", "/usr/lib", "/usr/lib64", "/lib"];

impl NativeOptions {
    /// Options for compiling the program's C++ code.
    pub fn compile_flags(&self) -> Vec<String> {
        let macros = self.macros.iter().map(|it| format!("-D{it}"));
        let folders = self.include_folders.iter().map(|it| format!("-I{}", it.display()));
        self.before.iter().cloned().chain(macros).chain(folders).collect()
    }

    /// Options for linking, behind the objects. A library in one of the named folders is found there when the program runs.
    pub fn link_flags(&self) -> Vec<String> {
        let folders = self.library_folders.iter().map(|it| it.display());
        let folders = folders.flat_map(|it| [format!("-L{it}"), format!("-Wl,-rpath,{it}")]);
        let libraries = self.libraries.iter().map(|it| format!("-l{it}"));
        folders.chain(libraries).chain(self.after.iter().cloned()).collect()
    }

    /// Whether linking depends on what the user says.
    pub fn has_link_options(&self) -> bool {
        !(self.before.is_empty() && self.link_flags().is_empty())
    }

    /// Changes when a library does that is linked into the program: path, size and time of each file.
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
