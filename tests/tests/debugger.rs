//! gdb, as `apg run --debugger` starts it: breakpoints at X10 lines, names and values as X10 has them.

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
