use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[derive(Default)]
struct Counter(AtomicUsize);

impl BuildObserver for Counter {
    fn compiling(&self, _: usize) {}
    fn compiled(&self, _: &str) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A folder with sources and a cache.
struct Project {
    folder: tempfile::TempDir,
    cache: Cache,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache"));
        let project = Self { folder, cache };
        files.iter().for_each(|(name, text)| project.write(name, text));
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Builds and runs; the exit status and how many files were compiled.
    fn run(&self, sources: &[&str], options: &[&str]) -> Result<(i32, usize), CBuildError> {
        let counter = Counter::default();
        let built = build(&self.request(sources, options), &self.cache, &counter)?;
        let status = Command::new(&built.path).status().unwrap();
        Ok((status.code().unwrap(), counter.0.into_inner()))
    }

    fn request(&self, sources: &[&str], options: &[&str]) -> CBuild {
        CBuild {
            sources: sources.iter().map(|it| self.path(it)).collect(),
            options: options.iter().map(|it| vec![(*it).to_owned()]).collect(),
            ..CBuild::default()
        }
    }
}

#[test]
fn only_changed_sources_are_compiled() {
    let project = Project::new(&[
        ("a.c", "#include \"n.h\"\nint b(void);\nint main(void) { return b() + N; }\n"),
        ("b.c", "int b(void) { return 1; }\n"),
        ("n.h", "#define N 40\n"),
    ]);
    let run = || project.run(&["a.c", "b.c"], &[]).unwrap();
    assert_eq!(run(), (41, 2));
    assert_eq!(run(), (41, 0));
    project.write("b.c", "int b(void) { return 2; }\n");
    assert_eq!(run(), (42, 1));
    project.write("n.h", "#define N 50\n");
    assert_eq!(run(), (52, 1));
    project.write("n.h", "#define N 40\n");
    assert_eq!(run(), (42, 0), "the object of the first text is still there");
}

#[test]
fn openmp_and_the_users_options_are_on() {
    let text = "#include <omp.h>\nint main(void) { int n = 0;\n#pragma omp parallel num_threads(3)\n\
                #pragma omp atomic\n n++;\n return _OPENMP >= 201107 ? n + V : 1; }\n";
    let project = Project::new(&[("a.c", text)]);
    assert_eq!(project.run(&["a.c"], &["-DV=4"]).unwrap().0, 7);
    assert_eq!(project.run(&["a.c"], &["-DV=5", "-O0"]).unwrap().0, 8);
}

#[test]
fn errors_of_all_sources_are_reported_together() {
    let project =
        Project::new(&[("a.c", "int main(void) { return first; }\n"), ("b.c", "int b = second;\n")]);
    let error = project.run(&["a.c", "b.c"], &[]).unwrap_err();
    let output = error.output().unwrap();
    assert!(output.contains("a.c:1:") && output.contains("first"), "{output}");
    assert!(output.contains("b.c:1:") && output.contains("second"), "{output}");
}

#[test]
fn missing_functions_and_libraries_are_errors_of_the_linker() {
    let project = Project::new(&[("a.c", "int f(void);\nint main(void) { return f(); }\n")]);
    let error = project.run(&["a.c"], &[]).unwrap_err();
    assert!(error.output().is_some_and(|it| it.contains("undefined reference")), "{error:?}");
    assert!(error.hint().is_some_and(|it| it.contains("-lNAME")));
    let error = project.run(&["a.c"], &["-lno-such-library"]).unwrap_err();
    assert!(error.hint().is_some_and(|it| it.contains("-L DIR")), "{error:?}");
}

#[test]
fn files_that_are_no_text_are_refused_before_the_compiler_reads_them() {
    let project = Project::new(&[("a.c", "int a;\nint \0b;\n"), ("c.c", "#include \"endless.h\"\n")]);
    let said = |name: &str| project.run(&[name], &[]).unwrap_err().to_string();
    assert!(said("a.c").ends_with("line 2 has a zero byte"));
    assert!(said("b.c").ends_with("b.c` is not there"));
    std::os::unix::fs::symlink("/dev/zero", project.path("endless.h")).unwrap();
    assert!(said("c.c").contains("endless.h` is a link to `/dev/zero`"), "{}", said("c.c"));
}

#[test]
fn a_copy_is_an_executable_of_the_compilers_bytes() {
    let project = Project::new(&[("a.c", "int main(void) { return 9; }\n")]);
    let built = build(&project.request(&["a.c"], &[]), &project.cache, &Counter::default()).unwrap();
    let copy = project.path("copy");
    built.copy_to(&copy).unwrap();
    assert_eq!(Command::new(&copy).status().unwrap().code(), Some(9));
    let (copied, entry) =
        (std::fs::metadata(&copy).unwrap().len(), std::fs::metadata(&built.path).unwrap().len());
    assert!(copied < entry, "the copy has no checksum of the cache");
}
