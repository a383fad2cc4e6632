//! What is known at a point of a program.

use rustc_hash::FxHashMap;

use crate::ty::{ConstraintTerm, PathRoot};

/// Terms that hold, found by what they speak of.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    terms: Vec<ConstraintTerm>,
    about: FxHashMap<PathRoot, Vec<u32>>,
}

impl Facts {
    /// All of them, in the order in which they were learnt.
    pub fn terms(&self) -> &[ConstraintTerm] {
        &self.terms
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The indices of the terms with a path that starts at `root`.
    pub fn about(&self, root: &PathRoot) -> &[u32] {
        self.about.get(root).map_or(&[], Vec::as_slice)
    }

    /// Whether a term is among them.
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
