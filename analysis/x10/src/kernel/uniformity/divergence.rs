//! Divergence lattice: how values vary over the threads of a block (Coutinho and others, *Divergence Analysis
//! and Optimizations*, PACT 2011).
//!
//!
//! A value is *uniform* if all threads of a block compute the same, *divergent* otherwise. Between them are
//! values that are uniform within each warp, and *offsets*: a fixed divergent value plus a uniform one, so
//! that `i < last` is uniform if both have the same base. A load from a uniform index is uniform: in a
//! program without data races all threads read the same.

use apg_syntax::{TextRange, TextSize};

use crate::body::LocalId;
use crate::kernel::Axis;
use crate::kernel::context::KernelContext;

/// Threads of a warp.
pub(in crate::kernel) const WARP_SIZE: i64 = 32;

/// The cause of divergence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernel) enum Cause {
    /// Computed from this thread index.
    Index(LocalId),
    /// Read at a thread's own index, or from a thread's own memory.
    Data,
    /// Computed by the division or remainder at this range, of a number that may be negative: rounding
    /// towards zero differs within a warp whose numbers start at -32.
    Rounding(TextRange),
}

/// How a value varies over the threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernel) enum Divergence {
    /// The same for all threads of the block.
    Uniform,
    /// The same for all threads of each warp.
    WarpUniform(Cause),
    /// The thread's rank in its block, or its remainder by a multiple of 32: in each warp it counts up from a
    /// multiple of 32, possibly a negative one. Also an offset from the value of that local.
    Rank(Option<LocalId>, Cause),
    /// The value that the local had at its declaration, plus a uniform value.
    Offset(LocalId, Cause),
    /// Any value in any thread.
    Divergent(Cause),
}

impl Divergence {
    /// The cause of divergence; `None` for uniform values.
    pub(crate) fn cause(self) -> Option<Cause> {
        match self {
            Divergence::Uniform => None,
            Divergence::WarpUniform(cause)
            | Divergence::Rank(_, cause)
            | Divergence::Offset(_, cause)
            | Divergence::Divergent(cause) => Some(cause),
        }
    }

    /// Whether all threads of a warp have the same value.
    fn is_warp_uniform(self) -> bool {
        matches!(self, Divergence::Uniform | Divergence::WarpUniform(_))
    }

    /// Least upper bound: a value that is either of two, or computed from both.
    pub(crate) fn join(self, other: Divergence) -> Divergence {
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
    pub(crate) fn without_offset(self) -> Divergence {
        match self {
            Divergence::Rank(_, cause) | Divergence::Offset(_, cause) => Divergence::Divergent(cause),
            same => same,
        }
    }

    /// The divergence of the sum with a uniform value.
    pub(crate) fn plus_uniform(self) -> Divergence {
        match self {
            Divergence::Rank(Some(local), cause) => Divergence::Offset(local, cause),
            Divergence::Rank(None, cause) => Divergence::Divergent(cause),
            other => other,
        }
    }

    /// The divergence of a numeric local at its declaration.
    pub(crate) fn at_declaration(self, local: LocalId, is_mutable: bool) -> Divergence {
        match self {
            Divergence::Rank(None, cause) if !is_mutable => Divergence::Rank(Some(local), cause),
            Divergence::Rank(_, cause) if is_mutable => Divergence::Offset(local, cause),
            Divergence::Divergent(cause) => Divergence::Offset(local, cause),
            other => other,
        }
    }

    /// The divergence as seen in a callee, where the caller's locals have no meaning.
    pub(crate) fn as_argument(self) -> Divergence {
        match self {
            Divergence::Uniform => Divergence::Uniform,
            Divergence::WarpUniform(_) => Divergence::WarpUniform(Cause::Data),
            Divergence::Rank(..) => Divergence::Rank(None, Cause::Data),
            Divergence::Offset(..) | Divergence::Divergent(_) => Divergence::Divergent(Cause::Data),
        }
    }

    /// The local whose value is the base of the offset.
    fn base(self) -> Option<LocalId> {
        match self {
            Divergence::Rank(start, _) => start,
            Divergence::Offset(start, _) => Some(start),
            _ => None,
        }
    }

    /// The divergence of the difference, if both have the same base.
    pub(crate) fn difference(self, other: Divergence) -> Option<Divergence> {
        (self.base().is_some() && self.base() == other.base()).then_some(Divergence::Uniform)
    }

    /// The result of a binary operator on a rank and a constant; for `/` and `%`, of a non-negative rank.
    /// Ranks count up from a multiple of 32 in each warp, so `/ 32` is the index of the warp, and `& 63` is a
    /// rank again.
    pub(crate) fn apply_constant(self, sign: &str, by: i64) -> Option<Divergence> {
        let Divergence::Rank(_, cause) = self else { return None };
        let is_multiple = by > 0 && by % WARP_SIZE == 0;
        match sign {
            "/" if is_multiple => Some(Divergence::WarpUniform(cause)),
            ">>" | ">>>" if (5..32).contains(&by) => Some(Divergence::WarpUniform(cause)),
            "&" if by % WARP_SIZE == 0 => Some(Divergence::WarpUniform(cause)),
            "%" if is_multiple => Some(Divergence::Rank(None, cause)),
            "&" if by > 0 && (by + 1).count_ones() == 1 && (by + 1) % WARP_SIZE == 0 => {
                Some(Divergence::Rank(None, cause))
            }
            "<" | ">=" if by.rem_euclid(WARP_SIZE) == 0 => Some(Divergence::WarpUniform(cause)),
            "<=" | ">" if by.rem_euclid(WARP_SIZE) == WARP_SIZE - 1 => Some(Divergence::WarpUniform(cause)),
            _ => None,
        }
    }
}

/// The divergence of a comparison: values with the same base compare equally in all threads.
pub(in crate::kernel) fn compare(left: Divergence, right: Divergence) -> Divergence {
    left.difference(right).unwrap_or_else(|| left.join(right).without_offset())
}

/// A branch whose condition is divergent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernel) struct DivergentBranch {
    pub range: TextRange,
    pub cause: Cause,
    /// Whether threads of a warp take the same direction.
    pub is_warp_uniform: bool,
    /// Only code after this offset is affected (after a `continue`).
    pub from: Option<TextSize>,
}

