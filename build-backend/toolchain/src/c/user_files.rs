//! The user's files that a C program is built from: what a build on another machine needs.

use std::path::{Path, PathBuf};

use super::error::CBuildError;
use super::options::CBuild;
use crate::include_deps;

/// Options that name a folder or a file.
const WITH_PATH: [&str; 7] = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I", "-L"];

impl CBuild {
    /// The sources, the files that they include from folders of the program, also under conditions that do
    /// not hold here, and the objects and libraries in folders of the program. A folder of the program is one
    /// with a relative name, or below `here`, the working folder.
    ///
    /// # Errors
    /// A file is no regular file, or is too large.
    pub fn user_files(&self, here: &Path) -> Result<Vec<PathBuf>, CBuildError> {
        let is_own = |path: &PathBuf| path.is_relative() || path.starts_with(here);
        let mut folders = self.include_folders();
        folders.retain(is_own);
        let named = ["-include", "-imacros"].into_iter().flat_map(|name| self.values(name));
        let forced = named.filter_map(|name| {
            let mut candidates = std::iter::once(Path::new("")).chain(folders.iter().map(PathBuf::as_path));
            candidates.find_map(|it| Some(it.join(name)).filter(|it| it.is_file()))
        });
        let roots: Vec<PathBuf> = self.sources.iter().cloned().chain(forced.filter(is_own)).collect();
        let sources = include_deps::sources(&roots, &folders)?;
        let libraries = self.linked_files().into_iter().filter(|it| is_own(it) && it.is_file());
        // Names that do not exist are kept: they are errors.
        let mut files: Vec<PathBuf> = self.sources.iter().chain(&self.objects).cloned().collect();
        files.extend(sources.into_iter().map(|(file, _)| file).chain(libraries));
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// The options with the paths in them as `translate` writes them.
    ///
    /// # Errors
    /// That of `translate`.
    pub fn options_with_paths<E>(
        &self,
        translate: impl Fn(&Path) -> Result<String, E>,
    ) -> Result<Vec<Vec<String>>, E> {
        let option = |words: &Vec<String>| {
            let first = words.first().map_or("", String::as_str);
            let Some(name) = WITH_PATH.into_iter().find(|name| first.starts_with(name)) else {
                return Ok(words.clone());
            };
            match words.get(1) {
                Some(value) => Ok(vec![name.to_owned(), translate(Path::new(value))?]),
                None => Ok(vec![format!("{name}{}", translate(Path::new(&first[name.len()..]))?)]),
            }
        };
        self.options.iter().map(option).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(options: &[&[&str]]) -> Vec<Vec<String>> {
        options.iter().map(|words| words.iter().map(|it| (*it).to_owned()).collect()).collect()
    }

    #[test]
    fn files_of_the_program_are_those_in_its_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path().join("here");
        std::fs::create_dir_all(here.join("include")).expect("folders");
        std::fs::create_dir_all(folder.path().join("else")).expect("folders");
        for (name, text) in [
            ("here/a.c", "#include <own.h>\n#include <other.h>\n#ifdef NONE\n#include \"rare.h\"\n#endif\n"),
            ("here/include/own.h", ""),
            ("here/rare.h", ""),
            ("here/unused.h", ""),
            ("here/forced.h", ""),
            ("here/libown.a", ""),
            ("else/other.h", ""),
            ("else/libother.a", ""),
        ] {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        let path = |name: &str| here.join(name).display().to_string();
        let (include, elsewhere) = (path("include"), folder.path().join("else").display().to_string());
        let request = CBuild {
            sources: vec![here.join("a.c"), here.join("missing.c")],
            options: words(&[
                &["-I", &include],
                &["-isystem", &elsewhere],
                &["-L", &elsewhere],
                &["-lother"],
                &["-L", &path("")],
                &["-lown"],
                &["-include", &path("forced.h")],
            ]),
            ..CBuild::default()
        };
        let files = request.user_files(&here).expect("regular files");
        let names = ["a.c", "forced.h", "include/own.h", "libown.a", "missing.c", "rare.h"];
        assert_eq!(files, names.map(|it| here.join(it)));
    }

    #[test]
    fn paths_of_options_are_translated_in_either_form() {
        let request = CBuild {
            options: words(&[&["-I", "/a"], &["-isystem/b"], &["-DX=/c"], &["-include", "/d.h"], &["-lm"]]),
            ..CBuild::default()
        };
        let translated = request.options_with_paths(|path| Ok::<_, ()>(format!("..{}", path.display())));
        let expected =
            words(&[&["-I", "../a"], &["-isystem../b"], &["-DX=/c"], &["-include", "../d.h"], &["-lm"]]);
        assert_eq!(translated, Ok(expected));
    }
}
