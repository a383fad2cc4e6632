//! Include dependencies: files of the user that a unit includes. Their contents are part of the unit's cache
//! key.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::BuildError;
use crate::regular_file::{self, ReadError};

/// Size of the largest file of C++ code.
const MAX_NATIVE_BYTES: u64 = 256 << 20;

/// A file on which the compiler would block, or which it would read without end.
#[derive(Debug)]
pub(crate) struct Unreadable {
    /// The file.
    pub(crate) file: PathBuf,
    /// The reason.
    pub(crate) why: ReadError,
}

/// The contents of these files and of those that they include from their own folders or these.
///
/// # Errors
/// A file exists but is no regular file, or is too large: the compiler would block on it or read it without
/// end.
pub(crate) fn contents(files: &[PathBuf], include_folders: &[PathBuf]) -> Result<String, BuildError> {
    let native = |Unreadable { file, why }| BuildError::NativeFile { file, why };
    let sources = sources(files, include_folders).map_err(native)?;
    let entry = |(file, text): &(PathBuf, String)| format!("{}\n{}\n{text}\n", file.display(), text.len());
    Ok(sources.iter().map(entry).collect())
}

/// These files and those that they include from their own folders or these, whatever conditions an `#include`
/// stands under, with what is in them. A file that cannot be read is left out.
///
/// # Errors
/// As of [`contents`].
pub(crate) fn sources(
    files: &[PathBuf],
    include_folders: &[PathBuf],
) -> Result<Vec<(PathBuf, String)>, Unreadable> {
    let mut all = Vec::new();
    let mut seen = FxHashSet::default();
    let mut pending: Vec<PathBuf> = files.iter().rev().cloned().collect();
    while let Some(file) = pending.pop() {
        if !seen.insert(file.clone()) {
            continue;
        }
        let bytes = match regular_file::read(&file, MAX_NATIVE_BYTES) {
            Ok(bytes) => bytes,
            Err(why @ (ReadError::Irregular { .. } | ReadError::TooLarge { .. })) => {
                return Err(Unreadable { file, why });
            }
            // The compiler reports other errors.
            Err(_) => continue,
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let folder = file.parent().unwrap_or(Path::new("."));
        let found = |name| {
            let mut candidates = std::iter::once(folder).chain(include_folders.iter().map(PathBuf::as_path));
            // The compiler skips folders.
            candidates.find_map(|it| Some(it.join(name)).filter(|it| it.exists() && !it.is_dir()))
        };
        pending.extend(included(&text).filter_map(found));
        all.push((file, text));
    }
    Ok(all)
}

/// The names in `#include "name"` and `#include <name>`.
fn included(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let name = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        let name = name.trim_start();
        let quoted = name.strip_prefix('"').and_then(|it| it.split('"').next());
        quoted.or_else(|| name.strip_prefix('<')?.split('>').next())
    })
}

/// Options that add the folders of these files to the include path.
pub(crate) fn folder_options(files: &[PathBuf]) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    for folder in files.iter().filter_map(|file| std::path::absolute(file.parent()?).ok()) {
        let option = format!("-I{}", folder.display());
        if !options.contains(&option) {
            options.push(option);
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_cover_included_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.h"), "#include <x.h>\n # include \"b.h\"\n").unwrap();
        std::fs::write(path("b.h"), "#include \"a.h\"\nint first;\n").unwrap();
        let all = |name: &str| contents(&[path(name)], &[path("include")]).expect("regular files");
        let before = all("a.h");
        assert!(before.contains("int first"));
        std::fs::write(path("b.h"), "int second;\n").unwrap();
        assert_ne!(all("a.h"), before);
        assert_eq!(all("missing.h"), "");
        std::fs::create_dir(path("include")).unwrap();
        std::fs::write(path("include/x.h"), "int third;\n").unwrap();
        assert!(all("a.h").contains("int third"));
        #[cfg(unix)]
        {
            std::fs::remove_file(path("b.h")).unwrap();
            std::os::unix::fs::symlink("/dev/zero", path("b.h")).unwrap();
            let error = contents(&[path("a.h")], &[]).unwrap_err().to_string();
            assert!(error.contains("b.h` is a link to `/dev/zero`, which is a character device"), "{error}");
        }
    }
}
