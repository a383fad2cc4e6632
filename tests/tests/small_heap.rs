//! Programs in small heaps: memory is refused only when what is alive leaves no room for it, and nothing
//! alive is lost.
//!
//! The seed of the stress is fixed; `APG_FUZZ_SEED` chooses another one.

use std::path::Path;
use std::process::Command;

use apg_tests::processes::apg;
use apg_tests::tools;

fn folder(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join(name), text).expect("written");
    folder
}

/// Runs a program; what it prints.
#[track_caller]
fn run(folder: &Path, options: &str, arguments: &str) -> String {
    let mut words = vec!["run"];
    words.extend(options.split(' '));
    words.extend(arguments.split(' '));
    let output = apg(folder, &words).output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{options} {arguments}: {}\n{errors}", output.status);
    format!("{}{errors}", String::from_utf8_lossy(&output.stdout))
}

#[test]
fn a_heap_with_little_alive_is_never_full() {
    let folder = folder("Stress.x10", include_str!("small_heap/Stress.x10"));
    let seed: u64 = std::env::var("APG_FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    for (megabytes, activities, rounds) in [(16, 1, 50), (17, 4, 15), (16, 32, 3), (64, 3, 8)] {
        let options = format!("--heap {megabytes}M --threads {activities} Stress.x10");
        let arguments = format!("{seed} {} {activities} {rounds}", megabytes << 20);
        let printed = run(folder.path(), &options, &arguments);
        assert_eq!(printed, "OutOfMemoryErrors 0, damaged objects 0\n", "{options} {arguments}");
    }
}

#[test]
fn what_an_error_has_ended_leaves_the_whole_heap() {
    let folder = folder("Again.x10", include_str!("small_heap/Again.x10"));
    let all = "10 30 60\n";
    let round = format!(
        "objects: OutOfMemoryError, then {all}activities: MultipleExceptions, then {all}\
         string: OutOfMemoryError, then {all}list: OutOfMemoryError, then {all}\
         exceptions: MultipleExceptions, then {all}few: returned, then {all}\
         elsewhere: OutOfMemoryError, then {all}"
    );
    for places in [1, 2] {
        let options = format!("--heap 24M --threads 3 --places {places} Again.x10");
        let printed = run(folder.path(), &options, &(24 << 20).to_string());
        assert_eq!(printed, round.repeat(2), "at {places} places");
    }
}

#[test]
fn copies_between_places_find_room_beside_garbage() {
    let folder = folder("Copies.x10", include_str!("small_heap/Copies.x10"));
    for (threads, arguments) in [(2, "4 30 3000"), (8, "16 5 1000")] {
        let options = format!("--heap 16M --threads {threads} --places 2 Copies.x10");
        assert_eq!(run(folder.path(), &options, arguments), "failures 0\n", "{options} {arguments}");
    }
}

/// The C++ runtime as a busy machine makes it: now and then a thread is held up between a throw and its
/// handler.
#[test]
fn exceptions_survive_what_delays_their_handlers() {
    let Some(compiler) = ["cc", "gcc", "clang"].into_iter().find_map(tools::optional_tool) else {
        eprintln!("SKIPPED: no C compiler");
        return;
    };
    let folder = folder("Throws.x10", include_str!("small_heap/Throws.x10"));
    let (source, library) = (folder.path().join("delay.c"), folder.path().join("libdelay.so"));
    std::fs::write(&source, include_str!("small_heap/delay.c")).expect("written");
    let mut command = Command::new(compiler);
    command.args(["-O1", "-shared", "-fPIC", "-o"]).args([&library, &source]).arg("-ldl");
    assert!(command.status().expect("it starts").success());
    // Built without the delays, which the compiler would have, too.
    let build = apg(folder.path(), &["build", "Throws.x10", "-o", "throws"]).output().expect("it starts");
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    let mut command = Command::new(folder.path().join("throws"));
    let output = command.env("LD_PRELOAD", library).output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{errors}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "wrong 0\n", "{errors}");
}
