//! `omp/contradicting-clauses`

use apg_c_syntax::TextRange;
use apg_diagnostics::{Rule, Severity};

use crate::hir::{Clause, Construct, Directive, ExprKind};
use crate::rules::Context;

/// Two clauses that exclude each other.
pub static RULE: Rule = Rule {
    code: "omp/contradicting-clauses",
    severity: Severity::Error,
    summary: "Two clauses of a directive that exclude each other.",
    explanation: r##"
Some clauses ask for things that cannot be had together. `copyprivate` hands a value to all threads when they meet at the end of `single`, and `nowait` says that
they do not meet (OpenMP 5.2, section 5.7.2). An `ordered` loop is executed in order, and a `nonmonotonic` schedule may go backwards (section 11.5.3). An
`atomic read` stores nothing, so there is nothing to `release` (section 15.8.4).

Keep the clause that says what is meant, and remove the other.
"##,
    failing: r##"
void use(int);
void run(void) {
    int start;
    #pragma omp parallel private(start)
    {
        #pragma omp single copyprivate(start) nowait
        start = 1;
        use(start);
    }
}
"##,
    fixed: r##"
void use(int);
void run(void) {
    int start;
    #pragma omp parallel private(start)
    {
        #pragma omp single copyprivate(start)
        start = 1;
        use(start);
    }
}
"##,
};

/// Clauses that exclude each other, whatever their arguments; the second can be removed.
const PAIRS: &[(Construct, &str, &str)] = &[
    (Construct::Single, "copyprivate", "nowait"),
    (Construct::Taskloop, "reduction", "nogroup"),
    (Construct::Task, "detach", "mergeable"),
    (Construct::For, "ordered", "order"),
    (Construct::DeclareSimd, "inbranch", "notinbranch"),
    (Construct::Atomic, "read", "write"),
    (Construct::Atomic, "read", "update"),
    (Construct::Atomic, "read", "capture"),
    (Construct::Atomic, "write", "update"),
    (Construct::Atomic, "write", "capture"),
    (Construct::Atomic, "read", "release"),
    (Construct::Atomic, "write", "acquire"),
];

/// Orders of memory accesses, one of which a directive has (OpenMP 5.2, section 15.8.1).
const ORDERS: [&str; 5] = ["seq_cst", "acq_rel", "release", "acquire", "relaxed"];

/// A contradiction: the clause that is reported, the words, and what it contradicts.
struct Contradiction<'d> {
    clause: &'d Clause,
    message: String,
    first: TextRange,
    /// The directive is right without the clause.
    is_removable: bool,
}

fn value(cx: &Context<'_>, clause: &Clause) -> Option<i128> {
    cx.program.constant(clause.items.first()?.expr?)
}

fn has_modifier(clause: &Clause, word: &str) -> bool {
    clause.modifiers.iter().any(|it| it.text == word)
}

/// Pairs of clauses of which one must go.
fn pairs<'d>(directive: &'d Directive, found: &mut Vec<Contradiction<'d>>) {
    let mut report = |first: &Clause, clause: &'d Clause| {
        let message = format!("`{}` and `{}` exclude each other", first.name, clause.name);
        found.push(Contradiction { clause, message, first: first.range, is_removable: true });
    };
    for (construct, first, second) in PAIRS.iter().filter(|it| directive.has(it.0)) {
        if let (Some(a), Some(b)) = (directive.clause(first), directive.clause(second)) {
            // Of two forms of `atomic`, and of two conditions of calls, either may be meant.
            let is_removable = !matches!(construct, Construct::Atomic | Construct::DeclareSimd);
            let message = format!("`{first}` and `{second}` exclude each other");
            found.push(Contradiction { clause: b, message, first: a.range, is_removable });
            return;
        }
    }
    let mut orders = directive.clauses.iter().filter(|it| ORDERS.contains(&it.name.as_str()));
    if let (Some(first), Some(second)) = (orders.next(), orders.next())
        && first.name != second.name
    {
        report(first, second);
    }
}

