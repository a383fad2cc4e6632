//! `xmp/size-mismatch`

use apg_diagnostics::{Rule, Severity};

use crate::hir::{Length, Type};
use crate::rules::Context;
use crate::xmp::Model;
use crate::xmp::loops::aligned_index;

/// An array with elements that its template has no index for.
pub static RULE: Rule = Rule {
    code: "xmp/size-mismatch",
    severity: Severity::Warning,
    summary: "An array with elements that the template it is aligned with has no index for.",
    explanation: r##"
`align` places each element of an array where an index of the template is, and that index decides which node has the element. Elements whose index is
outside of the template's bounds belong to no node (XcalableMP 1.4, section 4.4.1). The program ends with an error when it starts.

Declare a template with bounds that cover the array, or align it with another offset. Indices of a template with parentheses begin at 1, those of
arrays at 0.
"##,
    failing: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[101];
#pragma xmp align a[i] with t[i]
"##,
    fixed: r##"
#pragma xmp nodes p[4]
#pragma xmp template t[101]
#pragma xmp distribute t[block] onto p
double a[101];
#pragma xmp align a[i] with t[i]
"##,
};

pub(super) fn check(cx: &mut Context<'_>) {
    let model = Model::of(cx.program);
    for array in &model.arrays {
        let variable = cx.program.variable(array.variable);
        let Some(template) = model.grid(&array.template, variable.function) else { continue };
        if array.target_spelling != Some(template.spelling) || array.target.len() != template.axes.len() {
            continue;
        }
        let extents = extents(&variable.ty);
        for (index, axis) in array.target.iter().zip(&template.axes) {
            let (Some((first, last)), Some((number, offset))) =
                (axis.bounds, aligned_index(cx.program, array, index))
            else {
                continue;
            };
            let Some(Some(extent)) = extents.get(number) else { continue };
            let (low, high) = (offset, offset + extent - 1);
            if *extent > 0 && (low < first || high > last) {
                let message = format!(
                    "the elements 0 to {} of axis {number} of `{}` are at {low} to {high} of `{}`, which has the \
                     indices {first} to {last}",
                    extent - 1,
                    variable.name,
                    template.name
                );
                cx.report_pair(&RULE, (index.range, message), (template.range, "the template's declaration"));
            }
        }
    }
}

/// Numbers of elements along the axes of an array, where they are constant.
fn extents(mut ty: &Type) -> Vec<Option<i128>> {
    let mut extents = Vec::new();
    while let Type::Array(element, length) = ty {
        extents.push(match length {
            Length::Constant(count) => Some(i128::from(*count)),
            _ => None,
        });
        ty = element;
    }
    extents
}
