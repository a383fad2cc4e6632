//! Topology: the places of a program, hosts first, then their accelerators, in a tree of two levels that is
//! the same everywhere.
//!
//! A host place is a process, an accelerator place lives in the process of its parent. Place 0 collects what
//! every host has, numbers the places and sends the result to the others, so that no
//! two places disagree.

mod selection;

pub use selection::Selection;

use serde::{Deserialize, Serialize};

/// An accelerator as its host describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accelerator {
    /// Its number at its host, as the driver counts.
    pub ordinal: u32,
    /// Its name in messages.
    pub name: String,
    /// Bytes of its memory.
    pub memory: u64,
    /// Compute capability.
    pub capability: (u32, u32),
}

/// All places of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    hosts: u32,
    /// In the order of their places, with their hosts' numbers.
    accelerators: Vec<(u32, Accelerator)>,
}

impl Topology {
    /// Places from what each host has.
    pub fn new(hosts: Vec<Vec<Accelerator>>) -> Topology {
        let count = hosts.len() as u32;
        let accelerators = (0..)
            .zip(hosts)
            .flat_map(|(host, own)| own.into_iter().map(move |accelerator| (host, accelerator)))
            .collect();
        Topology { hosts: count, accelerators }
    }

    /// Host places.
    pub fn hosts(&self) -> i64 {
        i64::from(self.hosts)
    }

    /// All places.
    pub fn places(&self) -> i64 {
        self.hosts() + self.accelerators.len() as i64
    }

    /// Whether there is such a place.
    pub fn contains(&self, place: i64) -> bool {
        (0..self.places()).contains(&place)
    }

    /// Whether it is a host.
    pub fn is_host(&self, place: i64) -> bool {
        (0..self.hosts()).contains(&place)
    }

    /// The accelerator that a place is.
    pub fn accelerator(&self, place: i64) -> Option<&Accelerator> {
        self.entry(place).map(|(_, accelerator)| accelerator)
    }

    fn entry(&self, place: i64) -> Option<&(u32, Accelerator)> {
        usize::try_from(place.checked_sub(self.hosts())?).ok().and_then(|index| self.accelerators.get(index))
    }

    /// The place above it: an accelerator's host; a host is its own parent.
    pub fn parent(&self, place: i64) -> Option<i64> {
        if self.is_host(place) { Some(place) } else { self.entry(place).map(|(host, _)| i64::from(*host)) }
    }

    /// The places below it, in order.
    pub fn children(&self, place: i64) -> impl Iterator<Item = i64> {
        let first = self.hosts();
        (first..)
            .zip(&self.accelerators)
            .filter(move |(_, (host, _))| i64::from(*host) == place)
            .map(|(child, _)| child)
    }

    /// Its number among its parent's children; none for a host.
    pub fn child_index(&self, place: i64) -> Option<i64> {
        let (host, _) = self.entry(place)?;
        self.children(i64::from(*host)).position(|child| child == place).map(|index| index as i64)
    }

    /// Whether each accelerator has one of the hosts.
    pub fn is_consistent(&self) -> bool {
        self.accelerators.iter().all(|(host, _)| *host < self.hosts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu(ordinal: u32) -> Accelerator {
        Accelerator { ordinal, name: format!("GPU {ordinal}"), memory: 1 << 37, capability: (9, 0) }
    }

    fn three_hosts() -> Topology {
        Topology::new(vec![vec![gpu(0), gpu(1)], vec![], vec![gpu(1)]])
    }

    #[test]
    fn hosts_come_first_then_accelerators() {
        let topology = three_hosts();
        assert_eq!((topology.hosts(), topology.places()), (3, 6));
        assert!(topology.is_host(2) && !topology.is_host(3) && !topology.is_host(-1));
        assert_eq!(topology.children(0).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(topology.children(1).count(), 0);
        assert_eq!(topology.children(2).collect::<Vec<_>>(), [5]);
        assert_eq!(topology.children(3).count(), 0);
    }

    #[test]
    fn parents_and_child_indices() {
        let topology = three_hosts();
        let parents: Vec<_> = (0..6).map(|place| topology.parent(place)).collect();
        assert_eq!(parents, [Some(0), Some(1), Some(2), Some(0), Some(0), Some(2)]);
        let indices: Vec<_> = (0..6).map(|place| topology.child_index(place)).collect();
        assert_eq!(indices, [None, None, None, Some(0), Some(1), Some(0)]);
        for outside in [-1, 6, i64::MIN, i64::MAX] {
            assert_eq!(topology.parent(outside), None);
            assert_eq!(topology.child_index(outside), None);
            assert!(!topology.contains(outside));
        }
    }

    #[test]
    fn accelerators_of_no_host_are_inconsistent() {
        assert!(three_hosts().is_consistent());
        assert!(!Topology { hosts: 1, accelerators: vec![(1, gpu(0))] }.is_consistent());
    }
}
