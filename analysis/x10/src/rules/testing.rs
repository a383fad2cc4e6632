//! Tests of rules with cursors: `$0` before and after the range of a problem.

use apg_syntax::TextRange;

use crate::check::file_diagnostics;
use crate::diagnostics::{DEFAULT_FILE, Diagnostic, Rule, TextEdit};
use crate::fixture::{file, host};

/// The rule has one problem in `marked`, between its two cursors, with this message.
#[track_caller]
pub(crate) fn check(rule: &Rule, marked: &str, message: &str) {
    let (text, range) = without_cursors(marked);
    let found = problems(rule, &text);
    let [problem] = &found[..] else { panic!("not one problem of {}: {found:#?}", rule.code) };
    assert_eq!((problem.range, problem.message.as_str()), (range, message));
}

/// The rule has no problem in `text`.
#[track_caller]
pub(crate) fn check_none(rule: &Rule, text: &str) {
    assert_eq!(problems(rule, text), []);
}

/// The first fix of the only problem of the rule in `before` makes `after` of it.
#[track_caller]
pub(crate) fn check_fix(rule: &Rule, before: &str, after: &str) {
    let found = problems(rule, before);
    let [problem] = &found[..] else { panic!("not one problem of {}: {found:#?}", rule.code) };
    let Some(fix) = problem.fixes.first() else { panic!("{} has no fix here", rule.code) };
    let mut edits: Vec<&TextEdit> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse((edit.range.start(), edit.range.end())));
    let mut fixed = before.to_owned();
    for edit in edits {
        fixed.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.text);
    }
    assert_eq!(fixed, after);
}

fn problems(rule: &Rule, text: &str) -> Vec<Diagnostic> {
    let host = host(text);
    let example = file(&host, DEFAULT_FILE);
    let mut found = host.snapshot().with(|db| file_diagnostics(db, example)).expect("not cancelled");
    found.retain(|it| it.code == rule.code);
    found
}

fn without_cursors(marked: &str) -> (String, TextRange) {
    let parts: Vec<&str> = marked.split("$0").collect();
    let [before, inside, _] = parts[..] else { panic!("two cursors: {marked}") };
    let (start, end) = (before.len(), before.len() + inside.len());
    (parts.concat(), TextRange::new((start as u32).into(), (end as u32).into()))
}
