//! How values vary over the threads of a block.
//!
//! A value is *uniform* if all threads of a block compute the same, *divergent* if not. Between the two lie values that are the same
//! within each warp, and an *offset*, a fixed divergent value plus something uniform, so that `i < last` is uniform if both count
//! from the same start. What is read from memory at a uniform index is uniform, since the threads of a program without data
//! races all read the same.

use apg_syntax::{TextRange, TextSize};

use super::Axis;
use super::draft::Draft;
use crate::body::LocalId;

/// Threads of a warp.
pub(super) const WARP: i64 = 32;

/// Why threads differ in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
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
pub(super) enum Variance {
    /// The same for all threads of the block.
    Uniform,
    /// The same for all threads of each warp.
    Warp(Cause),
    /// The number of the thread in its block, or what dividing that by a multiple of 32 leaves: in each warp it counts from a multiple of
    /// 32, perhaps a negative one. It is an offset too, from the value of that local.
    Rank(Option<LocalId>, Cause),
    /// The value that the local had when it was declared, plus something uniform.
    Offset(LocalId, Cause),
    /// Any value in any thread.
    Divergent(Cause),
}

impl Variance {
    /// Why threads differ, if they do.
    pub fn cause(self) -> Option<Cause> {
        match self {
            Variance::Uniform => None,
            Variance::Warp(cause)
            | Variance::Rank(_, cause)
            | Variance::Offset(_, cause)
            | Variance::Divergent(cause) => Some(cause),
        }
    }

    /// Whether all threads of a warp have the same.
    fn is_same_for_warp(self) -> bool {
        matches!(self, Variance::Uniform | Variance::Warp(_))
    }

    /// A value that is either of two, or computed from two in some way.
    pub fn join(self, other: Variance) -> Variance {
        match (self.cause(), other.cause()) {
            _ if self == other => self,
            (Some(cause), _) | (None, Some(cause)) if self.is_same_for_warp() && other.is_same_for_warp() => {
                Variance::Warp(cause)
            }
            (Some(cause), _) | (None, Some(cause)) => Variance::Divergent(cause),
            (None, None) => Variance::Uniform,
        }
    }

    /// A value computed from this one other than by adding.
    pub fn mixed(self) -> Variance {
        match self {
            Variance::Rank(_, cause) | Variance::Offset(_, cause) => Variance::Divergent(cause),
            same => same,
        }
    }

    /// This, plus something that is the same for all threads.
    pub fn plus_uniform(self) -> Variance {
        match self {
            Variance::Rank(Some(local), cause) => Variance::Offset(local, cause),
            Variance::Rank(None, cause) => Variance::Divergent(cause),
            other => other,
        }
    }

    /// The first value of a local that is a number.
    pub fn first_of(self, local: LocalId, is_mutable: bool) -> Variance {
        match self {
            Variance::Rank(None, cause) if !is_mutable => Variance::Rank(Some(local), cause),
            Variance::Rank(_, cause) if is_mutable => Variance::Offset(local, cause),
            Variance::Divergent(cause) => Variance::Offset(local, cause),
            other => other,
        }
    }

    /// The same value in another function: locals mean something only in the code that declares them.
    pub fn in_a_function(self) -> Variance {
        match self {
            Variance::Uniform => Variance::Uniform,
            Variance::Warp(_) => Variance::Warp(Cause::Data),
            Variance::Rank(..) => Variance::Rank(None, Cause::Data),
            Variance::Offset(..) | Variance::Divergent(_) => Variance::Divergent(Cause::Data),
        }
    }

    /// What it counts from.
    fn start(self) -> Option<LocalId> {
        match self {
            Variance::Rank(start, _) => start,
            Variance::Offset(start, _) => Some(start),
            _ => None,
        }
    }

    /// The difference of two values.
    pub fn minus(self, other: Variance) -> Option<Variance> {
        (self.start().is_some() && self.start() == other.start()).then_some(Variance::Uniform)
    }

