//! `xmp/missing-device-data`

use apg_diagnostics::{Rule, Severity};
use rustc_hash::FxHashSet;

use crate::hir::visit::Node;
use crate::hir::{Directive, ExprKind, Program, Storage, VariableId};
use crate::rules::Context;
use crate::xmp::{Model, directives, escaped_arrays, is_library};

/// An array that an accelerator uses, and that nothing brings there.
pub static RULE: Rule = Rule {
    code: "xmp/missing-device-data",
    severity: Severity::Warning,
    summary: "A loop or `reflect` with `acc` about an array that no directive brings to the accelerator.",
    explanation: r##"
A `loop` with `acc`, and a `reflect` with `acc`, are about memory of the accelerator. A global array gets such memory by `acc replicate`, or by the data
directives of OpenACC (`acc data`, `enter data`, `declare`). No directive of this program names the array, so that it ends here by an error where an accelerator
runs it.

Write `#pragma xmp acc replicate (a)` at the array's declaration or in front of the block that uses it, and `acc replicate_sync in (a)` and `out (a)`
where values move.
"##,
    failing: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
static double a[100];
#pragma xmp align a[i] with t[i]
int main(void) {
    #pragma xmp loop on t[i] acc
    for (int i = 0; i < 100; i++) a[i] = i;
}
"##,
    fixed: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
static double a[100];
#pragma xmp align a[i] with t[i]
#pragma xmp acc replicate (a)
int main(void) {
    #pragma xmp loop on t[i] acc
    for (int i = 0; i < 100; i++) a[i] = i;
    #pragma xmp acc replicate_sync out (a)
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let program = cx.program;
    let model = Model::of(program);
    let is_about_devices = |it: &&Directive| it.is_accelerated_loop() || is_reflection(it);
    if model.arrays.is_empty() || !directives(program).any(|it| is_about_devices(&it)) {
        return;
    }
    let brought = brought(program);
    let is_whole = is_whole_program(program);
    // A function may bring them under another name.
    let escaped = escaped_arrays(program);
    let mut reported = FxHashSet::default();
    for directive in directives(program).filter(is_about_devices) {
        for (variable, range) in used(program, &model, directive) {
            let declared = program.variable(variable);
            let is_own = match declared.storage {
                Storage::Automatic | Storage::StaticLocal => true,
                Storage::Global => is_whole,
                Storage::Parameter | Storage::ThreadLocal => false,
            };
            if is_own
                && !escaped.contains(&variable)
                && !brought.contains(&variable)
                && reported.insert(variable)
            {
                let message = format!("no directive brings `{}` to the accelerator", declared.name);
                cx.report_pair(
                    &RULE,
                    (range, message),
                    (directive.name_range, "an accelerator uses it here"),
                );
            }
        }
    }
}

fn is_reflection(it: &Directive) -> bool {
    it.name == "reflect" && it.clause("acc").is_some()
}

/// The arrays in directives about data.
fn brought(program: &Program) -> FxHashSet<VariableId> {
    let is_about_data = |it: &&Directive| {
        it.family == apg_c_syntax::Family::OpenAcc
            || it.family == apg_c_syntax::Family::XcalableMp && it.name.starts_with("acc")
            || it.name.contains("target")
    };
    let directives = program.directives.iter().filter(is_about_data);
    let items =
        directives.flat_map(|it| it.argument.iter().chain(it.clauses.iter().flat_map(|it| &it.items)));
    items.flat_map(|it| program.variables_in(it)).collect()
}

/// Whether no other file can bring an array to the accelerator: the program has its `main` here, and calls
/// nothing but its own functions and those of libraries.
fn is_whole_program(program: &Program) -> bool {
    let mut has_main = false;
    let mut is_whole = true;
    for (function, body) in program.defined_functions() {
        has_main |= program.function(function).name == "main";
        program.walk_stmt(body, &mut |node| {
            if let Node::Expr(it) = node
                && let ExprKind::Call(callee, _) = &program.expr(it).kind
            {
                is_whole &= match program.expr(*callee).kind {
                    ExprKind::Function(it) if program.function(it).body.is_some() => true,
                    _ => program.callee_name(*callee).is_some_and(is_library),
                };
            }
            is_whole
        });
    }
    has_main && is_whole
}

/// The global arrays that a directive is about on the accelerator, each where it is named.
fn used(
    program: &Program,
    model: &Model,
    directive: &Directive,
) -> Vec<(VariableId, apg_c_syntax::TextRange)> {
    let mut found = Vec::new();
    let mut note = |expr| {
        if let ExprKind::Variable(variable) = program.expr(expr).kind
            && model.array(variable).is_some()
        {
            found.push((variable, program.expr(expr).range));
        }
    };
    match directive.body {
        Some(body) => program.walk_stmt(body, &mut |node| {
            if let Node::Expr(it) = node {
                note(it);
            }
            true
        }),
        None => {
            let lists = directive.argument.iter().filter_map(|it| it.mapping.as_ref());
            for subscript in lists.flat_map(|it| &it.subscripts) {
                if let crate::hir::SubscriptKind::Expr(it) = subscript.kind {
                    note(it);
                }
            }
        }
    }
    found
}
