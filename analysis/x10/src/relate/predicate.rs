//! Evaluation of type predicates: `T <: U`, `T == U`, `T haszero`, `T isref`.

use super::Context;
use crate::constraint::Entailment;
use crate::ty::Ty;
use crate::ty::type_test::TypeTest;

impl Context<'_> {
    /// Whether the type predicate holds, constraints included.
    pub fn holds(&self, test: &TypeTest) -> bool {
        let within = |a: Ty, b: Ty| self.is_subtype(a, b) && self.entailed(a, b, None) == Entailment::Proved;
        match test {
            TypeTest::Subtype(a, b) => within(*a, *b),
            TypeTest::Same(a, b) => self.is_same(*a, *b) && within(*a, *b) && within(*b, *a),
            TypeTest::HasZero(ty) => self.has_zero(*ty),
            TypeTest::IsRef(ty) => self.has_null(ty.base(self.db)),
        }
    }
}
