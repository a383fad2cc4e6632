//! Device constructs of programs in C: on the host, and on the CPUs as a device with memory of its own, where
//! what is not mapped is not there.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;

/// Far more than it takes: the machine may be busy.
const LIMIT: Duration = Duration::from_secs(300);

/// A folder with a program, whose cache is its own.
struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in files {
            std::fs::write(project.0.path().join(name), text).expect("written");
        }
        project
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).env("APG_CACHE_DIR", self.0.path().join("cache"));
        command.env("OMP_NUM_THREADS", "2").env("LC_ALL", "C").env_remove("CC");
        command.env_remove("OMP_TARGET_OFFLOAD").env_remove("X10RT_ACCELS");
        command
    }

    fn apg(&self, line: &str) -> Output {
        self.apg_with(line, &[])
    }

    /// With variables.
    fn apg_with(&self, line: &str, variables: &[(&str, &str)]) -> Output {
        let mut command = self.command(tools::apg());
        command.args(line.split_whitespace()).envs(variables.iter().copied());
        programs::run(command, LIMIT).expect("it ends")
    }

    /// Standard error of a program that fails on the device.
    #[track_caller]
    fn error(&self, line: &str) -> String {
        let output = self.apg(line);
        assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
        output.stderr
    }
}

/// Whether the machine has the compilers.
fn has_compilers() -> bool {
    tools::optional_tool("cc").is_some() && tools::optional_tool("c++").is_some()
}

fn programs_of(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(tools::repository().join(folder)).expect("the folder");
    let mut found: Vec<PathBuf> = entries
        .map(|it| it.expect("an entry").path())
        .filter(|it| it.extension().is_some_and(|it| it == "c"))
        .collect();
    found.sort();
    found
}

/// The programs with regions that have no device form, with the number of them.
const REGIONS_OF_HOST: &[(&str, usize)] = &[("device_regions.c", 4), ("host_regions.c", 8)];

#[test]
fn programs_give_the_same_results_on_the_host_and_on_a_device() {
    if !has_compilers() {
        return;
    }
    let project = Project::new(&[]);
    for file in programs_of("tests/c-programs") {
        for (accels, devices) in [("none", "none"), ("cpu", "some")] {
            let line = format!("run -Wall -Wextra -Werror --accels {accels} {} -lm -- word", file.display());
            let output = project.apg(&line);
            assert_eq!(output.status, 0, "{}: {}{}", file.display(), output.stdout, output.stderr);
            // A warning says that the host runs a region.
            let of_host = REGIONS_OF_HOST.iter().find(|it| accels == "cpu" && file.ends_with(it.0));
            let warnings = output.stderr.matches("warning[build/target-region]").count();
            assert_eq!(warnings, of_host.map_or(0, |it| it.1), "{}", output.stderr);
            assert_eq!(
                output.stdout,
                format!("word: 0 failures, devices: {devices}\n"),
                "{}",
                file.display()
            );
        }
        // Parallel regions as well, where they can.
        let output =
            project.apg(&format!("run --parallel device --accels cpu {} -lm -- word", file.display()));
        let right = (0, "word: 0 failures, devices: some\n");
        assert_eq!((output.status, &*output.stdout), right, "{}: {}", file.display(), output.stderr);
    }
}

#[test]
fn examples_run_on_a_device_as_on_the_host() {
    if !has_compilers() {
        return;
    }
    let project = Project::new(&[]);
    let files = programs_of("examples/c/devices");
    assert!(!files.is_empty(), "there are no examples");
    for file in files {
        let [host, device] = ["none", "cpu"].map(|accels| {
            let output = project.apg(&format!("run --accels {accels} {} -lm", file.display()));
            // A warning would say that the host runs a region.
            assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{}", file.display());
            output.stdout
        });
        assert_eq!(host, device, "{}", file.display());
    }
}

