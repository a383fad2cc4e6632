//! Decisions of the kernel analyses that the printer of expressions and statements follows.

use rustc_hash::FxHashSet;

use apg_mir::*;

/// Whether an access needs a bounds check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckElimination {
    /// No: it is always in bounds.
    Inside,
    /// Not in launches in which these of [`LaunchConditions::checks`](super::LaunchConditions)
    /// hold, one bit each.
    AtLaunch(u32),
    /// Yes.
    Unknown,
}

impl CheckElimination {
    /// The decision for an access that is visited twice.
    pub fn and(self, other: CheckElimination) -> CheckElimination {
        match (self, other) {
            (CheckElimination::Inside, it) | (it, CheckElimination::Inside) => it,
            (CheckElimination::AtLaunch(a), CheckElimination::AtLaunch(b)) => {
                CheckElimination::AtLaunch(a | b)
            }
            (CheckElimination::Unknown, _) | (_, CheckElimination::Unknown) => CheckElimination::Unknown,
        }
    }
}

/// Integer expressions that a device may compute with 32 bits.
#[derive(Clone, Debug, Default)]
pub struct NarrowedExprs {
    /// Narrowed indices, comparisons, divisions and assigned values.
    pub values: FxHashSet<ExprId>,
    /// Subexpressions whose operands are narrowed too.
    pub parts: FxHashSet<ExprId>,
    /// 64-bit locals that are declared with 32 bits.
    pub locals: FxHashSet<LocalId>,
}
