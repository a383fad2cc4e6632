//! Arrays of variable length (C17 6.7.6.2).

use apg_c_analysis::hir::{Length, Type};

/// Whether an array has a length, or rows of a length, that is no constant.
pub(crate) fn has_variable_length(ty: &Type) -> bool {
    let mut inner = Some(ty);
    while let Some(Type::Array(element, length)) = inner {
        if matches!(length, Length::Variable(_)) {
            return true;
        }
        inner = Some(element);
    }
    false
}

/// Whether objects of a type are rows whose length is not a constant.
pub(crate) fn is_row(ty: &Type) -> bool {
    matches!(ty, Type::Array(_, Length::Variable(_)))
}
