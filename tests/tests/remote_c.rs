//! Programs in C on a remote machine (`--on`): network namespaces with a real ssh server each.

use std::fs;
use std::process::{Command, Stdio};

use apg_tests::lab::Lab;
use apg_tests::remote_lab::{apg, events, lab, run, start};
use apg_tests::waiting::eventually;
use serde_json::Value;

/// Counts lines of input, prints its arguments and what its headers and variables say.
const ECHO: &str = "#include <stdio.h>
#include <omp.h>
#include <scale.h>
#include HEADER
#ifdef RARE
#include \"rare.h\"
#endif
int main(int count, char **words) {
  int lines = 0, c;
  while ((c = getchar()) != EOF) lines += c == '\\n';
  for (int i = 1; i < count; i++) printf(\"%s \", words[i]);
  printf(\"%d lines, %d, %d threads\\n\", lines, twice(SCALE), omp_get_max_threads());
  fprintf(stderr, \"an error\\n\");
  return 7;
}
";

/// A lab with programs in C. `None` where there is no network of namespaces.
fn lab_with_c(options: &str) -> Option<Lab> {
    let lab = lab(options)?;
    for folder in ["include", "app"] {
        fs::create_dir(lab.path(folder)).expect("a folder");
    }
    for (name, text) in [
        ("echo.c", ECHO),
        ("twice.c", "int twice(int x) { return 2 * x; }\n"),
        ("other.c", "another program\n"),
        ("named.h", "int twice(int x);\n"),
        ("rare.h", ""),
        ("include/scale.h", "#define SCALE 21\n"),
        ("include/unused.h", ""),
        ("app/wrong.c", "#include \"../named.h\"\nint main(void) { return twice(nothing); }\n"),
    ] {
        fs::write(lab.path(name), text).expect("written");
    }
    Some(lab)
}

/// The options of a build of [`ECHO`].
const BUILD: [&str; 4] = ["echo.c", "twice.c", "-Iinclude", "-DHEADER=\"named.h\""];

fn echo(lab: &Lab, verb: &str, more: &[&str]) -> Command {
    apg(lab, &[&[verb], &BUILD[..], more].concat())
}

fn files_sent(events: &[Value]) -> u64 {
    events.iter().filter(|it| it["state"] == "sending").filter_map(|it| it["files"].as_u64()).sum()
}

#[test]
fn programs_in_c_run_there_with_their_own_headers() {
    let Some(lab) = lab_with_c("") else { return };
    let options = ["--on", "h1", "--threads", "3", "word", "--", "-a", "b c"];
    let mut command = echo(&lab, "run", &options);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), b"1\n2\n").expect("it is read");
    let output = child.wait_with_output().expect("it ends");
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(out, "word -a b c 2 lines, 42, 3 threads\n", "{errors}");
    assert_eq!((output.status.code(), errors.as_ref()), (Some(7), "an error\n"));
    lab.assert_nothing_left();
}

#[test]
fn only_files_of_the_program_that_have_changed_travel() {
    let Some(lab) = lab_with_c("") else { return };
    let tool = ["--on", "h1", "--message-format", "json"];
    let first = events(&run(echo(&lab, "run", &tool)));
    // Two sources, and the headers that either machine may include.
    assert_eq!(files_sent(&first), 5, "{first:?}");
    assert_eq!(first.last().expect("an end")["status"], 7);
    assert_eq!(files_sent(&events(&run(echo(&lab, "run", &tool)))), 0);
    fs::write(lab.path("include/scale.h"), "#define SCALE 4\n").expect("written");
    let mut command = echo(&lab, "run", &tool);
    command.env("OMP_NUM_THREADS", "2");
    let edited = events(&run(command));
    assert_eq!(files_sent(&edited), 1);
    let has_line = |text: &str| edited.iter().any(|it| it["event"] == "output" && it["text"] == text);
    assert!(has_line("0 lines, 8, 2 threads"), "{edited:?}");
    lab.assert_nothing_left();
}

#[test]
fn programs_in_c_built_there_come_back_and_errors_name_files_here() {
    let Some(lab) = lab_with_c("") else { return };
    let built = run(echo(&lab, "build", &["-O1", "-o", "echo", "--on", "h1"]));
    assert_eq!(built.status, 0, "{}", built.stderr);
    let output = run(Command::new(lab.path("echo")));
    assert_eq!(output.status, 7, "{}", output.stderr);
    assert!(output.stdout.starts_with("0 lines, 42, "), "{}", output.stdout);
    let output = run(apg(&lab, &["run", "app/wrong.c", "--on", "h1"]));
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("app/wrong.c:2:"), "{}", output.stderr);
    let output = run(apg(&lab, &["run", "missing.c", "--on", "h1"]));
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("missing.c cannot be read"), "{}", output.stderr);
    lab.assert_nothing_left();
}

#[test]
fn a_machine_without_c_compiler_is_an_error() {
    let Some(lab) = lab_with_c("SetEnv CC=/no/such/compiler") else { return };
    let output = run(echo(&lab, "run", &["--on", "h1"]));
    assert_eq!((output.status, output.stdout.as_str()), (1, ""));
    let why = "h1: the C compiler `/no/such/compiler` (from $CC) does not run";
    assert!(output.stderr.contains(why) && output.stderr.contains("apt install gcc"), "{}", output.stderr);
    let output = run(echo(&lab, "run", &["--on", "h1", "--build", "here"]));
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("built where it runs"), "{}", output.stderr);
    lab.assert_nothing_left();
}

#[test]
fn jobs_in_c_are_kept_attached_to_and_stopped() {
    let Some(lab) = lab_with_c("") else { return };
    let said = run(echo(&lab, "run", &["--on", "h1", "--detach", "word"]));
    assert_eq!(said.status, 0, "{}", said.stderr);
    let name = said.stderr.split('`').nth(1).expect("a name").to_owned();
    assert!(name.starts_with("echo-"), "{name}");
    eventually(|| run(apg(&lab, &["jobs", "--on", "h1"])).stdout.contains("ended (7)"));
    let attached = run(apg(&lab, &["attach", &name, "--on", "h1"]));
    assert_eq!(attached.status, 7);
    assert!(attached.stdout.starts_with("word 0 lines, 42, "), "{}", attached.stdout);

    let text = "#include <stdio.h>\n#include <unistd.h>\nint main(void) { puts(\"started\"); fflush(stdout); \
                for (;;) pause(); }\n";
    fs::write(lab.path("waits.c"), text).expect("written");
    let mut waiting = start(apg(&lab, &["run", "waits.c", "--on", "h1", "--keep"]));
    assert_eq!(waiting.line(), "started\n");
    let listed = run(apg(&lab, &["jobs", "--on", "h1", "--message-format", "json"]));
    let job: Value = serde_json::from_str(listed.stdout.trim()).expect("a job");
    let stopped = run(apg(&lab, &["stop", job["name"].as_str().expect("a name"), "--on", "h1"]));
    assert_eq!(stopped.status, 0, "{}", stopped.stderr);
    let (_, status, errors) = waiting.end();
    assert_eq!(status, 130, "{errors}");
    lab.assert_nothing_left();
}
