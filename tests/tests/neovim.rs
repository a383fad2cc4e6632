//! A real editor: headless Neovim opens a broken kernel, shows the diagnostics, applies a quick fix, and the file is clean.

use std::process::Command;
use std::time::Duration;

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
    let script = tools::repository().join("tests/nvim/broken_kernel.lua");
    let mut command = Command::new(neovim);
    command
        .args(["--headless", "--clean", "-u", "NONE", "-c"])
        .arg(format!("luafile {}", script.display()))
        .env("APG_TEST_FILE", &file)
        .env("APG_TEST_SERVER", tools::apg_lsp())
        .env("APG_TEST_PLUGIN", tools::repository().join("editors/nvim"))
        .env("XDG_STATE_HOME", folder.path());
    let output = programs::run(command, Duration::from_secs(120)).expect("Neovim ends");
    let said = format!("{}{}", output.stdout, output.stderr);
    assert_eq!(output.status, 0, "{said}");
    assert!(said.contains("filetype x10"), "{said}");
    assert!(said.contains("diagnostic cuda/"), "{said}");
    assert!(said.contains("fix ") && said.contains("clean"), "{said}");
    let mended = std::fs::read_to_string(&file).expect("still there");
    assert!(mended.contains("clocked async"), "the fix was not applied:\n{mended}");
}
