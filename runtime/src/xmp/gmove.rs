//! Assignments of array sections between distributions: `gmove` (XcalableMP 1.4, section 5.7.1). The
//! communication sets are intersections of the sections' positions that each node owns on both sides, axis by
//! axis (Gupta and others, JPDC 1996; Chatterjee and others, PPoPP 1993).

use std::sync::Arc;

use super::array::{Alignment, ArrayAxis, Block, Declaration, Local, Shadow};
use super::distribution::AxisMap;
use super::error::{Result, XmpError};
use super::exchange::Plan;
use super::grid::Subscript;
use super::node_set::{NodeSet, Nodes};
use super::progression::Progression;
use super::reflect::boxes_of;
use super::strided::StridedBox;

/// Indices of a section along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionAxis {
    /// The first index.
    pub first: i64,
    /// Their distance.
    pub step: i64,
    /// How many.
    pub count: i64,
    /// It is one index, not a section with one.
    pub is_index: bool,
}

/// What a side of an assignment is a section of.
#[derive(Clone, Debug)]
pub enum Of {
    /// A global array.
    Global(Arc<Declaration>),
    /// An array of each node, with these extents and bytes of an element.
    Local(Vec<i64>, i64),
}

impl PartialEq for Of {
    /// Whether they are the same declaration: others may have the same name.
    fn eq(&self, other: &Of) -> bool {
        match (self, other) {
            (Of::Global(one), Of::Global(other)) => Arc::ptr_eq(one, other),
            (Of::Local(extents, bytes), Of::Local(others, other_bytes)) => {
                extents == others && bytes == other_bytes
            }
            _ => false,
        }
    }
}

/// A side of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// The array.
    pub of: Of,
    /// Its section.
    pub axes: Vec<SectionAxis>,
    /// The axes are those of the array in reverse order.
    is_transposed: bool,
}

impl Side {
    /// The same elements with the axes in reverse order.
    #[must_use]
    pub fn transposed(mut self) -> Side {
        self.axes.reverse();
        self.is_transposed = !self.is_transposed;
        self
    }

    /// A section of an array; all of it without subscripts.
    ///
    /// # Errors
    /// An index is outside of the array: the words for the user.
    pub fn new(of: Of, subscripts: Option<&[Subscript]>) -> Result<Side> {
        let extents = match &of {
            Of::Global(declaration) => &declaration.extents,
            Of::Local(extents, _) => extents,
        };
        let all = vec![Subscript::All; extents.len()];
        let mut axes = Vec::new();
        for (number, (subscript, extent)) in subscripts.unwrap_or(&all).iter().zip(extents).enumerate() {
            let axis = match *subscript {
                Subscript::All | Subscript::Own => {
                    SectionAxis { first: 0, step: 1, count: *extent, is_index: false }
                }
                Subscript::Index(first) => SectionAxis { first, step: 1, count: 1, is_index: true },
                Subscript::Section { start, step, .. } if step < 1 => {
                    return Err(XmpError::new(format!("a section from {start} on has the step {step}"))
                        .hint("write a section with a positive step"));
                }
                Subscript::Section { start, count: -1, step } => {
                    let count = (extent - start + step - 1).max(0) / step;
                    SectionAxis { first: start, step, count, is_index: false }
                }
                Subscript::Section { start, count, step } => {
                    SectionAxis { first: start, step, count, is_index: false }
                }
            };
            let last = axis.first + (axis.count - 1) * axis.step;
            if axis.count < 0 || axis.count > 0 && (axis.first < 0 || last >= *extent) {
                let name = of.name();
                return Err(XmpError::new(format!(
                    "the indices {} to {last} are outside of axis {number} of {name}, which has {extent} elements",
                    axis.first
                )));
            }
            axes.push(axis);
        }
        Ok(Side { of, axes, is_transposed: false })
    }

    /// The axes that are sections.
    fn sections(&self) -> impl Iterator<Item = &SectionAxis> {
        self.axes.iter().filter(|it| !it.is_index)
    }

    /// Whether it is one element.
    pub fn is_scalar(&self) -> bool {
        self.sections().next().is_none()
    }

    /// Bytes of an element.
    pub fn element_bytes(&self) -> i64 {
        match &self.of {
            Of::Global(declaration) => declaration.element_bytes,
            Of::Local(_, bytes) => *bytes,
        }
    }

