//! Launch conditions: symbolic expressions over values that the host knows when it launches a kernel.

use std::fmt;

use apg_symbolic::{ExprPool, SymExpr};

use apg_mir::{Expr, LocalId};

/// A value that the host knows at launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaunchValue {
    /// An expression over captured scalars, by its number in [`LaunchConditions::captured`].
    Captured(u32),
    /// Number of elements of a captured array.
    RailLength(LocalId),
    /// Number of elements of a shared array, by its number.
    SharedLength(u32),
    /// Number of blocks along an axis; 0 is the last one of the kernel.
    Blocks(u32),
    /// Number of threads of a block along an axis; 0 is the last one of the kernel.
    Threads(u32),
    /// Number of all blocks.
    BlockCount,
    /// Number of threads of a block.
    ThreadCount,
}

impl fmt::Display for LaunchValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchValue::Captured(number) => write!(f, "captured{number}"),
            LaunchValue::RailLength(local) => write!(f, "length{}", local.0),
            LaunchValue::SharedLength(number) => write!(f, "shared_length{number}"),
            LaunchValue::Blocks(axis) => write!(f, "blocks{axis}"),
            LaunchValue::Threads(axis) => write!(f, "threads{axis}"),
            LaunchValue::BlockCount => write!(f, "block_count"),
            LaunchValue::ThreadCount => write!(f, "thread_count"),
        }
    }
}

/// Conditions on a launch, under which a kernel runs code without checks and with other integer widths.
#[derive(Clone, Debug, Default)]
pub struct LaunchConditions {
    /// The nodes of all conditions.
    pub pool: ExprPool<LaunchValue>,
    /// Expressions that [`LaunchValue::Captured`] refers to.
    pub captured: Vec<Expr>,
    /// Conditions of accesses and divisions, one a bit of
    /// [`AtLaunch`](crate::analysis::ranges::facts::CheckElimination::AtLaunch).
    pub checks: Vec<SymExpr>,
    /// Condition of computing with 64 bits; `None` if nothing depends on it.
    pub wide: Option<SymExpr>,
    /// Condition of computing with 32 bits; `None` if nothing depends on it.
    pub narrow: Option<SymExpr>,
}

impl LaunchConditions {
    /// Whether a kernel has a faster variant for launches that satisfy conditions. `unchecked` code has no
    /// checks that could be eliminated.
    pub fn depends_on_launch(&self, unchecked: bool) -> bool {
        self.wide.is_some() || self.narrow.is_some() || !self.checks.is_empty() && !unchecked
    }
}
