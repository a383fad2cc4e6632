//! `omp/clause-argument`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Clause, Construct, Directive, ExprKind, Item};
use crate::rules::Context;

/// An argument that a clause does not take.
pub static RULE: Rule = Rule {
    code: "omp/clause-argument",
    severity: Severity::Error,
    summary: "An argument that this clause does not take.",
    explanation: r##"
Many clauses take one of certain words: `schedule` one of `static`, `dynamic`, `guided`, `auto` and `runtime`; `default` one of `shared`, `none`, `private` and
`firstprivate`. Others want a number that is known when the program is compiled: `collapse`, `safelen`, `simdlen` (OpenMP 5.2, sections 4.4.3, 10.4). `runtime` and
`auto` leave the size of pieces open, so they take none (section 11.5.3). `enter data` brings data to the device and `exit data` takes it away, each
with its types of `map` (sections 13.6 and 13.7).

Write one of the arguments that the message lists.
"##,
    failing: r##"
void scale(double *a, int n) {
    #pragma omp parallel for schedule(cyclic)
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
    fixed: r##"
void scale(double *a, int n) {
    #pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < n; i++) a[i] *= 2;
}
"##,
};

/// The words that the first item of a clause may be.
const WORDS: &[(&str, &[&str])] = &[
    ("bind", &["teams", "parallel", "thread"]),
    ("default", &["shared", "none", "private", "firstprivate"]),
    ("device_type", &["host", "nohost", "any"]),
    ("dist_schedule", &["static"]),
    ("order", &["concurrent", "reproducible", "unconstrained"]),
    ("proc_bind", &["primary", "master", "close", "spread"]),
    ("schedule", &["static", "dynamic", "guided", "auto", "runtime"]),
];

/// The words that the modifiers of a clause may be.
const MODIFIERS: &[(&str, &[&str])] = &[
    ("depend", &["in", "out", "inout", "mutexinoutset", "inoutset", "depobj", "sink", "source", "iterator"]),
    (
        "map",
        &[
            "to",
            "from",
            "tofrom",
            "alloc",
            "release",
            "delete",
            "storage",
            "always",
            "close",
            "present",
            "self",
            "mapper",
            "iterator",
            "ref_ptee",
            "ref_ptr",
            "ref_ptr_ptee",
        ],
    ),
    ("schedule", &["monotonic", "nonmonotonic", "simd"]),
];

/// Clauses whose number is a positive constant.
const CONSTANTS: &[&str] = &["collapse", "ordered", "safelen", "simdlen"];

/// Types of `map` that a construct does not take, with those that it does.
const MAP_TYPES: &[(Construct, &[&str], &str)] = &[
    (Construct::TargetEnterData, &["from", "release", "delete"], "`to` or `alloc`"),
    (Construct::TargetExitData, &["to", "alloc"], "`from`, `release` or `delete`"),
    (Construct::TargetData, &["release", "delete"], "`to`, `from`, `tofrom` or `alloc`"),
    (Construct::Target, &["release", "delete"], "`to`, `from`, `tofrom` or `alloc`"),
];

/// Words in a sentence: "`a`, `b` or `c`".
fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|it| format!("`{it}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// What is wrong with the words of a clause, and where.
fn wrong_word(clause: &Clause) -> Option<(apg_c_syntax::TextRange, String)> {
    let of = |table: &'static [(&str, &[&str])]| table.iter().find(|it| it.0 == clause.name).map(|it| it.1);
    if let Some(words) = of(WORDS)
        && let Some(Item { word: Some(word), range, .. }) = clause.items.first()
        && !words.contains(&word.as_str())
    {
        return Some((*range, format!("`{}` takes {}, and not `{word}`", clause.name, listed(words))));
    }
    let words = of(MODIFIERS)?;
    // Compilers have modifiers of their own (OpenMP 5.2, section 5.1, reserves the prefixes).
    let is_word = |it: &str| {
        it.starts_with(|it: char| it.is_ascii_alphabetic())
            && !it.starts_with("ompx_")
            && !it.starts_with("ext_")
    };
    let wrong = clause.modifiers.iter().find(|it| is_word(&it.text) && !words.contains(&it.text.as_str()))?;
    Some((wrong.range, format!("`{}` knows no `{}`: it takes {}", clause.name, wrong.text, listed(words))))
}

/// What is wrong with the number of a clause.
fn wrong_number(cx: &Context<'_>, clause: &Clause) -> Option<(apg_c_syntax::TextRange, String)> {
    let is_constant = CONSTANTS.contains(&clause.name.as_str());
    let item = clause.items.first().filter(|_| is_constant)?;
    let expr = item.expr?;
    let wants = format!("`{}` takes a positive constant", clause.name);
    match (cx.program.constant(expr), &cx.program.expr(expr).kind) {
        (Some(value), _) if value <= 0 => Some((item.range, format!("{wants}, and this is {value}"))),
        (None, ExprKind::Variable(it)) => {
            Some((item.range, format!("{wants}, and `{}` is a variable", cx.name(*it))))
        }
        _ => None,
    }
}

/// What is wrong with an argument in this directive.
fn wrong_here(
    cx: &Context<'_>,
    directive: &Directive,
    clause: &Clause,
) -> Option<(apg_c_syntax::TextRange, String)> {
    match clause.name.as_str() {
        "map" => {
            let (_, forbidden, allowed) = MAP_TYPES.iter().find(|it| directive.has(it.0))?;
            let wrong = clause.modifiers.iter().find(|it| forbidden.contains(&it.text.as_str()))?;
            let message = format!("`{}` maps {allowed}, and not `{}`", directive.name, wrong.text);
            Some((wrong.range, message))
        }
        "schedule" => {
            let kind = clause.word().filter(|it| matches!(*it, "runtime" | "auto"))?;
            let size = clause.items.get(1)?;
            Some((size.range, format!("`{kind}` takes no size of pieces")))
        }
        "if" => {
            let modifier = clause.modifiers.last()?;
            let [construct] = Construct::split(&modifier.text)[..] else { return None };
            let is_known = directive.has(construct)
                || construct == Construct::Target && directive.name.starts_with("target");
            let message = format!("`{}` has no part `{}` to be conditional", directive.name, modifier.text);
            (!is_known).then_some((modifier.range, message))
        }
        "aligned" | "is_device_ptr" | "use_device_ptr" => clause.items.iter().find_map(|item| {
            let expr = cx.program.expr(item.expr?);
            let ExprKind::Variable(variable) = expr.kind else { return None };
            let is_number = cx.program.variable(variable).ty.is_arithmetic();
            let message = format!("`{}` takes pointers, and `{}` is none", clause.name, cx.name(variable));
            is_number.then_some((item.range, message))
        }),
        "reduction" => bits_of_floats(cx, clause),
        _ => None,
    }
}

/// A reduction by an operator that floating numbers do not have, unless the file declares one.
fn bits_of_floats(cx: &Context<'_>, clause: &Clause) -> Option<(apg_c_syntax::TextRange, String)> {
    let operator = clause.modifier().filter(|it| matches!(*it, "&" | "|" | "^"))?;
    if cx.program.declares_reductions() {
        return None;
    }
    clause.items.iter().find_map(|item| {
        let variable = item.variable(cx.program)?;
        let is_float = matches!(cx.program.variable(variable).ty, crate::hir::Type::Float(_));
        let name = cx.name(variable);
        let message = format!("`{operator}` is no operator of floating numbers, and `{name}` is one");
        is_float.then_some((item.range, message))
    })
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives().filter(|it| !it.1.constructs.is_empty()) {
        for clause in &directive.clauses {
            let wrong = wrong_word(clause)
                .or_else(|| wrong_number(cx, clause))
                .or_else(|| wrong_here(cx, directive, clause));
            if let Some((range, message)) = wrong {
                cx.report(cx.at(&RULE, range, message));
            }
        }
    }
}
