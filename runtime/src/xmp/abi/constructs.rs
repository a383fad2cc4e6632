//! Constructs: loops, reductions, broadcasts, barriers, tasks, reflections and assignments of sections.

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::sync::Arc;

use super::declare::array_state;
use super::{async_number, grid, nodes_on, run, subscripts};
use crate::xmp::collective;
use crate::xmp::error::{Result, XmpError};
use crate::xmp::exchange::Store;
use crate::xmp::gmove::{Of, Side};
use crate::xmp::layout::{self, Item, On, Part, Range, Site, list};
use crate::xmp::loops::{Loop, LoopMode, local_range};
use crate::xmp::mailbox::Construct;
use crate::xmp::node::{Assignment, Node};
use crate::xmp::node_set::NodeSet;
use crate::xmp::reduction::{Element, Operator, Shape, Variable};
use crate::xmp::reflect::Width;

pub(super) extern "C" fn for_loop(
    site: *const Site,
    of: *mut layout::Grid,
    axis: c_int,
    offset: c_long,
    first: c_long,
    last: c_long,
    step: c_long,
    mode: c_int,
    below: c_long,
    above: c_long,
    unbound: c_int,
) -> Range {
    run(site, |node| {
        let grid = grid(of)?;
        let placement = grid.placed()?;
        let axis = usize::try_from(axis).ok().and_then(|it| placement.axes.get(it));
        let axis = axis.ok_or_else(|| XmpError::new(format!("`{}` has {} axes", grid.name, grid.rank())))?;
        let mode = LoopMode::from_number(mode).unwrap_or(LoopMode::Whole);
        let position = placement.nodes.set.position(node.here());
        let coordinate =
            position.map(|it| axis.node_axis.map_or(0, |axis| placement.nodes.coordinates(it)[axis]));
        let whole = Loop { first, last, step };
        local_range(&axis.map, coordinate, offset, whole, mode, (below, above), unbound != 0)
    })
}

pub(super) extern "C" fn owns(site: *const Site, of: *mut layout::Grid, axis: c_int, index: c_long) -> c_int {
    run(site, |node| {
        let grid = grid(of)?;
        let placement = grid.placed()?;
        let axis = usize::try_from(axis).ok().and_then(|it| placement.axes.get(it));
        let axis = axis.ok_or_else(|| XmpError::new(format!("`{}` has {} axes", grid.name, grid.rank())))?;
        let Some(position) = placement.nodes.set.position(node.here()) else { return Ok(0) };
        let is_inside = index >= axis.map.first && index <= axis.map.last;
        let is_own = axis
            .node_axis
            .is_none_or(|it| axis.map.owner(index) == placement.nodes.coordinates(position)[it]);
        Ok(c_int::from(is_inside && is_own))
    })
}

/// Variables of a reduction or a broadcast.
///
/// # Safety
/// The list has `count` elements, each with `locations` locations.
unsafe fn variables(items: *const Item, count: c_int) -> Vec<(Item, Vec<Item>)> {
    // SAFETY: the caller's.
    let items = unsafe { list(items, count.max(0) as usize) };
    // SAFETY: the caller's.
    items
        .iter()
        .map(|it| (*it, unsafe { list(it.location, it.locations.max(0) as usize) }.to_vec()))
        .collect()
}

fn shape(item: &Item) -> Shape {
    let element = Element::from_number(item.ty).unwrap_or(Element::Bytes);
    Shape { element, bytes: item.bytes as usize, count: item.count.max(0) as usize }
}

fn described(variables: &[(Item, Vec<Item>)]) -> Vec<Variable> {
    let one = |(value, locations): &(Item, Vec<Item>)| Variable {
        value: shape(value),
        locations: locations.iter().map(shape).collect(),
    };
    variables.iter().map(one).collect()
}

/// All variables and their locations, in the order of their bytes.
fn all_items(variables: &[(Item, Vec<Item>)]) -> impl Iterator<Item = &Item> {
    variables.iter().flat_map(|(value, locations)| std::iter::once(value).chain(locations))
}

