//! Bad input of `apg check` and `apg run` for C: each ends with errors that say what is wrong, and status 1.

use std::os::unix::fs::PermissionsExt;
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

    /// A script in the folder that stands for a program.
    fn script(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).expect("written");
        let permissions = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.path(name), permissions).expect("executable");
        self.path(name).display().to_string()
    }

    fn apg(&self, line: &str) -> Output {
        self.apg_with(line, &[])
    }

    /// With variables.
    fn apg_with(&self, line: &str, variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(tools::apg());
        command.args(line.split(' ')).current_dir(self.0.path());
        command.env("APG_CACHE_DIR", self.path("cache"));
        ["CC", "CXX", "X10RT_ACCELS", "OMP_TARGET_OFFLOAD"].iter().for_each(|it| _ = command.env_remove(it));
        command.envs(variables.iter().copied());
        programs::run(command, LIMIT).expect("it ends")
    }

    /// What is said of a file that is wrong.
    fn error(&self, line: &str) -> String {
        self.error_with(line, &[])
    }

    #[track_caller]
    fn error_with(&self, line: &str, variables: &[(&str, &str)]) -> String {
        let output = self.apg_with(line, variables);
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
fn headers_that_include_each_other_are_errors_and_missing_ones_are_errors_of_a_build() {
    let folder = Folder::new(&[("a.h", b"#include \"b.h\"\n"), ("b.h", b"#include \"a.h\"\n")]);
    std::fs::write(folder.path("a.c"), format!("#include \"a.h\"\n{MAIN}")).expect("written");
    let error = folder.error("check a.c");
    assert!(error.contains("omp/nesting-limit") && error.contains("a.c:1:"), "{error}");
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
fn macros_without_end_are_an_error() {
    let mut text = format!("#define A0(x) {} F(x)\n#define F(x) x\n", "1 + ".repeat(10_000));
    for level in 1..=60 {
        text += &format!("#define A{level}(x) A{0}(x) + A{0}(x)\n", level - 1);
    }
    let folder = Folder::new(&[("a.c", (text + "int x = A60(1);\n" + MAIN).as_bytes())]);
    let error = folder.error("check a.c");
    assert!(error.contains("omp/nesting-limit") && error.contains("a.c:63:9"), "{error}");
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

/// A region that maps 8 MB, and one whose threads have as much each.
const LARGE: &str = "#include <stdio.h>\n#include <stdlib.h>\nstatic double own[1000000];\n\
    #pragma omp threadprivate(own)\nint main(void) {\n  double *p = malloc(8000000);\n\
    #pragma omp target map(tofrom: p[0:1000000])\n  p[0] = 1;\n\
    #pragma omp parallel num_threads(100)\n  { own[3] = 1; }\n  return 0;\n}\n";

/// One error, which has the words.
#[track_caller]
fn is_one_error(error: &str, words: &[&str]) {
    assert_eq!(error.matches("error: ").count(), 1, "{error}");
    words.iter().for_each(|it| assert!(error.contains(it), "`{it}` is not in:\n{error}"));
}

#[test]
fn a_build_without_a_compiler_or_without_openmp_says_what_to_install() {
    let folder = Folder::new(&[("a.c", MAIN.as_bytes())]);
    let empty = folder.path("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let empty = empty.display().to_string();
    let error = folder.error_with("run a.c", &[("PATH", &empty)]);
    is_one_error(&error, &["no C compiler was found: neither cc, gcc nor clang", "apt install gcc"]);
    let error = folder.error_with("run a.c", &[("CC", "no-such-compiler")]);
    is_one_error(&error, &["the C compiler `no-such-compiler` (from $CC) does not run"]);
    // A compiler that does not know the flag, and a compiler without the library.
    let unknown = "#!/bin/sh\nfor it in \"$@\"; do if [ \"$it\" = -fopenmp ]; then\n\
        echo \"cc: error: unrecognized command-line option '-fopenmp'\" >&2; exit 1; fi; done\nexec cc \"$@\"\n";
    let no_library = "#!/bin/sh\ncase \"$*\" in *' -c '*) ;; *-fopenmp*)\n\
        echo '/usr/bin/ld: cannot find -lomp: No such file or directory' >&2; exit 1;; esac\nexec cc \"$@\"\n";
    for (name, text, cause) in [
        ("old-cc", unknown, "unrecognized command-line option"),
        ("bare-cc", no_library, "cannot find -lomp"),
    ] {
        let compiler = folder.script(name, text);
        for line in ["run a.c", "run --accels cpu a.c", "build a.c"] {
            let error = folder.error_with(line, &[("CC", &compiler)]);
            assert!(error.contains(&format!("{name} has no OpenMP, by which C programs run")), "{error}");
            assert!(error.contains(cause) && error.contains("`libomp-dev`"), "{error}");
        }
    }
}

#[test]
fn parallel_regions_on_a_device_that_is_not_there_are_an_error() {
    let folder = Folder::new(&[("a.c", MAIN.as_bytes())]);
    let driver = folder.path("none").display().to_string();
    std::fs::create_dir(folder.path("none")).expect("a folder");
    std::fs::write(folder.path("none/libcuda.so"), "no library").expect("written");
    for line in ["run --parallel device a.c", "build --parallel device a.c"] {
        let error = folder.error_with(line, &[("LD_LIBRARY_PATH", &driver), ("FAKE_CUDA", "devices=0")]);
        is_one_error(&error, &["`--parallel device`", "but there is none", "`--accels cpu` takes the CPUs"]);
    }
}

#[test]
fn a_device_without_memory_is_an_error_that_names_the_directive_and_the_object() {
    let folder = Folder::new(&[("a.c", LARGE.as_bytes())]);
    let driver = |name: &str| {
        let source = tools::repository().join("tests/driver/fake_cuda.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-w", "-shared", "-fPIC", "-o"]).args([&folder.path(name), &source]);
        assert!(compiler.arg("-lpthread").status().is_ok_and(|it| it.success()), "the driver compiles");
    };
    ["libcuda.so", "libnvrtc.so"].iter().for_each(|it| driver(it));
    let library = folder.0.path().display().to_string();
    let fails = |line: &str, settings: &str| {
        folder.error_with(line, &[("LD_LIBRARY_PATH", &library), ("FAKE_CUDA", settings)])
    };
    let error = fails("run --accels 0 a.c", "memory=1000000");
    is_one_error(&error, &["a.c:7: `target`: `p[0:1000000]`: ", "8000000 bytes requested, 1000000 of"]);
    is_one_error(&error, &["hint: map or allocate less at a time"]);
    let error = fails("run --accels 0 a.c", "fail=cuLaunchKernel:2");
    is_one_error(&error, &["a.c:7: `target`: ", "cannot launch a kernel", "hint: map or allocate less"]);
    let line = "run --accels 0 --parallel device a.c";
    let error = fails(line, "teams=1 memory=100000000");
    is_one_error(&error, &["a.c:9: `parallel`: ", "has no memory for 99 copies", "ask for fewer threads"]);
    let error = fails(line, "teams=1 fail=cuLaunchCooperativeKernel:2");
    is_one_error(&error, &["a.c:9: `parallel`: CUDA0", "cannot start a parallel region", "fewer threads"]);
}
