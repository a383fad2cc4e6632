//! Global arrays: alignment of their axes with a template, shadows, and the layout of the local block
//! (XcalableMP 1.4, sections 4.3.4 to 4.3.6).

use std::sync::Arc;

use super::distribution::{AxisMap, Layout};
use super::error::{Result, XmpError};
use super::grid::{Grid, Placement};
use super::node_set::Nodes;
use super::progression::Progression;

/// Copies of elements of neighbours, below and above the block of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shadow {
    /// Elements below.
    pub below: i64,
    /// Elements above.
    pub above: i64,
    /// The node has memory for the whole axis.
    pub is_full: bool,
}

/// How an axis is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// The axis of the template; `None` if the axis is not distributed.
    pub template_axis: Option<usize>,
    /// What is added to an index to get that of the template.
    pub offset: i64,
}

/// What is declared of an array.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: String,
    /// Bytes of an element.
    pub element_bytes: i64,
    /// Elements of each axis.
    pub extents: Vec<i64>,
    /// The template.
    pub template: Arc<Grid>,
    /// How each axis is aligned.
    pub alignments: Vec<Alignment>,
    /// The shadow of each axis.
    pub shadows: Vec<Shadow>,
}

/// Where the elements of an axis are in local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Local {
    /// Index less that number.
    Shift(i64),
    /// Blocks of a block-cyclic distribution, one after the other: the first index of the first cycle, the
    /// size of a block, and the indices of a cycle.
    Cyclic {
        /// The first index.
        origin: i64,
        /// Indices of a block.
        width: i64,
        /// Indices of a cycle.
        cycle: i64,
    },
}

impl Local {
    /// Where an index of this node is.
    pub fn place(self, index: i64) -> i64 {
        match self {
            Local::Shift(by) => index - by,
            Local::Cyclic { origin, width, cycle } => {
                let at = index - origin;
                at.div_euclid(cycle) * width + at.rem_euclid(width)
            }
        }
    }
}

/// An axis of an array at a node.
#[derive(Clone, Debug)]
pub struct ArrayAxis {
    /// Its indices and their division.
    pub map: AxisMap,
    /// The axis of the nodes.
    pub node_axis: Option<usize>,
    /// The coordinate of this node along that axis.
    pub coordinate: i64,
    /// Its shadow.
    pub shadow: Shadow,
    /// Where its elements are.
    pub local: Local,
    /// Elements in local memory.
    pub allocated: i64,
    /// Bytes from one element to the next one.
    pub stride: i64,
    /// Its alignment.
    pub alignment: Alignment,
}

impl ArrayAxis {
    /// The indices that this node owns.
    pub fn owned(&self) -> Vec<Progression> {
        self.map.owned(self.coordinate)
    }

    /// Number of nodes onto which it is distributed.
    pub fn nodes(&self, nodes: &Nodes) -> i64 {
        self.node_axis.map_or(1, |axis| nodes.sizes[axis])
    }

    /// Count and stride in bytes of the elements of a progression, and where the first one is, in bytes.
    /// All of them have to be in local memory.
    pub fn elements(&self, of: Progression) -> (i64, (i64, i64)) {
        let first = self.local.place(of.first);
        let distance = if of.count > 1 { self.local.place(of.first + of.step) - first } else { 1 };
        (first * self.stride, (of.count, distance * self.stride))
    }
}

/// The local block of an array at a node.
#[derive(Clone, Debug)]
pub struct Block {
    /// The nodes.
    pub nodes: Arc<Nodes>,
    /// Whether this node is one of them.
    pub is_member: bool,
    /// Its coordinates among them.
    pub coordinates: Vec<i64>,
    /// The axes.
    pub axes: Vec<ArrayAxis>,
    /// Bytes of an element.
    pub element_bytes: i64,
}

