//! Nodes of one process against a serial model: any distributions, alignments, sections and shadows, with
//! messages in a seeded order.

mod assignments;
mod collectives;
mod intrinsics;
mod shadows;

use std::sync::Arc;

use proptest::prelude::*;

use super::array::{Alignment, Block, Declaration, Shadow};
use super::grid::{Format, Grid, Spelling};
use super::mailbox::Mailbox;
use super::node::Node;
use super::node_set::{NodeSet, Nodes};
use crate::base::place::PlaceId;
use crate::net::in_process::{Network, Schedule};

/// Runs code on each of some nodes, at the same time: its results.
pub(super) fn on_nodes<T: Send>(
    count: u32,
    schedule: Schedule,
    code: impl Fn(&mut Node) -> T + Sync,
) -> Vec<T> {
    let network = Network::new(count, schedule).expect("a thread");
    let nodes: Vec<Node> = PlaceId::first(count)
        .map(|place| Node::new(Mailbox::open(network.endpoint(place)).expect("a mailbox")))
        .collect();
    let code = &code;
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            nodes.into_iter().map(|mut node| scope.spawn(move || code(&mut node))).collect();
        threads.into_iter().map(|it| it.join().expect("a node")).collect()
    })
}

pub(super) fn seeded(seed: u64) -> Schedule {
    Schedule { seed, ..Schedule::default() }
}

/// An array of ints with one to three axes, aligned with a template that is distributed onto 4 nodes.
#[derive(Clone, Debug)]
pub(super) struct AnyArray {
    pub(super) extents: Vec<i64>,
    formats: Vec<Format>,
    node_sizes: Vec<i64>,
    offsets: Vec<i64>,
    /// The axes of the template are those of the array in reverse order.
    is_transposed: bool,
    pub(super) shadows: Vec<(i64, i64)>,
}

pub(super) const NODES: u32 = 4;

impl AnyArray {
    /// With other extents along as many axes.
    pub(super) fn with_extents(self, extents: Vec<i64>) -> AnyArray {
        AnyArray { extents, ..self }
    }

    pub(super) fn declaration(&self) -> Arc<Declaration> {
        let rank = self.extents.len();
        let of_template = |axis: usize| if self.is_transposed { rank - 1 - axis } else { axis };
        let mut bounds = vec![(0, 0); rank];
        for axis in 0..rank {
            let offset = self.offsets[axis];
            // More indices than the array needs, on both sides.
            bounds[of_template(axis)] = (offset - 1, self.extents[axis] + offset);
        }
        let nodes = Nodes::new("p", &self.node_sizes, &NodeSet::entire(NODES)).expect("nodes");
        let nodes = Arc::new(Grid::of_nodes("p", Spelling::Brackets, nodes, None));
        let mut template = Grid::of_template("t", Spelling::Brackets, rank, Some(bounds.clone()));
        let sized = |(axis, format): (usize, &Format)| match format {
            // Wider than need be.
            Format::Block(Some(more)) => {
                let node_axis = self.formats[..axis].iter().filter(|it| **it != Format::Whole).count();
                let (size, nodes) = (bounds[axis].1 - bounds[axis].0 + 1, self.node_sizes[node_axis]);
                Format::Block(Some((size + nodes - 1) / nodes + more))
            }
            Format::Gblock(Some(weights)) => {
                Format::Gblock(Some(shares(weights, bounds[axis].1 - bounds[axis].0 + 1)))
            }
            other => other.clone(),
        };
        let formats = self.formats.iter().enumerate().map(sized).collect();
        template.fix(Some((formats, nodes)), None, None).expect("a distribution");
        let alignment =
            |axis| Alignment { template_axis: Some(of_template(axis)), offset: self.offsets[axis] };
        let shadow = |it: &(i64, i64)| Shadow { below: it.0, above: it.1, is_full: false };
        Arc::new(Declaration {
            name: "a".to_owned(),
            element_bytes: 4,
            extents: self.extents.clone(),
            template: Arc::new(template),
            alignments: (0..rank).map(alignment).collect(),
            shadows: self.shadows.iter().map(shadow).collect(),
        })
    }
}

