//! The safety of fixes: each fix of each markdown test is applied to the program and the program is checked
//! again. The diagnostic that the fix is for must be gone, and no error may appear that was not there before.

use std::collections::BTreeMap;

use apg_analysis::diagnostics::{Diagnostic, Severity};

use crate::analyse::{Analysed, apply};

/// Mistakes of their own that a fix uncovers: the code of what it mends, the code of what it uncovers, and
/// why.
const UNCOVERED: [(&str, &str, &str); 1] =
    [("syntax/error", "type/missing-type", "what is no closure before lacks no types of formals")];

/// The number of fixes applied to the files of a test, and what is wrong with them.
pub(crate) fn check_all(analysed: &mut Analysed, names: &[&str]) -> (usize, Vec<String>) {
    let before: Vec<Vec<Diagnostic>> = analysed.diagnostics.clone();
    let errors_before = errors(&before);
    let (mut applied, mut wrong) = (0, Vec::new());
    for (file, diagnostics) in before.iter().enumerate() {
        for diagnostic in diagnostics {
            for fix in &diagnostic.fixes {
                applied += 1;
                let sources = apply(analysed, file, fix);
                let after = analysed.with_sources(&sources);
                let added: Vec<String> = errors(&after)
                    .into_iter()
                    .filter(|(error, count)| errors_before.get(error).copied().unwrap_or(0) < *count)
                    .filter(|(error, _)| {
                        !UNCOVERED.iter().any(|it| (it.0, it.1) == (diagnostic.code, error.0))
                    })
                    .map(|((code, message), _)| format!("[{code}] {message}"))
                    .collect();
                let is_left = count(&after, diagnostic) >= count(&before, diagnostic);
                if is_left || !added.is_empty() {
                    let what = match added.is_empty() {
                        true => "leaves what it is for".to_owned(),
                        false => format!("adds {}", added.join("; ")),
                    };
                    wrong.push(format!(
                        "  {}: [{}] {}\n  the fix `{}` {what}\n{}",
                        names[file], diagnostic.code, diagnostic.message, fix.title, sources[file]
                    ));
                }
            }
        }
    }
    (applied, wrong)
}

fn errors(all: &[Vec<Diagnostic>]) -> BTreeMap<(&'static str, String), usize> {
    let mut counts = BTreeMap::new();
    for it in all.iter().flatten().filter(|it| it.severity == Severity::Error) {
        *counts.entry((it.code, it.message.clone())).or_insert(0) += 1;
    }
    counts
}

/// How often a diagnostic is reported.
fn count(all: &[Vec<Diagnostic>], diagnostic: &Diagnostic) -> usize {
    all.iter().flatten().filter(|it| it.code == diagnostic.code && it.message == diagnostic.message).count()
}
