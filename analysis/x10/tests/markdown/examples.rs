//! The examples of the diagnostics' pages: the failing one yields the code and no other, the fixed one
//! nothing, and what a fix makes of the failing one no longer has that diagnostic.

use apg_analysis::diagnostics::{Rule, example_files};
use apg_analysis::rules;

use crate::analyse::{Analysed, analyse, apply};

/// Other codes that a failing example cannot avoid, and why.
const ALSO: [(&str, &str); 6] = [
    // The kernel that calls the function is reported as well.
    ("cuda/barrier-outside-thread", "cuda/bad-callee"),
    ("cuda/thread-operation-outside-thread", "cuda/bad-callee"),
    ("cuda/bad-callee", "cuda/allocation"),
    // `clocked` belongs to the `finish` and to the `async`, or to neither.
    ("cuda/clocked-block-async", "cuda/clocked-block-finish"),
    ("cuda/missing-clocked-finish", "cuda/missing-clocked-async"),
    ("cuda/missing-thread-finish", "cuda/missing-clocked-async"),
];

#[test]
fn examples_of_pages() {
    let filter = std::env::var("APG_MD_FILTER").unwrap_or_default();
    let rules = rules::rules().filter(|rule| rule.code.contains(&filter) && !rule.failing.trim().is_empty());
    let wrong: Vec<String> = rules.flat_map(check).collect();
    assert!(wrong.is_empty(), "{} pages are wrong\n\n{}\n", wrong.len(), wrong.join("\n"));
}

fn check(rule: &Rule) -> Option<String> {
    let failing = analyse(&example_files(rule.failing));
    let codes = codes(&failing);
    if !codes.contains(&rule.code) || !codes.iter().all(|code| allowed(rule, code)) {
        return Some(format!("{}: the failing example yields {}", rule.code, listed(&failing)));
    }
    let fixed = analyse(&example_files(rule.fixed));
    if !self::codes(&fixed).is_empty() {
        return Some(format!("{}: the fixed example yields {}", rule.code, listed(&fixed)));
    }
    check_fixes(rule, &failing, codes.len())
}

/// A fix leaves fewer diagnostics than there were, and makes no new ones.
fn check_fixes(rule: &Rule, failing: &Analysed, before: usize) -> Option<String> {
    let names: Vec<String> = example_files(rule.failing).into_iter().map(|(name, _)| name).collect();
    for file in 0..names.len() {
        for fix in failing.fixes(file) {
            let sources: Vec<_> = names.iter().cloned().zip(apply(failing, file, &fix)).collect();
            let after = analyse(&sources);
            let left = codes(&after);
            if left.len() >= before || !left.iter().all(|code| allowed(rule, code)) {
                let text = &sources[file].1;
                return Some(format!(
                    "{}: after the fix `{}`: {}\n{text}",
                    rule.code,
                    fix.title,
                    listed(&after)
                ));
            }
        }
    }
    None
}

fn allowed(rule: &Rule, code: &str) -> bool {
    code == rule.code || ALSO.contains(&(rule.code, code))
}

fn codes(analysed: &Analysed) -> Vec<&'static str> {
    analysed.all().map(|diagnostic| diagnostic.code).collect()
}

fn listed(analysed: &Analysed) -> String {
    let all: Vec<String> =
        analysed.all().map(|diagnostic| format!("[{}] {}", diagnostic.code, diagnostic.message)).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join("; ") }
}
