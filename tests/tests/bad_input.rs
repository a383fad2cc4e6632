//! Bad input: each gives a clear error and status 1 (2 for misuse of the command): no panic, no hang, no file
//! left behind.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.0.path().join(name), text).expect("written");
        self
    }

    /// Runs apg in the folder. Nothing may be left in it but what was there, and nothing may look like a
    /// crash.
    fn apg(&self, arguments: &[&str]) -> Output {
        self.apg_with(arguments, |command| command)
    }

    fn apg_with(&self, arguments: &[&str], change: impl FnOnce(&mut Command) -> &mut Command) -> Output {
        let before = names(self.0.path());
        let cache = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new(tools::apg());
        command.args(arguments).current_dir(self.0.path()).env("APG_CACHE_DIR", cache.path().join("cache"));
        for variable in ["X10_NPLACES", "X10_NTHREADS", "X10RT_ACCELS", "CXX"] {
            command.env_remove(variable);
        }
        change(&mut command);
        let output = programs::run(command, Duration::from_secs(60)).expect("it ends");
        assert!(!output.stderr.contains("panicked"), "{}", output.stderr);
        assert!(!output.stderr.contains("RUST_BACKTRACE"), "{}", output.stderr);
        assert_eq!(names(self.0.path()), before, "files were left behind");
        output
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.sort();
    names
}

/// One error that has all these parts.
#[track_caller]
fn one_error(output: &Output, status: i32, parts: &[&str]) {
    assert_eq!(output.status, status, "{}{}", output.stdout, output.stderr);
    for part in parts {
        assert!(output.stderr.contains(part), "`{part}` is not in:\n{}", output.stderr);
    }
    let errors = output.stderr.lines().filter(|line| line.starts_with("error")).count();
    assert_eq!(errors, 1, "not one error but {errors}:\n{}", output.stderr);
}

const HELLO: &str = "public class Hello {\n    public static def main(args:Rail[String]) {\n        Console.OUT.println(\"hello\");\n    }\n}\n";

#[test]
fn a_missing_file_a_folder_and_text_that_is_none() {
    let folder = Folder::new();
    one_error(&folder.apg(&["run", "none.x10"]), 1, &["no file `none.x10`"]);
    one_error(&folder.apg(&["check", "none.x10"]), 1, &["no file `none.x10`"]);
    one_error(&folder.apg(&["run", "."]), 1, &["is a folder", "main"]);
    one_error(&folder.apg(&["check", "."]), 1, &["no .x10 file"]);
    folder.write("bad.x10", b"public class bad { // \xff\xfe\n}");
    one_error(&folder.apg(&["run", "bad.x10"]), 1, &["not UTF-8", "line 1, column 23"]);
}

#[test]
fn an_empty_file_is_clean_but_has_no_main() {
    let folder = Folder::new();
    folder.write("empty.x10", "");
    assert_eq!(folder.apg(&["check", "empty.x10"]).status, 0);
    one_error(&folder.apg(&["run", "empty.x10"]), 1, &["main"]);
}

#[test]
fn ten_thousand_open_brackets() {
    for bracket in ["{", "(", "["] {
        let folder = Folder::new();
        let text = format!("public class deep {{ static def f() {{ return {}; }} }}", bracket.repeat(10_000));
        folder.write("deep.x10", text);
        let output = folder.apg(&["check", "deep.x10"]);
        assert_eq!(output.status, 1, "{}", &output.stderr[..output.stderr.len().min(2000)]);
        assert!(
            output.stderr.contains("error[syntax/"),
            "{}",
            &output.stderr[..output.stderr.len().min(2000)]
        );
        let errors = output.stderr.lines().filter(|line| line.starts_with("error")).count();
        assert!(errors <= 3, "{errors} errors for one mistake");
    }
}

#[test]
fn no_main_and_two_mains() {
    let folder = Folder::new();
    folder.write("no.x10", "public class no { public static def other() { } }");
    one_error(&folder.apg(&["run", "no.x10"]), 1, &["main", "public static def main(args:Rail[String])"]);
    let class = |name: &str| HELLO.replace("public class Hello", name).replace("hello", name);
    folder.write("two.x10", format!("{}\n{}", class("class A"), class("class B")));
    one_error(&folder.apg(&["run", "two.x10"]), 1, &["main", "A", "B"]);
    let output = folder.apg(&["run", "two.x10", "--main", "B", "--accels", "none"]);
    assert_eq!((output.status, output.stdout.trim()), (0, "class B"), "{}", output.stderr);
}

