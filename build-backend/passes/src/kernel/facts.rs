//! Decisions of the kernel analyses that the printer of expressions and statements follows.

use rustc_hash::FxHashSet;

use apg_mir::*;

/// Whether an access needs a bounds check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckElimination {
    /// No: it is always in bounds.
    Inside,
    /// Not in launches in which these of [`LaunchConditions::checks`](super::ranges::LaunchConditions) hold, one bit each.
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
#[derive(Clone, Default)]
pub struct NarrowedExprs {
    /// Narrowed indices, comparisons, divisions and assigned values.
    pub values: FxHashSet<ExprId>,
    /// Subexpressions whose operands are narrowed too.
    pub parts: FxHashSet<ExprId>,
    /// 64-bit locals that are declared with 32 bits.
    pub locals: FxHashSet<LocalId>,
}

/// How a loop is unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnrollFactor {
    /// By a factor.
    Times(u32),
    /// Fully, after the trip count is known. Where it depends on an outer counter, that is after the outer
    /// loop is unrolled. With a number in the pragma, compilers unroll the inner loop at once and leave a
    /// remainder, whose accesses keep private rails in memory.
    Full,
}

/// A loop whose loads are pipelined.
pub struct PipelinedLoop<'k> {
    /// Locals that its update assigns.
    pub counters: Vec<LocalId>,
    /// Its update.
    pub update: &'k [Stmt],
    /// Elements that every iteration reads, each with equal expressions elsewhere in the body.
    pub elements: Vec<(&'k Expr, Vec<&'k Expr>)>,
}
