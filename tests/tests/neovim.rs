//! A real editor: headless Neovim mends a broken kernel by its quick fix, completes, renames and navigates.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use apg_tests::sources::on_path;
use apg_tests::{programs, tools};

const BROKEN: &str = r"import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

public class Broken {
    public static def main(args:Rail[String]) {
        val remote = CUDAUtilities.makeGlobalRail[Float](here, 64);
        finish async at (here) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..63n) async {
                    remote(thread) = 1.0f;
                }
            }
        }
        CUDAUtilities.deleteGlobalRail(remote);
    }
}
";

#[test]
fn neovim_mends_a_broken_kernel() {
    let Some(neovim) = tools::optional_tool("nvim") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("Broken.x10");
    std::fs::write(&file, BROKEN).expect("written");
    let said = play(&neovim, "broken_kernel.lua", &file);
    assert!(said.contains("filetype x10"), "{said}");
    assert!(said.contains("diagnostic cuda/"), "{said}");
    let cuda = ["cuda cuda beside x10", "cuda is renewed", "cuda follows", "cuda stays"];
    for step in ["fix ", "clean", "hover"].into_iter().chain(cuda) {
        assert!(said.contains(step), "no `{step}` in:\n{said}");
    }
    let fixed = std::fs::read_to_string(&file).expect("still there");
    assert!(fixed.contains("clocked async"), "the fix was not applied:\n{fixed}");
}

#[test]
fn neovim_completes_renames_and_navigates() {
    let Some(neovim) = tools::optional_tool("nvim") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (main, counter) = (folder.path().join("Main.x10"), folder.path().join("Counter.x10"));
    let program = "public class Main {
    public static def main(args:Rail[String]) {
        val counter = new Counter();
        counter.increase(2);
        Console.OUT.println(counter.count);
    }
}
";
    std::fs::write(&main, program).expect("written");
    let class =
        "public class Counter {\n    var count:Long = 0;\n    def increase(n:Long) { count += n; }\n}\n";
    std::fs::write(&counter, class).expect("written");
    let said = play(&neovim, "editing.lua", &main);
    assert!(said.contains("completed increase"), "{said}");
    assert!(said.contains("signature increase(n:Long)"), "{said}");
    assert!(said.contains("renamed: counter.add(1);"), "{said}");
    assert!(said.contains("at Printer.x10, read-only"), "{said}");
    assert!(said.contains("done"), "{said}");
    let renamed = std::fs::read_to_string(&counter).expect("still there");
    assert!(renamed.contains("def add(n:Long)"), "{renamed}");
}

#[test]
fn neovims_commands_run_programs_and_show_places() {
    let Some(neovim) = tools::optional_tool("nvim") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("Main.x10");
    let program = "public class Main {
    public static def main(args:Rail[String]) {
        finish for (p in Place.places()) at (p) async { Console.OUT.println(args(0) + \" at \" + here); }
    }
}
";
    std::fs::write(&file, program).expect("written");
    let said = play(&neovim, "commands.lua", &file);
    for step in ["ran", "ran again", "make: 4:22 e expected", "places", "healthy", "log", "restarted"] {
        assert!(said.contains(step), "no `{step}` in:\n{said}");
    }
}

const RACE: &str = r#"#include <stdio.h>

int main(void) {
    int sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < 100; i++)
        sum += i;
    printf("sum %d\n", sum);
    return 0;

}
"#;

#[test]
fn neovim_mends_and_runs_a_c_program_beside_clangd() {
    let Some(neovim) = tools::optional_tool("nvim") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("sum.c");
    std::fs::write(&file, RACE).expect("written");
    let said = play(&neovim, "c_file.lua", &file);
    let steps = [
        "filetype c",
        "diagnostic omp/missing-reduction",
        "fixed: #pragma omp parallel for reduction(+: sum)",
        "hover",
        "completed schedule",
        "ran",
    ];
    let beside = clangd().is_some().then_some("beside clangd");
    for step in steps.into_iter().chain(beside) {
        assert!(said.contains(step), "no `{step}` in:\n{said}");
    }
}

/// The other server of C files, if this machine has it.
fn clangd() -> Option<PathBuf> {
    ["clangd", "clangd-19"].iter().find_map(|it| on_path(it))
}

/// What Neovim says while it plays a script on a file.
fn play(neovim: &Path, script: &str, file: &Path) -> String {
    let script = tools::repository().join("tests/nvim").join(script);
    let folder = file.parent().expect("files lie in folders");
    let mut command = Command::new(neovim);
    command
        .args(["--headless", "--clean", "-u", "NONE", "-c"])
        .arg(format!("luafile {}", script.display()))
        .env("APG_TEST_FILE", file)
        .env("APG_TEST_SCRIPTS", tools::repository().join("tests/nvim"))
        .env("APG_TEST_SERVER", tools::apg_lsp())
        .env("APG_TEST_COMMAND", tools::apg())
        .env("APG_TEST_CLANGD", clangd().unwrap_or_default())
        .env("APG_TEST_PLUGIN", tools::repository().join("editors/nvim"))
        .env("APG_CACHE_DIR", folder.join(".cache"))
        .env("XDG_STATE_HOME", folder);
    let output = programs::run(command, Duration::from_secs(300)).expect("Neovim ends");
    let said = format!("{}{}", output.stdout, output.stderr);
    assert_eq!(output.status, 0, "{said}");
    said
}