/// The bytes of variables and their locations.
///
/// # Safety
/// They are in memory that may be read.
unsafe fn gather(variables: &[(Item, Vec<Item>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for item in all_items(variables) {
        // SAFETY: the caller's.
        bytes.extend_from_slice(unsafe {
            std::slice::from_raw_parts(item.address.cast::<u8>(), shape(item).total())
        });
    }
    bytes
}

/// Writes what [`gather`] has read.
///
/// # Safety
/// The variables are in memory that may be written.
unsafe fn scatter(variables: &[(Item, Vec<Item>)], bytes: &[u8]) {
    let mut rest = bytes;
    for item in all_items(variables) {
        let (own, others) = rest.split_at(shape(item).total());
        // SAFETY: the caller's.
        unsafe { std::ptr::copy_nonoverlapping(own.as_ptr(), item.address.cast::<u8>(), own.len()) };
        rest = others;
    }
}

fn operator(number: c_int) -> Result<Operator> {
    Operator::from_number(number).ok_or_else(|| XmpError::new("an operator of a reduction is not known"))
}

// An operation with `async` that is a collective one has ended when its directive has.
pub(super) extern "C" fn reduction(
    site: *const Site,
    number: c_int,
    items: *const Item,
    count: c_int,
    on: *const On,
    _async: *const c_long,
) {
    run(site, |node| {
        // SAFETY: what the edit of the program has written.
        unsafe {
            let variables = variables(items, count);
            let set = nodes_on(node, on)?;
            if set.position(node.here()).is_none() {
                return Ok(());
            }
            let mut bytes = gather(&variables);
            node.reduce(&set, operator(number)?, &described(&variables), &mut bytes)?;
            scatter(&variables, &bytes);
            Ok(())
        }
    });
}

pub(super) extern "C" fn begin_reduction(
    site: *const Site,
    number: c_int,
    items: *const Item,
    count: c_int,
) -> *mut c_void {
    run(site, |_| {
        // SAFETY: what the edit of the program has written.
        unsafe {
            let (variables, operator) = (variables(items, count), operator(number)?);
            let saved = gather(&variables);
            let mut identity = saved.clone();
            let mut at = 0;
            for variable in described(&variables) {
                variable.check(operator)?;
                variable.set_identity(operator, &mut identity[at..]);
                at += variable.total();
            }
            scatter(&variables, &identity);
            Ok(Box::into_raw(Box::new(saved)).cast())
        }
    })
}

pub(super) extern "C" fn end_reduction(
    site: *const Site,
    number: c_int,
    items: *const Item,
    count: c_int,
    on: *mut layout::Grid,
    axes: c_uint,
    saved: *mut c_void,
) {
    run(site, |node| {
        // SAFETY: what the edit of the program has written; `saved` is of `begin_reduction`, and given back
        // once.
        unsafe {
            let (variables, operator) = (variables(items, count), operator(number)?);
            let saved = (!saved.is_null()).then(|| *Box::from_raw(saved.cast::<Vec<u8>>()));
            let described = described(&variables);
            let mut bytes = gather(&variables);
            let set = sharing(node, on, axes)?;
            if set.position(node.here()).is_some() {
                node.reduce(&set, operator, &described, &mut bytes)?;
            }
            let Some(mut saved) = saved else {
                described.iter().try_for_each(|it| it.check(operator))?;
                scatter(&variables, &bytes);
                return Ok(());
            };
            let mut at = 0;
            for variable in &described {
                let range = at..at + variable.total();
                // The old value is that of an earlier iteration.
                combine_old(variable, operator, &mut saved[range.clone()], &bytes[range.clone()]);
                at = range.end;
            }
            scatter(&variables, &saved);
            Ok(())
        }
    });
}

/// Combines the value in front of a loop with that of the loop: of equal extremes the one in front is the
/// first.
fn combine_old(variable: &Variable, operator: Operator, old: &mut [u8], new: &[u8]) {
    let value_only = Variable { value: variable.value, locations: Vec::new() };
    let Operator::Extreme { .. } = operator else { return variable.combine(operator, old, new) };
    // Without locations that decide: whole elements are taken with theirs.
    let before = old.to_vec();
    value_only.combine(operator, old, new);
    let (bytes, count) = (variable.value.bytes, variable.value.count);
    let mut start = variable.value.total();
    let is_last = matches!(operator, Operator::Extreme { is_last: true, .. });
    let takes_new = |index: usize, old: &[u8]| {
        let own = index * bytes..(index + 1) * bytes;
        old[own.clone()] != before[own.clone()] || is_last && new[own.clone()] == before[own]
    };
    for location in &variable.locations {
        for index in 0..count {
            let own = match count {
                1 => start..start + location.total(),
                _ => start + index * location.bytes..start + (index + 1) * location.bytes,
            };
            if takes_new(index, old) {
                old[own.clone()].copy_from_slice(&new[own]);
            }
        }
        start += location.total();
    }
}

/// The executing nodes that share the iterations of a loop with this one: that differ along axes that it is
/// over.
fn sharing(node: &Node, on: *mut layout::Grid, axes: c_uint) -> Result<NodeSet> {
    let grid = grid(on)?;
    let placement = grid.placed()?;
    let nodes = &placement.nodes;
    let Some(position) = nodes.set.position(node.here()) else { return Ok(NodeSet { nodes: Vec::new() }) };
    let own = nodes.coordinates(position);
    let is_shared = |node_axis: usize| {
        let of_axis = |(number, it): (usize, &crate::xmp::grid::Axis)| {
            it.node_axis == Some(node_axis) && axes >> number & 1 == 1
        };
        placement.axes.iter().enumerate().any(of_axis)
    };
    let coordinates: Vec<Vec<i64>> = nodes
        .sizes
        .iter()
        .enumerate()
        .map(|(axis, size)| if is_shared(axis) { (0..*size).collect() } else { vec![own[axis]] })
        .collect();
    Ok(nodes.product(&coordinates).intersect(node.executing()))
}

pub(super) extern "C" fn bcast(
    site: *const Site,
    items: *const Item,
    count: c_int,
    from: *const On,
    on: *const On,
    _async: *const c_long,
) {
    run(site, |node| {
        // SAFETY: what the edit of the program has written.
        unsafe {
            let variables = variables(items, count);
            let set = nodes_on(node, on)?;
            if set.position(node.here()).is_none() {
                return Ok(());
            }
            let root = match from.is_null() {
                true => 0,
                false => {
                    let first = nodes_on(node, from)?.nodes.first().copied();
                    first.and_then(|it| set.position(it)).ok_or_else(|| {
                        XmpError::new("the node after `from` is not one of those that broadcast")
                    })?
                }
            };
            let mut bytes = gather(&variables);
            collective::broadcast(node.mailbox(), &set, root, &mut bytes)?;
            scatter(&variables, &bytes);
            Ok(())
        }
    });
}

pub(super) extern "C" fn barrier(site: *const Site, on: *const On) {
    run(site, |node| {
        // SAFETY: what the edit of the program has written.
        let set = unsafe { nodes_on(node, on)? };
        collective::barrier(node.mailbox(), &set)
    });
}

pub(super) extern "C" fn begin_task(site: *const Site, on: *const On, nocomm: c_int) -> c_int {
    run(site, |node| {
        // SAFETY: what the edit of the program has written.
        let set = unsafe { nodes_on(node, on)? };
        let set = set.intersect(node.executing());
        node.begin_task(set, nocomm == 0).map(c_int::from)
    })
}

pub(super) extern "C" fn end_task() {
    run(std::ptr::null(), |node| {
        node.end_task();
        Ok(())
    });
}

pub(super) extern "C" fn wait_async(site: *const Site, numbers: *const c_long, count: c_int, _on: *const On) {
    run(site, |node| {
        // SAFETY: a list of the program.
        let numbers = unsafe { list(numbers, count.max(0) as usize) };
        numbers.iter().try_for_each(|it| node.wait_async(*it))
    });
}

/// Widths of the axes of an array.
///
/// # Safety
/// The list has `rank` elements, or is null.
unsafe fn widths(start: *const layout::Width, rank: usize) -> Option<Vec<Width>> {
    let one = |it: &layout::Width| Width { below: it.below, above: it.above, is_periodic: it.periodic != 0 };
    // SAFETY: the caller's.
    (!start.is_null()).then(|| unsafe { list(start, rank) }.iter().map(one).collect())
}

pub(super) extern "C" fn reflect(
    site: *const Site,
    array: *mut layout::Array,
    list: *const layout::Width,
    orthogonal: c_int,
    asynchronous: *const c_long,
) {
    run(site, |node| {
        // SAFETY: an array of the program and what the edit has written; the plan is inside of the array's
        // block.
        unsafe {
            let state = array_state(array)?;
            let plan = state.plan_reflect(widths(list, state.rank()), orthogonal != 0)?;
            let memory = (*array).address.cast::<u8>();
            node.exchange(plan, Construct::Reflect, memory, memory, async_number(asynchronous))
        }
    });
}

pub(super) extern "C" fn reflect_init(
    site: *const Site,
    array: *mut layout::Array,
    list: *const layout::Width,
    orthogonal: c_int,
) {
    run(site, |_| {
        // SAFETY: an array of the program and what the edit has written.
        unsafe {
            let state = array_state(array)?;
            let plan = state.plan_reflect(widths(list, state.rank()), orthogonal != 0)?;
            state.keep(plan);
            Ok(())
        }
    });
}

pub(super) extern "C" fn reflect_do(
    site: *const Site,
    array: *mut layout::Array,
    asynchronous: *const c_long,
) {
    run(site, |node| {
        // SAFETY: an array of the program; the plan is inside of its block.
        unsafe {
            let plan = array_state(array)?.kept()?;
            let memory = (*array).address.cast::<u8>();
            node.exchange(plan, Construct::Reflect, memory, memory, async_number(asynchronous))
        }
    });
}

pub(super) extern "C" fn reduce_shadow(
    site: *const Site,
    array: *mut layout::Array,
    list: *const layout::Width,
    _async: *const c_long,
) {
    run(site, |node| {
        // SAFETY: an array of the program and what the edit has written; the plan is inside of its block.
        unsafe {
            let state = array_state(array)?;
            // Each element gets what is next to it along an axis; corners are no copies of their own.
            let plan = state.plan_reflect(widths(list, state.rank()), true)?;
            let memory = (*array).address.cast::<u8>();
            let variable = Variable {
                value: shape_of_elements(state.element, state.element_bytes()),
                locations: Vec::new(),
            };
            variable.check(Operator::Sum)?;
            let add = |own: &mut [u8], new: &[u8]| {
                let count = own.len() / variable.value.bytes.max(1);
                let all = Variable { value: Shape { count, ..variable.value }, locations: Vec::new() };
                all.combine(Operator::Sum, own, new);
            };
            for phase in plan.iter() {
                let store = Store::Combine(&add);
                phase.reversed().run(node.mailbox(), Construct::ReduceShadow, memory, memory, store)?;
            }
            Ok(())
        }
    });
}

fn shape_of_elements(element: Element, bytes: i64) -> Shape {
    Shape { element, bytes: bytes as usize, count: 1 }
}

/// A side of an assignment, and where it is.
///
/// # Safety
/// What the edit of the program has written.
pub(super) unsafe fn side(part: *const Part) -> Result<(Side, *mut u8, Option<u64>)> {
    // SAFETY: the caller's.
    unsafe {
        let part = &*part;
        if part.array.is_null() {
            let rank = part.rank.max(0) as usize;
            let of = Of::Local(list(part.extents, rank).to_vec(), part.bytes as i64);
            let subscripts = subscripts(part.subscripts, rank);
            return Ok((Side::new(of, subscripts.as_deref())?, part.address.cast(), None));
        }
        let placed = array_state(part.array)?.placed()?;
        let of = Of::Global(Arc::clone(&placed.declaration));
        let subscripts = subscripts(part.subscripts, placed.declaration.extents.len());
        let segment = placed.is_published.then_some(placed.segment);
        Ok((Side::new(of, subscripts.as_deref())?, (*part.array).address.cast(), segment))
    }
}

/// The error of a `gmove in` or `gmove out` of an array whose memory is the program's.
fn not_published(name: &str) -> XmpError {
    XmpError::new(format!(
        "`gmove in` and `out` reach arrays that this file declares, and `{name}` is a parameter or another \
         file's"
    ))
    .hint("a `gmove` of all nodes, without `in` and `out`, moves elements of any array")
}

pub(super) extern "C" fn gmove(
    site: *const Site,
    mode: c_int,
    to: *const Part,
    from: *const Part,
    asynchronous: *const c_long,
) {
    run(site, |node| {
        // SAFETY: what the edit of the program has written: sections of its memory.
        unsafe {
            let ((to, target, to_segment), (from, source, from_segment)) = (side(to)?, side(from)?);
            let assignment = Assignment { to: &to, target, from: &from, source };
            let remote = match mode {
                1 => Some((&from, from_segment)),
                2 => Some((&to, to_segment)),
                _ => None,
            };
            if let Some((Side { of: Of::Global(declaration), .. }, None)) = remote {
                return Err(not_published(&declaration.name));
            }
            match (mode, to_segment, from_segment) {
                (1, _, Some(segment)) => node.gmove_in(&assignment, segment),
                (2, Some(segment), _) => node.gmove_out(&assignment, segment),
                _ => node.gmove(&assignment, Construct::Gmove, async_number(asynchronous)),
            }
        }
    });
}
