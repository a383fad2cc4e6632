//! Stack traces name the calls of the program, however it is compiled and at whichever place an exception is
//! thrown.

use std::process::Output;

use apg_tests::processes::apg;

const SOURCE: &str = include_str!("traces/Recursion.x10");

#[track_caller]
fn text_of(output: Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}\n{errors}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

/// The frames that a program prints behind `name`, up to the next name.
fn frames<'a>(output: &'a str, name: &str) -> Vec<&'a str> {
    let behind = output.lines().skip_while(|line| *line != name).skip(1);
    behind.take_while(|line| line.contains(' ') || line.starts_with("...")).collect()
}

#[test]
fn optimised_programs_name_the_calls_of_the_source() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("Recursion.x10"), SOURCE).expect("written");
    let run = |arguments: &[&str]| {
        text_of(apg(folder.path(), arguments).env_remove("APG_CACHE_DIR").output().expect("it runs"))
    };
    let expected = run(&["run", "Recursion.x10", "6"]);
    assert_eq!(frames(&expected, "even").iter().filter(|it| it.starts_with("Recursion.odd")).count(), 3);
    assert_eq!(frames(&expected, "line")[..7], ["Recursion.line (Recursion.x10:3)"; 7]);
    for options in
        [&["build", "Recursion.x10", "-o", "program"][..], &["build", "Recursion.x10", "--release"]]
    {
        run(options);
        let program = if options.len() > 3 { "./program" } else { "./Recursion" };
        let output = std::process::Command::new(program).arg("6").current_dir(folder.path()).output();
        let found = text_of(output.expect("it runs"));
        for name in ["line", "lines", "even", "element"] {
            assert_eq!(frames(&found, name), frames(&expected, name), "{name} of {options:?}");
        }
    }
}

#[test]
fn an_exception_from_another_place_has_the_frames_of_its_senders() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("Recursion.x10"), SOURCE).expect("written");
    let output = apg(folder.path(), &["run", "Recursion.x10", "--places", "2", "6"])
        .env_remove("APG_CACHE_DIR")
        .output();
    let output = text_of(output.expect("it runs"));
    let count = |name: &str, start: &str| {
        frames(&output, name).into_iter().filter(|frame| frame.starts_with(start)).count()
    };
    // Each of three `at`s is a call from `hop` and one of its body.
    assert_eq!(count("hop", "Recursion.hop "), 4, "{output}");
    assert_eq!(count("hop", "Recursion.hop.closure "), 3, "{output}");
    assert_eq!(count("hop", "Recursion.main.closure "), 1, "{output}");
    // A trace that is full keeps its beginning, and says what it lacks.
    assert_eq!(count("deepThere", "... "), 1, "{output}");
    assert_eq!(count("deepThere", "Recursion.deepThere "), 1, "{output}");
    assert_eq!(count("value", "Recursion.main.closure "), 2, "{output}");
    assert_eq!(count("value", "Recursion.main "), 1, "{output}");
}
