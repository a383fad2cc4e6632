//! `apg check --fix`: applies the fixes of problems that have exactly one, in the named files only.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;

fn check(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(tools::apg());
    command.arg("check").args(arguments).current_dir(folder);
    let output = programs::run(command, Duration::from_secs(60)).expect("it ends");
    assert!(!output.stderr.contains("panicked"), "{}", output.stderr);
    output
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a file")
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

const WRONG: &str = "public class Sum {
    static def length(s:Strng) = s.length;
    public static def main(args:Rail[String]) {
        var n:Int = 3;
        val list = new ArrayList[Long](), more = new ArrayList[Long]();
        if (n = 3) Consol.OUT.println(\"three: \" + list + more);
        while (n < 5n) n++
    }
}
";

const RIGHT: &str = "import x10.util.ArrayList;

public class Sum {
    static def length(s:String) = s.length();
    public static def main(args:Rail[String]) {
        var n:Int = 3n;
        val list = new ArrayList[Long](), more = new ArrayList[Long]();
        if (n == 3n) Console.OUT.println(\"three: \" + list + more);
        while (n < 5n) n++;
    }
}
";

#[test]
fn hidden_problems_are_fixed_in_later_rounds() {
    let folder = folder(&[("Sum.x10", WRONG)]);
    let output = check(folder.path(), &["--fix", "Sum.x10"]);
    assert_eq!(read(folder.path(), "Sum.x10"), RIGHT, "{}", output.stderr);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stderr.contains("Sum.x10:2:25: Replace by `String`"), "{}", output.stderr);
    assert!(output.stderr.contains("fixes applied\nno errors in 1 file"), "{}", output.stderr);
    let again = check(folder.path(), &["--fix", "Sum.x10"]);
    assert!(again.stderr.contains("0 fixes applied"), "{}", again.stderr);
}

#[test]
fn lines_that_end_as_on_windows_do_so_still() {
    let folder = folder(&[("Sum.x10", &WRONG.replace('\n', "\r\n"))]);
    let output = check(folder.path(), &["--fix", "Sum.x10"]);
    let text = read(folder.path(), "Sum.x10");
    assert_eq!(text.replace("\r\n", "\n"), RIGHT, "{}", output.stderr);
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
}

#[test]
fn files_that_are_not_named_stay_as_they_are() {
    let used = "class Used { static def one():Int = 1; }\n";
    let main = "class Main { public static def main(Rail[String]) { Console.OUT.printn(Used.one()); } }\n";
    let folder = folder(&[("Used.x10", used), ("Main.x10", main)]);
    let output = check(folder.path(), &["--fix", "Main.x10"]);
    assert_eq!(read(folder.path(), "Used.x10"), used);
    assert_eq!(read(folder.path(), "Main.x10"), main.replace("printn", "println"), "{}", output.stderr);
}

#[test]
fn what_has_no_fix_or_a_choice_of_them_is_reported() {
    let text = "class Main { public static def main(Rail[String]) { val x = nothing.like(that); val y:Int = 1; Console.OUT.println(y); } }\n";
    let folder = folder(&[("Main.x10", text)]);
    let output = check(folder.path(), &["--fix", "--message-format", "json"]);
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert_eq!(read(folder.path(), "Main.x10"), text.replace("= 1;", "= 1n;"));
    let lines: Vec<serde_json::Value> =
        output.stdout.lines().map(|line| serde_json::from_str(line).expect("only JSON")).collect();
    assert!(!lines.is_empty());
    assert!(lines.iter().all(|it| it["code"] != "type/mismatch"), "{}", output.stdout);
}

#[test]
fn what_leads_to_more_errors_alone_is_taken_back() {
    // With an Int in the cell the two calls do not fit; they are fixed one after the other in the first, and
    // cannot be in the second.
    let start = "class Cell[T] { var v:T; def this(v:T) { this.v = v; } def set(v:T) { this.v = v; } }
class Main { public static def main(args:Rail[String]) { val c = new Cell[Int](0); ";
    for (rest, is_fixed) in [("c.set(1); c.set(2); }", true), ("c.set(args); c.set(args); }", false)] {
        let text = format!("{start}{rest} }}\n");
        let folder = folder(&[("Main.x10", &text)]);
        let output = check(folder.path(), &["--fix"]);
        assert_eq!(output.status == 0, is_fixed, "{}", output.stderr);
        assert_eq!(read(folder.path(), "Main.x10") != text, is_fixed, "{}", output.stderr);
    }
}

#[test]
fn two_fixes_insert_the_same_at_one_place() {
    let code = "class Main { public static def main(args:Rail[String]) { val n = args.size; val sum = new Rail[Long](1);
finish async { if (n > 1) return; sum(0) = 2; if (n > 0) return; sum(0) = 3; }
Console.OUT.println(sum(0)); } }\n";
    let folder = folder(&[("Main.x10", code)]);
    let output = check(folder.path(), &["--fix"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let fixed = "finish async { if (!(n > 1)) { sum(0) = 2; if (!(n > 0)) { sum(0) = 3; } } }";
    assert!(read(folder.path(), "Main.x10").contains(fixed), "{}", read(folder.path(), "Main.x10"));
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_rights_and_a_link_its_place() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(&[("Sum.x10", WRONG)]);
    let file = folder.path().join("Sum.x10");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("set");
    let link = folder.path().join("Linked.x10");
    std::os::unix::fs::symlink("Sum.x10", &link).expect("a link");
    let output = check(folder.path(), &["--fix", "Linked.x10"]);
    assert_eq!(read(folder.path(), "Sum.x10"), RIGHT, "{}", output.stderr);
    assert!(link.is_symlink());
    assert_eq!(std::fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o640);
}