    /// The array at a node.
    ///
    /// # Errors
    /// As [`Block::new`].
    pub fn block(&self, node: u32) -> Result<Block> {
        let mut block = match &self.of {
            Of::Global(declaration) => Block::new(declaration, node)?,
            Of::Local(extents, bytes) => local_block(extents, *bytes, node),
        };
        if self.is_transposed {
            // Axes know their distances in memory.
            block.axes.reverse();
        }
        Ok(block)
    }

    /// The nodes that have some of the array.
    ///
    /// # Errors
    /// The template has no points yet.
    fn nodes(&self) -> Result<Option<Arc<Nodes>>> {
        match &self.of {
            Of::Global(declaration) => Ok(Some(Arc::clone(&declaration.template.placed()?.nodes))),
            Of::Local(..) => Ok(None),
        }
    }
}

impl Of {
    fn name(&self) -> String {
        match self {
            Of::Global(declaration) => format!("`{}`", declaration.name),
            Of::Local(..) => "an array".to_owned(),
        }
    }
}

/// An array that only one node has.
fn local_block(extents: &[i64], element_bytes: i64, node: u32) -> Block {
    let mut stride = element_bytes;
    let mut axes: Vec<ArrayAxis> = Vec::new();
    for extent in extents.iter().rev() {
        axes.insert(
            0,
            ArrayAxis {
                map: AxisMap::whole(0, extent - 1),
                node_axis: None,
                coordinate: 0,
                shadow: Shadow::default(),
                local: Local::Shift(0),
                allocated: *extent,
                stride,
                alignment: Alignment { template_axis: None, offset: 0 },
            },
        );
        stride *= extent;
    }
    let nodes = Nodes { sizes: vec![1], set: Arc::new(NodeSet { nodes: vec![node] }) };
    Block { nodes: Arc::new(nodes), is_member: true, coordinates: vec![0], axes, element_bytes }
}

/// Positions of a section, numbered from 0 on along each axis, which a node has; `None` if there are none.
fn positions(side: &Side, block: &Block, coordinates: &[i64]) -> Option<Vec<Vec<Progression>>> {
    let mut all = Vec::new();
    for (section, axis) in side.axes.iter().zip(&block.axes) {
        let owned = axis.map.owned(axis.node_axis.map_or(0, |it| coordinates[it]));
        let indices = (section.count > 0).then_some(Progression {
            first: section.first,
            step: section.step,
            count: section.count,
        });
        let both: Vec<Progression> = owned.iter().filter_map(|it| it.intersect(indices?)).collect();
        if both.is_empty() {
            return None;
        }
        if !section.is_index {
            let position = |it: Progression| Progression {
                first: (it.first - section.first) / section.step,
                step: (it.step / section.step).max(1),
                count: it.count,
            };
            all.push(both.into_iter().map(position).collect());
        }
    }
    Some(all)
}

/// The positions that are in both; `None` if there are none.
fn common(a: &[Vec<Progression>], b: &[Vec<Progression>]) -> Option<Vec<Vec<Progression>>> {
    let of_axis = |(a, b): (&Vec<Progression>, &Vec<Progression>)| {
        let pairs = a.iter().flat_map(|a| b.iter().filter_map(|b| a.intersect(*b)));
        Some(pairs.collect::<Vec<_>>()).filter(|it| !it.is_empty())
    };
    a.iter().zip(b).map(of_axis).collect()
}

/// Where positions of a section are in the memory of a node.
fn boxes_at(side: &Side, block: &Block, positions: &[Vec<Progression>]) -> Vec<StridedBox> {
    let mut next = positions.iter();
    let of_axis = |section: &SectionAxis| {
        if section.is_index {
            return vec![Progression { first: section.first, step: 1, count: 1 }];
        }
        let index = |it: &Progression| Progression {
            first: section.first + it.first * section.step,
            step: it.step.saturating_mul(section.step),
            count: it.count,
        };
        next.next().map_or_else(Vec::new, |list| list.iter().map(index).collect())
    };
    let lists: Vec<Vec<Progression>> = side.axes.iter().map(of_axis).collect();
    boxes_of(block, &lists)
}

/// The axes of nodes along which no axis of an array is distributed.
fn replicated_axes(block: &Block) -> Vec<usize> {
    let used = |axis: &usize| block.axes.iter().any(|it| it.node_axis == Some(*axis));
    (0..block.nodes.sizes.len()).filter(|axis| !used(axis)).collect()
}

