//! Programs in C: `apg run` and `apg build` do what the system's C compiler with OpenMP does, and pass on
//! arguments, input, output, signals and the exit status.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;

/// Far more than it takes: the machine may be busy.
const LIMIT: Duration = Duration::from_secs(300);

/// A folder with these files, whose cache is its own.
struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in files {
            std::fs::write(project.path(name), text).expect("written");
        }
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(tools::apg());
        command.args(line.split_whitespace()).current_dir(self.0.path());
        command.env("APG_CACHE_DIR", self.path("cache")).env("OMP_NUM_THREADS", "4").env("LC_ALL", "C");
        command.env_remove("CC");
        command
    }

    fn apg(&self, line: &str) -> Output {
        programs::run(self.command(line), LIMIT).expect("it ends")
    }

    /// Standard error of a command that ends with this status.
    #[track_caller]
    fn error(&self, line: &str, status: i32) -> String {
        let output = self.apg(line);
        assert_eq!(output.status, status, "{}{}", output.stdout, output.stderr);
        output.stderr
    }
}

/// Whether the machine has a C compiler with OpenMP.
fn has_compiler() -> bool {
    tools::optional_tool("cc").is_some()
}

#[test]
fn examples_check_their_results() {
    if !has_compiler() {
        return;
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(tools::repository().join("examples/c"))
        .expect("the folder of examples")
        .map(|it| it.expect("an entry").path())
        .filter(|it| it.extension().is_some_and(|it| it == "c"))
        .collect();
    files.sort();
    assert!(files.len() >= 7, "{files:?}");
    let project = Project::new(&[]);
    for file in files {
        for threads in ["1", "4"] {
            let mut command = project.command("run -Wall -Wextra -Werror -lm --threads");
            command.arg(threads).arg(&file);
            let output = programs::run(command, LIMIT).expect("it ends");
            assert_eq!(output.status, 0, "{}: {}", file.display(), output.stderr);
            assert!(output.stdout.ends_with('\n'), "{}", file.display());
        }
    }
}

const ECHO: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <signal.h>\n\
    int main(int count, char **words) {\n\
      for (int i = 1; i < count; i++) printf(\"[%s]\", words[i]);\n\
      for (int c; (c = getchar()) != EOF;) putchar(c);\n\
      fflush(stdout);\n\
      if (signal(SIGPIPE, SIG_DFL) != SIG_DFL) return 99;\n\
      if (count > 1 && words[1][0] == 'k') raise(SIGKILL);\n\
      return count > 1 ? atoi(words[1]) : 0;\n}\n";

#[test]
fn arguments_input_signals_and_status_are_the_programs() {
    if !has_compiler() {
        return;
    }
    let project = Project::new(&[("echo.c", ECHO)]);
    let mut child = project
        .command("run echo.c 7 word -- --places -O3 -- x")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    child.stdin.take().expect("piped").write_all(b" input\n").expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "[7][word][--places][-O3][--][x] input\n");
    assert_eq!(output.status.code(), Some(7));
    let killed = project.command("run echo.c k").stdin(Stdio::null()).status().expect("it ends");
    assert_eq!(killed.signal(), Some(libc::SIGKILL));
}

#[test]
fn several_files_options_and_objects_make_a_program() {
    if !has_compiler() {
        return;
    }
    let project = Project::new(&[
        (
            "a.c",
            "#include <math.h>\n#include \"inner.h\"\ndouble root(double);\nint value(void);\n\
                 int main(void) { return (int)root(VALUE) + value() + INNER; }\n",
        ),
        (
            "b.c",
            "#include <math.h>\n#ifdef GONE\n#error GONE is defined\n#endif\n\
                 double root(double x) { return sqrt(x) + fmax(x, 0) * 0; }\n",
        ),
        ("c.c", "int value(void) { return __STDC_VERSION__ == 199901L; }\n"),
    ]);
    std::fs::create_dir(project.path("inner")).expect("made");
    std::fs::write(project.path("inner/inner.h"), "#define INNER 30\n").expect("written");
    let built =
        project.apg("build a.c b.c c.c -I inner -DVALUE=100 -DGONE -U GONE -std=c99 -lm -O1 -o whole");
    assert_eq!(built.status, 0, "{}", built.stderr);
    let status = |program: &Path| Command::new(program).status().expect("started").code();
    assert_eq!(status(&project.path("whole")), Some(41));
    let compiled = project.apg("build -c b.c c.c -std=c99");
    assert_eq!(compiled.status, 0, "{}", compiled.stderr);
    assert_eq!(project.apg("run a.c b.o c.o -Iinner -DVALUE=16 -lm").status, 35);
    let linked = project.apg("build a.c b.o c.o -Iinner -DVALUE=16 -lm");
    assert_eq!(linked.status, 0, "{}", linked.stderr);
    assert_eq!(status(&project.path("a")), Some(35));
}

#[test]
fn errors_and_warnings_are_the_compilers() {
    if !has_compiler() {
        return;
    }
    let project = Project::new(&[("a.c", "int main(void) { int unused; return missing; }\n")]);
    let error = project.error("--color never build -Wall a.c", 1);
    assert!(error.contains("a.c:1:37: error: 'missing' undeclared"), "{error}");
    assert!(error.contains("a.c:1:22: warning: unused variable"), "{error}");
    assert!(project.error("--color always build a.c", 1).contains("\u{1b}["), "it is coloured");
    let output = project.apg("build --message-format json a.c");
    let finding: serde_json::Value = serde_json::from_str(output.stdout.trim()).expect("JSON");
    let found = (&finding["file"], &finding["line"], &finding["column"], &finding["severity"]);
    assert_eq!(found, (&"a.c".into(), &1.into(), &37.into(), &"error".into()));
}

#[test]
fn a_run_is_a_stream_of_events() {
    if !has_compiler() {
        return;
    }
    let project = Project::new(&[("echo.c", ECHO), ("bad.c", "int main(void) { return missing; }\n")]);
    let events = |line: &str| -> Vec<serde_json::Value> {
        let output = project.apg(line).stdout;
        output.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect()
    };
    let ran = events("run --message-format json echo.c 3");
    let names: Vec<&str> = ran.iter().map(|it| it["event"].as_str().expect("a name")).collect();
    assert_eq!(names, ["started", "output", "exit"]);
    assert_eq!((&ran[1]["text"], &ran[2]["status"]), (&"[3]".into(), &3.into()));
    let failed = events("run --message-format json bad.c");
    let names: Vec<&str> = failed.iter().map(|it| it["event"].as_str().expect("a name")).collect();
    assert_eq!(names, ["diagnostic", "exit"]);
}

#[test]
fn what_cannot_be_built_is_said() {
    if !has_compiler() {
        return;
    }
    let project = Project::new(&[("a.c", ECHO), ("a.x10", ""), ("zero.c", "int \0;\n")]);
    let error = project.error("run a.x10 a.c", 2);
    assert!(error.contains("`a.x10` is X10 and `a.c` is C"), "{error}");
    assert!(project.error("run none.c", 1).contains("there is no file `none.c`"));
    assert!(project.error("run zero.c", 1).contains("`zero.c` is not the text of a C program"));
    assert!(project.error("run a.c -S", 2).contains("`-S` asks the C compiler for something else"));
    assert!(
        project
            .error("run a.c --places 4", 2)
            .contains("--places is for programs with XcalableMP directives")
    );
    assert!(project.error("build a.c word", 2).contains("`word` is no file of a C program"));
    assert!(project.error("run a.x10 --parallel host", 2).contains("`--parallel` is for programs in C"));
    assert!(project.error("run a.c -lno-such-library", 1).contains("hint: install the library"));
    if apg_runtime::device::count().is_err() {
        assert!(project.error("run a.c --parallel device", 1).contains("there is none"));
    }
    std::os::unix::fs::symlink("/dev/zero", project.path("endless.c")).expect("linked");
    assert!(project.error("run endless.c", 1).contains("which is a character device"));
}

#[test]
fn device_code_of_target_regions_is_printed() {
    if !has_compiler() {
        return;
    }
    let region = "#include <math.h>\nvoid f(int n, double *x) {\n#pragma omp target teams distribute parallel for \
                  map(x[:n])\n  for (int i = 0; i < n; i++) x[i] = sqrt(x[i]) + STEP;\n}\n";
    let project = Project::new(&[("a.c", region), ("bad.c", &region.replace("STEP", "STEP + g(i)"))]);
    let output = |line: &str| {
        let output = project.apg(line);
        assert_eq!(output.status, 0, "{}", output.stderr);
        output.stdout
    };
    assert!(output("build a.c -DSTEP=7 --emit mir -lm").contains("kernel @file0_f_3"));
    assert!(output("build a.c -DSTEP=7 --emit cuda").contains("__global__"));
    let error = project.error("build bad.c -DSTEP=7 --emit cuda", 1);
    assert!(error.contains("a region calls `g`, which no file of the program defines"), "{error}");
    assert!(error.contains("bad.c:4:"), "{error}");
    assert!(project.error("build a.c bad.c --emit mir", 2).contains("of one C file"));
}

#[test]
fn a_compiler_without_openmp_is_an_error() {
    if !has_compiler() {
        return;
    }
    let project =
        Project::new(&[("a.c", ECHO), ("serial", "#!/bin/sh\nexec cc -fno-openmp \"$@\" -fno-openmp\n")]);
    std::fs::set_permissions(project.path("serial"), std::fs::Permissions::from_mode(0o755)).expect("set");
    let said = |compiler: &Path| {
        let mut command = project.command("run a.c");
        command.env("CC", compiler);
        programs::run(command, LIMIT).expect("it ends").stderr
    };
    let error = said(&project.path("serial"));
    assert!(error.contains("serial has no OpenMP") && error.contains("hint: GCC"), "{error}");
    assert!(said(Path::new("no-such-compiler")).contains("`no-such-compiler` (from $CC) does not run"));
}
