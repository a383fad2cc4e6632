//! Files of the user that units include: what is in them is part of what a unit is.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

/// The contents of these files and of those that they include from their own folders.
pub fn contents(files: &[PathBuf]) -> String {
    let mut all = String::new();
    let mut seen = FxHashSet::default();
    let mut pending: Vec<PathBuf> = files.iter().rev().cloned().collect();
    while let Some(file) = pending.pop() {
        if !seen.insert(file.clone()) {
            continue;
        }
        // What cannot be read is told by the compiler.
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let folder = file.parent().unwrap_or(Path::new("."));
        pending.extend(included(&text).map(|name| folder.join(name)));
        all.push_str(&format!("{}\n{}\n{text}\n", file.display(), text.len()));
    }
    all
}

/// The names in `#include "name"`.
fn included(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let name = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        name.trim_start().strip_prefix('"')?.split('"').next()
    })
}

/// Options that let the compiler look into the folders of these files.
pub fn folders(files: &[PathBuf]) -> Vec<String> {
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
    fn what_is_included_counts_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.h"), "#include <x.h>\n # include \"b.h\"\n").unwrap();
        std::fs::write(path("b.h"), "#include \"a.h\"\nint first;\n").unwrap();
        let before = contents(&[path("a.h")]);
        assert!(before.contains("int first"));
        std::fs::write(path("b.h"), "int second;\n").unwrap();
        assert_ne!(contents(&[path("a.h")]), before);
        assert_eq!(contents(&[path("missing.h")]), "");
    }
}
