//! Redundant null-check elimination: removes checks of fields that the class library declares non-null.
//!
//! In a loop such a check would keep the C++ compiler from moving loads through the reference in front of the
//! loop.

use apg_mir::{ExprKind, Program, walk_mut};

use crate::values::{is_host_code, strip_checks};

/// Removes null checks of fields with [`apg_mir::FieldAttributes::non_null`] from host code.
pub(crate) fn remove_declared_null_checks(program: &mut Program) {
    let classes = &program.classes;
    for function in program.functions.iter_mut().filter(|it| is_host_code(it)) {
        walk_mut::edit_exprs(&mut function.body, &mut |expr| {
            if let ExprKind::NonNull(value) = &mut expr.kind
                && let ExprKind::Field { class, field, .. } = strip_checks(value).kind
                && classes[class.index()].field_attributes(field).non_null
            {
                expr.kind = std::mem::replace(&mut value.kind, ExprKind::Null);
            }
        });
    }
}
