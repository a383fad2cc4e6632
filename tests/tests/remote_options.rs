//! Options of `apg run --on` that concern more than the program: profiles, sanitizers and debuggers; and
//! places of several hosts.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use apg_tests::lab::Lab;
use apg_tests::remote_lab::{apg, lab, run};
use apg_tests::{processes, tools};
use serde_json::Value;

/// Fails with an exit status after work at two places.
const WORKS: &str = "public class Works {
    static def work(n:Long):Long {
        val twice = n * 2;
        return twice;
    }
    public static def main(Rail[String]) {
        finish for (p in Place.places()) at (p) async { Console.OUT.println(\"work \" + work(here.id + 3)); }
        System.setExitCode(5n);
    }
}
";

/// Reads behind the end of an array, whose index is not checked.
const OVERFLOW: &str = "public class Overflow {
    public static def main(args:Rail[String]) {
        val data = new Rail[Long](4);
        Console.OUT.println(data(4 + args.size));
    }
}
";

fn lab_with(programs: &[(&str, &str)]) -> Option<Lab> {
    let lab = lab("")?;
    for (name, text) in programs {
        fs::write(lab.path(&format!("{name}.x10")), text).expect("written");
    }
    Some(lab)
}

/// The names of the places in a profile.
fn places_in(trace: &Value) -> Vec<&str> {
    let events = trace["traceEvents"].as_array().expect("events").iter();
    let mut places: Vec<&str> = events
        .filter(|event| event["name"] == "process_name")
        .filter_map(|event| event["args"]["name"].as_str())
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

#[test]
fn profiles_come_back_however_the_program_ends_and_wherever_it_was_built() {
    let Some(lab) = lab_with(&[("Works", WORKS)]) else { return };
    for build in ["there", "here"] {
        let file = lab.path(&format!("{build}.json"));
        let name = file.display().to_string();
        let arguments =
            ["run", "Works.x10", "--on", "h1", "--build", build, "--places", "2", "--profile", &name];
        let output = run(apg(&lab, &arguments));
        assert_eq!(output.status, 5, "{}", output.stderr);
        assert!(output.stderr.contains(&format!("profile in {name}")), "{}", output.stderr);
        let trace = fs::read_to_string(&file).expect("a profile");
        let trace: Value = serde_json::from_str(&trace).expect("JSON");
        assert_eq!(places_in(&trace), ["Place(0)", "Place(1)"]);
    }
    let refused = run(apg(&lab, &["run", "Works.x10", "--on", "h1", "--profile", "x.json", "--detach"]));
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("`--keep`"), "{}", refused.stderr);
    lab.assert_nothing_left();
}

#[test]
fn sanitizers_run_there_and_need_a_compiler_there() {
    let Some(lab) = lab_with(&[("Overflow", OVERFLOW)]) else { return };
    let arguments = ["run", "Overflow.x10", "--on", "h1", "--checks", "none", "--sanitize", "address"];
    let output = run(apg(&lab, &arguments));
    assert_ne!(output.status, 0, "{}", output.stdout);
    assert!(output.stderr.contains("AddressSanitizer"), "{}", output.stderr);
    let refused = run(apg(&lab, &[&arguments[..], &["--build", "here"]].concat()));
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("--sanitize is for programs that are built where they run"));
    lab.assert_nothing_left();
}

/// C++ code is compiled there: its errors are said with the paths of this machine.
#[test]
fn errors_of_the_compiler_there_name_files_here() {
    let Some(lab) = lab("") else { return };
    for folder in ["project/app", "project/library"] {
        fs::create_dir_all(lab.path(folder)).expect("folders");
    }
    let program = "import x10.compiler.Native;\nimport x10.compiler.NativeCPPInclude;\n\
        @NativeCPPInclude(\"above.h\")\npublic class Native1 {\n\
        @Native(\"c++\", \"nothing_of_that_name(#n)\") static native def f(n:Long):Long;\n\
        public static def main(Rail[String]) { Console.OUT.println(f(1)); }\n}\n";
    fs::write(lab.path("project/app/Native1.x10"), program).expect("written");
    let check = |header: &str, expected: &str| {
        fs::write(lab.path("project/library/above.h"), header).expect("written");
        let mut command = apg(&lab, &["run", "Native1.x10", "-I", "../library", "--on", "h1"]);
        command.current_dir(lab.path("project/app"));
        let output = run(command);
        assert_eq!(output.status, 1, "{}", output.stdout);
        assert!(output.stderr.contains(expected), "lacks {expected}: {}", output.stderr);
        assert!(!output.stderr.contains("/trees/"), "{}", output.stderr);
    };
    check("", "Native1.x10:5:");
    check("int broken( { return 1; }\n", "../library/above.h:1:");
    lab.assert_nothing_left();
}