const ECHO: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <signal.h>\n\
    static void last(void) { puts(\"last\"); }\n\
    int main(int count, char **words) {\n\
      int x = 0, c;\n\
      #pragma omp target map(tofrom: x)\n\
      x = 6;\n\
      atexit(last);\n\
      printf(\"%s %s %d \", strrchr(words[0], '/') ? \"path\" : words[0], words[count - 1], x);\n\
      while ((c = getchar()) != EOF) putchar(c);\n\
      if (signal(SIGPIPE, SIG_DFL) != SIG_DFL) return 99;\n\
      exit(x + 1);\n}\n";

#[test]
fn input_arguments_exit_and_status_are_the_programs() {
    if !has_compilers() {
        return;
    }
    let project = Project::new(&[("echo.c", ECHO)]);
    let mut child = project
        .command(tools::apg())
        .args(["run", "--accels", "cpu", "echo.c", "--", "--word"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), b"input\n").expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "echo --word 6 input\nlast\n");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn damaged_single_file_programs_are_reported() {
    let project = Project::new(&[]);
    let file = project.0.path().join("program");
    std::fs::copy(tools::apg(), &file).expect("copied");
    // A shared object of six bytes, a digest that is not its own, its length, and the mark of programs in C.
    let trailer = [&b"object"[..], &[0; 32], &6_u64.to_le_bytes(), b"apg C file, version 1\r\n\0"].concat();
    let mut program = std::fs::OpenOptions::new().append(true).open(&file).expect("opened");
    std::io::Write::write_all(&mut program, &trailer).expect("written");
    drop(program);
    let output = programs::run(project.command(&file), LIMIT).expect("it ends");
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert!(output.stderr.contains("this program file is damaged"), "{}", output.stderr);
}

#[test]
fn errors_of_data_name_the_line_and_the_variable() {
    if !has_compilers() {
        return;
    }
    let partial = "int main(void) {\n  double a[8] = {0};\n  #pragma omp target enter data map(to: a[2:4])\n  #pragma omp target map(a[0:8])\n  a[0] = 1;\n  return 0;\n}\n";
    let unmapped = "#include <stdlib.h>\nint main(void) {\n  double *p = malloc(64);\n  #pragma omp target\n  p[1] = 2;\n  return 0;\n}\n";
    let device = "int main(void) {\n  #pragma omp target device(7)\n  { }\n  return 0;\n}\n";
    let large = "int main(void) {\n  char *p = 0;\n  #pragma omp target enter data map(alloc: p[0:1L << 60])\n  return 0;\n}\n";
    let project = Project::new(&[
        ("partial.c", partial),
        ("unmapped.c", unmapped),
        ("device.c", device),
        ("large.c", large),
    ]);
    let partial = project.error("run partial.c --accels cpu");
    assert!(
        partial.contains("partial.c:4: `target`: `a[0:8]`") && partial.contains("in part only"),
        "{partial}"
    );
    let unmapped = project.error("run unmapped.c --accels cpu");
    assert!(unmapped.contains("unmapped.c:4: `target`: the region uses what `p` points to"), "{unmapped}");
    assert!(unmapped.contains("hint: write `map(tofrom: p[0:N])`"), "{unmapped}");
    // The host takes the place of a device that does not exist.
    let device = project.apg("run device.c --accels cpu");
    assert_eq!((device.status, device.stderr.as_str()), (0, ""));
    let device = project.apg_with("run device.c --accels cpu", &[("OMP_TARGET_OFFLOAD", "mandatory")]);
    assert_eq!(device.status, 1, "{}", device.stderr);
    let device = device.stderr;
    assert!(device.contains("device.c:2: `target`: there is no device 7"), "{device}");
    let large = project.error("run large.c --accels cpu");
    assert!(large.contains("large.c:3: `target enter data`: `p[0:1L << 60]`"), "{large}");
}

#[test]
fn lines_of_an_edited_file_are_the_users() {
    if !has_compilers() {
        return;
    }
    let text = "int main(void) {\n  int x = 0;\n  #pragma omp target map(tofrom: x)\n  x = 1;\n  return missing + x;\n}\n";
    let project = Project::new(&[("wrong.c", text)]);
    let error = project.error("run wrong.c --accels cpu");
    assert!(error.contains("wrong.c:5:10:") && error.contains("missing"), "{error}");
}

#[test]
fn regions_without_a_device_form_run_on_the_host_with_a_warning() {
    if !has_compilers() {
        return;
    }
    let text = "int f(int);\nint main(void) {\n  int x = 0;\n  #pragma omp target map(tofrom: x)\n  x = f(3);\n  return x;\n}\n";
    let other = "int f(int x) { long double y = x; return y + 1; }\n";
    let project = Project::new(&[("calls.c", text), ("other.c", other)]);
    let output = project.apg("run calls.c other.c --accels cpu");
    assert_eq!(output.status, 4, "{}", output.stderr);
    let said = &output.stderr;
    assert!(said.contains("warning[build/target-region]") && said.contains("calls.c:5"), "{said}");
    assert!(said.contains("this calls `f` (other.c:1): devices have no `long double`"), "{said}");
    assert!(said.contains("the host runs the region"), "{said}");
    let mandatory = [("OMP_TARGET_OFFLOAD", "mandatory")];
    let output = project.apg_with("run calls.c other.c --accels cpu", &mandatory);
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert!(output.stderr.contains("error[build/target-region]"), "{}", output.stderr);
    for (line, variables) in [
        ("run calls.c other.c --accels none", &[][..]),
        ("run calls.c other.c", &[("OMP_TARGET_OFFLOAD", "disabled")]),
    ] {
        let output = project.apg_with(line, variables);
        assert_eq!((output.status, output.stderr.as_str()), (4, ""), "{line}");
    }
}

#[test]
fn functions_that_no_file_defines_are_the_hosts() {
    if !has_compilers() {
        return;
    }
    let text = "#include <math.h>\ntypedef double (*function)(double);\n\
        static double square(double x) { return x * x; }\n\
        static double applied(function f, double x) { return f(x); }\n\
        int main(void) {\n  function f = sin, g = square;\n  double r = 0;\n\
        #pragma omp target map(tofrom: r)\n  r = applied(f, 0) + applied(g, 3);\n  return r;\n}\n";
    let project = Project::new(&[("points.c", text)]);
    let output = project.apg("run points.c --accels cpu -lm");
    assert_eq!(output.status, 9, "{}", output.stderr);
    assert!(output.stderr.contains("may lead to `sin`, which no file"), "{}", output.stderr);
    let text = "int popcount(unsigned long long);\nint main(void) {\n  int x = 0;\n\
        #pragma omp target map(tofrom: x)\n  x = popcount(1ULL << 40);\n  return x;\n}\n";
    let project = Project::new(&[("own.c", text)]);
    let said = project.error("build --emit cuda own.c");
    assert!(said.contains("a region calls `popcount`, which no file of the program defines"), "{said}");
}

#[test]
fn arithmetic_with_wide_bit_fields_is_the_hosts() {
    if !has_compilers() {
        return;
    }
    let text = "struct s { unsigned long d : 40; };\nint main(void) {\n  struct s v = {1UL << 39};\n\
        #pragma omp target map(tofrom: v)\n  v.d = VALUE;\n  return v.d != 0;\n}\n";
    let refused = text.replace("VALUE", "(v.d << 1) >> 1");
    let project =
        Project::new(&[("wide.c", &refused), ("cast.c", &text.replace("VALUE", "(unsigned long)v.d"))]);
    let said = project.error("build --emit cuda wide.c");
    assert!(said.contains("how many bits the type of the bit-field `d` has"), "{said}");
    let output = project.apg("run cast.c --accels cpu");
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
}

#[test]
fn compilers_that_know_less_get_programs_of_the_host_without_what_devices_need() {
    if !has_compilers() {
        return;
    }
    let text = "#include \"own.h\"\n#pragma omp begin declare target\nint f(int x) { return x + ONE; }\n\
        #pragma omp end declare target\nint n = 4;\n#pragma omp declare target enter(n)\n\
        int main(int count, char **words) {\n  (void)words;\n  int x = 0;\n\
        #pragma omp target nowait (count > 9) map(tofrom: x)\n  x = f(n);\n  #pragma omp taskwait\n\
        #pragma omp target map(tofrom: x)\n  x += count;\n\
        #pragma omp target enter data \\\n    map(x)\n  #pragma omp target exit data \\\n    map(x)\n\
          return x + __LINE__;\n}\n";
    let project = Project::new(&[("late.c", text), ("own.h", "#define ONE 1\n")]);
    for accels in ["none", "cpu"] {
        let output = project.apg(&format!("run -Wall -Wextra -Werror --accels {accels} late.c"));
        assert_eq!((output.status, output.stderr.as_str()), (6 + 19, ""), "{accels}");
    }
    let output = project.apg("build -c late.c -o late.o");
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    let project = Project::new(&[("late.c", &text.replace("x += count", "x += missing"))]);
    std::fs::write(project.0.path().join("own.h"), "#define ONE 1\n").expect("written");
    assert!(project.error("run --accels none late.c").contains("late.c:14:8:"));
}

#[test]
fn directives_of_macros_run_on_the_device_and_keep_their_places() {
    if !has_compilers() {
        return;
    }
    let text = "#define REGION(...) _Pragma(\"omp target map(tofrom: x)\") { __VA_ARGS__; }\n\
        #include <stdio.h>\nint main(void) {\n  int x = 0;\n  REGION(x = 4) printf(\"%d\\n\", __LINE__);\n\
        x++; REGION(long double y = x; x += y)\n#line 200 \"gen.y\"\n  x++;\n\
        #pragma omp target map(tofrom: x)\n  x += (long double)1;\n#line 0\n\n\
        #pragma omp target map(tofrom: x)\n  x += (long double)1;\n  return x;\n}\n";
    let project = Project::new(&[("macro.c", text)]);
    let output = project.apg("run macro.c --accels cpu");
    assert_eq!((output.status, &*output.stdout), (13, "5\n"), "{}", output.stderr);
    let warning = "devices have no `long double`: write `double`";
    for place in ["6:6", "10:8", "14:8"] {
        let wanted = format!("{warning}\n --> macro.c:{place}\n");
        let plain = output.stderr.replace("\n  --> ", "\n --> ");
        assert!(plain.contains(&wanted), "{place}: {}", output.stderr);
    }
    assert_eq!(output.stderr.matches("warning").count(), 3, "{}", output.stderr);
    // Another expansion of `__COUNTER__` would have its value.
    let counter = text.replace("x++; REGION(", "x += __COUNTER__; REGION(x += __COUNTER__;");
    let project = Project::new(&[("macro.c", &counter.replace("#line 200", "x += __COUNTER__;\n#line 200"))]);
    let output = project.apg("run macro.c --accels cpu");
    assert!(output.stderr.contains("the host runs the whole program"), "{}", output.stderr);
    assert!(output.stderr.contains("macro makes this directive"), "{}", output.stderr);
    assert!(output.stderr.contains("counts by `__COUNTER__`"), "{}", output.stderr);
}

#[test]
fn messages_of_devices_have_the_lines_of_the_user_behind_macros() {
    if !has_compilers() {
        return;
    }
    let text = "#define EACH(i) _Pragma(\"omp target teams distribute parallel for map(tofrom: a)\") for (int i = 0; i < 8; i++)\n\
        #include <stdlib.h>\nint main(int count, char **words) {\n  int a[8], n = count > 1 ? 9 : 0;\n\
        EACH(i) a[i] = 1;\n  EACH(i) a[i] = 1; EACH(i) a[i] = 1;\n  int *p = malloc(4);\n\
        if (!n) EACH(i) a[i] = p[0];\n  EACH(i)\n    a[i] = a[n];\n  return 0;\n}\n";
    let project = Project::new(&[("a.c", text)]);
    let error = project.error("run --accels cpu --checks all a.c -- word");
    assert!(error.contains("a.c:10: `a`: index 9 is outside"), "{error}");
    let error = project.error("run --accels cpu a.c");
    let wanted = "a.c:8: `target teams distribute parallel for`: the region uses what `p` points to";
    assert!(error.contains(wanted), "{error}");
}

#[test]
fn macros_of_directives_leave_xcalablemp_at_its_lines() {
    if !has_compilers() {
        return;
    }
    let text = "#include <xmp.h>\n#pragma xmp nodes p[1]\n#pragma xmp template t[8]\n#pragma xmp distribute t[block] onto p\n\
        int a[8];\n#pragma xmp align a[i] with t[i]\n\
        #define EACH(i) _Pragma(\"xmp loop on t[i]\") for (int i = 0; i < 8; i++)\n\
        int main(void) {\n  EACH(i) a[i] = 1;\n  EACH(i) a[i] = missing();\n  return 0;\n}\n";
    let project = Project::new(&[("x.c", text)]);
    let output = project.apg("build -Werror=implicit-function-declaration x.c");
    assert!(output.status != 0 && output.stderr.contains("x.c:10:"), "{}", output.stderr);
}

const OWN: &str = "#include <stdio.h>\n#include \"part.h\"\n\
    static double table[4] = {1, 2, 3, 4};\n\
    static const double weights[3] = {0.5, 0.25, 0.125};\n\
    double pick(int i) { return table[i % 4] * weights[i % 3]; }\n\
    int main(void) {\n  double sum = 0;\n  point p = {1, 2};\n\
    #pragma omp target teams distribute parallel for reduction(+ : sum)\n\
      for (int i = 0; i < 1000; i++) sum += scaled(pick(i), i) + square(2);\n\
    #pragma omp target map(tofrom : p)\n  {\n    p = moved(p, 5);\n    note();\n  }\n\
      printf(\"%.4f %d %d %d\\n\", sum, p.x, p.y, notes());\n  return 0;\n}\n";
const PART: &str = "#include \"part.h\"\n\
    static double table = 10;\nstatic int calls;\ndouble scale = 2;\n\
    double scaled(double x, int i) { return x * scale + table + (i & 1); }\n\
    point moved(point p, int by) {\n  p.x += by;\n  p.y -= by;\n  return p;\n}\n\
    void note(void) { calls += 4; }\nint notes(void) { return calls; }\n";
const PART_HEADER: &str = "typedef struct {\n  int x, y;\n} point;\n\
    static inline double square(double x) { return x * x; }\n\
    double scaled(double, int);\npoint moved(point, int);\nvoid note(void);\nint notes(void);\n";

#[test]
fn regions_call_functions_of_headers_and_other_files() {
    if !has_compilers() {
        return;
    }
    let project = Project::new(&[("own.c", OWN), ("part.c", PART), ("part.h", PART_HEADER)]);
    for accels in ["none", "cpu"] {
        let output = project.apg(&format!("run -Wall -Wextra -Werror --accels {accels} own.c part.c"));
        let found = (output.status, output.stdout.as_str(), output.stderr.as_str());
        assert_eq!(found, (0, "15959.2500 6 -3 4\n", ""), "{accels}");
    }
}

#[test]
fn regions_print_allocate_and_end_the_program() {
    if !has_compilers() {
        return;
    }
    let text = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
        static void check(int x) {\n  if (x == 3) exit(3);\n  if (x == 4) abort();\n  assert(x != 5);\n}\n\
        int main(int count, char **words) {\n  (void)words;\n\
        #pragma omp target map(to : count)\n  {\n\
            char name[8] = \"one\";\n    int *p = malloc(4 * sizeof *p);\n\
            for (int i = 0; i < 4; i++) p[i] = i * count;\n\
            printf(\"%s %d %.1f %zu%%\\n\", name, p[3], 0.5f, sizeof p);\n    free(p);\n    puts(__func__);\n\
            check(count);\n  }\n  puts(\"behind\");\n  return 0;\n}\n";
    let project = Project::new(&[("prints.c", text)]);
    let assertion = "prints: prints.c:7: check: Assertion `x != 5' failed.\n";
    for (words, status, error) in
        [("", 0, ""), ("1 2", 3, ""), ("1 2 3", 134, ""), ("1 2 3 4", 134, assertion)]
    {
        let output = project.apg(&format!("run -Wall -Wextra -Werror --accels cpu prints.c -- {words}"));
        assert_eq!((output.status, output.stderr.as_str()), (status, error), "{words}: {}", output.stdout);
        // Who is ended by a signal writes no rest of a buffer.
        let count = 3 * (words.split_whitespace().count() + 1);
        let printed = format!("one {count} 0.5 8%\nmain\n{}", if status == 0 { "behind\n" } else { "" });
        assert!(status == 134 || output.stdout == printed, "{words}: {}", output.stdout);
    }
}

#[test]
fn pointers_that_are_mapped_themselves_lead_to_their_targets() {
    if !has_compilers() {
        return;
    }
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n\
        int n = 8, *p = malloc(8 * sizeof *p), *q = malloc(8 * sizeof *q), *keep = q;\n\
        #pragma omp target map(p, p[:n]) map(q, q[:n])\n\
        for (int i = 0; i < n; i++) {\n    p[i] = i;\n    q[i] = 2 * i;\n  }\n\
        printf(\"%d %d %d\\n\", p[3], q[3], q == keep);\n  free(p), free(q);\n  return 0;\n}\n";
    let project = Project::new(&[("pointers.c", text)]);
    let output = project.apg("run --accels cpu pointers.c");
    assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (0, "3 6 1\n", ""));
}

/// Not all compilers know `declare mapper`: those get the program without it.
const MAPPERS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#define N 50
typedef struct vector { size_t length; double *data; } vector;
#pragma omp declare mapper(vector v) map(v, v.data[0:v.length])
struct pair { struct vector *many; int *own; int count, unused[1000]; };
#pragma omp declare mapper(whole: struct pair p) map(to: p.count) map(p.own[0:p.count]) \
    map(p.many[0:2])
struct halves { double low[N], high[N]; };
#pragma omp declare mapper(high: struct halves h) map(h.high[0:N/2])

static void fill(vector *v) { for (size_t i = 0; i < v->length; i++) v->data[i] += i; }

int main(void) {
  vector v = {N, calloc(N, sizeof(double))};
  #pragma omp target
  fill(&v);
  #pragma omp target map(to: v)
  v.data[0] = 100;
  printf("%g %g\n", v.data[0], v.data[N - 1]);
  struct vector many[2] = {{3, calloc(3, 8)}, {5, calloc(5, 8)}};
  struct pair p = {many, calloc(4, sizeof(int)), 4, {0}};
  #pragma omp target enter data map(mapper(whole), to: p)
  #pragma omp target teams distribute parallel for map(mapper(whole), alloc: p)
  for (int i = 0; i < 4; i++) {
    p.own[i] = i * p.count;
    for (int k = 0; k < 2; k++)
      if (i < (int)p.many[k].length) p.many[k].data[i] = 10 * k + i;
  }
  #pragma omp target exit data map(mapper(whole), from: p)
  printf("%d %g %g\n", p.own[3], many[0].data[2], many[1].data[3]);
  struct halves *h = calloc(1, sizeof *h);
  h->low[0] = 7;
  #pragma omp target map(mapper(high), tofrom: h[0:1])
  { h->high[1] = 3; h->high[0] = h->high[1]; }
  printf("%g %g %g\n", h->low[0], h->high[0], h->high[1]);
  return 0;
}
"#;

#[test]
fn structs_are_mapped_by_their_mappers() {
    if !has_compilers() {
        return;
    }
    let project = Project::new(&[("mappers.c", MAPPERS)]);
    let output = project.apg("run -Wall --accels cpu mappers.c");
    assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    assert_eq!(output.stdout, "0 49\n12 2 13\n7 3 3\n");
    // The host has one object of each.
    let output = project.apg("run -Wall --accels none mappers.c");
    assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    assert_eq!(output.stdout, "100 49\n12 2 13\n7 3 3\n");
    let wrong = MAPPERS.replace("mapper(high), tofrom", "mapper(hihg), tofrom");
    let project = Project::new(&[("wrong.c", &wrong)]);
    let error = project.error("run --accels cpu wrong.c");
    assert!(error.contains("no `declare mapper` in this file declares `hihg` for this type"), "{error}");
}

/// Regions of tasks: two that wait for each other, some that depend on each other, and with a word a
/// region that uses what is not mapped.
const TASKS: &str = r#"#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
/* Whether another region has written its flag: both are on the device at the same time. */
#pragma omp declare target
static int meets(int *flags, int own) {
  int seen = 0;
  #pragma omp atomic write
  flags[own] = 1;
  for (long i = 0; i < 1000000000 && !seen; i++) {
    #pragma omp atomic read
    seen = flags[1 - own];
  }
  return seen;
}
#pragma omp end declare target

static void add(int *to, int step) {
  int own = step * 2;
  #pragma omp target nowait depend(inout: to[0]) map(tofrom: to[0:4])
  for (int i = 0; i < 4; i++) to[i] = to[i] * 10 + own / 2;
  own = 0;
}

int main(int count, char **words) {
  int flags[2] = {0}, a = 0, b = 0, *list = calloc(4, sizeof *list), sum = 0;
  (void)words;
  #pragma omp target data map(tofrom: flags)
  #pragma omp parallel num_threads(2)
  #pragma omp single
  {
    #pragma omp target nowait map(from: a)
    a = meets(flags, 0);
    #pragma omp target nowait map(from: b)
    b = meets(flags, 1);
  }
  printf("both: %d %d\n", a, b);
  #pragma omp parallel num_threads(2)
  #pragma omp single
  {
    #pragma omp target enter data map(to: list[0:4]) depend(out: list[0]) nowait
    for (int i = 1; i <= 5; i++) add(list, i);
    #pragma omp target exit data map(from: list[0:4]) depend(inout: list[0]) nowait
    #pragma omp task depend(in: list[0]) shared(sum)
    sum = list[3];
    #pragma omp taskwait
    printf("in order: %d\n", sum);
  }
  add(list, 6);
  #pragma omp taskwait
  printf("without a team: %d\n", list[3]);
  if (count > 1) {
    int *host = list;
    #pragma omp parallel num_threads(2)
    #pragma omp single
    #pragma omp target nowait
    host[0] = 1;
  }
  return 0;
}
"#;

#[test]
fn regions_with_nowait_are_tasks_that_overlap_and_keep_their_order() {
    if !has_compilers() {
        return;
    }
    let project = Project::new(&[("tasks.c", TASKS)]);
    let output = project.apg("run -Wall -Wextra -Werror --accels cpu tasks.c");
    let expected = "both: 1 1\nin order: 12345\nwithout a team: 123456\n";
    assert_eq!((output.status, output.stdout.as_str()), (0, expected), "{}", output.stderr);
    let error = project.error("run --accels cpu tasks.c -- word");
    let line = TASKS.lines().position(|it| it.trim() == "#pragma omp target nowait").expect("it") + 1;
    let expected = format!("error: tasks.c:{line}: `target`: the region uses what `host` points to");
    assert!(error.contains(&expected), "{error}");
}

#[test]
fn regions_of_the_host_in_other_files_lose_nothing_of_nowait_regions() {
    if !has_compilers() {
        return;
    }
    // A region on the host writes whole objects back, while the other region would still run.
    let main = "#include <stdio.h>\nvoid second(int *a);\nint a[2];\nint main(void) {\n\
        #pragma omp target data map(tofrom: a)\n#pragma omp parallel num_threads(2)\n\
        #pragma omp single\n  {\n#pragma omp target nowait map(a)\n    {\n\
        volatile double x = 1;\n      for (int i = 0; i < 20000000; i++) x = x * 0.5 + 1;\n      a[0] = x > 0;\n    }\n\
        second(a);\n#pragma omp taskwait\n  }\n  printf(\"%d %d\\n\", a[0], a[1]);\n  return 0;\n}\n";
    let second = "void second(int *a) {\n#pragma omp target map(tofrom: a[0:2])\n  {\n    volatile long double x = 2;\n    for (int i = 0; i < 100000000; i++) x = x / 2 + 1;\n    a[1] = x;\n  }\n}\n";
    let project = Project::new(&[("main.c", main), ("second.c", second)]);
    let output = project.apg("run --accels cpu main.c second.c");
    assert_eq!((output.status, &*output.stdout), (0, "1 2\n"), "{}", output.stderr);
}