/// Clauses that contradict each other by their arguments.
fn arguments<'d>(cx: &Context<'_>, directive: &'d Directive, found: &mut Vec<Contradiction<'d>>) {
    let mut report = |clause: &'d Clause, first: &Clause, message: String| {
        found.push(Contradiction { clause, message, first: first.range, is_removable: false });
    };
    let named = |name: &str| directive.clause(name);
    if let Some(schedule) = named("schedule").filter(|it| has_modifier(it, "nonmonotonic")) {
        if let Some(ordered) = named("ordered") {
            let message = "a `nonmonotonic` schedule may go backwards, and `ordered` goes forwards";
            report(schedule, ordered, message.into());
        } else if has_modifier(schedule, "monotonic") {
            report(schedule, schedule, "a schedule is either `monotonic` or `nonmonotonic`".into());
        }
    }
    if let Some(ordered) = named("ordered")
        && let Some(count) = value(cx, ordered)
    {
        if let Some(linear) = named("linear") {
            report(linear, ordered, "a loop with `ordered(n)` takes no `linear` variables".into());
        } else if directive.has(Construct::Simd) {
            report(ordered, ordered, "a `simd` loop takes `ordered` without a number of loops only".into());
        } else if let Some(collapse) = named("collapse")
            && value(cx, collapse).is_some_and(|it| it > count)
        {
            report(ordered, collapse, "`ordered` is about fewer loops than `collapse`".into());
        }
    }
    if let (Some(longest), Some(preferred)) = (named("safelen"), named("simdlen"))
        && let (Some(most), Some(wanted)) = (value(cx, longest), value(cx, preferred))
        && wanted > most
    {
        let message = format!("`simdlen` wants {wanted} iterations at once, and `safelen` permits {most}");
        report(preferred, longest, message);
    }
}

/// A `flush` of a list of variables has no order of its own.
fn flush(cx: &mut Context<'_>, directive: &Directive) {
    let order = directive.clauses.iter().find(|it| ORDERS.contains(&it.name.as_str()));
    let list = directive.argument.first().map(|it| it.range).or_else(|| {
        // The list is written behind the clause: the parser takes it for the argument of that.
        order?.items.first().map(|it| it.range)
    });
    if let (Some(order), Some(list)) = (order, list) {
        let message = format!("`{}` is about all variables, and the list about some", order.name);
        cx.report_pair(&RULE, (order.range, message), (list, "the list"));
    }
}

/// Variables that a `target` region maps and gives each device thread a copy of.
fn mapped_and_private<'d>(cx: &Context<'_>, directive: &'d Directive, found: &mut Vec<Contradiction<'d>>) {
    if directive.constructs != [Construct::Target] {
        return;
    }
    let whole = |clause: &Clause| -> Vec<_> {
        let variables = clause.items.iter().filter_map(|it| match cx.program.expr(it.expr?).kind {
            ExprKind::Variable(it) => Some(it),
            _ => None,
        });
        variables.collect()
    };
    let mapped: Vec<_> = directive.clauses_named("map").map(|it| (it, whole(it))).collect();
    for clause in directive.clauses.iter().filter(|it| matches!(it.name.as_str(), "private" | "firstprivate"))
    {
        for variable in whole(clause) {
            let Some((map, _)) = mapped.iter().find(|it| it.1.contains(&variable)) else { continue };
            let message =
                format!("`{}` is mapped, and `{}` gives the region a copy", cx.name(variable), clause.name);
            found.push(Contradiction { clause, message, first: map.range, is_removable: false });
        }
    }
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives().filter(|it| !it.1.constructs.is_empty()) {
        if directive.has(Construct::Flush) {
            flush(cx, directive);
        }
        let mut found = Vec::new();
        pairs(directive, &mut found);
        arguments(cx, directive, &mut found);
        mapped_and_private(cx, directive, &mut found);
        for Contradiction { clause, message, first, is_removable } in found {
            let mut diagnostic = cx.at(&RULE, clause.range, message);
            if first != clause.range {
                diagnostic.related.extend(cx.related(first, "the other clause"));
            }
            if is_removable {
                diagnostic.fixes.extend(cx.remove_clause(clause.range, &clause.name));
            }
            cx.report(diagnostic);
        }
    }
}
