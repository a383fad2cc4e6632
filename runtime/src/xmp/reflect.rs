//! Reflection: updates of shadows from the nodes that own the elements (XcalableMP 1.4, section 5.7.3),
//! planned axis by axis, so that each exchange carries the corners that the former ones have brought (halo
//! exchange by dimensions: Palmer and Nieplocha, "Efficient Algorithms for Ghost Cell Updates on Two
//! Classes of MPP Architectures", PDCS 2002).

use super::array::{ArrayAxis, Block};
use super::error::{Result, XmpError};
use super::exchange::Plan;
use super::progression::Progression;
use super::strided::StridedBox;

/// What is renewed along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// Elements below the block.
    pub below: i64,
    /// Elements above the block.
    pub above: i64,
    /// The axis is a ring: below its first index is the last one.
    pub is_periodic: bool,
}

/// Exchanges, to be executed one after the other; with `orthogonal` there is one.
pub type Phases = Vec<Plan>;

/// Plans the update of shadows; `widths` are those of each axis, or all of the shadow.
///
/// # Errors
/// A width is greater than the shadow: the words for the user.
pub fn plan(name: &str, block: &Block, widths: Option<&[Width]>, is_orthogonal: bool) -> Result<Phases> {
    let mut phases = Vec::new();
    let widths = axis_widths(name, block, widths)?;
    if !block.is_member {
        return Ok(phases);
    }
    for axis in 0..block.axes.len() {
        let plan = plan_axis(block, &widths, axis, is_orthogonal);
        if !(plan.sends.is_empty() && plan.receives.is_empty() && plan.copies.is_empty()) {
            phases.push(plan);
        }
    }
    if is_orthogonal && phases.len() > 1 {
        // No exchange needs what another one brings.
        let mut all = Plan::default();
        for phase in phases.drain(..) {
            phase.sends.into_iter().for_each(|it| all.add_send(it.node, it.boxes));
            phase.receives.into_iter().for_each(|it| all.add_receive(it.node, it.boxes));
            all.copies.extend(phase.copies);
        }
        phases.push(all);
    }
    Ok(phases)
}

/// What is renewed along an axis.
#[derive(Clone, Copy, Debug)]
enum Renewed {
    Sides(Width),
    /// All that other nodes own.
    All,
}

fn axis_widths(name: &str, block: &Block, widths: Option<&[Width]>) -> Result<Vec<Renewed>> {
    let mut all = Vec::new();
    for (number, axis) in block.axes.iter().enumerate() {
        let shadow = axis.shadow;
        let Some(width) = widths.map(|it| it[number]) else {
            all.push(match shadow.is_full {
                true => Renewed::All,
                false => {
                    Renewed::Sides(Width { below: shadow.below, above: shadow.above, is_periodic: false })
                }
            });
            continue;
        };
        let or_shadow = |width: i64, shadow: i64| if width < 0 { shadow } else { width };
        if shadow.is_full && width.below < 0 && width.above < 0 {
            all.push(Renewed::All);
            continue;
        }
        let width = Width {
            below: or_shadow(width.below, shadow.below),
            above: or_shadow(width.above, shadow.above),
            ..width
        };
        if !shadow.is_full && (width.below > shadow.below || width.above > shadow.above) {
            return Err(XmpError::new(format!(
                "`reflect` of {}:{} along axis {number} of `{name}`, whose shadow is {}:{}",
                width.below, width.above, shadow.below, shadow.above
            ))
            .hint("reflect at most the shadow, or declare a wider one"));
        }
        if width.is_periodic && shadow.is_full {
            return Err(XmpError::new(format!(
                "`reflect` of axis {number} of `{name}` is periodic, and its shadow is full"
            ))
            .hint("a full shadow has no elements outside of the array"));
        }
        if width.is_periodic && width.below.max(width.above) > axis.map.size() {
            return Err(XmpError::new(format!(
                "`reflect` of {}:{} along axis {number} of `{name}` goes more than once around its {} elements",
                width.below,
                width.above,
                axis.map.size()
            )));
        }
        all.push(Renewed::Sides(width));
    }
    Ok(all)
}

/// Elements that a node gets: where they are in its own numbering, and how far away the elements are that
/// they are copies of (periodic axes).
type Wanted = (Progression, i64);

