//! The runtime as a value: all places of a program in the process of this test, under many schedules of
//! messages, and programs that fail, whose end is a value as well.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use apg_project::build;
use apg_project::session::{self, Settings};
use apg_runtime::cache::Cache;
use apg_runtime::net::in_process::Schedule;
use apg_runtime::run::{ExitStatus, Image, Runtime};
use apg_runtime::topology::Selection;
use apg_tests::tools;
use apg_toolchain::{Mode, NativeOptions, SilentObserver, thread_pool};

/// Seeds of the schedules that each program runs under.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=10;

/// The path of a program of `tests/programs` without its extension.
fn path(name: &str) -> PathBuf {
    tools::repository().join("tests/programs").join(name)
}

/// Builds a program of `tests/programs`.
fn build(name: &str) -> Image {
    let file = path(name).with_extension("x10");
    let (host, main) = session::load_program(&file, &Settings::default()).expect("the program is read");
    let (analysis, options) = (host.snapshot(), build::Options::default());
    let translated = thread_pool::install(move || build::translate(&analysis, main, None, options));
    let translated = translated.expect("the program has no errors");
    let native = NativeOptions::default();
    let built = build::compile(&translated, Mode::default(), &native, &Cache::default(), &SilentObserver);
    let built = built.expect("the program compiles");
    // Its bytes, since the cache may drop the file.
    Image::Bytes(std::fs::read(&built.path).expect("the shared object is read"))
}

/// Runs a program with all its places in this process: its status, standard output and standard error.
fn run(program: &Image, places: u32, schedule: Schedule) -> (ExitStatus, [String; 2]) {
    let printed: Arc<Mutex<[Vec<u8>; 2]>> = Arc::default();
    let sink = Arc::clone(&printed);
    let mut options = Runtime::builder(program.clone()).places(places).in_process(schedule).output(Arc::new(
        move |stream, bytes| {
            sink.lock().expect("no panic")[usize::from(stream == 2)].extend_from_slice(bytes)
        },
    ));
    options.accelerators = Selection::None;
    let runtime = options.start().expect("the places start");
    let end = runtime.run_program();
    let status = runtime.shutdown(end);
    let printed = printed.lock().expect("no panic").clone();
    (status, printed.map(|text| String::from_utf8(text).expect("UTF-8")))
}

/// The program prints under each schedule what it prints as processes.
#[track_caller]
fn assert_same_output(name: &str, places: &[u32]) {
    let program = build(name);
    let expected = std::fs::read_to_string(path(name).with_extension("out")).expect("its output");
    for places in places {
        for seed in SEEDS {
            let schedule = Schedule { seed, ..Schedule::default() };
            let (status, [printed, errors]) = run(&program, *places, schedule);
            let expected = expected.replace("@PLACES@", &places.to_string());
            assert_eq!(printed, expected, "{name} at {places} places by seed {seed}\n{errors}");
            assert_eq!(status, ExitStatus::Code(0), "{name} at {places} places by seed {seed}");
        }
    }
}

#[test]
fn collective_operations_do_not_depend_on_the_schedule() {
    assert_same_output("teams", &[2, 5]);
}

#[test]
fn static_fields_are_those_of_a_place() {
    assert_same_output("statics", &[2, 4]);
}

#[test]
fn load_balancing_counts_each_task_once() {
    assert_same_output("unbalanced_tree", &[2, 16]);
}

#[test]
fn exit_status_is_a_value() {
    let (status, [printed, _]) = run(&build("exit_code"), 3, Schedule::default());
    assert_eq!((status, printed.as_str()), (ExitStatus::Code(3), "all went well\n"));
}

#[test]
fn uncaught_exception_is_reported_and_ends_the_program_alone() {
    let program = build("uncaught");
    for _ in 0..2 {
        let (status, [_, errors]) = run(&program, 2, Schedule::default());
        assert_eq!(status, ExitStatus::Code(1), "{errors}");
        assert!(errors.contains("IllegalArgumentException: nobody catches this"), "{errors}");
    }
}

#[test]
fn impossible_numbers_of_places_are_errors() {
    let start = |places| {
        Runtime::builder(Image::Bytes(Vec::new())).places(places).in_process(Schedule::default()).start()
    };
    for places in [0, u32::MAX] {
        let error = start(places).err().expect("no such number of places");
        assert!(error.contains("there must be 1 to"), "{error}");
    }
}

#[test]
fn requested_accelerators_are_refused() {
    let mut options = Runtime::builder(Image::Bytes(Vec::new())).places(2).in_process(Schedule::default());
    options.accelerators = Selection::All;
    let error = options.start().err().expect("places of one process have no accelerators");
    assert!(error.contains("no accelerators"), "{error}");
}

#[test]
fn file_that_is_no_program_is_an_error() {
    let no_program = Image::Bytes(b"no shared object".to_vec());
    let error = Runtime::builder(no_program).places(2).in_process(Schedule::default()).start().err();
    let error = error.expect("it cannot be loaded");
    assert!(error.contains("cannot load the program"), "{error}");
}