/// Whether the node with these coordinates sends to `receiver`: of several that have the same
/// elements the nearest.
fn sends_to(nodes: &Nodes, replicated: &[usize], coordinates: &[i64], receiver: u32) -> bool {
    let own = nodes.set.position(receiver).map(|it| nodes.coordinates(it));
    replicated.iter().all(|axis| {
        let chosen = own.as_ref().map_or(i64::from(receiver) % nodes.sizes[*axis], |it| it[*axis]);
        coordinates[*axis] == chosen
    })
}

/// Refuses sections that do not match.
///
/// # Errors
/// The words for the user.
pub fn check(to: &Side, from: &Side) -> Result<()> {
    if to.element_bytes() != from.element_bytes() {
        return Err(XmpError::new(format!(
            "elements of {} bytes are assigned to elements of {} bytes",
            from.element_bytes(),
            to.element_bytes()
        ))
        .hint("both sides of a `gmove` have the same type"));
    }
    if from.is_scalar() {
        return Ok(());
    }
    let counts = |side: &Side| side.sections().map(|it| it.count).collect::<Vec<_>>();
    let (left, right) = (counts(to), counts(from));
    if left != right {
        let text = |counts: &[i64]| counts.iter().map(|it| format!("[{it}]")).collect::<String>();
        return Err(XmpError::new(format!(
            "a section of {} elements is assigned to one of {}",
            text(&right),
            if left.is_empty() { "1".to_owned() } else { text(&left) }
        )));
    }
    Ok(())
}

/// Refuses nodes of an array that do not execute the assignment; `verb` and `mode` are for the words.
fn all_execute(nodes: &NodeSet, executing: &NodeSet, verb: &str, mode: &str) -> Result<()> {
    match nodes.nodes.iter().find(|it| executing.position(**it).is_none()) {
        Some(node) => Err(XmpError::new(format!("`gmove` {verb} node {node}, which does not execute it"))
            .hint(format!("write `gmove {mode}`"))),
        None => Ok(()),
    }
}

/// Plans what node `here` sends and receives if all of `executing` assign `from` to `to`.
///
/// # Errors
/// The sides do not match, or a node that has some of an array does not execute: the words for the user.
pub fn plan(to: &Side, from: &Side, executing: &NodeSet, here: u32) -> Result<Plan> {
    check(to, from)?;
    let mut plan = Plan::default();
    let (target, source) = (to.block(here)?, from.block(here)?);
    let (to_nodes, from_nodes) = (to.nodes()?, from.nodes()?);
    if let Some(nodes) = &to_nodes {
        all_execute(&nodes.set, executing, "writes elements of", "out")?;
    }
    let Some(from_nodes) = from_nodes else {
        // Each node has the source.
        if target.is_member
            && let Some(positions) = positions(to, &target, &target.coordinates)
        {
            plan.copies.push((boxes_at(from, &source, &positions), boxes_at(to, &target, &positions)));
        }
        return Ok(plan);
    };
    all_execute(&from_nodes.set, executing, "reads elements of", "in")?;
    let replicated = replicated_axes(&source);
    let receivers: &[u32] = to_nodes.as_ref().map_or(&executing.nodes, |it| &it.set.nodes);
    let wanted_by = |node: u32| match &to_nodes {
        None => positions(to, &target, &[0]),
        Some(nodes) => positions(to, &target, &nodes.coordinates(nodes.set.position(node)?)),
    };
    if source.is_member
        && let Some(own) = positions(from, &source, &source.coordinates)
    {
        for receiver in receivers.iter().copied() {
            if receiver != here
                && sends_to(&from_nodes, &replicated, &source.coordinates, receiver)
                && let Some(both) = wanted_by(receiver).and_then(|it| common(&own, &it))
            {
                plan.add_send(receiver, boxes_at(from, &source, &both));
            }
        }
    }
    let Some(wanted) = receivers.contains(&here).then(|| wanted_by(here)).flatten() else { return Ok(plan) };
    for (position, sender) in from_nodes.set.nodes.iter().copied().enumerate() {
        let coordinates = from_nodes.coordinates(position);
        if !sends_to(&from_nodes, &replicated, &coordinates, here) {
            continue;
        }
        let Some(both) = positions(from, &source, &coordinates).and_then(|it| common(&it, &wanted)) else {
            continue;
        };
        let boxes = boxes_at(to, &target, &both);
        if sender == here {
            plan.copies.push((boxes_at(from, &source, &both), boxes));
        } else {
            plan.add_receive(sender, boxes);
        }
    }
    Ok(plan)
}

