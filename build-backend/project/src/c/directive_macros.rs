//! Headers of a program that may have macros for directives: found by the names in `#include` and `-include`,
//! without preprocessing, since most programs have none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use apg_toolchain::regular_file;

use crate::sources::MAX_SOURCE_BYTES;

/// Whether a header that a file includes, itself or through others, has `_Pragma` and one of some words.
/// Flags name further folders and headers; those of the system are not searched.
pub(crate) fn have_macros_with(path: &Path, text: &str, flags: &[String], words: &[&str]) -> bool {
    let folders = values(flags, &["-I", "-iquote", "-isystem"]);
    let (mut known, mut pending) = (BTreeSet::new(), included(path, text, &folders));
    pending.extend(values(flags, &["-include"]));
    while let Some(header) = pending.pop() {
        if !known.insert(header.clone()) {
            continue;
        }
        let Ok(bytes) = regular_file::read(&header, MAX_SOURCE_BYTES) else { continue };
        let text = apg_c_analysis::decode(bytes);
        if text.contains("_Pragma") && words.iter().any(|it| text.contains(it)) {
            return true;
        }
        pending.extend(included(&header, &text, &folders));
    }
    false
}

/// The values of some flags.
fn values(flags: &[String], names: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        let Some(value) = names.iter().find_map(|it| flag.strip_prefix(it)) else { continue };
        let value = if value.is_empty() { flags.next().map_or("", String::as_str) } else { value };
        found.push(PathBuf::from(value));
    }
    found
}

/// The files that `#include` of a file names: in a folder or, between quotes, beside it.
fn included(path: &Path, text: &str, folders: &[PathBuf]) -> Vec<PathBuf> {
    let beside = path.parent().unwrap_or(Path::new("")).to_owned();
    let found = |name: &str, is_quoted: bool| {
        let mut places = is_quoted.then_some(&beside).into_iter().chain(folders).map(|it| it.join(name));
        places.find(|it| it.is_file())
    };
    let name = |line: &str| -> Option<PathBuf> {
        let directive =
            line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        match directive.strip_prefix('"') {
            Some(quoted) => found(quoted.split_once('"')?.0, true),
            None => found(directive.strip_prefix('<')?.split_once('>')?.0, false),
        }
    };
    text.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_beside_files_in_folders_and_through_others() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("more")).expect("a folder");
        for (name, text) in [
            ("macros.h", "#define REGION _Pragma(\"omp target\")\n"),
            ("inner.h", "#include \"inner.h\"\n # include \"macros.h\"\n"),
            ("more/outer.h", "#include \"../inner.h\"\n"),
            ("plain.h", "#define target 4\n"),
        ] {
            std::fs::write(at(name), text).expect("written");
        }
        let more = [format!("-I{}", at("more").display())];
        let apart = ["-I".to_owned(), at("more").display().to_string()];
        let found = |text: &str, flags: &[String]| have_macros_with(&at("a.c"), text, flags, &["target"]);
        assert!(found("#include \"inner.h\"\n", &[]));
        assert!(found("#include \"outer.h\"\n", &more) && found("#include \"outer.h\"\n", &apart));
        assert!(found("#include <outer.h>\n", &more));
        let system = ["-isystem".to_owned(), at("more").display().to_string()];
        assert!(found("#include <outer.h>\n", &system));
        let before = ["-include".to_owned(), at("macros.h").display().to_string()];
        assert!(found("", &before));
        for text in
            ["#include \"outer.h\"\n", "#include \"plain.h\"\n", "#include <inner.h>\n", "#include \"", ""]
        {
            assert!(!found(text, &[]), "{text}");
        }
    }
}
