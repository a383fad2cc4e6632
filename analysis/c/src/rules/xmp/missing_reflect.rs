//! `xmp/missing-reflect`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{DirectiveId, Program, StmtId, StmtKind, VariableId};
use crate::rules::Context;
use crate::xmp::{Model, StaleRead, stale_reads};

/// A shadow that is read after its owner has written.
pub static RULE: Rule = Rule {
    code: "xmp/missing-reflect",
    severity: Severity::Warning,
    summary: "A distributed loop reads elements of neighbours that were written since the last `reflect`.",
    explanation: r##"
The shadow of an array has copies of elements of neighbours, and only `reflect` renews them (XcalableMP 1.4, section 4.5.2). A loop has stored to the
array, and this one reads across the ends of blocks without a `reflect` in between: at these ends it reads old values. On one node the program works.

Write `reflect` between the two loops. Where both are in one loop, it belongs into that loop, not before it.
"##,
    failing: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[100], b[100];
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[1]
#pragma xmp align b[i] with t[i]
void smooth(void) {
    #pragma xmp loop on t[i]
    for (int i = 0; i < 100; i++) a[i] = i * i;
    #pragma xmp loop on t[i]
    for (int i = 1; i < 99; i++) b[i] = a[i - 1] + a[i + 1];
}
"##,
    fixed: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[100], b[100];
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[1]
#pragma xmp align b[i] with t[i]
void smooth(void) {
    #pragma xmp loop on t[i]
    for (int i = 0; i < 100; i++) a[i] = i * i;
    #pragma xmp reflect (a)
    #pragma xmp loop on t[i]
    for (int i = 1; i < 99; i++) b[i] = a[i - 1] + a[i + 1];
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let model = Model::of(cx.program);
    let mut reported: Vec<(DirectiveId, VariableId)> = Vec::new();
    for found in stale_reads(cx.program, &model) {
        // One `reflect` renews all elements that a loop reads.
        if !reported.contains(&(found.directive, found.array)) {
            reported.push((found.directive, found.array));
            report(cx, &found);
        }
    }
}

fn report(cx: &mut Context<'_>, found: &StaleRead) {
    let name = cx.name(found.array);
    let (axis, index) = found.index;
    let subscripts = match axis {
        0 => format!("`{name}[{index}]`"),
        _ => format!("`{name}` at index {index} of axis {axis}"),
    };
    let since = if found.is_of_iteration_before { "in the iteration before" } else { "before" };
    let message = format!(
        "no `reflect` brings {subscripts} from its owner, who has stored to it {since}: the copy in the shadow is \
         old{}",
        found.on_nodes
    );
    let mut diagnostic = cx.at(&RULE, found.read, message);
    diagnostic.related.extend(cx.related(found.write, "the owners store to it here"));
    let directive = cx.program.directive(found.directive);
    let on_device = if directive.is_accelerated_loop() { " acc" } else { "" };
    // Directives of accelerators around the loop are about the statement that follows.
    let is_in_pair = directive.parent.is_some_and(|it| cx.program.directive(it).is_compute());
    if !is_in_pair && is_in_block(cx.program, found.directive) {
        let text = format!("xmp reflect ({name}){on_device}");
        diagnostic.fixes.extend(cx.insert_directive(directive.range, &text));
    }
    cx.report(diagnostic);
}

/// Whether a directive with its statement is a statement of a block, so that another can stand before it: as
/// the body of an `if`, a loop or a directive it cannot.
fn is_in_block(program: &Program, directive: DirectiveId) -> bool {
    let is_directive = |it: &StmtId| program.stmt(*it).kind == StmtKind::Directive(directive);
    program
        .stmts
        .iter()
        .any(|it| matches!(&it.kind, StmtKind::Block(stmts) if stmts.iter().any(is_directive)))
}
