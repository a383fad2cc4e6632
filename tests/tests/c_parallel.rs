//! Parallel regions of programs in C on the host, and as kernels on the CPUs as a device: the results are the
//! same, and a region without a device form runs on the host and says so.

use std::path::{Path, PathBuf};
use std::process::Command;
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

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).env("APG_CACHE_DIR", self.0.path().join("cache"));
        command.env("OMP_NUM_THREADS", "4").env("OMP_SCHEDULE", "guided,3").env("LC_ALL", "C");
        command.env_remove("CC").env_remove("OMP_TARGET_OFFLOAD").env_remove("X10RT_ACCELS");
        command
    }

    fn apg(&self, line: &str, variables: &[(&str, &str)]) -> Output {
        let mut command = self.command(tools::apg());
        command.args(line.split_whitespace()).envs(variables.iter().copied());
        programs::run(command, LIMIT).expect("it ends")
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
    assert!(!found.is_empty(), "{folder}");
    found
}

#[test]
fn regions_give_the_same_results_on_the_host_and_on_a_device() {
    if !has_compilers() {
        return;
    }
    let project = Project::new(&[]);
    for file in programs_of("tests/c-programs/parallel") {
        for place in ["--parallel host", "--parallel device --accels cpu"] {
            let line = format!("run -Wall -Wextra -Werror {place} {} -- word", file.display());
            let output = project.apg(&line, &[]);
            let name = file.display();
            assert_eq!(
                (output.status, &*output.stdout),
                (0, "word: 0 failures\n"),
                "{name}: {}",
                output.stderr
            );
            assert_eq!(output.stderr, "", "{name}: no region is refused");
        }
    }
}

#[test]
fn examples_run_on_a_device() {
    if !has_compilers() {
        return;
    }
    let project = Project::new(&[]);
    for file in programs_of("examples/c") {
        let line = format!("run -lm --parallel device --accels cpu {}", file.display());
        let output = project.apg(&line, &[]);
        assert_eq!(output.status, 0, "{}: {}", file.display(), output.stderr);
        // Regions with tasks stay on the host, which is said.
        let has_tasks = file.ends_with("linked_structure.c");
        let is_said = output.stderr.contains("`task` inside of a parallel region has no device form");
        assert!(is_said == has_tasks, "{}: {}", file.display(), output.stderr);
        assert!(has_tasks || output.stderr.is_empty(), "{}: {}", file.display(), output.stderr);
    }
}

const REFUSED: &str = "#include <stdio.h>\n#include <omp.h>\n\
    int main(void) {\n\
      long double sum = 0;\n\
      int count = 0;\n\
      #pragma omp parallel for reduction(+: sum)\n\
      for (int i = 0; i < 10; i++) sum += i;\n\
      #pragma omp parallel num_threads(3) reduction(+: count)\n\
      count += omp_get_num_threads();\n\
      printf(\"%g %d\\n\", (double)sum, count);\n\
      return 0;\n}\n";

#[test]
fn a_region_without_a_device_form_runs_on_the_host() {
    if !has_compilers() {
        return;
    }
    let project = Project::new(&[("a.c", REFUSED)]);
    let line = "run --parallel device --accels cpu a.c";
    let output = project.apg(line, &[]);
    assert_eq!((output.status, &*output.stdout), (0, "45 9\n"), "{}", output.stderr);
    let warning = "devices have no `long double`: write `double`";
    assert!(output.stderr.contains(&format!("warning[build/target-region]: {warning}")), "{}", output.stderr);
    assert!(output.stderr.contains("a.c:4:"), "{}", output.stderr);
    assert!(output.stderr.contains("the host runs the parallel region"), "{}", output.stderr);
    let output = project.apg(line, &[("OMP_TARGET_OFFLOAD", "mandatory")]);
    assert_eq!(output.status, 1, "{}", output.stdout);
    assert!(output.stderr.contains(&format!("error[build/target-region]: {warning}")), "{}", output.stderr);
}

