//! Distribution of the indices of an axis onto the nodes of an axis: block, cyclic and generalised block
//! (XcalableMP 1.4, section 4.3.3; High Performance Fortran 2.0, section 3.3), with closed forms of owner,
//! local index and owned indices.

use super::progression::Progression;

/// How the indices of an axis are divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Each node has all of them.
    Whole,
    /// Node `k` has those from `starts[k]` up to `starts[k + 1] - 1`.
    Blocks(Vec<i64>),
    /// Node `k` has those whose distance from `origin`, divided by `width`, is `k` modulo `nodes`.
    Cyclic {
        /// The first index of a block of node 0.
        origin: i64,
        /// Indices of a block.
        width: i64,
        /// Number of nodes.
        nodes: i64,
    },
}

/// The indices of an axis, `first` to `last`, and their division.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisMap {
    /// The lowest index.
    pub first: i64,
    /// The highest index; below `first` if there are none.
    pub last: i64,
    /// Their division.
    pub layout: Layout,
}

impl AxisMap {
    /// `block`, or `block(width)`.
    ///
    /// # Errors
    /// The blocks have no room for all indices: the words for the user.
    pub fn block(first: i64, last: i64, width: Option<i64>, nodes: i64) -> Result<AxisMap, String> {
        let size = (last - first + 1).max(0);
        let width = match width {
            None => (size + nodes - 1) / nodes,
            Some(width) if width < 1 => return Err(format!("block({width}): a block has at least 1 index")),
            Some(width) if width.saturating_mul(nodes) < size => {
                return Err(format!(
                    "block({width}) on {nodes} {} has room for {} indices, and the axis has {size}",
                    if nodes == 1 { "node" } else { "nodes" },
                    width * nodes
                ));
            }
            Some(width) => width,
        };
        let start = |node: i64| first.saturating_add(node.saturating_mul(width)).min(last + 1).max(first);
        Ok(AxisMap { first, last, layout: Layout::Blocks((0..=nodes).map(start).collect()) })
    }

    /// `cyclic(width)`.
    ///
    /// # Errors
    /// The width is not positive: the words for the user.
    pub fn cyclic(first: i64, last: i64, width: i64, nodes: i64) -> Result<AxisMap, String> {
        if width < 1 {
            return Err(format!("cyclic({width}): a block has at least 1 index"));
        }
        Ok(AxisMap { first, last, layout: Layout::Cyclic { origin: first, width, nodes } })
    }

    /// `gblock` with the number of indices of each node.
    ///
    /// # Errors
    /// A size is negative, or their sum is not the number of indices: the words for the user.
    pub fn gblock(first: i64, last: i64, sizes: &[i64]) -> Result<AxisMap, String> {
        let mut starts = vec![first];
        for (node, size) in sizes.iter().enumerate() {
            if *size < 0 {
                return Err(format!("gblock: node {node} has {size} indices"));
            }
            starts.push(starts[node].saturating_add(*size));
        }
        let (sum, size) = (starts[sizes.len()] - first, (last - first + 1).max(0));
        if sum != size {
            return Err(format!(
                "gblock: the sizes of the {} nodes add up to {sum}, and the axis has {size} indices",
                sizes.len()
            ));
        }
        Ok(AxisMap { first, last, layout: Layout::Blocks(starts) })
    }

    /// An axis that is not distributed.
    pub fn whole(first: i64, last: i64) -> AxisMap {
        AxisMap { first, last, layout: Layout::Whole }
    }

    /// The map of indices `first` to `last` that are at index + `offset` of this one.
    #[must_use]
    pub fn aligned(&self, first: i64, last: i64, offset: i64) -> AxisMap {
        let layout = match &self.layout {
            Layout::Whole => Layout::Whole,
            Layout::Blocks(starts) => Layout::Blocks(
                starts.iter().map(|it| (it - offset).clamp(first, (last + 1).max(first))).collect(),
            ),
            Layout::Cyclic { origin, width, nodes } => {
                // A whole number of cycles below the first index.
                let (origin, cycle) = (origin - offset, width * nodes);
                let origin = origin + (first - origin).div_euclid(cycle) * cycle;
                Layout::Cyclic { origin, width: *width, nodes: *nodes }
            }
        };
        AxisMap { first, last, layout }
    }

    /// Number of indices.
    pub fn size(&self) -> i64 {
        (self.last - self.first + 1).max(0)
    }

    /// The node that has an index of the axis.
    pub fn owner(&self, index: i64) -> i64 {
        match &self.layout {
            Layout::Whole => 0,
            // Of nodes without indices the last one begins where the next index is.
            Layout::Blocks(starts) => starts.partition_point(|it| *it <= index) as i64 - 1,
            Layout::Cyclic { origin, width, nodes } => ((index - origin) / width) % nodes,
        }
    }

