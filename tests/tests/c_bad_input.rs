//! Bad input of `apg check` and `apg run` for C: each ends with errors that say what is wrong, and status 1.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;

const LIMIT: Duration = Duration::from_secs(60);

/// A directive, so that the file is one of ours, and a `main`.
const MAIN: &str = "int main(void) {\n#pragma omp parallel\n  { }\n  return 0;\n}\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a temporary folder"));
        files.iter().for_each(|(name, text)| std::fs::write(folder.path(name), text).expect("written"));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn apg(&self, line: &str) -> Output {
        let mut command = Command::new(tools::apg());
        command.args(line.split(' ')).current_dir(self.0.path());
        command.env("APG_CACHE_DIR", self.path("cache"));
        programs::run(command, LIMIT).expect("it ends")
    }

    /// What is said of a file that is wrong.
    fn error(&self, line: &str) -> String {
        let output = self.apg(line);
        assert_eq!((output.status, output.stdout.as_str()), (1, ""), "{line}: {}", output.stderr);
        assert!(!output.stderr.contains("internal error"), "{line}: {}", output.stderr);
        output.stderr
    }
}

/// The errors of a text.
fn checked(text: &str) -> String {
    Folder::new(&[("a.c", text.as_bytes())]).error("check a.c")
}

#[test]
fn a_file_without_end_is_refused() {
    let folder = Folder::new(&[]);
    std::os::unix::fs::symlink("/dev/zero", folder.path("endless.c")).expect("linked");
    assert!(folder.error("check endless.c").contains("which is a character device"));
    std::fs::write(folder.path("a.c"), format!("#include \"endless.h\"\n{MAIN}")).expect("written");
    std::os::unix::fs::symlink("/dev/zero", folder.path("endless.h")).expect("linked");
    assert!(folder.error("run a.c").contains("which is a character device"));
}

#[test]
fn deep_nesting_is_checked_up_to_a_limit_that_is_an_error() {
    let expression = |depth| format!("int x = {}1{};\n{MAIN}", "(".repeat(depth), ")".repeat(depth));
    let loops = |depth| {
        let body = format!("{}{}", "for (;;) {\n".repeat(depth), "}".repeat(depth));
        MAIN.replace("parallel", "parallel firstprivate(").replace("{ }", &format!("{{ {body} }}"))
    };
    let blocks = |depth| MAIN.replace("{ }", &format!("{}{}", "{".repeat(depth), "}".repeat(depth)));
    let output = Folder::new(&[("a.c", expression(250).as_bytes())]).apg("check a.c");
    assert_eq!((output.status, output.stderr.as_str()), (0, "no errors in 1 file\n"));
    assert!(checked(&loops(200)).contains("omp/syntax"), "a directive around deep code is checked");
    for text in [expression(10_000), loops(10_000), blocks(10_000)] {
        let error = checked(&text);
        assert!(error.contains("omp/nesting-limit"), "{error}");
    }
}

#[test]
fn headers_that_include_each_other_or_are_missing_are_errors_of_a_build() {
    let folder = Folder::new(&[("a.h", b"#include \"b.h\"\n"), ("b.h", b"#include \"a.h\"\n")]);
    std::fs::write(folder.path("a.c"), format!("#include \"a.h\"\n{MAIN}")).expect("written");
    assert_eq!(folder.apg("check a.c").status, 0);
    assert!(folder.error("run a.c").contains("a.h:1:"));
    std::fs::write(folder.path("a.c"), format!("#include \"no-such.h\"\n{MAIN}")).expect("written");
    assert!(folder.error("run a.c").contains("no-such.h"));
}

#[test]
fn a_directive_that_is_cut_is_an_error() {
    let cut = ["parallel for schedule(", "parallel private(", "parallel num_threads(2", "parallel default("];
    for directive in cut {
        let error = checked(&MAIN.replace("parallel", directive));
        assert!(error.contains("a.c:2:"), "{directive}: {error}");
    }
    // At the end of the file.
    let error = checked("int main(void) {\n#pragma omp parallel for reduction(+:");
    assert!(error.contains("a.c:2:"), "{error}");
}

#[test]
fn macros_that_make_directives_have_errors_where_these_are_spelled() {
    let text = format!("#define REGION _Pragma(\"omp parallel for\")\n{MAIN}");
    let error = checked(&text.replace("#pragma omp parallel", "REGION"));
    assert!(error.contains("a.c:3:"), "{error}");
    let text = format!("#define CLAUSES privat(x)\n{MAIN}").replace("parallel", "parallel CLAUSES");
    assert!(checked(&text).contains("a.c:1:17"));
}

#[test]
fn binary_files_are_refused() {
    let folder = Folder::new(&[("a.c", b"\x7fELF\x02\x01\x01\0\0\0#pragma omp parallel\n\xff\xfe\0{}")]);
    assert!(folder.error("run a.c").contains("is not the text of a C program"));
    let error = folder.apg("check a.c");
    assert!(!error.stderr.contains("internal error"), "{}", error.stderr);
}

#[test]
fn without_a_c_compiler_directives_are_checked_all_the_same() {
    let folder = Folder::new(&[("a.c", MAIN.replace("parallel", "paralel").as_bytes())]);
    let mut command = Command::new(tools::apg());
    command.args(["check", "a.c"]).current_dir(folder.0.path()).env("CC", "no-such-compiler");
    let output = programs::run(command, LIMIT).expect("it ends");
    assert!(output.stderr.contains("`paralel` is not a directive of OpenMP"), "{}", output.stderr);
}

/// A function that calls itself for ever, or to a depth; `g` does so by way of another one.
const RECURSION: &str = "#include <stdio.h>\nint g(int x, int depth);\n\
    int f(int x, int depth) { return x == depth ? 0 : g(x + 1, depth) + 1; }\n\
    int g(int x, int depth) { return x == depth ? 0 : f(x + 1, depth) + 1; }\n\
    int main(void) {\n  int y = 0;\nREGION\n  { y = f(0, DEPTH); }\n  printf(\"%d\\n\", y);\n  return 0;\n}\n";

#[test]
fn regions_that_recurse_for_ever_end_with_the_place_of_the_call() {
    let target = ("#pragma omp target map(y)", "run --accels cpu a.c");
    let parallel =
        ("#pragma omp parallel num_threads(3) reduction(+ : y)", "run --parallel device --accels cpu a.c");
    for (region, command) in [target, parallel] {
        let text = |depth| RECURSION.replace("REGION", region).replace("DEPTH", depth);
        let folder = Folder::new(&[("a.c", text("-1").as_bytes())]);
        let error = folder.error(command);
        assert!(error.contains("the stack of the thread has no room for this call of"), "{error}");
        assert!(error.contains("a.c:3: f: ") || error.contains("a.c:4: g: "), "{error}");
        assert_eq!(error.matches("error: ").count(), 1, "{error}");
        std::fs::write(folder.path("a.c"), text("2000")).expect("written");
        let output = folder.apg(command);
        let expected = if region.contains("parallel") { "6000\n" } else { "2000\n" };
        assert_eq!((output.status, output.stdout.as_str()), (0, expected), "{}", output.stderr);
    }
}
