//! Uniformity (divergence) analysis: which threads of a kernel agree on a value (Karrenberg and Hack,
//! *Whole-function vectorization*, CGO 2011; Coutinho, Sampaio, Pereira and Meira, *Divergence analysis and
//! optimizations*, PACT 2011).
//!
//! The lattice orders sets of threads by size. A value depends on its operands (data dependence) and on the
//! conditions that decide which definition reaches it (sync dependence); the solution is the least fixed
//! point over these dependences.

/// The largest group of threads that agree on a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Uniformity {
    /// All threads of a launch.
    #[default]
    Grid,
    /// All threads of a block.
    Block,
    /// All threads of a warp.
    Warp,
    /// No two threads for certain.
    Varying,
}

impl Uniformity {
    /// The largest group that agrees on both values: the join of the lattice.
    #[must_use]
    pub fn join(self, other: Uniformity) -> Uniformity {
        self.max(other)
    }

    /// Whether all threads of a block agree.
    pub fn is_block_uniform(self) -> bool {
        self <= Uniformity::Block
    }
}

/// Values, numbered from zero, and what they depend on.
#[derive(Clone, Debug, Default)]
pub struct DependenceGraph {
    own: Vec<Uniformity>,
    /// The values that depend on each value.
    dependents: Vec<Vec<usize>>,
}

impl DependenceGraph {
    /// A graph of values that depend on nothing.
    pub fn new(count: usize) -> DependenceGraph {
        DependenceGraph { own: vec![Uniformity::Grid; count], dependents: vec![Vec::new(); count] }
    }

    /// Joins a value with what is known of it apart from its dependences.
    pub fn seed(&mut self, value: usize, uniformity: Uniformity) {
        self.own[value] = self.own[value].join(uniformity);
    }

    /// Records that a value depends on another one.
    pub fn depend(&mut self, value: usize, on: usize) {
        self.dependents[on].push(value);
    }

    /// The least solution, by propagation along dependences with a worklist.
    pub fn solve(&self) -> Vec<Uniformity> {
        let mut found = self.own.clone();
        let mut pending: Vec<usize> = (0..found.len()).filter(|it| found[*it] != Uniformity::Grid).collect();
        while let Some(value) = pending.pop() {
            for dependent in &self.dependents[value] {
                let joined = found[*dependent].join(found[value]);
                if joined != found[*dependent] {
                    found[*dependent] = joined;
                    pending.push(*dependent);
                }
            }
        }
        found
    }
}
