//! What needs a driver but no GPU: copies between places, and how failures of the driver reach a program. The
//! driver is `tests/driver/fake_cuda.c`, whose devices keep their memory in the host's and whose kernels do
//! nothing.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use apg_tests::jobs;
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
    run_by(Command::new(tools::apg()), &[program], settings, with_compiler)
}

/// Runs a program with options by `apg`, with which the command ends.
fn run_by(mut command: Command, program: &[&str], settings: &str, with_compiler: bool) -> Output {
    let cache = tempfile::tempdir().expect("a temporary folder");
    command
        .args(["run", "--accels", "all"])
        .arg(tools::repository().join("tests/driver").join(program[0]))
        .args(&program[1..])
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

/// How often something was called by all processes.
fn called(output: &Output, name: &str) -> u64 {
    calls(output, |it| it == name)
}

/// How often functions were called whose names are like that.
fn calls(output: &Output, is_wanted: impl Fn(&str) -> bool) -> u64 {
    let reports = output.stderr.lines().filter_map(|line| line.split_once("fake cuda: "));
    let all: Vec<_> = reports.flat_map(|(_, report)| report.split(' ')).collect();
    assert!(!all.is_empty(), "no report: {}", output.stderr);
    let counts = all.iter().filter_map(|word| word.split_once('=')).filter(|(name, _)| is_wanted(name));
    counts.map(|(_, count)| count.parse::<u64>().expect("a number")).sum()
}

#[track_caller]
fn says(output: &Output, lines: &[&str]) {
    let all = format!("{}{}", output.stdout, output.stderr);
    for line in lines {
        assert!(all.contains(line), "`{line}` is not in:\n{all}");
    }
}

/// The names of functions of CUDA's driver that stand before a parenthesis in a text, behind a prefix.
fn driver_calls(text: &str, prefix: &str) -> BTreeSet<String> {
    let start = format!("{prefix}cu");
    let starts = text.match_indices(&start).map(|(at, _)| at + prefix.len());
    let names = starts.filter_map(|at| {
        let name = text[at..].split(|it: char| !it.is_ascii_alphanumeric() && it != '_').next()?;
        let is_call = text[at + name.len()..].starts_with('(') && name[2..].starts_with(char::is_uppercase);
        is_call.then(|| name.to_owned())
    });
    names.collect()
}

/// What is missing there ends a program where the runtime calls it first.
#[test]
fn the_driver_of_these_tests_has_what_the_runtime_calls() {
    let repository = tools::repository();
    let read = |path: &Path| std::fs::read_to_string(path).expect("a source file");
    let sources = tools::files_below(&repository.join("runtime/src"), "rs");
    let called: BTreeSet<_> = sources.iter().flat_map(|it| driver_calls(&read(it), "sys::")).collect();
    assert!(called.contains("cuLaunchKernel"), "{called:?}");
    let there = driver_calls(&read(&repository.join("tests/driver/fake_cuda.c")), "int ");
    assert_eq!(called.difference(&there).collect::<Vec<_>>(), Vec::<&String>::new());
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

/// The `mpicc` of an MPI that says that it takes memory of CUDA devices.
fn cuda_aware(mpi: &str, folder: &Path) -> Option<PathBuf> {
    let compiler = tools::optional_tool(&format!("mpicc.{mpi}"))?;
    let header = tools::repository().join("tests/driver/cuda_aware.h");
    let wrapper = folder.join("mpicc");
    let text = format!("#!/bin/sh\nexec {} -include {} \"$@\"\n", compiler.display(), header.display());
    std::fs::write(&wrapper, text).expect("written");
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o700)).expect("a mode");
    Some(wrapper)
}

/// Copies between two processes of an MPI; `option` is `APG_MPI_DEVICE_MEMORY`.
fn copy_over_mpi(mpi: &str, option: Option<&str>, transport: &str) -> Option<Output> {
    let mut launcher = jobs::mpirun(mpi, 2)?;
    launcher.arg(tools::apg());
    match option {
        Some(value) => launcher.env("APG_MPI_DEVICE_MEMORY", value),
        None => launcher.env_remove("APG_MPI_DEVICE_MEMORY"),
    };
    let program = ["remote_copies.x10", "--transport", transport];
    Some(run_by(launcher, &program, "report devices=1", true))
}

/// Copies by the driver from an accelerator to its host, and to it.
fn driver_copies(output: &Output) -> [u64; 2] {
    ["cuMemcpyDtoH", "cuMemcpyHtoD"].map(|kind| calls(output, |name| name.starts_with(kind)))
}

