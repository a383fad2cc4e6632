//! A third real editor: Emacs with eglot and the settings of docs/editors.md shows a diagnostic and
//! completes.

use std::process::Command;
use std::time::Duration;

use apg_tests::{programs, tools};

#[test]
fn emacs_shows_diagnostics_and_completes() {
    let Some(emacs) = tools::optional_tool("emacs") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let page = std::fs::read_to_string(tools::repository().join("docs/editors.md")).expect("readable");
    let settings = page.split("## Emacs (eglot)").nth(1).expect("the page has settings");
    let settings: String =
        settings.lines().filter_map(|line| Some(line.strip_prefix("    ")?.to_owned() + "\n")).collect();
    let text = "class Main {\n    def f() { Console.OUT.; }\n    val a:Missing = null;\n}\n";
    let mut command = Command::new(emacs);
    command
        .args(["--batch", "--load"])
        .arg(tools::repository().join("tests/emacs-eglot.el"))
        .env("APG_TEST_FILE", write("Main.x10", text))
        .env("APG_TEST_SETTINGS", write("settings.el", &settings))
        .env("APG_TEST_SERVER", tools::apg_lsp())
        .env("APG_CACHE_DIR", folder.path().join(".cache/apg"))
        .env("HOME", folder.path());
    let output = programs::run(command, Duration::from_secs(300)).expect("Emacs ends");
    let said = format!("{}{}", output.stdout, output.stderr);
    if said.contains("Cannot open load file") && said.contains("eglot\"") {
        return tools::skip("this Emacs has no eglot (version 29, or elpa-eglot)");
    }
    assert_eq!(output.status, 0, "{said}");
    for step in ["mode x10-mode", "managed", "diagnostic ", "completes println", "done"] {
        assert!(said.contains(step), "no `{step}` in:\n{said}");
    }
}
