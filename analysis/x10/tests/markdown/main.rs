//! The markdown tests: `tests/md/**/*.md`, the specification of the analysis. Each section with X10 in it is
//! a test with a database of its own; every diagnostic and every expectation must match.
//!
//! `APG_MD_FILTER=text` runs only the tests whose file or headers contain the text.

mod analyse;
mod document;
mod examples;
mod expectation;
mod fixes;
mod kernel;

use std::fs;
use std::path::{Path, PathBuf};

use analyse::{Analysed, analyse, apply};
use document::{Fixed, Test};
use expectation::{Kind, compare, expectations, without_expectations};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate is two folders deep")
        .to_owned()
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

#[test]
fn markdown() {
    let filter = std::env::var("APG_MD_FILTER").unwrap_or_default();
    let root = repository();
    let mut paths = Vec::new();
    pages(&root.join("tests/md"), &mut paths);
    assert!(!paths.is_empty(), "no pages below tests/md");
    let (mut run, mut applied, mut failed) = (0, 0, Vec::new());
    for path in paths {
        let page = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        let text = fs::read_to_string(&path).expect("a readable page");
        let tests = match document::read(&text) {
            Ok(tests) => tests,
            Err(error) => {
                failed.push(format!("{page}: {error}"));
                continue;
            }
        };
        for test in tests {
            let name = format!("{page}: {}", test.headers.join(" > "));
            if !name.contains(&filter) {
                continue;
            }
            run += 1;
            let (fixes, wrong) = check(&page, &test);
            applied += fixes;
            if !wrong.is_empty() {
                failed.push(format!("{name}\n{}", wrong.join("\n")));
            }
        }
    }
    assert!(run > 0, "no test contains `{filter}`");
    println!("{run} tests, {applied} fixes applied");
    assert!(
        failed.is_empty(),
        "{} of {run} markdown tests failed\n\n{}\n",
        failed.len(),
        failed.join("\n\n")
    );
}

/// The number of fixes applied, and what is wrong with a test, a line of text each.
fn check(page: &str, test: &Test) -> (usize, Vec<String>) {
    let files: Vec<(String, String)> =
        test.files.iter().map(|file| (file.name.clone(), file.text.clone())).collect();
    let mut analysed = analyse(&files);
    let mut wrong = Vec::new();
    for (index, file) in test.files.iter().enumerate() {
        let expected = expectations(&file.text);
        let mut findings = analysed.findings(index);
        for asked in expected.iter().filter(|it| matches!(it.kind, Kind::Revealed | Kind::Place)) {
            findings.extend(analysed.about(index, asked.line, asked.kind));
        }
        for (line, text) in compare(&expected, &findings) {
            wrong.push(format!("  {page}:{}: {text}", file.markdown_line(line)));
        }
    }
    for fixed in &test.fixed {
        wrong.extend(check_fix(page, test, &analysed, fixed));
    }
    let names: Vec<&str> = test.files.iter().map(|file| file.name.as_str()).collect();
    let (applied, unsafe_fixes) = fixes::check_all(&mut analysed, &names);
    wrong.extend(unsafe_fixes);
    (applied, wrong)
}

/// Applies the fix that a block names, and compares the text.
fn check_fix(page: &str, test: &Test, analysed: &Analysed, fixed: &Fixed) -> Option<String> {
    let at = |text: String| Some(format!("  {page}:{}: {text}", fixed.line));
    let Some(fix) = analysed.fixes(0).into_iter().find(|fix| fix.title.contains(&fixed.title)) else {
        let titles: Vec<String> = analysed.fixes(0).into_iter().map(|fix| fix.title).collect();
        return at(format!("no fix has the title `{}`; there are {titles:?}", fixed.title));
    };
    let shown = match &fixed.file {
        Some(name) => test.files.iter().position(|file| file.name == *name).unwrap_or(0),
        None => 0,
    };
    let sources = apply(analysed, 0, &fix);
    let (expected, found) = (without_expectations(&fixed.text), without_expectations(&sources[shown]));
    if expected == found {
        return None;
    }
    at(format!("the fix `{}` gives\n{found}", fix.title))
}