/// Sizes that add up to a whole, by weights.
fn shares(weights: &[i64], whole: i64) -> Vec<i64> {
    let sum = weights.iter().sum::<i64>().max(1);
    let mut sizes: Vec<i64> = weights.iter().map(|it| it * whole / sum).collect();
    let rest = whole - sizes.iter().sum::<i64>();
    sizes[0] += rest;
    sizes
}

fn format(nodes: i64, has_cyclic: bool) -> BoxedStrategy<Format> {
    let gblock = prop::collection::vec(0_i64..4, nodes as usize).prop_map(|it| Format::Gblock(Some(it)));
    let wide = (0_i64..3).prop_map(|it| Format::Block(Some(it)));
    let blocks = prop_oneof![Just(Format::Block(None)), wide, gblock].boxed();
    match has_cyclic {
        true => prop_oneof![blocks, (1_i64..4).prop_map(Format::Cyclic)].boxed(),
        false => blocks,
    }
}

/// Any array, with shadows or with cyclic axes.
pub(super) fn any_array(has_shadows: bool) -> impl Strategy<Value = AnyArray> {
    let one = format(4, !has_shadows).prop_map(|it| (vec![4], vec![it]));
    let two = (format(2, !has_shadows), format(2, !has_shadows)).prop_map(|(a, b)| (vec![2, 2], vec![a, b]));
    let partial = format(4, !has_shadows).prop_map(|it| (vec![4], vec![Format::Whole, it]));
    // Replicated along the second axis of the nodes.
    let replicated =
        format(2, !has_shadows).prop_map(|it| (vec![2, 2], vec![it.clone(), Format::Block(None)]));
    let three = (format(2, !has_shadows), format(2, !has_shadows), 0_usize..3).prop_map(|(a, b, whole)| {
        let mut formats = vec![a, b];
        formats.insert(whole, Format::Whole);
        (vec![2, 2], formats)
    });
    prop_oneof![one, two, partial, replicated, three].prop_flat_map(move |(node_sizes, formats)| {
        let rank = formats.len();
        let longest = if rank == 3 { 7 } else { 14 };
        let width = if has_shadows { 0_i64..3 } else { 0_i64..1 };
        (
            prop::collection::vec(1_i64..longest, rank),
            prop::collection::vec(-2_i64..3, rank),
            any::<bool>(),
            prop::collection::vec((width.clone(), width), rank),
        )
            .prop_map(move |(extents, offsets, is_transposed, shadows)| AnyArray {
                extents,
                formats: formats.clone(),
                node_sizes: node_sizes.clone(),
                offsets,
                is_transposed,
                shadows,
            })
    })
}

/// All indices of an array, in order.
fn all_indices(extents: &[i64]) -> Vec<Vec<i64>> {
    extents.iter().fold(vec![Vec::new()], |all, extent| {
        all.iter().flat_map(|it| (0..*extent).map(|at| [&it[..], &[at]].concat())).collect()
    })
}

/// The position of an index in row-major order.
pub(super) fn position(extents: &[i64], index: &[i64]) -> i32 {
    extents.iter().zip(index).fold(0, |all, (extent, at)| all * extent + at) as i32
}

/// Where an element is in local memory, in elements.
fn place(block: &Block, index: &[i64]) -> usize {
    let bytes: i64 = block.axes.iter().zip(index).map(|(axis, at)| axis.local.place(*at) * axis.stride).sum();
    (bytes / 4) as usize
}

fn owns(block: &Block, index: &[i64]) -> bool {
    let has = |(axis, at): (&super::array::ArrayAxis, &i64)| {
        axis.owned().iter().any(|it| {
            it.intersect(super::progression::Progression { first: *at, step: 1, count: 1 }).is_some()
        })
    };
    block.is_member && block.axes.iter().zip(index).all(has)
}

/// The local block of a node, each own element of which has a value; all others -1.
pub(super) fn filled(block: &Block, extents: &[i64], value: impl Fn(&[i64]) -> i32) -> Vec<i32> {
    let mut memory = vec![-1; (block.bytes() / 4) as usize];
    for index in all_indices(extents).iter().filter(|it| owns(block, it)) {
        memory[place(block, index)] = value(index);
    }
    memory
}
