//! `omp/flush-without-effect`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Construct, Type, VariableId};
use crate::rules::Context;
use crate::sharing::Attribute;

/// A `flush` that makes nothing visible.
pub static RULE: Rule = Rule {
    code: "omp/flush-without-effect",
    severity: Severity::Hint,
    summary: "A `flush` of a variable that no other thread sees, or of a pointer in place of its data.",
    explanation: r##"
`flush(x)` makes a thread's view of `x` the same as memory. A private variable has no other view. Of a pointer, the pointer itself is meant and not
what it points to (OpenMP 5.2, section 15.8.5): the data stays as it is in each thread's view.

Write `flush` without a list: it is about all that the thread can reach.
"##,
    failing: r##"
void use(int);
void run(void) {
    #pragma omp parallel
    {
        int own = 1;
        #pragma omp flush(own)
        use(own);
    }
}
"##,
    fixed: r##"
void use(int);
void run(void) {
    #pragma omp parallel
    {
        int own = 1;
        #pragma omp flush
        use(own);
    }
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let flushes = cx.directives().map(|it| it.1).filter(|it| it.has(Construct::Flush));
    let flushes: Vec<_> = flushes.collect();
    for directive in flushes {
        for item in &directive.argument {
            let Some(variable) = item.variable(cx.program) else { continue };
            let name = cx.name(variable);
            let around = cx.around(directive).find_map(|it| cx.program.sharing(it.0, variable));
            let is_private = around.is_some_and(|it| is_private(it.attribute))
                && !matches!(cx.program.variable(variable).ty, Type::Array(..) | Type::Unknown);
            let message = if is_private {
                format!("`{name}` is private: no other thread has a view of it")
            } else if is_parameter_pointer(cx, variable) {
                format!("this is about the pointer `{name}`, and not about what it points to")
            } else {
                continue;
            };
            cx.report(cx.at(&RULE, item.range, message).note("write `flush` without a list"));
        }
    }
}

fn is_private(attribute: Attribute) -> bool {
    matches!(attribute, Attribute::Private | Attribute::Firstprivate)
}

/// A pointer that the function gets and never changes: only its data can be meant.
fn is_parameter_pointer(cx: &Context<'_>, variable: VariableId) -> bool {
    let declared = cx.program.variable(variable);
    let body = declared.function.and_then(|it| cx.program.function(it).body);
    declared.storage == crate::hir::Storage::Parameter
        && matches!(declared.ty, Type::Pointer(_))
        && body.is_some_and(|it| {
            cx.program.uses_of(variable, it).iter().all(|it| it.kind == crate::uses::UseKind::Read)
        })
}