/// Where the elements of a section of an array in memory are, in order. An axis may be left as long as the
/// array is not: rows follow each other.
///
/// # Errors
/// An element is outside of the array: the words for the user.
pub fn boxes_in_memory(
    extents: &[i64],
    element_bytes: i64,
    subscripts: Option<&[Subscript]>,
) -> Result<Vec<StridedBox>> {
    let all = vec![Subscript::All; extents.len()];
    let (mut stride, mut offset, mut axes) = (element_bytes, 0, Vec::new());
    for (subscript, extent) in subscripts.unwrap_or(&all).iter().zip(extents).rev() {
        let (first, count, step) = match *subscript {
            Subscript::All | Subscript::Own => (0, *extent, 1),
            Subscript::Index(index) => (index, 1, 1),
            Subscript::Section { start, count: -1, step } => {
                (start, (extent - start + step - 1) / step.max(1), step)
            }
            Subscript::Section { start, count, step } => (start, count, step),
        };
        if count < 1 {
            return Ok(Vec::new());
        }
        offset += first * stride;
        axes.insert(0, (count, step * stride));
        stride *= extent;
    }
    let found = StridedBox::new(offset, &axes, element_bytes as usize);
    let span = found.span();
    match span.start < 0 || span.end > stride {
        true => Err(XmpError::new(format!(
            "a section of bytes {} to {} is outside of an array of {stride} bytes",
            span.start,
            span.end - 1
        ))),
        false => Ok(vec![found]),
    }
}

/// Where the elements of a section are that a node has.
///
/// # Errors
/// As [`Block::new`].
pub fn own_boxes(side: &Side, here: u32) -> Result<Vec<StridedBox>> {
    let block = side.block(here)?;
    let own = block.is_member.then(|| positions(side, &block, &block.coordinates)).flatten();
    Ok(own.map_or_else(Vec::new, |it| boxes_at(side, &block, &it)))
}

/// Elements of a one-sided assignment: a node, where they are there, and where they are here.
pub type Remote = (u32, Vec<StridedBox>, Vec<StridedBox>);

/// What node `here` reads of a global array (`gmove in`) for its own part of `to`.
///
/// # Errors
/// The sides do not match: the words for the user.
pub fn plan_in(to: &Side, from: &Side, here: u32) -> Result<Vec<Remote>> {
    check(to, from)?;
    let target = to.block(here)?;
    let Some(wanted) = target.is_member.then(|| positions(to, &target, &target.coordinates)).flatten() else {
        return Ok(Vec::new());
    };
    remote_parts(from, here, |both| boxes_at(to, &target, both), &wanted)
}

/// What node `here` writes to a global array (`gmove out`) of its own part of `from`.
///
/// # Errors
/// The sides do not match: the words for the user.
pub fn plan_out(to: &Side, from: &Side, here: u32) -> Result<Vec<Remote>> {
    check(to, from)?;
    let source = from.block(here)?;
    let replicated = replicated_axes(&source);
    // Of several nodes with the same elements the first one writes.
    let is_first = replicated.iter().all(|axis| source.coordinates[*axis] == 0);
    let own = (source.is_member && is_first).then(|| positions(from, &source, &source.coordinates)).flatten();
    let Some(own) = own else { return Ok(Vec::new()) };
    let Some(nodes) = to.nodes()? else {
        return Err(XmpError::new("`gmove out` writes to a global array, and the left side is a local one"));
    };
    let mut parts = Vec::new();
    for node in nodes.set.nodes.iter().copied() {
        let block = to.block(node)?;
        if let Some(both) = positions(to, &block, &block.coordinates).and_then(|it| common(&own, &it)) {
            parts.push((node, boxes_at(to, &block, &both), boxes_at(from, &source, &both)));
        }
    }
    Ok(parts)
}

fn remote_parts(
    from: &Side,
    here: u32,
    own_boxes: impl Fn(&[Vec<Progression>]) -> Vec<StridedBox>,
    wanted: &[Vec<Progression>],
) -> Result<Vec<Remote>> {
    let Some(nodes) = from.nodes()? else {
        return Err(XmpError::new("`gmove in` reads a global array, and the right side is a local one"));
    };
    let mut parts = Vec::new();
    for node in nodes.set.nodes.iter().copied() {
        let block = from.block(node)?;
        if !sends_to(&nodes, &replicated_axes(&block), &block.coordinates, here) {
            continue;
        }
        if let Some(both) = positions(from, &block, &block.coordinates).and_then(|it| common(&it, wanted)) {
            parts.push((node, boxes_at(from, &block, &both), own_boxes(&both)));
        }
    }
    Ok(parts)
}