    /// What a binary operator makes of the number of a thread and a constant; `/` and `%` of one that is not negative. Numbers count up from
    /// a multiple of 32 in each warp: so `/ 32` is the number of the warp, and `& 63` counts from a multiple of 32 as well.
    pub fn rank_by(self, sign: &str, by: i64) -> Option<Variance> {
        let Variance::Rank(_, cause) = self else { return None };
        let is_multiple = by > 0 && by % WARP == 0;
        match sign {
            "/" if is_multiple => Some(Variance::Warp(cause)),
            ">>" | ">>>" if (5..32).contains(&by) => Some(Variance::Warp(cause)),
            "&" if by % WARP == 0 => Some(Variance::Warp(cause)),
            "%" if is_multiple => Some(Variance::Rank(None, cause)),
            "&" if by > 0 && (by + 1).count_ones() == 1 && (by + 1) % WARP == 0 => {
                Some(Variance::Rank(None, cause))
            }
            "<" | ">=" if by.rem_euclid(WARP) == 0 => Some(Variance::Warp(cause)),
            "<=" | ">" if by.rem_euclid(WARP) == WARP - 1 => Some(Variance::Warp(cause)),
            _ => None,
        }
    }
}

/// Comparing: two values that count from the same start compare the same in all threads.
pub(super) fn compare(left: Variance, right: Variance) -> Variance {
    left.minus(right).unwrap_or_else(|| left.join(right).mixed())
}

/// A condition on which threads part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Split {
    pub range: TextRange,
    pub cause: Cause,
    /// Threads of a warp stay together.
    pub keeps_warps: bool,
    /// Only what stands behind this offset is concerned (after a `continue`).
    pub from: Option<TextSize>,
}

impl Split {
    /// What a condition of that value does.
    pub fn of(range: TextRange, value: Variance) -> Option<Split> {
        let keeps_warps = value.is_same_for_warp();
        value.cause().map(|cause| Split { range, cause, keeps_warps, from: None })
    }

    /// Whether it concerns what stands at an offset.
    pub fn reaches(&self, at: TextSize) -> bool {
        self.from.is_none_or(|from| from <= at)
    }

    /// What a value set under it is.
    pub fn parted(&self) -> Variance {
        match self.keeps_warps {
            true => Variance::Warp(self.cause),
            false => Variance::Divergent(self.cause),
        }
    }
}

impl Draft<'_> {
    /// Whether a block has a multiple of 32 threads, as far as the program says.
    pub(super) fn are_warps_whole(&self, threads: &[Axis]) -> bool {
        let extents = threads.iter().map(|axis| self.constant(axis.last)?.checked_add(1));
        let product = extents.into_iter().try_fold(1i64, |all, it| all.checked_mul(it?));
        product.is_some_and(|it| it % WARP == 0)
    }

    /// How the indices of threads vary. Warps are 32 neighbours, the last axis first.
    pub(super) fn thread_indices(&self, threads: &[Axis]) -> Vec<(LocalId, Variance)> {
        let extents: Vec<Option<i64>> =
            threads.iter().map(|axis| self.constant(axis.last)?.checked_add(1)).collect();
        let product = |axes: &[Option<i64>]| axes.iter().try_fold(1i64, |all, it| all.checked_mul((*it)?));
        let variance = |position: usize, local: LocalId| {
            let cause = Cause::Index(local);
            let alone = product(&extents[..position]) == Some(1);
            let whole = extents[position].is_some_and(|it| it % WARP == 0);
            match product(&extents[position + 1..]) {
                Some(below) if below > 0 && below % WARP == 0 => Variance::Warp(cause),
                Some(1) if alone || whole => Variance::Rank(Some(local), cause),
                _ => Variance::Divergent(cause),
            }
        };
        let locals = threads.iter().enumerate().filter_map(|(position, axis)| Some((position, axis.local?)));
        locals.map(|(position, local)| (local, variance(position, local))).collect()
    }
}
