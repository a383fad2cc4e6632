//! gdb, as `apg run --debugger` starts it: breakpoints at X10 lines, names and values as X10 has them. And
//! which one is started: those of that test are programs that say what they were started with.

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

const C_PROGRAM: &str = r#"#include <stdio.h>

#pragma omp declare target
static double scaled(double value, int factor) {
    double result = value * factor;
    return result;
}
#pragma omp end declare target

int main(void) {
    double data[4] = {1, 2, 3, 4};
    int factor = 3;
    #pragma omp target teams distribute parallel for map(tofrom: data)
    for (int i = 0; i < 4; i++)
        data[i] = scaled(data[i], factor);
    double last = 0;
    #pragma omp parallel for reduction(+: last)
    for (int i = 0; i < 4; i++)
        last += data[i];
    printf("%g\n", scaled(last, factor));
    return 0;
}
"#;

/// What gdb says of the program in C, given its commands and the options of `apg run`.
fn debug_c(options: &str, commands: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("scale.c"), C_PROGRAM).expect("written");
    std::fs::write(folder.path().join(".gdbinit"), "set confirm off\n").expect("written");
    std::fs::write(folder.path().join("commands"), commands).expect("written");
    let mut command = std::process::Command::new("sh");
    let debug = format!("exec \"$0\" run --debugger {options} scale.c <commands");
    command.args(["-c", &debug]).arg(tools::apg()).current_dir(folder.path()).env("HOME", folder.path());
    command.envs(apg(folder.path(), &[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = programs::run(command, Duration::from_secs(300)).expect("it ends");
    format!("{}{}", output.stdout, output.stderr)
}

#[test]
fn a_breakpoint_in_c_stops_at_its_line_with_its_variables() {
    if tools::optional_tool("gdb").is_none() {
        return;
    }
    // The second form is loaded after the start, from an edited text.
    for options in ["--accels none --threads 1", "--accels cpu --threads 1"] {
        let commands = "break scale.c:19 if i == 2\nbreak scale.c:20\nrun\ninfo locals\ncontinue\nbt 1\n\
                        print data\nprint factor\nkill\nquit\n";
        let said = debug_c(options, commands);
        let wanted = ["scale.c:19\n", "i = 2\n", "main () at ", "scale.c:20\n", "= {3, 6, 9, 12}\n", "= 3\n"];
        for text in wanted {
            assert!(said.contains(text), "no `{text}` with {options} in:\n{said}");
        }
    }
}

const KERNEL: &str = "import x10.compiler.CUDA;
import x10.util.CUDAUtilities;
public class Sums {
    @CUDA static def twice(x:Long):Long {
        val y = x * 2;
        return y;
    }
    public static def main(Rail[String]) {
        val out = CUDAUtilities.makeGlobalRail[Long](here, 8);
        val input = new Rail[Long](8, (i:Long)=>i + 1);
        finish async at (here) @CUDA {
            finish for (b in 0n..1n) async {
                val s = new Rail[Long](4);
                clocked finish for (t in 0n..3n) clocked async {
                    val mine = input(b * 4n + t);
                    s(t) = mine;
                    Clock.advanceAll();
                    val near = s((t + 1n) % 4n);
                    out(b * 4n + t) = twice(near + mine);
                }
            }
        }
        Console.OUT.println(out(7));
    }
}
";

#[test]
fn a_kernel_on_a_cpu_stops_once_for_each_thread() {
    if tools::optional_tool("gdb").is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("Sums.x10"), KERNEL).expect("written");
    let each = "xlocals\ncontinue\n".repeat(8);
    let conditions =
        "break Sums.x10:19 if $x(\"t\") == 2 && $x(\"b\") == 1\nbreak Sums.x10:6 if $x(\"y\") == 30\n";
    let first = format!("break Sums.x10:18\nrun\n{each}");
    let second = format!("delete\n{conditions}run\nbt\ncontinue\nxlocals\nkill\nquit\n");
    std::fs::write(folder.path().join(".gdbinit"), "set confirm off\n").expect("written");
    std::fs::write(folder.path().join("commands"), first + &second).expect("written");
    let mut command = std::process::Command::new("sh");
    let debug = "exec \"$0\" run --debugger Sums.x10 --threads 1 <commands";
    command.args(["-c", debug]).arg(tools::apg()).current_dir(folder.path()).env("HOME", folder.path());
    command.envs(apg(folder.path(), &[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = programs::run(command, Duration::from_secs(300)).expect("it ends").stdout;
    // Each thread of each block, with its own variables and those of its block, and no others.
    let mut rest = output.as_str();
    for (block, thread) in (0..2).flat_map(|block| (0..4).map(move |thread| (block, thread))) {
        let shared: Vec<String> = (1..=4).map(|it| (block * 4 + it).to_string()).collect();
        for text in [
            format!("in Sums_main_11: block {block}, thread {thread}\n"),
            "input = (8) [1, 2, 3, 4, 5, 6, 7, 8]\n".into(),
            format!(
                "s = (4) [{}]\nmine = {}\nb = {block}\nt = {thread}\nnear = ",
                shared.join(", "),
                block * 4 + thread + 1
            ),
        ] {
            let at = rest.find(&text).unwrap_or_else(|| panic!("no `{text}` in:\n{rest}\n---- in\n{output}"));
            rest = &rest[at + text.len()..];
        }
    }
    for text in [
        "exited normally",
        "in Sums_main_11: block 1, thread 2\n",
        "#0  Sums_main_11 () at",
        "Sums.main () at",
        "in Sums.twice: block 1, thread 2\n",
        "x = 15\ny = 30\n",
    ] {
        let at = rest.find(text).unwrap_or_else(|| panic!("no `{text}` in:\n{rest}"));
        rest = &rest[at + text.len()..];
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
