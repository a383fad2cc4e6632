//! Ordered sets of nodes, and node arrays: sets with a shape (XcalableMP 1.4, section 4.3.1).

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::error::{Result, XmpError};

/// Nodes of the program in an order, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeSet {
    /// Numbers of the nodes.
    pub nodes: Vec<u32>,
}

impl NodeSet {
    /// All nodes of a program of `count` of them.
    pub fn entire(count: u32) -> NodeSet {
        NodeSet { nodes: (0..count).collect() }
    }

    /// Where a node is.
    pub fn position(&self, node: u32) -> Option<usize> {
        // Most sets are ascending, and many begin at node 0.
        match self.nodes.get(node as usize) {
            Some(at) if *at == node => Some(node as usize),
            _ => self.nodes.iter().position(|it| *it == node),
        }
    }

    /// A number that equal sets have, and others hardly.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.hash(&mut hasher);
        hasher.finish()
    }

    /// Those that are in both, in the order of this one.
    pub fn intersect(&self, other: &NodeSet) -> NodeSet {
        NodeSet { nodes: self.nodes.iter().copied().filter(|it| other.position(*it).is_some()).collect() }
    }
}

/// A node array: the last axis varies fastest, indices begin at 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// Number of nodes of each axis.
    pub sizes: Vec<i64>,
    /// The nodes, in order.
    pub set: Arc<NodeSet>,
}

impl Nodes {
    /// The first nodes of a set in this shape; sizes of -1 are what remains of the set.
    ///
    /// # Errors
    /// The set has fewer nodes, or a size is not possible: the words for the user.
    pub fn new(name: &str, sizes: &[i64], of: &NodeSet) -> Result<Nodes> {
        let available = of.nodes.len() as i64;
        if let Some(size) = sizes.iter().find(|it| **it == 0 || **it < -1) {
            return Err(XmpError::new(format!("`{name}` has {size} nodes along an axis")));
        }
        let known = sizes.iter().filter(|it| **it != -1).fold(1_i64, |all, it| all.saturating_mul(*it));
        let free = sizes.iter().filter(|it| **it == -1).count();
        if free > 0 && (available % known != 0 || available < known) {
            let places = round_up(available, known);
            return Err(XmpError::new(format!(
                "`{name}` divides {available} nodes by {known}, which leaves a rest"
            ))
            .hint(format!("run it on a multiple of {known} places: `--places {places}`")));
        }
        let mut rest = balanced_factors(available / known.max(1), free).into_iter();
        let chosen = |it: &i64| if *it == -1 { rest.next().unwrap_or(1) } else { *it };
        let sizes: Vec<i64> = sizes.iter().map(chosen).collect();
        let count = sizes.iter().fold(1_i64, |all, it| all.saturating_mul(*it));
        if count > available {
            let nodes = if available == 1 { "1 node".to_owned() } else { format!("{available} nodes") };
            return Err(XmpError::new(format!("`{name}` has {count} nodes, and there are {nodes}"))
                .hint(format!("a node is a place: run the program with `--places {count}`")));
        }
        let set = NodeSet { nodes: of.nodes[..count as usize].to_vec() };
        Ok(Nodes { sizes, set: Arc::new(set) })
    }

    /// The coordinates of the node at a position.
    pub fn coordinates(&self, position: usize) -> Vec<i64> {
        let mut rest = position as i64;
        let mut coordinates = vec![0; self.sizes.len()];
        for (coordinate, size) in coordinates.iter_mut().zip(&self.sizes).rev() {
            *coordinate = rest % size;
            rest /= size;
        }
        coordinates
    }

    /// The number of the node with these coordinates.
    pub fn at(&self, coordinates: &[i64]) -> u32 {
        let position = coordinates.iter().zip(&self.sizes).fold(0, |all, (it, size)| all * size + it);
        self.set.nodes[position as usize]
    }

    /// The nodes whose coordinate along each axis is in a list, in order.
    pub fn product(&self, coordinates: &[Vec<i64>]) -> NodeSet {
        let mut nodes = Vec::new();
        let mut chosen = Vec::new();
        self.add_product(coordinates, &mut chosen, &mut nodes);
        NodeSet { nodes }
    }

    fn add_product(&self, lists: &[Vec<i64>], chosen: &mut Vec<i64>, nodes: &mut Vec<u32>) {
        let Some((list, rest)) = lists.split_first() else { return nodes.push(self.at(chosen)) };
        for coordinate in list {
            chosen.push(*coordinate);
            self.add_product(rest, chosen, nodes);
            chosen.pop();
        }
    }
}

/// Factors of a number that are as near to each other as its prime factors allow, the greatest first (as
/// `MPI_Dims_create`).
fn balanced_factors(number: i64, count: usize) -> Vec<i64> {
    let mut factors = vec![1; count];
    let (mut rest, mut primes) = (number, Vec::new());
    let mut prime = 2;
    while rest > 1 {
        if prime * prime > rest {
            prime = rest;
        }
        while rest % prime == 0 {
            primes.push(prime);
            rest /= prime;
        }
        prime += 1;
    }
    for prime in primes.into_iter().rev() {
        if let Some(least) = factors.iter_mut().min() {
            *least *= prime;
        }
    }
    factors.sort_unstable_by(|a, b| b.cmp(a));
    factors
}

fn round_up(number: i64, multiple: i64) -> i64 {
    (number + multiple - 1) / multiple * multiple
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn star_is_what_remains() {
        let nodes = Nodes::new("p", &[2, -1], &NodeSet::entire(6)).expect("a node array");
        assert_eq!(nodes.sizes, [2, 3]);
        assert_eq!(nodes.coordinates(4), [1, 1]);
        assert_eq!(nodes.at(&[1, 1]), 4);
        assert_eq!(nodes.product(&[vec![0, 1], vec![2]]).nodes, [2, 5]);
    }

    #[test]
    fn several_stars_share_what_remains_evenly() {
        let sizes = |sizes: &[i64], count| Nodes::new("p", sizes, &NodeSet::entire(count)).map(|it| it.sizes);
        assert_eq!(sizes(&[-1, -1, -1], 8), Ok(vec![2, 2, 2]));
        assert_eq!(sizes(&[4, 2, -1], 8), Ok(vec![4, 2, 1]));
        assert_eq!(sizes(&[-1, -1], 12), Ok(vec![4, 3]));
        assert_eq!(sizes(&[-1, 3, -1], 21), Ok(vec![7, 3, 1]));
    }

    #[test]
    fn more_nodes_than_places_are_an_error_that_says_how_many() {
        let error = Nodes::new("p", &[2, 4], &NodeSet::entire(4)).expect_err("refused");
        assert_eq!(error.message, "`p` has 8 nodes, and there are 4 nodes");
        assert_eq!(error.hint.as_deref(), Some("a node is a place: run the program with `--places 8`"));
        let error = Nodes::new("p", &[3, -1], &NodeSet::entire(4)).expect_err("refused");
        assert_eq!(error.message, "`p` divides 4 nodes by 3, which leaves a rest");
        assert_eq!(
            Nodes::new("p", &[0], &NodeSet::entire(4)).map_err(|it| it.message),
            Err("`p` has 0 nodes along an axis".to_owned())
        );
    }
}
