//! `xmp/reflect-beyond-shadow`

use apg_c_syntax::TextRange;
use apg_diagnostics::{Rule, Severity};

use crate::hir::{Directive, ExprKind, Subscript, SubscriptKind, VariableId};
use crate::rules::Context;
use crate::xmp::{Model, Width, directives, width};

/// A reflection that is wider than the shadow.
pub static RULE: Rule = Rule {
    code: "xmp/reflect-beyond-shadow",
    severity: Severity::Warning,
    summary: "A `reflect` whose width exceeds the shadow of the array.",
    explanation: r##"
`reflect` copies elements of neighbours into the shadow of an array, which is the memory that `shadow` reserves beside each block. A width beyond the
shadow has no place there (XcalableMP 1.4, section 4.5.2).

Reflect as much as the shadow has, or declare a wider shadow.
"##,
    failing: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[100];
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[1]
void exchange(void) {
    #pragma xmp reflect (a) width(2)
}
"##,
    fixed: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[100];
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[2]
void exchange(void) {
    #pragma xmp reflect (a) width(2)
}
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let model = Model::of(cx.program);
    let reflections =
        directives(cx.program).filter(|it| matches!(it.name.as_str(), "reflect" | "reflect_init"));
    for directive in reflections {
        let widths = widths(directive);
        for variable in arrays(cx, directive) {
            let shadow = model.shadow_of(variable);
            let declaration = match (shadow, model.array(variable)) {
                (Some(it), _) => it.range,
                (None, Some(it)) => it.range,
                // The array is declared elsewhere, and its shadow may be.
                (None, None) => continue,
            };
            let of_axis = |axis: usize| match shadow {
                Some(it) if it.widths.len() == widths.len() => it.widths[axis],
                Some(_) => Width::Unknown,
                None => Width::Sides(0, 0),
            };
            for (axis, subscript) in widths.iter().enumerate() {
                check_axis(cx, variable, subscript, of_axis(axis), declaration);
            }
        }
    }
}

fn check_axis(
    cx: &mut Context<'_>,
    variable: VariableId,
    subscript: &Subscript,
    shadow: Width,
    declaration: TextRange,
) {
    let (Width::Sides(below, above), Width::Sides(shadow_below, shadow_above)) =
        (width(cx.program, subscript), shadow)
    else {
        return;
    };
    if below > shadow_below || above > shadow_above {
        let (wanted, name) = (Width::Sides(below, above), cx.name(variable));
        let message = match shadow {
            Width::Sides(0, 0) => format!("`{name}` has no shadow in this axis, and {wanted} is reflected"),
            _ => format!("the shadow of `{name}` is {shadow} in this axis, and {wanted} is reflected"),
        };
        cx.report_pair(&RULE, (subscript.range, message), (declaration, "the array's declaration"));
    }
}

/// The subscripts of the clause `width`.
fn widths(directive: &Directive) -> &[Subscript] {
    let mapping = directive.clause("width").and_then(|it| it.items.first()?.mapping.as_ref());
    mapping.map_or(&[], |it| &it.subscripts)
}

/// The arrays that are reflected.
fn arrays(cx: &Context<'_>, directive: &Directive) -> Vec<VariableId> {
    let lists = directive.argument.iter().filter_map(|it| it.mapping.as_ref());
    let named = lists.flat_map(|it| &it.subscripts).filter_map(|it| match it.kind {
        SubscriptKind::Expr(expr) => match cx.program.expr(expr).kind {
            ExprKind::Variable(variable) => Some(variable),
            _ => None,
        },
        _ => None,
    });
    named.collect()
}