#[test]
fn debugger_runs_there_and_is_spoken_to_here() {
    if tools::optional_tool("gdb").is_none() {
        return;
    }
    let Some(lab) = lab_with(&[("Works", WORKS)]) else { return };
    let mut command = apg(&lab, &["run", "Works.x10", "--on", "h1", "--debugger"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    let commands = "set confirm off\nbreak Works.x10:4\nrun\nbt\nxlocals\nlist\nkill\nquit\n";
    input.write_all(commands.as_bytes()).expect("it is read");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    for expected in ["Works.work ()\n", "twice = 6", "n = 3", "return twice;"] {
        assert!(
            text.contains(expected),
            "no `{expected}` in:\n{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    lab.assert_nothing_left();
}

/// Ctrl-C stops the program in the debugger, and ends neither.
#[test]
fn interrupts_stop_the_program_in_a_debugger() {
    if tools::optional_tool("gdb").is_none() {
        return;
    }
    let Some(lab) = lab("") else { return };
    let mut command = apg(&lab, &["run", "Waits.x10", "--on", "h1", "--debugger"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(b"set confirm off\nrun\n").expect("it is read");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("started")), "the program has not started");
    processes::interrupt(&child);
    assert!(lines.any(|line| line.contains("SIGINT")), "the debugger has not stopped the program");
    input.write_all(b"print 6 * 7\nkill\nquit\n").expect("it is read");
    assert!(lines.any(|line| line.contains("= 42")), "the debugger has ended");
    drop(input);
    let _ = lines.count();
    child.wait().expect("it ends");
    lab.assert_nothing_left();
}

#[test]
fn places_of_several_hosts_are_shown_and_hosts_that_do_not_answer_are_named() {
    let Some(lab) = Lab::new(2) else { return };
    let output = run(apg(&lab, &["places", "--hosts", "h1:2,h2:1", "--accels", "none", "--threads", "3"]));
    let expected =
        ["Place(0)  host h1, 3 threads", "Place(1)  host h1, 3 threads", "Place(2)  host h2, 3 threads"];
    assert_eq!(output.stdout.lines().take(3).collect::<Vec<_>>(), expected, "{}", output.stderr);
    fs::write(lab.path("hosts"), "h1 slots=1\nh2 slots=1\n").expect("written");
    // What names hosts here is not asked there again.
    let mut command = apg(&lab, &["places", "--message-format", "json", "--accels", "none"]);
    command.env("X10_HOSTFILE", lab.path("hosts"));
    let output = run(command);
    let places: Vec<Value> =
        output.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let hosts: Vec<_> = places.iter().map(|place| (&place["place"], &place["host"])).collect();
    assert_eq!(hosts, [(&0.into(), &"h1".into()), (&1.into(), &"h2".into())], "{}", output.stderr);
    // Seen from another machine, by a file of this one.
    let output = run(apg(&lab, &["places", "--on", "h1", "--hosts", "localhost:2", "--accels", "none"]));
    assert_eq!(output.stdout.matches("host, ").count(), 2, "{}", output.stderr);
    let output = run(apg(&lab, &["places", "--hosts", "h1:1,no.such.host.invalid:1"]));
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("no.such.host.invalid"), "{}", output.stderr);
    assert!(output.stderr.contains("there is no host of this name"), "{}", output.stderr);
    lab.assert_nothing_left();
}