impl DivergentBranch {
    /// The branch of a condition, if it is divergent.
    pub(crate) fn new(range: TextRange, value: Divergence) -> Option<DivergentBranch> {
        let is_warp_uniform = value.is_warp_uniform();
        value.cause().map(|cause| DivergentBranch { range, cause, is_warp_uniform, from: None })
    }

    /// Whether it affects code at an offset.
    pub(crate) fn controls(&self, at: TextSize) -> bool {
        self.from.is_none_or(|from| from <= at)
    }

    /// The divergence of a value assigned under the branch.
    pub(crate) fn assigned_divergence(&self) -> Divergence {
        match self.is_warp_uniform {
            true => Divergence::WarpUniform(self.cause),
            false => Divergence::Divergent(self.cause),
        }
    }
}

impl KernelContext<'_> {
    /// Whether a block is known to have a multiple of 32 threads.
    pub(in crate::kernel) fn has_whole_warps(&self, threads: &[Axis]) -> bool {
        let extents = threads.iter().map(|axis| self.constant(axis.last)?.checked_add(1));
        let product = extents.into_iter().try_fold(1i64, |all, it| all.checked_mul(it?));
        product.is_some_and(|it| it % WARP_SIZE == 0)
    }

    /// The divergence of thread indices. A warp is 32 consecutive threads, the last axis fastest.
    pub(in crate::kernel) fn thread_index_divergence(&self, threads: &[Axis]) -> Vec<(LocalId, Divergence)> {
        let extents: Vec<Option<i64>> =
            threads.iter().map(|axis| self.constant(axis.last)?.checked_add(1)).collect();
        let product = |axes: &[Option<i64>]| axes.iter().try_fold(1i64, |all, it| all.checked_mul((*it)?));
        let divergence = |position: usize, local: LocalId| {
            let cause = Cause::Index(local);
            let alone = product(&extents[..position]) == Some(1);
            let whole = extents[position].is_some_and(|it| it % WARP_SIZE == 0);
            match product(&extents[position + 1..]) {
                Some(below) if below > 0 && below % WARP_SIZE == 0 => Divergence::WarpUniform(cause),
                Some(1) if alone || whole => Divergence::Rank(Some(local), cause),
                _ => Divergence::Divergent(cause),
            }
        };
        let locals = threads.iter().enumerate().filter_map(|(position, axis)| Some((position, axis.local?)));
        locals.map(|(position, local)| (local, divergence(position, local))).collect()
    }
}