#[test]
fn a_class_that_does_not_exist() {
    let folder = Folder::new();
    folder.write("t.x10", HELLO.replace("Console.OUT.println(\"hello\")", "val x:Strin = null"));
    one_error(&folder.apg(&["run", "t.x10"]), 1, &["Strin", "did you mean `String`", "t.x10:3"]);
}

#[test]
fn a_kernel_that_breaks_five_rules_says_all_five() {
    let folder = Folder::new();
    folder.write(
        "five.x10",
        "import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

public class five {
    val size:Int = 64n;
    static def unannotated(x:Int):Int = x + 1n;

    def run(p:Place) {
        val out = CUDAUtilities.makeGlobalRail[Int](p, 64);
        val input = new Rail[Int](64);
        finish async at (p) @CUDA {
            finish for (block in 0n..(size - 1n)) async {
                clocked finish for (thread in 0n..63n) async {
                    val fresh = new Rail[Int](3);
                    if (thread == 3n) Clock.advanceAll();
                    input(thread) = unannotated(thread);
                    out(thread) = fresh(0);
                }
            }
        }
    }
    public static def main(args:Rail[String]) { new five().run(here); }
}
",
    );
    let output = folder.apg(&["check", "--message-format", "json", "five.x10"]);
    assert_eq!(output.status, 1, "{}", output.stderr);
    let mut codes: Vec<String> = output
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .inspect(|finding| {
            assert!(finding["notes"].as_array().is_some_and(|notes| !notes.is_empty()), "{finding}")
        })
        .map(|finding| finding["code"].as_str().unwrap_or_default().to_owned())
        .collect();
    codes.sort();
    codes.dedup();
    assert!(codes.len() >= 5, "{codes:?}");
    assert!(codes.iter().all(|code| code.starts_with("cuda/") || code.starts_with("hoist/")), "{codes:?}");
    one_status_only(&folder.apg(&["run", "five.x10"]));
}

#[track_caller]
fn one_status_only(output: &Output) {
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert_eq!(output.stdout, "", "nothing runs");
}

#[test]
fn no_compiler() {
    let folder = Folder::new();
    folder.write("Hello.x10", HELLO);
    let output =
        folder.apg_with(&["run", "Hello.x10", "--accels", "none"], |command| command.env("PATH", "/nowhere"));
    one_error(&output, 1, &["no C++ compiler", "apt install g++"]);
    let output = folder.apg_with(&["run", "Hello.x10"], |command| command.env("CXX", "/nowhere/c++"));
    one_error(&output, 1, &["/nowhere/c++", "CXX"]);
    let output = folder.apg_with(&["check", "Hello.x10"], |command| command.env("PATH", "/nowhere"));
    assert_eq!(output.status, 0, "checking needs no compiler");
}

#[test]
fn accelerators_that_are_not_there() {
    if Path::new("/dev/nvidia0").exists() {
        eprintln!("SKIPPED: this machine has a GPU");
        return;
    }
    let folder = Folder::new();
    folder.write("Hello.x10", HELLO);
    one_error(&folder.apg(&["run", "Hello.x10", "--accels", "all"]), 1, &["accelerator"]);
    one_error(&folder.apg(&["run", "Hello.x10", "--accels", "0"]), 1, &["accelerator"]);
    let output = folder.apg_with(&["run", "Hello.x10"], |command| command.env("X10RT_ACCELS", "ALL"));
    one_error(&output, 1, &["accelerator"]);
}

#[test]
fn misuse_of_the_command() {
    let folder = Folder::new();
    folder.write("Hello.x10", HELLO);
    one_error(&folder.apg(&["run", "Hello.x10", "--places", "0"]), 2, &["--places"]);
    one_error(&folder.apg(&["run", "Hello.x10", "--places", "many"]), 2, &["--places"]);
    one_error(&folder.apg(&["run", "Hello.x10", "--accels", "gpu?"]), 2, &["--accels", "all"]);
    one_error(&folder.apg(&["run", "Hello.x10", "--nonsense"]), 2, &["--nonsense"]);
    one_error(&folder.apg(&["run", "Hello.x10", "--plces", "2"]), 2, &["--plces", "'--places'"]);
    one_error(&folder.apg(&["rnu", "Hello.x10"]), 2, &["'rnu'", "'run'"]);
    one_error(&folder.apg(&["palces"]), 2, &["'palces'", "'places'"]);
    one_error(&folder.apg(&["explain", "cuda/nonsense"]), 2, &["cuda/nonsense"]);
    one_error(&folder.apg(&["explain", "type/mismtch"]), 2, &["type/mismatch"]);
    let output = folder.apg_with(&["run", "Hello.x10"], |command| command.env("X10_NPLACES", "none"));
    one_error(&output, 2, &["X10_NPLACES"]);
}