/// What the node at a coordinate wants of the others along an axis.
fn wanted(axis: &ArrayAxis, nodes: i64, renewed: Renewed, coordinate: i64) -> Vec<Wanted> {
    let map = &axis.map;
    match renewed {
        Renewed::All => {
            let of_others = (0..nodes).filter(|it| *it != coordinate).flat_map(|it| map.owned(it));
            of_others.map(|it| (it, 0)).collect()
        }
        Renewed::Sides(Width { below, above, is_periodic }) => {
            let mut all = Vec::new();
            for own in map.owned(coordinate) {
                let sides = [(own.first - below, own.first - 1), (own.last() + 1, own.last() + above)];
                for side in sides.iter().filter_map(|it| Progression::interval(it.0, it.1)) {
                    let shifts: &[i64] = if is_periodic { &[0, map.size(), -map.size()] } else { &[0] };
                    let inside = Progression::interval(map.first, map.last);
                    for shift in shifts {
                        let part = inside.and_then(|it| side.shifted(*shift).intersect(it));
                        all.extend(part.map(|it| (it.shifted(-shift), *shift)));
                    }
                }
            }
            all
        }
    }
}

/// Of all that the node at coordinate `to` wants along an axis, what the one at `from` owns: places of the
/// receiver and of the sender.
fn transferred(
    axis: &ArrayAxis,
    nodes: i64,
    renewed: Renewed,
    from: i64,
    to: i64,
) -> Vec<(Progression, Progression)> {
    let owned = axis.map.owned(from);
    let mut all = Vec::new();
    for (place, shift) in wanted(axis, nodes, renewed, to) {
        for own in &owned {
            if let Some(both) = place.shifted(shift).intersect(*own) {
                all.push((both.shifted(-shift), both));
            }
        }
    }
    all
}

/// The indices of another axis that an exchange carries.
fn carried(axis: &ArrayAxis, renewed: Renewed, is_done: bool, has_corners: bool) -> Vec<Progression> {
    let owned = axis.owned();
    match renewed {
        Renewed::All if is_done => Progression::interval(axis.map.first, axis.map.last).into_iter().collect(),
        Renewed::Sides(Width { below, above, is_periodic }) if is_done && below + above > 0 => {
            let widened = |it: &Progression| {
                let (low, high) = (it.first - below, it.last() + above);
                // Shadows outside of the array are copies of nothing.
                match is_periodic {
                    true => Progression::interval(low, high),
                    false => Progression::interval(low.max(axis.map.first), high.min(axis.map.last)),
                }
            };
            owned.iter().filter_map(widened).collect()
        }
        // Shadows that are not renewed now may have been before, or be later: corners need them.
        Renewed::Sides(Width { below: 0, above: 0, .. }) if has_corners && !axis.shadow.is_full => {
            let widened = |it: &Progression| {
                Progression::interval(it.first - axis.shadow.below, it.last() + axis.shadow.above)
            };
            match axis.shadow.below + axis.shadow.above {
                0 => owned,
                _ => owned.iter().filter_map(widened).collect(),
            }
        }
        _ => owned,
    }
}

fn plan_axis(block: &Block, widths: &[Renewed], axis: usize, is_orthogonal: bool) -> Plan {
    let mut plan = Plan::default();
    let own = &block.axes[axis];
    let nodes = own.nodes(&block.nodes);
    let others: Vec<Vec<Progression>> = block
        .axes
        .iter()
        .enumerate()
        .map(|(number, it)| carried(it, widths[number], number < axis && !is_orthogonal, !is_orthogonal))
        .collect();
    let boxes = |along: Progression| {
        let mut lists = others.clone();
        lists[axis] = vec![along];
        boxes_of(block, &lists)
    };
    let here = own.coordinate;
    for other in 0..nodes {
        let node = own.node_axis.map(|it| block.neighbour(it, other));
        let coming = transferred(own, nodes, widths[axis], other, here);
        if other == here {
            let copies = coming.into_iter().map(|(to, from)| (boxes(from), boxes(to)));
            plan.copies.extend(copies.filter(|it| !it.0.is_empty()));
            continue;
        }
        let Some(node) = node else { continue };
        plan.add_receive(node, coming.into_iter().flat_map(|it| boxes(it.0)).collect());
        let going = transferred(own, nodes, widths[axis], here, other);
        plan.add_send(node, going.into_iter().flat_map(|it| boxes(it.1)).collect());
    }
    plan
}

/// The boxes of all combinations of progressions along the axes of a block.
pub(super) fn boxes_of(block: &Block, lists: &[Vec<Progression>]) -> Vec<StridedBox> {
    let mut all = vec![(0_i64, Vec::new())];
    for (axis, list) in block.axes.iter().zip(lists) {
        let mut next = Vec::with_capacity(all.len() * list.len());
        for (offset, axes) in &all {
            for progression in list {
                let (start, elements) = axis.elements(*progression);
                let mut axes: Vec<(i64, i64)> = axes.clone();
                axes.push(elements);
                next.push((offset + start, axes));
            }
        }
        all = next;
    }
    all.into_iter()
        .map(|(offset, axes)| StridedBox::new(offset, &axes, block.element_bytes as usize))
        .collect()
}
