//! The lattice of divergence: how values vary over the threads of a block (Coutinho and others, *Divergence
//! Analysis and Optimizations*, PACT 2011).
//!
//! A value is *uniform* if all threads of a block compute the same, *divergent* otherwise. Between them are
//! values that are uniform within each warp, and *offsets*: a fixed divergent value plus a uniform one, so
//! that `i < last` is uniform if both have the same base. A load from a uniform index is uniform: in a
//! program without data races all threads read the same.

use apg_symbolic::BinaryOp;

use crate::expression::Spread;
use crate::index::Operator;

/// Threads of a warp.
pub const WARP_SIZE: i64 = 32;

/// The cause of divergence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause<V, S> {
    /// Computed from this thread index.
    Index(V),
    /// Computed from this parameter of a function, for which threads of the call have different arguments.
    Parameter(V),
    /// Read at a thread's own index, or from a thread's own memory.
    Data,
    /// Computed by the division or remainder at this site, of a number that may be negative: rounding
    /// towards zero differs within a warp whose numbers start at -32.
    Rounding(S),
}

/// How a value varies over the threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divergence<V, S> {
    /// The same for all threads of the block.
    Uniform,
    /// The same for all threads of each warp.
    WarpUniform(Cause<V, S>),
    /// The thread's rank in its block, or its remainder by a multiple of 32: in each warp it counts up from a
    /// multiple of 32, possibly a negative one. Also an offset from the value of that variable.
    Rank(Option<V>, Cause<V, S>),
    /// The value that the variable had at its declaration, plus a uniform value.
    Offset(V, Cause<V, S>),
    /// Any value in any thread.
    Divergent(Cause<V, S>),
}

impl<V: Copy + PartialEq, S: Copy + PartialEq> Divergence<V, S> {
    /// The divergence of a value of which only the spread is known.
    pub(crate) fn of_spread(spread: Spread) -> Self {
        Self::of_spread_by(spread, Cause::Data)
    }

    /// The divergence of a value with this spread, by a cause.
    pub(crate) fn of_spread_by(spread: Spread, cause: Cause<V, S>) -> Self {
        match spread {
            Spread::Uniform => Divergence::Uniform,
            Spread::Warp => Divergence::WarpUniform(cause),
            Spread::Rank => Divergence::Rank(None, cause),
            Spread::Varying => Divergence::Divergent(cause),
        }
    }

    /// The spread of the value, as a callee sees it: variables of the caller have no meaning there.
    pub(crate) fn spread(self) -> Spread {
        match self {
            Divergence::Uniform => Spread::Uniform,
            Divergence::WarpUniform(_) => Spread::Warp,
            Divergence::Rank(..) => Spread::Rank,
            Divergence::Offset(..) | Divergence::Divergent(_) => Spread::Varying,
        }
    }

    /// The cause of divergence; `None` for uniform values.
    pub fn cause(self) -> Option<Cause<V, S>> {
        match self {
            Divergence::Uniform => None,
            Divergence::WarpUniform(cause)
            | Divergence::Rank(_, cause)
            | Divergence::Offset(_, cause)
            | Divergence::Divergent(cause) => Some(cause),
        }
    }

    /// Whether all threads of a warp have the same value.
    pub fn is_warp_uniform(self) -> bool {
        matches!(self, Divergence::Uniform | Divergence::WarpUniform(_))
    }

    /// Least upper bound: a value that is either of two, or computed from both.
    #[must_use]
    pub(crate) fn join(self, other: Self) -> Self {
        match (self.cause(), other.cause()) {
            _ if self == other => self,
            (Some(cause), _) | (None, Some(cause)) if self.is_warp_uniform() && other.is_warp_uniform() => {
                Divergence::WarpUniform(cause)
            }
            (Some(cause), _) | (None, Some(cause)) => Divergence::Divergent(cause),
            (None, None) => Divergence::Uniform,
        }
    }

    /// The divergence after an operation other than addition.
    #[must_use]
    pub(crate) fn without_offset(self) -> Self {
        match self {
            Divergence::Rank(_, cause) | Divergence::Offset(_, cause) => Divergence::Divergent(cause),
            same => same,
        }
    }

    /// The divergence of the sum with a uniform value.
    #[must_use]
    pub(crate) fn plus_uniform(self) -> Self {
        match self {
            Divergence::Rank(Some(variable), cause) => Divergence::Offset(variable, cause),
            Divergence::Rank(None, cause) => Divergence::Divergent(cause),
            other => other,
        }
    }

