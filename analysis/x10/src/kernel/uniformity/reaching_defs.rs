//! Values of variables between two assignments.
//!
//! What is assigned by a statement of a block is what the rest of that block sees, until something in there assigns
//! again: `first = CUDAWarp.shuffle(first, 0n);` is the same for the warp from there on, whatever `first` was before.

use apg_syntax::TextSize;
use rustc_hash::FxHashMap;

use crate::body::{LocalId, StmtId};
use crate::kernel::uniformity::divergence::Divergence;

/// A variable in the rest of a block.
#[derive(Clone, Copy, Debug)]
pub(in crate::kernel) struct ReachingDef {
    pub local: LocalId,
    /// The assignment.
    pub set: StmtId,
    /// The block that it is a statement of.
    pub block: StmtId,
    /// Where it stands, and how many conditions are around it.
    pub declared: (TextSize, usize),
}

/// The versions of the blocks around the current node, and how each varies.
#[derive(Default)]
pub(in crate::kernel) struct ReachingDefs {
    open: Vec<ReachingDef>,
    divergence: FxHashMap<StmtId, Divergence>,
}

impl ReachingDefs {
    /// What the variable is here, if a version is what can be seen.
    pub fn get(&self, local: LocalId) -> Option<Divergence> {
        let version = self.open.iter().rev().find(|it| it.local == local)?;
        self.divergence.get(&version.set).copied()
    }

    /// How many are open.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// From here on the variable is what was assigned.
    pub fn push(&mut self, version: ReachingDef) {
        self.open.push(version);
    }

    /// The block ends that had `len` versions open when it began.
    pub fn truncate(&mut self, len: usize) {
        self.open.truncate(len);
    }

    /// The versions that an assignment may reach. One by a statement of `block` ends those that the same block began before it.
    pub fn reached_by_assignment(&self, local: LocalId, block: Option<StmtId>) -> Vec<ReachingDef> {
        self.open.iter().filter(|it| it.local == local && Some(it.block) != block).copied().collect()
    }

    /// How a version varies.
    pub fn of(&self, set: StmtId) -> Option<Divergence> {
        self.divergence.get(&set).copied()
    }

    /// Says how a version varies; whether that is news.
    pub fn set(&mut self, set: StmtId, value: Divergence) -> bool {
        self.divergence.insert(set, value) != Some(value)
    }
}
