//! The safety of fixes, shown by programs that run. All fixes of a program are applied, one after the other,
//! until none is left; after each the program is checked again: what the fix is for must be gone, and no
//! error may be new. The fixed program must run. It prints what `NAME.out` says, if there is one, and what
//! the program printed before, if that ran.
//!
//! The programs are those of `tests/fixes` and the examples of the diagnostics' pages that have a `main`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use apg_analysis::AnalysisHost;
use apg_analysis::check::file_diagnostics;
use apg_analysis::diagnostics::{Diagnostic, Fix, Severity, example_files};
use apg_analysis::rules::rules;
use apg_tests::programs::{self, Output};
use apg_tests::tools;

/// More fixes than any of the programs has.
const MAX_FIXES: usize = 100;

struct Program {
    name: String,
    text: String,
    /// What the fixed program prints.
    output: Option<String>,
}

/// How often each diagnostic is reported.
type Counts = BTreeMap<(Severity, &'static str, String), usize>;

#[test]
fn programs_of_the_folder() {
    let folder = tools::repository().join("tests/fixes");
    let mut programs = Vec::new();
    for program in programs::all(&folder) {
        let text = std::fs::read_to_string(&program.path).expect("a program");
        let output = std::fs::read_to_string(program.path.with_extension("out")).expect("its output");
        programs.push(Program { name: program.name(), text, output: Some(output) });
    }
    assert!(!programs.is_empty());
    check_fixes_of(programs);
}

#[test]
fn examples_of_pages() {
    let mut programs = Vec::new();
    for rule in rules() {
        let files = example_files(rule.failing);
        let [(_, text)] = &files[..] else { continue };
        if text.contains("static def main(args:Rail[String])") {
            programs.push(Program { name: rule.code.replace('/', "_"), text: text.clone(), output: None });
        }
    }
    assert!(!programs.is_empty());
    check_fixes_of(programs);
}

/// Mends all programs and says how many fixes that took; fails with all that is wrong.
fn check_fixes_of(programs: Vec<Program>) {
    let (mut applied, mut wrong) = (0, Vec::new());
    for program in programs {
        match check_fixes(&program) {
            Ok(fixes) => applied += fixes,
            Err(error) => wrong.push(format!("{}: {error}", program.name)),
        }
    }
    println!("{applied} fixes applied");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Applies all fixes of a program and runs it. Gives the number of fixes.
fn check_fixes(program: &Program) -> Result<usize, String> {
    let mut checker = Checker::new();
    let first = checker.check(&program.text);
    let (text, fixes, left) = apply_all(&mut checker, program)?;
    if fixes == 0 {
        return Ok(0);
    }
    if has_errors(&left) {
        // The example of a page may have an error without a fix.
        return match program.output {
            Some(_) => Err(format!("errors are left: {:?}\n{text}", counts(&left))),
            None => Ok(fixes),
        };
    }
    let before = if has_errors(&first) { None } else { Some(run(program, &program.text, 1)) };
    let after = run(program, &text, 1);
    if after.status != 0 {
        return Err(format!("the fixed program fails: {}\n{text}", after.stderr));
    }
    if let Some(before) = before.filter(|it| it.status == 0)
        && before.stdout != after.stdout
    {
        return Err(format!(
            "it printed\n{}and prints after its fixes\n{}{text}",
            before.stdout, after.stdout
        ));
    }
    let Some(expected) = &program.output else { return Ok(fixes) };
    for (places, output) in [(1, after), (2, run(program, &text, 2))] {
        if output.stdout != *expected || output.status != 0 {
            let (out, error) = (output.stdout, output.stderr);
            return Err(format!("at {places} places the fixed program prints\n{out}{error}{text}"));
        }
    }
    Ok(fixes)
}

/// The text after all fixes, how many these are, and what is left.
fn apply_all(checker: &mut Checker, program: &Program) -> Result<(String, usize, Vec<Diagnostic>), String> {
    let mut text = program.text.clone();
    let mut found = checker.check(&text);
    let mut fixes = 0;
    while let Some((diagnostic, fix)) = first_fix(&found) {
        let fixed = apply(&text, fix);
        let after = checker.check(&fixed);
        let (old, new) = (counts(&found), counts(&after));
        let is_new = |it: &(&(Severity, &'static str, String), &usize)| {
            it.0.0 == Severity::Error && old.get(it.0).is_none_or(|count| count < it.1)
        };
        if let Some((added, _)) = new.iter().find(is_new) {
            return Err(format!("the fix `{}` adds {added:?}:\n{fixed}", fix.title));
        }
        let key = key(diagnostic);
        if new.get(&key).unwrap_or(&0) >= &old[&key] {
            return Err(format!("the fix `{}` leaves {key:?}:\n{fixed}", fix.title));
        }
        fixes += 1;
        if fixes > MAX_FIXES {
            return Err(format!("the fixes have no end:\n{fixed}"));
        }
        (text, found) = (fixed, after);
    }
    Ok((text, fixes, found))
}

/// Checks one file, again and again.
struct Checker {
    host: AnalysisHost,
    path: PathBuf,
}

impl Checker {
    fn new() -> Checker {
        let files = apg_runtime::class_library::files();
        let library = files.iter().map(|(path, text)| (path.to_path_buf(), Arc::from(*text)));
        Checker { host: AnalysisHost::new(library), path: PathBuf::from("/test/Example.x10") }
    }

    fn check(&mut self, text: &str) -> Vec<Diagnostic> {
        self.host.set_file(&self.path, Some(Arc::from(text)));
        let snapshot = self.host.snapshot();
        let file = snapshot.file(&self.path).expect("the file is known");
        snapshot.with(|db| file_diagnostics(db, file)).expect("not cancelled")
    }
}

fn run(program: &Program, text: &str, places: u32) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = format!("{}.x10", program.name);
    std::fs::write(folder.path().join(&name), text).expect("written");
    let mut command = Command::new(tools::apg());
    command.args(["run", "--places", &places.to_string(), &name]).current_dir(folder.path());
    programs::run(command, Duration::from_secs(120)).expect("it ends")
}

fn key(diagnostic: &Diagnostic) -> (Severity, &'static str, String) {
    (diagnostic.severity, diagnostic.code, diagnostic.message.clone())
}

fn counts(found: &[Diagnostic]) -> Counts {
    let mut counts = Counts::new();
    found.iter().for_each(|it| *counts.entry(key(it)).or_insert(0) += 1);
    counts
}

fn has_errors(found: &[Diagnostic]) -> bool {
    found.iter().any(|it| it.severity == Severity::Error)
}

/// The first diagnostic with a fix, and its first fix.
fn first_fix(found: &[Diagnostic]) -> Option<(&Diagnostic, &Fix)> {
    found.iter().find_map(|it| Some((it, it.fixes.first()?)))
}

/// The text after all edits of a fix.
fn apply(text: &str, fix: &Fix) -> String {
    let mut edits: Vec<_> = fix.edits.iter().collect();
    // From the back, so that offsets stay right; of two at one place the first stays first.
    edits.reverse();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.range.start()));
    let mut fixed = text.to_owned();
    for edit in edits {
        fixed.replace_range(usize::from(edit.range.start())..usize::from(edit.range.end()), &edit.text);
    }
    fixed
}
