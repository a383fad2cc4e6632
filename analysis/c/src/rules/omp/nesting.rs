//! `omp/nesting`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Construct, Directive};
use crate::rules::Context;

/// A region where it may not be.
pub static RULE: Rule = Rule {
    code: "omp/nesting",
    severity: Severity::Error,
    summary: "A region inside of another that may not contain it.",
    explanation: r##"
All threads of a team must meet a loop to divide, a `single`, `sections` or a `barrier`, in the same order. Inside of another divided loop, a
`critical`, a `master` or a task only some of them come by, and those wait for the others forever. The specification forbids it (OpenMP 5.2,
section 17.1; 2.5, section 2.9), and lists more: `ordered` belongs to a loop with the clause `ordered`, `section` to `sections`, `distribute` to
`teams`, `cancel` to the region that it ends, and a `critical` may not contain another of its own name.

Start a new `parallel` region inside, or move the directive outwards.
"##,
    failing: r##"
void scale(double (*a)[100], int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        #pragma omp for
        for (int j = 0; j < 100; j++) a[i][j] *= 2;
    }
}
"##,
    fixed: r##"
void scale(double (*a)[100], int n) {
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 100; j++) a[i][j] *= 2;
    }
}
"##,
};

/// The first construct of a directive that others are nested in closely, and what it is.
fn innermost(directive: &Directive) -> Option<Construct> {
    directive.constructs.last().copied()
}

/// Why a directive may not be in the regions around it, and the directive that forbids it.
pub(super) fn forbidden<'d>(
    directive: &'d Directive,
    around: &[&'d Directive],
) -> Option<(&'d Directive, String)> {
    use Construct::*;
    let first = *directive.constructs.first()?;
    let closest = *around.first()?;
    // What a `metadirective` becomes is not known.
    if closest.constructs.is_empty() {
        return None;
    }
    let name = &directive.name;
    if closest.has(Simd) && !matches!(first, Ordered | Simd | Loop | Atomic | Scan) {
        return Some((closest, format!("`{name}` may not be inside of `simd`")));
    }
    if innermost(closest) == Some(Teams) && !matches!(first, Distribute | Parallel | Loop | Atomic | Critical)
    {
        let what = "only `distribute`, `parallel` and `loop` may be directly inside of `teams`";
        return Some((closest, what.to_string()));
    }
    match first {
        For | Sections | Single | Scope | Barrier => {
            for it in around {
                match innermost(it)? {
                    Parallel | Teams | Target => return None,
                    For | Sections | Section | Single | Critical | Ordered | Master | Masked | Task
                    | Taskloop | Atomic | Loop => {
                        return Some((it, format!("`{name}` may not be inside of `{}`", it.name)));
                    }
                    _ => {}
                }
            }
            None
        }
        Master | Masked if directive.constructs.len() == 1 => {
            for it in around {
                match innermost(it)? {
                    Parallel | Teams | Target => return None,
                    For | Sections | Section | Single | Scope | Task | Taskloop | Atomic | Loop => {
                        return Some((it, format!("`{name}` may not be inside of `{}`", it.name)));
                    }
                    _ => {}
                }
            }
            None
        }
        Ordered => ordered(directive, around),
        Cancel | CancellationPoint => cancelled(directive, closest),
        Scan => {
            let is_scanned = closest
                .clauses_named("reduction")
                .any(|it| it.modifiers.iter().any(|it| it.text == "inscan"));
            let what = "`scan` needs a loop with `reduction(inscan, ...)` around it";
            (!is_scanned).then(|| (closest, what.to_string()))
        }
        Critical => {
            let named = |it: &Directive| it.argument.first().and_then(|it| it.word.clone());
            let same = around.iter().find(|it| it.has(Critical) && named(it) == named(directive))?;
            Some((
                same,
                "a `critical` may not contain one of the same name: the thread would wait for itself".into(),
            ))
        }
        Section if closest.constructs.last() != Some(&Sections) => {
            Some((closest, "`section` stands directly in the block of `sections`".into()))
        }
        Distribute if innermost(closest) != Some(Teams) => {
            Some((closest, "`distribute` stands directly inside of `teams`".into()))
        }
        Teams if innermost(closest) != Some(Target) => {
            Some((closest, "`teams` stands directly inside of `target`, or in no region".into()))
        }
        _ => None,
    }
}

/// A region is cancelled from directly inside of it (OpenMP 5.2, section 16.1).
fn cancelled<'d>(directive: &Directive, closest: &'d Directive) -> Option<(&'d Directive, String)> {
    use Construct::*;
    let around = innermost(closest)?;
    let wanted =
        ["parallel", "for", "sections", "taskgroup"].into_iter().find(|it| directive.clause(it).is_some())?;
    let is_right = match wanted {
        "parallel" => around == Parallel,
        "for" => around == For,
        "sections" => matches!(around, Sections | Section),
        _ => matches!(around, Task | Taskloop | Taskgroup),
    };
    let is_judged = matches!(
        around,
        Parallel
            | For
            | Sections
            | Section
            | Single
            | Critical
            | Master
            | Masked
            | Task
            | Taskloop
            | Ordered
            | Target
            | Teams
    );
    let message = match wanted {
        "taskgroup" => "a `taskgroup` is cancelled by one of its tasks".to_string(),
        _ => format!("`{} {wanted}` stands directly inside of `{wanted}`", directive.name),
    };
    (is_judged && !is_right).then_some((closest, message))
}

/// Whether a directive in no region of its function ends a region of a team.
fn is_orphaned_cancel(directive: &Directive) -> bool {
    let is_cancel = |it: &Construct| matches!(it, Construct::Cancel | Construct::CancellationPoint);
    directive.constructs.first().is_some_and(is_cancel)
        && ["parallel", "for", "sections"].iter().any(|it| directive.clause(it).is_some())
}

fn ordered<'d>(directive: &Directive, around: &[&'d Directive]) -> Option<(&'d Directive, String)> {
    use Construct::*;
    if directive.clause("simd").is_some() {
        return None;
    }
    for it in around {
        match innermost(it)? {
            For | Simd if it.clause("ordered").is_some() => return None,
            For | Loop => {
                return Some((it, "`ordered` needs a loop with the clause `ordered` around it".into()));
            }
            Critical | Task | Taskloop | Ordered => {
                return Some((it, format!("`ordered` may not be inside of `{}`", it.name)));
            }
            Parallel | Teams | Target | Sections | Single | Master => {
                return Some((it, "`ordered` needs a loop with the clause `ordered` around it".into()));
            }
            _ => {}
        }
    }
    None
}

pub(super) fn check(cx: &mut Context<'_>) {
    for (_, directive) in cx.directives() {
        let around: Vec<&Directive> = cx.around(directive).map(|it| it.1).collect();
        if around.is_empty() && is_orphaned_cancel(directive) {
            let message = format!("`{}` stands directly inside of the region that it ends", directive.name);
            cx.report(cx.at(&RULE, directive.name_range, message));
        }
        let Some((by, message)) = forbidden(directive, &around) else { continue };
        let mut diagnostic = cx.at(&RULE, directive.name_range, message);
        diagnostic.related.extend(cx.related(by.name_range, format!("the region of `{}`", by.name)));
        if directive.has(Construct::Ordered) && by.has(Construct::For) {
            diagnostic.fixes.extend(cx.append_clause(by, "ordered"));
        }
        cx.report(diagnostic);
    }
}
