//! `--checks all` of programs in C: indices outside of arrays and of mapped sections in regions, with the
//! CPUs as a device.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;

/// Far more than it takes: the machine may be busy.
const LIMIT: Duration = Duration::from_secs(300);

/// The first word says which region runs, the second how far behind what is there it goes.
const TARGET: &str = r#"#include <stdio.h>
#include <stdlib.h>
static double table[8][4];
struct tail { int count; int last[1]; };
#pragma omp declare target
static void put(double *to, int at) { to[at] = 1; }
#pragma omp end declare target
int main(int count, char **words) {
  int n = 100, which = count > 2 ? atoi(words[1]) : -1, extra = atoi(words[2]);
  double *a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) a[i] = i;
  if (which == 0) {
    #pragma omp target teams distribute parallel for map(tofrom: a[0:n])
    for (int i = 0; i < n + extra; i++) a[i] += 1;
  } else if (which == 1) {
    #pragma omp target map(tofrom: table)
    table[1][3 + extra] = 2;
  } else if (which == 2) {
    #pragma omp target parallel for map(tofrom: a[10:50])
    for (int i = 10; i < 60; i++) put(a, i + extra * 1000000);
  } else if (which == 3) {
    #pragma omp target map(tofrom: a[0:n])
    {
      double *p = a + 50, *end = &a[100], square[3][3] = {{0}};
      for (double (*row)[3] = square; row != &square[3]; row++) (*row)[0] = 1;
      *(p + (49 + extra)) = end - p + square[2][0];
    }
  } else if (which == 4) {
    struct tail *t = malloc(sizeof *t + 9 * sizeof(int));
    #pragma omp target map(from: t[0:1])
    t->last[0 * extra] = t->count = 1;
  } else if (which == 5) {
    struct tail *t = calloc(2, sizeof *t);
    #pragma omp target map(tofrom: t[0].count)
    t[0 + extra].count++;
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  printf("%g %g\n", s, table[1][3]);
}
"#;

const PARALLEL: &str = r#"#include <stdio.h>
#include <stdlib.h>
static int shared[4];
static int *at(int index) { return &shared[index]; }
int main(int count, char **words) {
  int extra = count > 1 ? atoi(words[1]) : 0;
  #pragma omp parallel num_threads(2)
  {
    int own[4] = {1, 2, 3, 4};
    #pragma omp critical
    *at(3) += own[3 + extra];
  }
  printf("%d\n", shared[3]);
}
"#;

/// Whether the machine has the compilers.
fn has_compilers() -> bool {
    tools::optional_tool("cc").is_some() && tools::optional_tool("c++").is_some()
}

fn apg(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(tools::apg());
    command.current_dir(folder).env("APG_CACHE_DIR", folder.join("cache"));
    command.env_remove("CC").env_remove("OMP_TARGET_OFFLOAD").env_remove("X10RT_ACCELS");
    command.args(line.split_whitespace());
    programs::run(command, LIMIT).expect("it ends")
}

fn folder_of(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.c"), text).expect("written");
    folder
}

#[test]
fn target_regions_check_arrays_and_mapped_sections() {
    if !has_compilers() {
        return;
    }
    let folder = folder_of(TARGET);
    let run = |words: &str| apg(folder.path(), &format!("run --accels cpu --checks all a.c -- {words}"));
    let results = ["5050 0\n", "4950 2\n", "3275 0\n", "4902 0\n", "4950 0\n", "4950 0\n"];
    for (which, result) in results.into_iter().enumerate() {
        let output = run(&format!("{which} 0"));
        assert_eq!((output.status, output.stdout.as_str()), (0, result), "{which}: {}", output.stderr);
    }
    for (words, error) in [
        ("0 1", "a.c:14: `a`: index 100 is outside of its elements 0 to 99"),
        ("1 1", "a.c:17: `table[1]`: index 4 is outside of its elements 0 to 3"),
        ("1 -4", "a.c:17: `table[1]`: index -1 is outside of its elements 0 to 3"),
        ("3 1", "a.c:26: `p`: index 50 is outside of its elements -50 to 49"),
        ("3 -100", "a.c:26: `p`: index -51 is outside of its elements -50 to 49"),
        ("5 1", "a.c:35: `t`: index 1 is outside of its elements 0 to 0"),
    ] {
        let output = run(words);
        assert_eq!((output.status, output.stdout.as_str()), (1, ""), "{words}: {}", output.stderr);
        assert!(output.stderr.contains(error), "{words}: {}", output.stderr);
    }
}

#[test]
fn parallel_regions_check_arrays() {
    if !has_compilers() {
        return;
    }
    let folder = folder_of(PARALLEL);
    let line = "run --accels cpu --parallel device --checks all a.c --";
    let output = apg(folder.path(), line);
    assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (0, "8\n", ""));
    for (extra, index) in [("1", "4"), ("-4", "-1")] {
        let output = apg(folder.path(), &format!("{line} {extra}"));
        assert_eq!((output.status, output.stdout.as_str()), (1, ""), "{}", output.stderr);
        let error = format!("a.c:11: `own`: index {index} is outside of its elements 0 to 3");
        assert!(output.stderr.contains(&error), "{}", output.stderr);
    }
}

#[test]
fn programs_give_the_same_results_with_checks() {
    if !has_compilers() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let entries = std::fs::read_dir(tools::repository().join("tests/c-programs")).expect("the folder");
    let files = entries.map(|it| it.expect("an entry").path());
    for file in files.filter(|it| it.extension().is_some_and(|it| it == "c")) {
        let line = format!("run --accels cpu --checks all {} -lm -- word", file.display());
        let output = apg(folder.path(), &line);
        let expected = (0, "word: 0 failures, devices: some\n");
        assert_eq!(
            (output.status, output.stdout.as_str()),
            expected,
            "{}: {}",
            file.display(),
            output.stderr
        );
    }
}
