//! What needs a driver but no GPU: copies between places, and how failures of the driver reach a program. The
//! driver is `tests/driver/fake_cuda.c`, whose devices keep their memory in the host's and whose kernels do
//! nothing.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;

/// The folder with the fake driver; the compiler beside it if wanted.
fn driver(with_compiler: bool) -> &'static Path {
    static FOLDERS: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folders = FOLDERS.get_or_init(|| {
        let folders = tempfile::tempdir().expect("a temporary folder");
        let source = tools::repository().join("tests/driver/fake_cuda.c");
        for name in ["whole/libcuda.so", "whole/libnvrtc.so", "bare/libcuda.so"] {
            let file = folders.path().join(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            let compiled = Command::new("cc")
                .args(["-O1", "-w", "-shared", "-fPIC", "-o"])
                .args([&file, &source])
                .arg("-lpthread")
                .status();
            assert!(compiled.is_ok_and(|status| status.success()), "the fake driver compiles");
        }
        folders
    });
    let path = folders.path().join(if with_compiler { "whole" } else { "bare" });
    Box::leak(path.into_boxed_path())
}

fn run(program: &str, settings: &str, with_compiler: bool) -> Output {
    let cache = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(tools::apg());
    command
        .arg("run")
        .arg(tools::repository().join("tests/driver").join(program))
        .args(["--accels", "all"])
        .env("APG_CACHE_DIR", cache.path())
        .env("LD_LIBRARY_PATH", driver(with_compiler))
        .env("FAKE_CUDA", settings);
    for variable in ["X10_NPLACES", "X10_NTHREADS", "X10RT_ACCELS"] {
        command.env_remove(variable);
    }
    let output = programs::run(command, Duration::from_secs(120)).expect("it ends");
    assert!(!output.stderr.contains("panicked"), "{}", output.stderr);
    output
}

/// What was called, and how often.
fn called(output: &Output, name: &str) -> u64 {
    let report = output.stderr.lines().find(|line| line.starts_with("fake cuda:")).expect("a report");
    let found = report.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    found.map_or(0, |count| count.parse().expect("a number"))
}

#[track_caller]
fn says(output: &Output, lines: &[&str]) {
    let all = format!("{}{}", output.stdout, output.stderr);
    for line in lines {
        assert!(all.contains(line), "`{line}` is not in:\n{all}");
    }
}

#[test]
fn copies_arrive_whatever_way_they_take() {
    let output = run("copies.x10", "report", true);
    says(
        &output,
        &["51 elements from index 50 are not in the global rail to copy from, which has 100", "all right"],
    );
    // Rails that are copied again are pinned, and devices that reach each other do.
    assert!(called(&output, "cuMemHostRegister_v2") > 0, "{}", output.stderr);
    assert_eq!(called(&output, "cuCtxEnablePeerAccess"), 2);
    let output = run("copies.x10", "report peer=0", true);
    says(&output, &["all right"]);
    assert_eq!(called(&output, "cuCtxEnablePeerAccess"), 0);
    // Where the system pins no memory all goes another way.
    says(&run("copies.x10", "fail=cuMemHostRegister_v2:1", true), &["all right"]);
}

#[test]
fn a_device_whose_memory_is_full_says_how_much_it_has() {
    let output = run("one_kernel.x10", "memory=1000000", true);
    let full = "memory: x10.lang.OutOfMemoryError: CUDA0 (Fake 0): 800000000 bytes requested";
    says(
        &output,
        &[
            "kernel: done",
            "empty rail: done",
            full,
            "of 1000000 bytes are free",
            "nothing: done",
            "kernel again: done",
            "at the end",
        ],
    );
    assert_eq!(output.status, 0);
}

#[test]
fn a_kernel_that_fails_on_the_device_is_an_exception_with_its_line() {
    let output = run("one_kernel.x10", "fail=cuLaunchKernel:700", true);
    says(
        &output,
        &["one_kernel.x10:19: kernel:", "CUDA_ERROR_ILLEGAL_ADDRESS", "cannot be used again", "at the end"],
    );
    assert_eq!(output.status, 0);
    // A device that is lost.
    let output = run("one_kernel.x10", "fail=cuStreamWriteValue32_v2:46", true);
    says(&output, &["kernel: done", "at the end"]);
    let output = run("one_kernel.x10", "fail=cuDevicePrimaryCtxRetain:46", true);
    says(&output, &["CUDA_ERROR_DEVICE_UNAVAILABLE", "at the end"]);
    assert_eq!(output.status, 0);
}

#[test]
fn drivers_that_are_too_old_and_compilers_that_are_missing_are_named() {
    let output = run("one_kernel.x10", "version=11080", true);
    says(&output, &["the NVIDIA driver is too old: it supports CUDA 11.8, and 12.0 is needed"]);
    assert_ne!(output.status, 0);
    let output = run("one_kernel.x10", "", false);
    says(
        &output,
        &["the CUDA run-time compiler is not installed (no libnvrtc)", "memory: done", "at the end"],
    );
    assert_eq!(output.status, 0);
}