const CALLER: &str = "#include <stdio.h>\n\
    #include <math.h>\n\
    void share(int *runs);\n\
    int plain(int value);\n\
    int main(void) {\n\
      int runs[30] = {0}, sum = 0;\n\
      #pragma omp parallel num_threads(3)\n\
      share(runs);\n\
      #pragma omp parallel for reduction(+: sum)\n\
      for (int i = 0; i < 30; i++) sum += plain(runs[i]);\n\
      printf(\"%d\\n\", sum);\n\
      return 0;\n}\n";

const ORPHANS: &str = "static void share_all(int *runs) {\n\
      #pragma omp for\n\
      for (int i = 0; i < 30; i++) runs[i]++;\n\
    }\n\
    void share(int *runs) { share_all(runs); }\n\
    int plain(int value) { return value * 2; }\n";

#[test]
fn a_region_that_calls_orphaned_directives_of_another_file_runs_on_the_host() {
    if !has_compilers() {
        return;
    }
    let project = Project::new(&[("a.c", CALLER), ("b.c", ORPHANS)]);
    let output = project.apg("run --parallel device --accels cpu a.c b.c", &[]);
    assert_eq!((output.status, &*output.stdout), (0, "60\n"), "{}", output.stderr);
    let warning = "`share` of another file uses OpenMP, which binds to this region: define it in this file";
    assert!(output.stderr.contains(warning), "{}", output.stderr);
    assert!(!output.stderr.contains("`plain`"), "{}", output.stderr);
}

const INNER: &str = "#include <stdio.h>\n#include <omp.h>\n\
    static int own;\n\
    #pragma omp threadprivate(own)\n\
    static int inner(int value) {\n\
      int count = 0;\n\
      #pragma omp parallel reduction(+: count)\n\
      { own = value; count += omp_get_num_threads(); }\n\
      return count * (own == value);\n\
    }\n\
    int main(void) {\n\
      long double sum = 0;\n\
      #pragma omp parallel num_threads(3) reduction(+: sum)\n\
      for (int i = 0; i < 50; i++) sum += inner(omp_get_thread_num());\n\
      printf(\"%g %d\\n\", (double)sum, inner(7));\n\
      return 0;\n}\n";

#[test]
fn a_region_inside_of_one_of_the_host_has_one_thread() {
    if !has_compilers() {
        return;
    }
    let project = Project::new(&[("a.c", INNER)]);
    let output = project.apg("run --parallel device --accels cpu a.c", &[]);
    assert_eq!((output.status, &*output.stdout), (0, "150 16\n"), "{}", output.stderr);
}

const NUMBERS: &str = "#include <stdio.h>\n#include <omp.h>\n\
    static int ended;\n\
    int more(void);\n\
    int main(void) {\n\
      int numbers = 0;\n\
      #pragma omp parallel reduction(+: numbers)\n\
      numbers += 1 << omp_get_thread_num();\n\
      #pragma omp parallel\n\
      {\n\
        #pragma omp critical(of_both)\n\
        ended++;\n\
      }\n\
      printf(\"%d %d %d %d\\n\", numbers, ended, more(), omp_get_max_threads());\n\
      return 0;\n}\n";

const MORE: &str = "#include <omp.h>\n\
    int more(void) {\n\
      int sum = 0;\n\
      #pragma omp parallel num_threads(5)\n\
      {\n\
        #pragma omp critical(of_both)\n\
        sum += omp_get_num_threads();\n\
      }\n\
      return sum;\n}\n";

#[test]
fn a_built_program_of_several_files_has_the_threads_that_it_asks_for() {
    if !has_compilers() {
        return;
    }
    let project = Project::new(&[("a.c", NUMBERS), ("b.c", MORE)]);
    let cpus = ("X10RT_ACCELS", "cpu");
    let built = project.apg("build --parallel device a.c b.c -o program", &[cpus]);
    assert_eq!((built.status, &*built.stderr), (0, ""), "{}", built.stdout);
    let mut command = project.command(&project.0.path().join("program"));
    command.env(cpus.0, cpus.1).env("OMP_NUM_THREADS", "3");
    let output = programs::run(command, LIMIT).expect("it ends");
    assert_eq!((output.status, &*output.stdout), (0, "7 3 25 3\n"), "{}", output.stderr);
}
