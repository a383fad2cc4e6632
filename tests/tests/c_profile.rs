//! `apg run --profile FILE` of programs in C: what regions on a device do, with the CPUs as a device.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;
use serde_json::Value;

/// Far more than it takes: the machine may be busy.
const LIMIT: Duration = Duration::from_secs(300);

const TARGET: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
  int n = 1000; double *a = malloc(n * sizeof *a), s = 0;
  for (int i = 0; i < n; i++) a[i] = i;
  #pragma omp target data map(tofrom: a[0:n])
  {
    #pragma omp target teams distribute parallel for map(tofrom: s) reduction(+: s)
    for (int i = 0; i < n; i++) { a[i] *= 2; s += a[i]; }
    #pragma omp target update from(a[0:10])
    long double wide = 0;
    #pragma omp target map(tofrom: wide)
    wide += 1;
  }
  printf("%g %g\n", s, a[9]);
  exit(count > 1 ? atoi(words[1]) : 0);
}
"#;

const AT_EXIT: &str = r#"#include <stdio.h>
#include <stdlib.h>
static int number;
static void last(void) {
  #pragma omp target data map(tofrom: number)
  #pragma omp target map(tofrom: number)
  number += 2;
  printf("%d\n", number);
}
int main(void) {
  atexit(last);
  #pragma omp target map(tofrom: number)
  number++;
}
"#;

const PARALLEL: &str = r#"#include <stdio.h>
int main(void) {
  int s = 0;
  for (int round = 0; round < 3; round++) {
    #pragma omp parallel num_threads(4) reduction(+: s)
    s += 1;
  }
  printf("%d\n", s);
}
"#;

/// Whether the machine has the compilers.
fn has_compilers() -> bool {
    tools::optional_tool("cc").is_some() && tools::optional_tool("c++").is_some()
}

fn apg(folder: &Path, line: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(tools::apg());
    command.current_dir(folder).env("APG_CACHE_DIR", folder.join("cache"));
    command.env_remove("CC").env_remove("OMP_TARGET_OFFLOAD").env_remove("X10RT_ACCELS");
    command.args(line.split_whitespace()).envs(variables.iter().copied());
    programs::run(command, LIMIT).expect("it ends")
}

fn folder_of(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.c"), text).expect("written");
    folder
}

fn trace(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("trace.json")).expect("a trace");
    serde_json::from_str(&text).expect("JSON")
}

/// The spans of a kind: place, name, and line.
fn spans(trace: &Value, kind: &str) -> Vec<(i64, String, String)> {
    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let events = trace["traceEvents"].as_array().expect("events");
    let found = events.iter().filter(|it| it["ph"] == "X" && it["cat"] == kind);
    let mut found: Vec<_> = found
        .map(|it| (it["pid"].as_i64().expect("a place"), text(&it["name"]), text(&it["args"]["at"])))
        .collect();
    found.sort();
    found
}

fn rows(of: &[(i64, &str, &str)]) -> Vec<(i64, String, String)> {
    of.iter().map(|(place, name, at)| (*place, (*name).to_owned(), (*at).to_owned())).collect()
}

