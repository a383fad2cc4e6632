//! Facts: the constraint terms known at a point of a program.

use rustc_hash::FxHashMap;

use crate::ty::{ConstraintTerm, PathRoot};

/// Known terms, indexed by the roots of their paths.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    terms: Vec<ConstraintTerm>,
    about: FxHashMap<PathRoot, Vec<u32>>,
}

impl Facts {
    /// All facts, in the order of their addition.
    pub fn terms(&self) -> &[ConstraintTerm] {
        &self.terms
    }

    /// The number of facts.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are no facts.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The indices of the terms with a path that starts at `root`.
    pub fn about(&self, root: &PathRoot) -> &[u32] {
        self.about.get(root).map_or(&[], Vec::as_slice)
    }

    /// Whether a term is a fact.
    pub fn contains(&self, term: &ConstraintTerm) -> bool {
        match term.paths().next() {
            Some(path) => self.about(&path.root).iter().any(|&index| self.terms[index as usize] == *term),
            None => self.terms.contains(term),
        }
    }

    /// Adds a term.
    pub fn push(&mut self, term: ConstraintTerm) {
        let index = self.terms.len() as u32;
        for path in term.paths() {
            let known = self.about.entry(path.root.clone()).or_default();
            if known.last() != Some(&index) {
                known.push(index);
            }
        }
        self.terms.push(term);
    }

    /// Keeps the first `length` terms.
    pub fn truncate(&mut self, length: usize) {
        for term in self.terms.drain(length..).rev() {
            for path in term.paths() {
                if let Some(known) = self.about.get_mut(&path.root) {
                    while known.last().is_some_and(|&index| index as usize >= length) {
                        known.pop();
                    }
                }
            }
        }
    }
}
