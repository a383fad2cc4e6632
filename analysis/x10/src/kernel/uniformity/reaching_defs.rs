//! Reaching definitions of variables within blocks (Dragon Book, 9.2.4).
//!
//!
//! An assignment by a statement of a block reaches the rest of that block, until the next assignment there:
//! after `first = CUDAWarp.shuffle(first, 0n);` the variable is uniform for the warp, whatever it was before.

use apg_syntax::TextSize;
use rustc_hash::FxHashMap;

use crate::body::{LocalId, StmtId};
use crate::kernel::uniformity::divergence::Divergence;

/// A definition that reaches the rest of a block.
#[derive(Clone, Copy, Debug)]
pub(in crate::kernel) struct ReachingDef {
    pub local: LocalId,
    /// The assignment.
    pub set: StmtId,
    /// The block it is a statement of.
    pub block: StmtId,
    /// Its position, and the number of divergent conditions around it.
    pub declared: (TextSize, usize),
}

/// The definitions that reach the current node, and their divergence.
#[derive(Default)]
pub(in crate::kernel) struct ReachingDefs {
    open: Vec<ReachingDef>,
    divergence: FxHashMap<StmtId, Divergence>,
}

impl ReachingDefs {
    /// The divergence of a variable here, if a definition reaches this point.
    pub(crate) fn get(&self, local: LocalId) -> Option<Divergence> {
        let version = self.open.iter().rev().find(|it| it.local == local)?;
        self.divergence.get(&version.set).copied()
    }

    /// The number of open definitions.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// Adds a definition that reaches the following code.
    pub(crate) fn push(&mut self, version: ReachingDef) {
        self.open.push(version);
    }

    /// Drops all but the first `len` definitions, at the end of a block.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.open.truncate(len);
    }

    /// The definitions that an assignment joins. An assignment by a statement of `block` replaces earlier
    /// ones of the same block.
    pub(crate) fn reached_by_assignment(&self, local: LocalId, block: Option<StmtId>) -> Vec<ReachingDef> {
        self.open.iter().filter(|it| it.local == local && Some(it.block) != block).copied().collect()
    }

    /// The divergence of a definition.
    pub(crate) fn of(&self, set: StmtId) -> Option<Divergence> {
        self.divergence.get(&set).copied()
    }

    /// Sets the divergence of a definition; returns whether it changed.
    pub(crate) fn set(&mut self, set: StmtId, value: Divergence) -> bool {
        self.divergence.insert(set, value) != Some(value)
    }
}
