//! gdb, as `apg run --debugger` starts it: breakpoints at X10 lines, names and values as X10 has them. And which one is started:
//! those of that test are programs that say what they were started with.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use apg_tests::processes::apg;
use apg_tests::{programs, tools};

const PROGRAM: &str = "public class Foo {
    static class Pair { val a:Long; var name:String; def this(a:Long, n:String) { this.a = a; name = n; } }
    static def work_hard(n:Long, text:String, data:Rail[Long]):Long {
        val pair = new Pair(n / 2, text + \"!\");
        return pair.a + data.size;
    }
    public static def main(args:Rail[String]) {
        val data = new Rail[Long](5, (i:Long)=>i * i);
        finish async Console.OUT.println(work_hard(10, \"hello\", data));
    }
}
";

#[test]
fn a_breakpoint_shows_the_stack_and_the_variables() {
    if tools::optional_tool("gdb").is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("Foo.x10"), PROGRAM).expect("written");
    // gdb reads these in the folder that it is started in, if it is the home.
    let commands = "break Foo.x10:5\nrun\nbt\nxlocals\nxprint text\nkill\nquit\n";
    std::fs::write(folder.path().join(".gdbinit"), "set confirm off\n").expect("written");
    std::fs::write(folder.path().join("commands"), commands).expect("written");
    let mut command = std::process::Command::new("sh");
    let debug = "exec \"$0\" run --debugger Foo.x10 <commands";
    command.args(["-c", debug]).arg(tools::apg()).current_dir(folder.path()).env("HOME", folder.path());
    command.envs(apg(folder.path(), &[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = programs::run(command, Duration::from_secs(300)).expect("it ends");
    for text in [
        "Foo.work_hard () at",
        "Foo.main.closure () at",
        "data = x10.lang.Rail[x10.lang.Long](5) [0, 1, 4, 9, 16]",
        "n = 10",
        "pair = Foo.Pair(a=5, name=\"hello!\")",
        "text = \"hello\"",
    ] {
        assert!(output.stdout.contains(text), "no `{text}` in:\n{}{}", output.stdout, output.stderr);
    }
}

/// What is started in place of a debugger, and with what, where programs say that instead of debugging.
fn started<const N: usize>(options: &[&str], debuggers: [&str; N]) -> (String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("Foo.x10"), PROGRAM).expect("written");
    for name in debuggers {
        let program = folder.path().join(name);
        let text = format!("#!/bin/sh\necho {name} debug=$APG_DEVICE_DEBUG: \"$@\"\n");
        std::fs::write(&program, text).expect("written");
        std::fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("made a program");
    }
    let mut arguments = vec!["run"];
    arguments.extend(options);
    arguments.push("Foo.x10");
    let mut command = apg(folder.path(), &arguments);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", folder.path().display()));
    let output = programs::run(command, Duration::from_secs(300)).expect("it ends");
    (output.stdout, output.stderr)
}

#[test]
fn the_debugger_of_kernels_is_started_where_it_is_named() {
    let both = ["gdb", "cuda-gdb"];
    let (said, errors) = started(&["--debugger=cuda-gdb", "--places=1"], both);
    assert!(said.starts_with("cuda-gdb debug=1: -q -x"), "{said}{errors}");
    assert!(said.contains("apg.gdb -x") && said.contains("apg_gdb.py --args"), "{said}");
    assert!(said.contains("--places=1"), "{said}");
    let (said, errors) = started(&["--debugger"], both);
    assert!(said.starts_with("gdb debug=: -q -x"), "{said}{errors}");
}

#[test]
fn a_debugger_that_is_not_there_is_named_with_what_to_install() {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain(["/usr/local/cuda/bin".into()]);
    if folders.any(|folder| folder.join("cuda-gdb").exists()) {
        eprintln!("SKIPPED: cuda-gdb is installed");
        return;
    }
    let (_, errors) = started(&["--debugger=cuda-gdb"], []);
    assert!(errors.contains("cannot start cuda-gdb") && errors.contains("CUDA toolkit"), "{errors}");
}