    /// The divergence of a variable at its declaration. `is_assigned`: it gets other values later.
    #[must_use]
    pub(crate) fn at_declaration(self, variable: V, is_assigned: bool) -> Self {
        match self {
            Divergence::Rank(None, cause) if !is_assigned => Divergence::Rank(Some(variable), cause),
            Divergence::Rank(_, cause) if is_assigned => Divergence::Offset(variable, cause),
            Divergence::Divergent(cause) => Divergence::Offset(variable, cause),
            other => other,
        }
    }

    /// The variable whose value is the base of the offset.
    fn base(self) -> Option<V> {
        match self {
            Divergence::Rank(start, _) => start,
            Divergence::Offset(start, _) => Some(start),
            _ => None,
        }
    }

    /// Whether the difference of both is uniform because they have the same base.
    pub(crate) fn has_base_of(self, other: Self) -> bool {
        self.base().is_some() && self.base() == other.base()
    }

    /// The divergence of a comparison: values with the same base compare equally in all threads.
    #[must_use]
    pub(crate) fn compare(self, other: Self) -> Self {
        match self.has_base_of(other) {
            true => Divergence::Uniform,
            false => self.join(other).without_offset(),
        }
    }

    /// The result of a binary operator on a rank and a constant; for quotients and remainders, of a
    /// non-negative rank. Ranks count up from a multiple of 32 in each warp, so `/ 32` is the index of the
    /// warp, and `& 63` is a rank again.
    pub(crate) fn apply_constant(self, op: Operator, by: i64) -> Option<Self> {
        let Divergence::Rank(_, cause) = self else { return None };
        let is_multiple = by > 0 && by % WARP_SIZE == 0;
        match op {
            Operator::Arithmetic(BinaryOp::TruncDiv) if is_multiple => Some(Divergence::WarpUniform(cause)),
            Operator::Arithmetic(BinaryOp::Shr) | Operator::UnsignedShr if (5..32).contains(&by) => {
                Some(Divergence::WarpUniform(cause))
            }
            Operator::Arithmetic(BinaryOp::And) if by % WARP_SIZE == 0 => {
                Some(Divergence::WarpUniform(cause))
            }
            Operator::Arithmetic(BinaryOp::TruncRem) if is_multiple => Some(Divergence::Rank(None, cause)),
            Operator::Arithmetic(BinaryOp::And)
                if by > 0 && (by.unsigned_abs() + 1).is_power_of_two() && by % WARP_SIZE == WARP_SIZE - 1 =>
            {
                Some(Divergence::Rank(None, cause))
            }
            _ => None,
        }
    }

    /// Whether a rank is less than a number: the same in each warp if that is a multiple of 32.
    pub(crate) fn less_than(self, number: i64) -> Option<Self> {
        self.split_at(number.rem_euclid(WARP_SIZE) == 0)
    }

    /// Whether a rank is greater than a number: the same in each warp if a multiple of 32 follows it.
    pub(crate) fn greater_than(self, number: i64) -> Option<Self> {
        self.split_at(number.rem_euclid(WARP_SIZE) == WARP_SIZE - 1)
    }

    fn split_at(self, is_between_warps: bool) -> Option<Self> {
        let Divergence::Rank(_, cause) = self else { return None };
        is_between_warps.then_some(Divergence::WarpUniform(cause))
    }
}

/// A branch whose condition is divergent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DivergentBranch<V, S> {
    /// The condition.
    pub site: S,
    /// Why it diverges.
    pub cause: Cause<V, S>,
    /// Whether threads of a warp take the same direction.
    pub is_warp_uniform: bool,
    /// Only statements after this position are affected (after a `continue`).
    pub(crate) from: Option<usize>,
}

impl<V: Copy + PartialEq, S: Copy + PartialEq> DivergentBranch<V, S> {
    /// The branch of a condition, if it is divergent.
    pub(crate) fn new(site: S, value: Divergence<V, S>) -> Option<Self> {
        let is_warp_uniform = value.is_warp_uniform();
        value.cause().map(|cause| DivergentBranch { site, cause, is_warp_uniform, from: None })
    }

    /// Whether threads skip the rest of an iteration, and meet again in the next one.
    pub fn is_skipped(&self) -> bool {
        self.from.is_some()
    }

    /// Whether it affects the statement at a position.
    pub(crate) fn controls(&self, at: usize) -> bool {
        self.from.is_none_or(|from| from <= at)
    }

    /// The divergence of a value assigned under the branch.
    pub(crate) fn assigned_divergence(&self) -> Divergence<V, S> {
        match self.is_warp_uniform {
            true => Divergence::WarpUniform(self.cause),
            false => Divergence::Divergent(self.cause),
        }
    }
}
