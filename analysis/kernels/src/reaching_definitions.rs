//! Reaching definitions of variables within statement lists (Dragon Book, 9.2.4).
//!
//! An assignment reaches the rest of its list, until the next assignment there: behind
//! `first = shuffle(first, 0);` the variable is uniform for the warp, whatever it was before.

use rustc_hash::FxHashMap;

use crate::divergence::Divergence;

/// A definition that reaches the rest of a list of statements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReachingDefinition<V> {
    pub variable: V,
    /// The position of the assignment, and of the first statement of its list.
    pub position: usize,
    pub list: usize,
    /// The number of divergent conditions around it.
    pub around: usize,
}

/// The definitions that reach the current statement, and their divergence.
#[derive(Debug)]
pub(crate) struct ReachingDefinitions<V, S> {
    open: Vec<ReachingDefinition<V>>,
    /// By the position of the assignment.
    divergence: FxHashMap<usize, Divergence<V, S>>,
}

impl<V, S> Default for ReachingDefinitions<V, S> {
    fn default() -> Self {
        ReachingDefinitions { open: Vec::new(), divergence: FxHashMap::default() }
    }
}

impl<V: Copy + PartialEq, S: Copy + PartialEq> ReachingDefinitions<V, S> {
    /// The divergence of a variable here, if a definition reaches this point.
    pub(crate) fn get(&self, variable: V) -> Option<Divergence<V, S>> {
        let found = self.open.iter().rev().find(|it| it.variable == variable)?;
        self.divergence.get(&found.position).copied()
    }

    /// The number of open definitions.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// Adds a definition that reaches the following statements.
    pub(crate) fn push(&mut self, definition: ReachingDefinition<V>) {
        self.open.push(definition);
    }

    /// Drops all but the first `len` definitions, at the end of a list.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.open.truncate(len);
    }

    /// The definitions that an assignment in a list joins: it replaces earlier ones of the same list.
    pub(crate) fn joined_by_assignment(&self, variable: V, list: usize) -> Vec<ReachingDefinition<V>> {
        self.open.iter().filter(|it| it.variable == variable && it.list != list).copied().collect()
    }

    /// The divergence of the definition at a position.
    pub(crate) fn of(&self, position: usize) -> Option<Divergence<V, S>> {
        self.divergence.get(&position).copied()
    }

    /// Sets the divergence of the definition at a position; returns whether it changed.
    pub(crate) fn set(&mut self, position: usize, value: Divergence<V, S>) -> bool {
        self.divergence.insert(position, value) != Some(value)
    }
}
