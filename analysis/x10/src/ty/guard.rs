//! Guards of classes and methods (X10 specification, "Class Guards" and "Method Guards").

use super::{Constraint, Ty};
use crate::db::Db;

/// The resolved guard of a class or method.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Guard {
    /// Terms about values.
    pub constraint: Constraint,
    /// `T <: U`
    pub subtypes: Vec<(Ty, Ty)>,
    /// `T == U`
    pub same: Vec<(Ty, Ty)>,
    /// `T haszero`
    pub has_zero: Vec<Ty>,
    /// `T isref`
    pub is_ref: Vec<Ty>,
}

impl Guard {
    /// Whether it has terms about types.
    pub fn speaks_of_types(&self) -> bool {
        !(self.subtypes.is_empty()
            && self.same.is_empty()
            && self.has_zero.is_empty()
            && self.is_ref.is_empty())
    }

    /// As written in a program.
    pub fn display(&self, db: &dyn Db) -> String {
        let mut terms: Vec<String> = Vec::new();
        let shown = |ty: Ty| ty.display(db).to_string();
        terms.extend(self.subtypes.iter().map(|(a, b)| format!("`{} <: {}`", shown(*a), shown(*b))));
        terms.extend(self.same.iter().map(|(a, b)| format!("`{} == {}`", shown(*a), shown(*b))));
        terms.extend(self.has_zero.iter().map(|ty| format!("`{} haszero`", shown(*ty))));
        terms.extend(self.is_ref.iter().map(|ty| format!("`{} isref`", shown(*ty))));
        terms.extend(self.constraint.terms.iter().map(|term| format!("`{term}`")));
        terms.join(" and ")
    }
}
