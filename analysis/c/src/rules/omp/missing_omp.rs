//! `omp/missing-omp`

use apg_c_syntax::FileId;
use apg_diagnostics::{Rule, Severity};

use crate::Parsed;
use crate::rules::Context;

/// A directive that no compiler takes for one.
pub static RULE: Rule = Rule {
    code: "omp/missing-omp",
    severity: Severity::Warning,
    summary: "A `#pragma` with the words of a directive and without `omp`: it has no effect.",
    explanation: r##"
A directive of OpenMP begins with `#pragma omp`. Without the word `omp`, or without the blank behind it, the line is a pragma that compilers do not know: they pass it over
in silence, and the program stays serial, or loses its barrier.

Write `#pragma omp` in front of the words.
"##,
    failing: r##"
void scale(double *a, int n) {
    #pragma parallel for
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
    fixed: r##"
void scale(double *a, int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
};

/// Directives of one word that are no words of other pragmas.
const ALONE: &[&str] = &["atomic", "barrier", "critical", "master", "sections", "single", "taskwait"];

/// What follows `parallel` in combined directives.
const COMBINED: &[&str] = &["for", "loop", "masked", "master", "sections"];

/// The words of OpenMP that pragmas of the main file have, with the ranges of the pragmas.
fn suspected(parsed: &Parsed) -> Vec<(apg_c_syntax::TextRange, String)> {
    let mut found = Vec::new();
    for pragma in parsed.unit.other_pragmas().iter().filter(|it| it.span.file == FileId::MAIN) {
        let words: Vec<&str> = pragma.tokens.iter().map(|it| parsed.unit.text(it.text)).collect();
        let is_joined = |it: &str| {
            let word = it.strip_prefix("omp").filter(|it| !it.is_empty());
            word.is_some_and(|word| ALONE.contains(&word) || matches!(word, "parallel" | "for" | "task"))
        };
        let directive = match words[..] {
            [first, ..] if is_joined(first) => words.join(" ").replacen("omp", "", 1),
            ["parallel", second, ..] if COMBINED.contains(&second) => words[..2].join(" "),
            [only] if ALONE.contains(&only) => only.to_owned(),
            _ => continue,
        };
        if let Some(range) = parsed.in_main_file(pragma.span) {
            found.push((range, directive));
        }
    }
    found
}

/// Whether a file without directives has something to report.
pub(crate) fn is_suspected(parsed: &Parsed) -> bool {
    !suspected(parsed).is_empty()
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (range, directive) in suspected(cx.parsed) {
        let message = "no compiler takes this for a directive: it has no effect";
        cx.report(RULE.at(range, message).note(format!("write `#pragma omp {directive}`")));
    }
}