#[test]
fn copies_between_accelerators_of_hosts_are_left_to_an_mpi_that_takes_them() {
    for mpi in ["openmpi", "mpich"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let Some(compiler) = cuda_aware(mpi, folder.path()) else { return };
        let aware = format!("mpi:{}", compiler.display());
        // By its own word, by that of the user, and not.
        for (option, transport, is_direct) in [
            (None, &*aware, true),
            (Some("1"), "mpi", true),
            (Some("0"), &*aware, false),
            (None, "mpi", false),
        ] {
            let Some(output) = copy_over_mpi(mpi, option, transport) else { return };
            says(&output, &["all right"]);
            // The exceptions of copies to and from a rail that was deleted.
            assert_eq!(
                output.stdout.matches("are not in a rail of this device, or it was deleted").count(),
                2
            );
            assert!(!output.stdout.contains("copied"), "{}", output.stdout);
            // Puts of a host that are short enough to travel with their headers are always staged.
            let [from, to] = driver_copies(&output);
            let what = format!("{mpi} {option:?} {transport}: {}", output.stderr);
            assert_eq!((from == 0, to == 6), (is_direct, is_direct), "{what}");
        }
    }
    let Some(output) = copy_over_mpi("openmpi", Some("yes"), "mpi") else { return };
    assert_ne!(output.status, 0);
    says(&output, &["APG_MPI_DEVICE_MEMORY is `yes`: write 0 to copy"]);
}

/// Without MPI they go through the hosts.
#[test]
fn copies_between_accelerators_of_places_arrive() {
    let program = ["remote_copies.x10", "--places", "2"];
    let output = run_by(Command::new(tools::apg()), &program, "report devices=1", true);
    says(&output, &["all right"]);
    assert!(driver_copies(&output).into_iter().all(|it| it > 6), "{}", output.stderr);
}

/// Runs a program in C whose parallel regions are given to the driver.
fn run_regions(arguments: &[&str], settings: &str) -> Output {
    let words: Vec<&str> = ["parallel_regions.c", "--parallel", "device", "--"]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    run_by(Command::new(tools::apg()), &words, settings, true)
}

#[test]
fn a_parallel_region_that_runs_again_costs_one_launch() {
    let calls = |regions: &str| {
        let output = run_regions(&[regions], "report teams=1");
        says(&output, &["regions"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        move |name: &str| called(&output, name) as i64
    };
    let (few, many) = (calls("2"), calls("12"));
    let more = |name: &str| many(name) - few(name);
    assert_eq!(more("cuLaunchKernel"), 10, "loops whose threads are independent");
    assert_eq!(more("cuLaunchCooperativeKernel"), 10, "teams that wait");
    assert_eq!(more("cuMemcpyDtoDAsync_v2"), 20, "a team is renewed behind each region");
    for name in [
        "cuMemcpyHtoDAsync_v2",
        "cuMemAlloc_v2",
        "cuMemAllocManaged",
        "cuMemHostUnregister",
        "cuStreamSynchronize",
    ] {
        assert_eq!(more(name), 0, "{name}");
    }
    // How many ranges there are depends on where the system has put the program.
    assert!(more("cuMemHostRegister_v2") < 10, "the same memory is registered once");
}

#[test]
fn failures_of_parallel_regions_name_their_line() {
    let output = run_regions(&[], "teams=1 fail=cuLaunchKernel:700");
    says(
        &output,
        &["parallel_regions.c:14: `parallel for`", "CUDA_ERROR_ILLEGAL_ADDRESS", "APG_DEVICE_STACK"],
    );
    assert_eq!(output.status, 1);
    let output = run_regions(&[], "teams=1 memory=10000");
    says(
        &output,
        &[
            "parallel_regions.c:14: `parallel for`",
            "bytes requested, ",
            "of 10000 bytes are free",
            "allocate less",
        ],
    );
    assert_eq!(output.status, 1);
    let output = run_regions(&[], "");
    says(&output, &["cannot run all blocks of a kernel at the same time", "`--accels cpu`"]);
    assert_eq!(output.status, 1);
}

#[test]
fn memory_that_pointers_at_file_scope_lead_to_is_registered() {
    let run = |arguments: &[&str], settings: &str| {
        let words = [&["file_scope.c", "--parallel", "device", "--"], arguments].concat();
        run_by(Command::new(tools::apg()), &words, &format!("report teams=1{settings}"), true)
    };
    let output = run(&[], "");
    says(&output, &["the end"]);
    // The program may unmap these between regions. They may be one mapping.
    let ended = called(&output, "cuMemHostUnregister");
    assert!((3..=6).contains(&ended), "of each region: {}", output.stderr);
    let output = run(&["later"], "");
    says(&output, &["the end"]);
    assert!(called(&output, "cuMemHostUnregister") > 0, "of the second region: {}", output.stderr);
    // The region may use other memory.
    let file = tools::repository().join("tests/driver/file_scope.c").display().to_string();
    let output = run(&[&file], "");
    says(&output, &["the end"]);
    let output = run(&[&file], " fail=cuLaunchCooperativeKernel:700");
    says(
        &output,
        &[
            "file_scope.c:18: `parallel`",
            "CUDA_ERROR_ILLEGAL_ADDRESS",
            "a pointer at file scope",
            "which the device does not reach",
        ],
    );
    assert_eq!(output.status, 1);
}
