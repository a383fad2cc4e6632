//! The X10 class library, embedded in the binary so that there is nothing to install.

use std::path::Path;

use include_dir::{Dir, include_dir};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/x10");

/// All files: package path (`x10/lang/Int.x10`) and text.
pub fn files() -> Vec<(&'static Path, &'static str)> {
    fn add(folder: &'static Dir<'static>, all: &mut Vec<(&'static Path, &'static str)>) {
        all.extend(folder.files().filter_map(|file| Some((file.path(), file.contents_utf8()?))));
        for inner in folder.dirs() {
            add(inner, all);
        }
    }
    let mut all = Vec::new();
    add(&FILES, &mut all);
    all.retain(|(path, _)| path.extension().is_some_and(|ending| ending == "x10"));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_says_the_package_of_its_folder() {
        let files = files();
        assert!(files.iter().any(|(path, _)| *path == Path::new("x10/lang/Int.x10")));
        for (path, text) in files {
            let package = path.parent().unwrap().to_str().unwrap().replace('/', ".");
            assert!(text.starts_with(&format!("package {package};")), "{}", path.display());
        }
    }
}