#[test]
fn target_regions_have_kernels_copies_and_directives() {
    if !has_compilers() {
        return;
    }
    let folder = folder_of(TARGET);
    let output = apg(folder.path(), "run --accels cpu a.c --profile trace.json -- 5", &[]);
    assert_eq!((output.status, output.stdout.as_str()), (5, "999000 18\n"), "{}", output.stderr);
    let trace = trace(folder.path());
    assert_eq!(spans(&trace, "kernel"), rows(&[(1, "main_8", "a.c:8")]));
    let data = [
        (0, "target", "a.c:12"),
        (0, "target data", "a.c:6"),
        (0, "target teams distribute parallel for", "a.c:8"),
        (0, "target update", "a.c:10"),
    ];
    assert_eq!(spans(&trace, "directive"), rows(&data));
    let copies = spans(&trace, "copy");
    for expected in [
        (1, "from the device: a[0:10]", "a.c:10"),
        (1, "from the device: a[0:n]", "a.c:6"),
        (1, "from the device: s", "a.c:8"),
        (1, "to the device: a[0:n]", "a.c:6"),
        (1, "to the device: s", "a.c:8"),
        (1, "to the device: wide", "a.c:12"),
    ] {
        let expected = &rows(&[expected])[0];
        assert!(copies.contains(expected), "{expected:?} in {copies:?}");
    }
    let events = trace["traceEvents"].as_array().expect("events");
    let moved = |name: &str| events.iter().find(|it| it["name"] == name).expect("a copy")["args"].clone();
    let args = moved("to the device: a[0:n]");
    assert_eq!((&args["bytes"], &args["variable"]), (&Value::from(8000), &Value::from("a[0:n]")));
    let named = |name: &str| events.iter().any(|it| it["ph"] == "M" && it["args"]["name"] == name);
    assert!(named("host") && named("device 0") && named("thread 0"), "{trace}");
    // The region is inside of the data region.
    let time = |name: &str| {
        let found = events.iter().find(|it| it["ph"] == "X" && it["name"] == name).expect("a span");
        let start = found["ts"].as_f64().expect("a time");
        (start, start + found["dur"].as_f64().expect("a time"))
    };
    let (outer, inner) = (time("target data"), time("target teams distribute parallel for"));
    assert!(outer.0 <= inner.0 && inner.1 <= outer.1, "{outer:?} {inner:?}");
    assert!(output.stderr.contains("kernel main_8"), "{}", output.stderr);
}

#[test]
fn functions_given_to_atexit_are_recorded() {
    if !has_compilers() {
        return;
    }
    let folder = folder_of(AT_EXIT);
    let output = apg(folder.path(), "run --accels cpu a.c --profile trace.json", &[]);
    assert_eq!((output.status, output.stdout.as_str()), (0, "3\n"), "{}", output.stderr);
    let kernels = [(1, "last_6", "a.c:6"), (1, "main_12", "a.c:12")];
    assert_eq!(spans(&trace(folder.path()), "kernel"), rows(&kernels));
}

#[test]
fn parallel_regions_on_a_device_are_kernels() {
    if !has_compilers() {
        return;
    }
    let folder = folder_of(PARALLEL);
    let line = "run --accels cpu --parallel device a.c";
    let output = apg(folder.path(), line, &[("APG_PROFILE", "trace.json")]);
    assert_eq!((output.status, output.stdout.as_str()), (0, "12\n"), "{}", output.stderr);
    let trace = trace(folder.path());
    let kernels = spans(&trace, "kernel");
    assert_eq!(kernels.len(), 3, "{trace}");
    assert!(kernels.iter().all(|it| it.0 == 1 && it.2 == "a.c:5"), "{kernels:?}");
    assert_eq!(spans(&trace, "directive"), vec![(0, "parallel".into(), "a.c:5".into()); 3]);
    let events = trace["traceEvents"].as_array().expect("events");
    let kernel = events.iter().find(|it| it["cat"] == "kernel").expect("a kernel");
    assert_eq!(kernel["args"]["blocks"][0], 4);
}

#[test]
fn a_program_without_regions_on_a_device_has_no_profile() {
    if !has_compilers() {
        return;
    }
    let folder = folder_of(PARALLEL);
    for accels in ["cpu", "none"] {
        let output = apg(folder.path(), &format!("run --accels {accels} a.c --profile trace.json"), &[]);
        assert_eq!(output.status, 2, "{}", output.stderr);
        assert!(output.stderr.contains("no region of the program runs on a device"), "{}", output.stderr);
    }
    // The variable is not about one program.
    let output = apg(folder.path(), "run --accels none a.c", &[("APG_PROFILE", "trace.json")]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(!folder.path().join("trace.json").exists());
}