#[test]
fn a_place_that_dies_ends_the_program_and_names_it() {
    let folder = Folder::new();
    let text = HELLO.replace("Console.OUT.println(\"hello\")", "at (Place(1)) System.killHere()");
    folder.write("Dying.x10", text);
    let output = folder.apg(&["run", "Dying.x10", "--places", "3", "--accels", "none"]);
    assert_ne!(output.status, 0);
    assert!(output.stderr.contains("place 1"), "{}", output.stderr);
}

#[test]
fn emitted_mir_is_read_as_it_is_printed() {
    let folder = Folder::new();
    folder.write("Hello.x10", HELLO);
    for options in
        [&["build", "Hello.x10", "--emit", "mir"][..], &["build", "Hello.x10", "--emit", "mir", "--release"]]
    {
        let output = folder.apg(options);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let program = apg_mir::text::parse(&output.stdout).unwrap_or_else(|error| panic!("{error}"));
        assert!(program.functions.iter().any(|it| it.name == "Hello.main"), "{options:?}");
        let again = apg_mir::text::print(&program, apg_mir::text::SpanDetail::Statements);
        assert_eq!(again, output.stdout, "{options:?}");
    }
}

#[test]
fn a_program_in_one_file_runs_alone() {
    let folder = Folder::new();
    folder.write("Hello.x10", HELLO);
    let place = tempfile::tempdir().expect("a temporary folder");
    let program = place.path().join("hello");
    let output = folder.apg(&["build", "Hello.x10", "-o", program.to_str().expect("a name")]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    for places in ["1", "3"] {
        let mut command = Command::new(&program);
        // Without a compiler, a cache or apg around it.
        command
            .env("PATH", "/nowhere")
            .env("X10_NPLACES", places)
            .env("X10RT_ACCELS", "NONE")
            .current_dir(place.path());
        let output = programs::run(command, Duration::from_secs(60)).expect("it ends");
        assert_eq!((output.status, output.stdout.as_str()), (0, "hello\n"), "{}", output.stderr);
    }
}

#[test]
fn a_program_with_an_error_in_another_file_does_not_run() {
    let folder = Folder::new();
    let main =
        "public class Main { public static def main(Rail[String]) { Console.OUT.println(Other.twice(2)); } }";
    folder.write("Main.x10", main);
    // It could be translated all the same.
    folder
        .write("Other.x10", "public class Other { static def twice(n:Long):Long { n = 2 * n; return n; } }");
    let output = folder.apg(&["run", "Main.x10"]);
    assert_eq!((output.status, output.stdout.as_str()), (1, ""), "{}", output.stderr);
    assert!(output.stderr.contains("flow/val-reassigned") && output.stderr.contains("Other.x10"));
    folder.write("Other.x10", "public class Other { static def twice(n:Long):Long { return 2 * n; } }");
    // Files that the program does not use are not opened.
    folder.write("Unused.x10", "public class Unused { static def once(n:Long):Long { n = 1; return n; } }");
    let output = folder.apg(&["run", "Main.x10"]);
    assert_eq!((output.status, output.stdout.as_str()), (0, "4\n"), "{}", output.stderr);
}

#[test]
fn a_run_as_events() {
    let folder = Folder::new();
    folder.write("Hello.x10", HELLO);
    let output = folder.apg(&["run", "Hello.x10", "--accels", "none", "--message-format", "json"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let events: Vec<serde_json::Value> =
        output.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap_or_default()).collect();
    assert_eq!(names, ["started", "output", "exit"]);
    assert_eq!((&events[1]["stream"], &events[1]["text"]), (&"stdout".into(), &"hello".into()));
    assert_eq!(events[1]["place"], 0);
    assert_eq!(events[2]["status"], 0);
}

#[test]
fn a_program_that_is_misnamed() {
    let folder = Folder::new();
    folder.write("hello.x10", "class hello { public static def main(args:Rail[String]) {} }\n");
    one_error(&folder.apg(&["run", "helo.x10"]), 1, &["no file `helo.x10`", "did you mean `hello.x10`?"]);
    one_error(&folder.apg(&["check", "hello"]), 1, &["no file `hello`", "did you mean `hello.x10`?"]);
    let nothing = folder.apg(&["run", "other.x10"]);
    one_error(&nothing, 1, &["no file `other.x10`"]);
    assert!(!nothing.stderr.contains("did you mean"), "{}", nothing.stderr);
    one_error(&folder.apg(&["hello.x10"]), 2, &["not a command", "apg run hello.x10"]);
}

#[test]
fn shells_complete_commands_and_options() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let output = folder.apg(&["completions", shell]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(output.stdout.contains("message-format"), "{}", output.stdout);
    }
    let script = folder.apg(&["completions", "bash"]).stdout;
    folder.write("apg.bash", &script);
    let mut bash = Command::new("bash");
    bash.current_dir(folder.0.path()).args(["-c", "source ./apg.bash && COMP_WORDS=(apg run --pl) COMP_CWORD=2 && _apg apg --pl run && echo ${COMPREPLY[@]}"]);
    let output = programs::run(bash, Duration::from_secs(60)).expect("it ends");
    assert_eq!(output.stdout.trim(), "--places", "{}", output.stderr);
}

/// Names of apg.toml are completed behind `--on`, but for those that a shell would expand.
#[test]
fn shells_complete_names_of_remote_machines() {
    let folder = Folder::new();
    let names = ["gpu-one", "gpu-two", "other", "'$(touch${IFS}expanded)'"];
    folder.write("apg.toml", names.map(|it| format!("[remote.{it}]\nhost = \"h\"\n")).concat());
    for shell in ["bash", "fish"] {
        folder.write(&format!("apg.{shell}"), &folder.apg(&["completions", shell]).stdout);
    }
    let asked = |shell: &str, script: &str| {
        let mut command = Command::new(shell);
        let tools = tools::apg().parent().expect("a folder").display().to_string();
        let path = std::env::var("PATH").expect("a path");
        command.current_dir(folder.0.path()).env("PATH", format!("{tools}:{path}")).args(["-c", script]);
        programs::run(command, Duration::from_secs(60)).expect("it ends")
    };
    let bash = |words: &str| {
        let script = format!(
            "source ./apg.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _apg_with_names; \
             echo ${{COMPREPLY[@]}}"
        );
        asked("bash", &script).stdout.trim().to_owned()
    };
    assert_eq!(bash("apg run A.x10 --on gpu"), "gpu-one gpu-two");
    assert_eq!(bash("apg run A.x10 --on = o"), "other");
    assert_eq!(bash("apg jobs --on ''"), "gpu-one gpu-two other");
    assert!(!folder.0.path().join("expanded").exists());
    if tools::optional_tool("fish").is_none() {
        return;
    }
    let fish = |line: &str| {
        let shown = asked("fish", &format!("source ./apg.fish; complete -C '{line}'")).stdout;
        shown.lines().filter_map(|it| it.split('\t').next()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(fish("apg run A.x10 --on gpu"), "gpu-one gpu-two");
    assert_eq!(fish("apg jobs --on=o"), "--on=other");
    assert!(!folder.0.path().join("expanded").exists());
}

/// With `--` or without; what looks like an option stands behind it.
#[test]
fn arguments_reach_the_program() {
    let folder = Folder::new();
    let text = "public class A { public static def main(args:Rail[String]) { for (a in args) Console.OUT.print(a + \";\"); } }";
    folder.write("A.x10", text);
    assert_eq!(
        folder.apg(&["run", "A.x10", "x", "--places", "1", "y", "--", "-z", "--places"]).stdout,
        "x;y;-z;--places;"
    );
    one_error(&folder.apg(&["run", "A.x10", "-z"]), 2, &["unexpected argument '-z'", "use '-- -z'"]);
}

#[test]
fn errors_have_colours_where_they_are_wanted() {
    let folder = Folder::new();
    folder.write("A.x10", "class A { val x:Long = ; }");
    let shown = |arguments: &[&str]| folder.apg(arguments).stderr.contains("\u{1b}[");
    assert!(!shown(&["check", "A.x10"]), "stderr is no terminal");
    assert!(shown(&["check", "--color", "always", "A.x10"]));
    assert!(shown(&["--color=always", "check", "A.x10"]));
    assert!(!shown(&["check", "--color", "never", "A.x10"]));
}
