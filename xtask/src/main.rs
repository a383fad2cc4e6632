//! Tasks of the repository, as `cargo xtask TASK`: tables, book, vocabulary and generated files.

mod bless;
mod book;
mod comments;
mod dist;
mod environment;
mod imports;
mod links;
mod performance;
mod performance_table;
mod rules;
mod sources;
mod summary;
mod words;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const HELP: &str = "\
Tasks of the repository.

usage: cargo xtask TASK [OPTION...]

  bench [ARGUMENT...]   run the benchmarks of apg-tests: `bench --bench edit` runs one
  dist                  build optimised programs and the editor's package into target/dist
  performance           write docs/performance.md from tests/bench/results/*.json
  performance --check   fail when docs/performance.md is stale
  book                  check all pages (links, anchors, contents, names of files and environment variables), then
                        build the book if mdbook is installed
  words                 fail on words of xtask/words.txt in sources and pages
  words --list FOLDER   print those below FOLDER
  comments              fail on comment lines of more than 110 columns
  imports               fail when imports run against xtask/layers.txt
  imports --details     print the files of each import cycle
  pages                 write docs/diagnostics and their part of docs/SUMMARY.md
  bless [NAME...]       write generated files anew, all or the ones named (`bless --list` names them)
  help                  print this

Exit status: 0 success, 1 failure, 2 misuse.
";

/// Why a task did not succeed.
#[derive(Debug)]
enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// The task ran and failed.
    Task(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Task(message)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&repository(), &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Task(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(1)
        }
        Err(Failure::Usage(message)) => {
            eprintln!("error: {message}\n\n{HELP}");
            ExitCode::from(2)
        }
    }
}

fn run(root: &Path, arguments: &[&str]) -> Result<(), Failure> {
    match arguments {
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        ["bench", rest @ ..] => Ok(dist::run(
            Command::new("cargo").args(["bench", "-p", "apg-tests"]).args(rest).current_dir(root),
        )?),
        ["dist"] => Ok(dist::build(root)?),
        ["performance"] => Ok(performance::write(root)?),
        ["performance", "--check"] => Ok(performance::check(root)?),
        ["book"] => Ok(book::build(root)?),
        ["words"] => Ok(words::check(root)?),
        ["words", "--list", name] => Ok(words::list(root, name)?),
        ["comments"] => Ok(comments::check(root)?),
        ["imports"] => Ok(imports::print(root, false).and_then(|()| imports::check(root))?),
        ["imports", "--details"] => Ok(imports::print(root, true)?),
        ["rules"] => Ok(rules::write(root)?),
        ["rules", "--check"] => Ok(rules::check(root)?),
        ["pages"] => Ok(bless::run(root, &["pages"])?),
        ["bless", "--list"] => {
            bless::print_names();
            Ok(())
        }
        ["bless", names @ ..] if names.iter().all(|name| bless::is_known(name)) => {
            Ok(bless::run(root, names)?)
        }
        [
            task @ ("dist" | "performance" | "book" | "words" | "comments" | "imports" | "rules" | "pages"
            | "bless"),
            ..,
        ] => Err(Failure::Usage(format!("task `{task}` does not take `{}`", arguments[1..].join(" ")))),
        [task, ..] => Err(Failure::Usage(format!("no task is named `{task}`"))),
    }
}

/// Prints a line; a reader that closed the pipe has seen enough.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// The root of the repository.
fn repository() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}

/// Reads a text file of the repository, with LF line ends.
fn read(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.replace("\r\n", "\n"))
}

/// All files below a folder whose names end in `.EXTENSION`, sorted.
fn files_below(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
            let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if path.is_dir() {
                if !is_hidden && !path.ends_with("node_modules") && !path.ends_with("target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|it| it == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_command_lines_are_misuse() {
        for arguments in
            [&["publish"][..], &["words", "--all"], &["bless", "nothing"], &["performance", "x", "y"]]
        {
            assert!(matches!(run(&repository(), arguments), Err(Failure::Usage(_))), "{arguments:?}");
        }
    }
}
