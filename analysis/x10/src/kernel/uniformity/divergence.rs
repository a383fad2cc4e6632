//! How values vary over the threads of a block.
//!
//! A value is *uniform* if all threads of a block compute the same, *divergent* if not. Between the two lie values that are the same
//! within each warp, and an *offset*, a fixed divergent value plus something uniform, so that `i < last` is uniform if both count
//! from the same start. What is read from memory at a uniform index is uniform, since the threads of a program without data
//! races all read the same.

use apg_syntax::{TextRange, TextSize};

use crate::body::LocalId;
use crate::kernel::Axis;
use crate::kernel::context::KernelContext;

/// Threads of a warp.
pub(in crate::kernel) const WARP_SIZE: i64 = 32;

/// Why threads differ in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernel) enum Cause {
    /// It was computed from this thread index.
    Index(LocalId),
    /// It was read at a thread's own index, or from a thread's own memory.
    Data,
    /// It was computed by a division or remainder, of that range, of a number that may be negative: that rounds towards zero, and so is
    /// not the same for the threads of the warp that count from -32.
    Rounding(TextRange),
}

/// How a value varies over the threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernel) enum Divergence {
    /// The same for all threads of the block.
    Uniform,
    /// The same for all threads of each warp.
    WarpUniform(Cause),
    /// The number of the thread in its block, or what dividing that by a multiple of 32 leaves: in each warp it counts from a multiple of
    /// 32, perhaps a negative one. It is an offset too, from the value of that local.
    Rank(Option<LocalId>, Cause),
    /// The value that the local had when it was declared, plus something uniform.
    Offset(LocalId, Cause),
    /// Any value in any thread.
    Divergent(Cause),
}

impl Divergence {
    /// Why threads differ, if they do.
    pub fn cause(self) -> Option<Cause> {
        match self {
            Divergence::Uniform => None,
            Divergence::WarpUniform(cause)
            | Divergence::Rank(_, cause)
            | Divergence::Offset(_, cause)
            | Divergence::Divergent(cause) => Some(cause),
        }
    }

    /// Whether all threads of a warp have the same.
    fn is_warp_uniform(self) -> bool {
        matches!(self, Divergence::Uniform | Divergence::WarpUniform(_))
    }

    /// A value that is either of two, or computed from two in some way.
    pub fn join(self, other: Divergence) -> Divergence {
        match (self.cause(), other.cause()) {
            _ if self == other => self,
            (Some(cause), _) | (None, Some(cause)) if self.is_warp_uniform() && other.is_warp_uniform() => {
                Divergence::WarpUniform(cause)
            }
            (Some(cause), _) | (None, Some(cause)) => Divergence::Divergent(cause),
            (None, None) => Divergence::Uniform,
        }
    }

    /// A value computed from this one other than by adding.
    pub fn without_offset(self) -> Divergence {
        match self {
            Divergence::Rank(_, cause) | Divergence::Offset(_, cause) => Divergence::Divergent(cause),
            same => same,
        }
    }

    /// This, plus something that is the same for all threads.
    pub fn plus_uniform(self) -> Divergence {
        match self {
            Divergence::Rank(Some(local), cause) => Divergence::Offset(local, cause),
            Divergence::Rank(None, cause) => Divergence::Divergent(cause),
            other => other,
        }
    }

    /// The first value of a local that is a number.
    pub fn at_declaration(self, local: LocalId, is_mutable: bool) -> Divergence {
        match self {
            Divergence::Rank(None, cause) if !is_mutable => Divergence::Rank(Some(local), cause),
            Divergence::Rank(_, cause) if is_mutable => Divergence::Offset(local, cause),
            Divergence::Divergent(cause) => Divergence::Offset(local, cause),
            other => other,
        }
    }

    /// The same value in another function: locals mean something only in the code that declares them.
    pub fn as_argument(self) -> Divergence {
        match self {
            Divergence::Uniform => Divergence::Uniform,
            Divergence::WarpUniform(_) => Divergence::WarpUniform(Cause::Data),
            Divergence::Rank(..) => Divergence::Rank(None, Cause::Data),
            Divergence::Offset(..) | Divergence::Divergent(_) => Divergence::Divergent(Cause::Data),
        }
    }

    /// What it counts from.
    fn base(self) -> Option<LocalId> {
        match self {
            Divergence::Rank(start, _) => start,
            Divergence::Offset(start, _) => Some(start),
            _ => None,
        }
    }

    /// The difference of two values.
    pub fn difference(self, other: Divergence) -> Option<Divergence> {
        (self.base().is_some() && self.base() == other.base()).then_some(Divergence::Uniform)
    }

    /// What a binary operator makes of the number of a thread and a constant; `/` and `%` of one that is not negative. Numbers count up from
    /// a multiple of 32 in each warp: so `/ 32` is the number of the warp, and `& 63` counts from a multiple of 32 as well.
    pub fn apply_constant(self, sign: &str, by: i64) -> Option<Divergence> {
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

/// Comparing: two values that count from the same start compare the same in all threads.
pub(in crate::kernel) fn compare(left: Divergence, right: Divergence) -> Divergence {
    left.difference(right).unwrap_or_else(|| left.join(right).without_offset())
}

/// A condition on which threads part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernel) struct DivergentBranch {
    pub range: TextRange,
    pub cause: Cause,
    /// Threads of a warp stay together.
    pub is_warp_uniform: bool,
    /// Only what stands behind this offset is concerned (after a `continue`).
    pub from: Option<TextSize>,
}

impl DivergentBranch {
    /// What a condition of that value does.
    pub fn new(range: TextRange, value: Divergence) -> Option<DivergentBranch> {
        let is_warp_uniform = value.is_warp_uniform();
        value.cause().map(|cause| DivergentBranch { range, cause, is_warp_uniform, from: None })
    }

    /// Whether it concerns what stands at an offset.
    pub fn controls(&self, at: TextSize) -> bool {
        self.from.is_none_or(|from| from <= at)
    }

    /// What a value set under it is.
    pub fn assigned_divergence(&self) -> Divergence {
        match self.is_warp_uniform {
            true => Divergence::WarpUniform(self.cause),
            false => Divergence::Divergent(self.cause),
        }
    }
}

impl KernelContext<'_> {
    /// Whether a block has a multiple of 32 threads, as far as the program says.
    pub(in crate::kernel) fn has_whole_warps(&self, threads: &[Axis]) -> bool {
        let extents = threads.iter().map(|axis| self.constant(axis.last)?.checked_add(1));
        let product = extents.into_iter().try_fold(1i64, |all, it| all.checked_mul(it?));
        product.is_some_and(|it| it % WARP_SIZE == 0)
    }

    /// How the indices of threads vary. Warps are 32 neighbours, the last axis first.
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