    /// The indices of a node, as few progressions, in ascending order of their first indices.
    pub fn owned(&self, node: i64) -> Vec<Progression> {
        match &self.layout {
            Layout::Whole => Progression::interval(self.first, self.last).into_iter().collect(),
            Layout::Blocks(starts) => {
                let (first, end) = (starts[node as usize], starts[node as usize + 1]);
                Progression::interval(first, end - 1).into_iter().collect()
            }
            Layout::Cyclic { origin, width, nodes } => {
                let (cycle, start) = (width * nodes, origin + node * width);
                let cycles = (self.last - origin).div_euclid(cycle) + 1;
                if *width <= cycles {
                    let of_phase = |phase| {
                        let first = start + phase;
                        let first = if first < self.first { first + cycle } else { first };
                        Progression::up_to(first, self.last, cycle)
                    };
                    (0..*width).filter_map(of_phase).collect()
                } else {
                    let of_cycle = |number: i64| {
                        let first = start + number * cycle;
                        Progression::interval(first.max(self.first), (first + width - 1).min(self.last))
                    };
                    (0..cycles).filter_map(of_cycle).collect()
                }
            }
        }
    }

    /// Number of indices of a node.
    pub fn count(&self, node: i64) -> i64 {
        self.owned(node).iter().map(|it| it.count).sum()
    }

    /// Lowest and highest index of a node that has some.
    pub fn bounds(&self, node: i64) -> Option<(i64, i64)> {
        let owned = self.owned(node);
        let first = owned.iter().map(|it| it.first).min()?;
        let last = owned.iter().map(Progression::last).max()?;
        Some((first, last))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Any distribution of some indices, and the number of nodes.
    pub(in crate::xmp) fn any_map(nodes: i64) -> impl Strategy<Value = AxisMap> {
        let bounds = (-5_i64..6, 0_i64..40);
        let block = bounds
            .clone()
            .prop_map(move |(first, size)| AxisMap::block(first, first + size - 1, None, nodes));
        let wide = (bounds.clone(), 0_i64..4).prop_map(move |((first, size), more)| {
            AxisMap::block(first, first + size - 1, Some((size + nodes - 1) / nodes + more.max(1)), nodes)
        });
        let cyclic = (bounds, 1_i64..6)
            .prop_map(move |((first, size), width)| AxisMap::cyclic(first, first + size - 1, width, nodes));
        let gblock = (-5_i64..6, prop::collection::vec(0_i64..12, nodes as usize))
            .prop_map(|(first, sizes)| AxisMap::gblock(first, first + sizes.iter().sum::<i64>() - 1, &sizes));
        prop_oneof![block, wide, cyclic, gblock].prop_map(|it| it.expect("a distribution"))
    }

    fn nodes_and_map() -> impl Strategy<Value = (i64, AxisMap)> {
        (1_i64..6).prop_flat_map(|nodes| any_map(nodes).prop_map(move |map| (nodes, map)))
    }

    proptest! {
        #[test]
        fn each_index_has_one_owner((nodes, map) in nodes_and_map()) {
            let mut seen: Vec<i64> = Vec::new();
            for node in 0..nodes {
                for index in map.owned(node).into_iter().flat_map(Progression::indices) {
                    prop_assert_eq!(map.owner(index), node);
                    seen.push(index);
                }
                let bounds = map.owned(node).into_iter().flat_map(Progression::indices).fold(None, |all, it| {
                    let (low, high) = all.unwrap_or((it, it));
                    Some((it.min(low), it.max(high)))
                });
                prop_assert_eq!(map.bounds(node), bounds);
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, (map.first..=map.last).collect::<Vec<_>>());
        }

        #[test]
        fn aligned_index_has_the_owner_of_its_template_index(
            (nodes, map) in nodes_and_map(), offset in -4_i64..5, below in 0_i64..5, above in 0_i64..5,
        ) {
            let (first, last) = (map.first + below - offset, map.last - above - offset);
            prop_assume!(first <= last);
            let aligned = map.aligned(first, last, offset);
            for index in first..=last {
                prop_assert_eq!(aligned.owner(index), map.owner(index + offset));
            }
            let all: i64 = (0..nodes).map(|node| aligned.count(node)).sum();
            prop_assert_eq!(all, last - first + 1);
        }
    }

    #[test]
    fn sizes_that_do_not_match_are_errors() {
        let text = |it: Result<AxisMap, String>| it.expect_err("refused");
        assert_eq!(
            text(AxisMap::gblock(0, 9, &[4, 5])),
            "gblock: the sizes of the 2 nodes add up to 9, and the axis has 10 indices"
        );
        assert_eq!(text(AxisMap::gblock(0, 9, &[-1, 11])), "gblock: node 0 has -1 indices");
        assert_eq!(
            text(AxisMap::block(0, 9, Some(4), 2)),
            "block(4) on 2 nodes has room for 8 indices, and the axis has 10"
        );
        assert_eq!(text(AxisMap::cyclic(0, 9, 0, 2)), "cyclic(0): a block has at least 1 index");
    }
}