impl Block {
    /// The block of a node.
    ///
    /// # Errors
    /// The template has no points yet; the array does not fit it, or a shadow cannot be: the words for the
    /// user.
    pub fn new(declaration: &Declaration, here: u32) -> Result<Block> {
        let Declaration { name, extents, template, element_bytes, .. } = declaration;
        let placement = template.placed()?;
        let nodes = Arc::clone(&placement.nodes);
        let position = nodes.set.position(here);
        let coordinates = nodes.coordinates(position.unwrap_or(0));
        let mut axes = Vec::new();
        for (axis, extent) in extents.iter().enumerate() {
            let axis = array_axis(declaration, placement, axis, *extent, &coordinates)?;
            axes.push(axis);
        }
        let mut stride = *element_bytes;
        for axis in axes.iter_mut().rev() {
            axis.stride = stride;
            stride = stride.checked_mul(axis.allocated.max(1)).ok_or_else(|| {
                XmpError::new(format!("the block of `{name}` has more bytes than there are addresses"))
            })?;
        }
        Ok(Block { nodes, is_member: position.is_some(), coordinates, axes, element_bytes: *element_bytes })
    }

    /// Bytes of the block, shadows included; 0 of a node that is no member.
    pub fn bytes(&self) -> u64 {
        if !self.is_member {
            return 0;
        }
        self.axes.iter().map(|it| it.allocated as u64).product::<u64>() * self.element_bytes as u64
    }

    /// The number of the node whose coordinate along an axis of the nodes is another one.
    pub fn neighbour(&self, node_axis: usize, coordinate: i64) -> u32 {
        let mut coordinates = self.coordinates.clone();
        coordinates[node_axis] = coordinate;
        self.nodes.at(&coordinates)
    }
}

fn array_axis(
    declaration: &Declaration,
    placement: &Placement,
    axis: usize,
    extent: i64,
    coordinates: &[i64],
) -> Result<ArrayAxis> {
    let (alignment, shadow) = (declaration.alignments[axis], declaration.shadows[axis]);
    let name = &declaration.name;
    let last = extent - 1;
    let (map, node_axis) = match alignment.template_axis {
        None => (AxisMap::whole(0, last), None),
        Some(template_axis) => {
            let of_template = &placement.axes[template_axis];
            let (low, high) = (alignment.offset, last + alignment.offset);
            if extent > 0 && (low < of_template.map.first || high > of_template.map.last) {
                return Err(XmpError::new(format!(
                    "the indices 0 to {last} of axis {axis} of `{name}` are at {low} to {high} of the template `{}`, which has {} to {}",
                    declaration.template.name, of_template.map.first, of_template.map.last
                ))
                .hint("a template has to have an index for each element that is aligned with it"));
            }
            (of_template.map.aligned(0, last, alignment.offset), of_template.node_axis)
        }
    };
    let coordinate = node_axis.map_or(0, |it| coordinates[it]);
    let (local, allocated) = match (&map.layout, shadow) {
        (_, Shadow { is_full: true, .. }) => (Local::Shift(0), extent.max(0)),
        (Layout::Cyclic { .. }, Shadow { below, above, .. }) if below + above > 0 => {
            return Err(XmpError::new(format!("axis {axis} of `{name}` is cyclic, and has a shadow of {below}:{above}"))
                .hint("neighbours of the elements of a node are on other nodes: use `block`, or a full shadow (`*`)"));
        }
        (Layout::Cyclic { origin, width, nodes }, _) => {
            let cycle = width * nodes;
            let cycles = if extent > 0 { (last - origin).div_euclid(cycle) + 1 } else { 0 };
            (Local::Cyclic { origin: *origin, width: *width, cycle }, cycles * width)
        }
        (Layout::Whole, Shadow { below, above, .. }) => (Local::Shift(-below), extent.max(0) + below + above),
        (Layout::Blocks(starts), Shadow { below, above, .. }) => {
            let (first, end) = (starts[coordinate as usize], starts[coordinate as usize + 1]);
            (Local::Shift(first - below), end - first + below + above)
        }
    };
    Ok(ArrayAxis { map, node_axis, coordinate, shadow, local, allocated, stride: 0, alignment })
}
