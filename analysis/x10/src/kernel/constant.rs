//! Constant evaluation for kernel rules and device limits.

use crate::body::{ExprId, Literal};
use crate::infer::constant;
use crate::kernel::context::KernelContext;

impl KernelContext<'_> {
    /// The value of an integer expression, if literals and `val`s of literals determine it.
    pub(crate) fn constant(&self, expr: ExprId) -> Option<i64> {
        match constant::value(self.semantics.db, self.body, expr)? {
            Literal::Int(value) => Some(value),
            _ => None,
        }
    }
}
