//! Constructs on variables of nodes: reductions, also those of loops, and broadcasts.

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::sync::Arc;

use super::{async_number, grid, nodes_on, run};
use crate::xmp::collective::{AllReduce, Broadcast};
use crate::xmp::error::{Result, XmpError};
use crate::xmp::layout::{self, Item, On, Site, list};
use crate::xmp::node::Node;
use crate::xmp::node_set::NodeSet;
use crate::xmp::operation::{Operation, Pieces};
use crate::xmp::reduction::{Element, Operator, Shape, Variable};

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

/// Where they are in memory.
fn pieces(variables: &[(Item, Vec<Item>)], on_device: bool) -> Pieces {
    let all = all_items(variables).map(|it| (it.address.cast::<u8>(), shape(it).total())).collect();
    Pieces { all, on_device }
}

fn operator(number: c_int) -> Result<Operator> {
    Operator::from_number(number).ok_or_else(|| XmpError::new("an operator of a reduction is not known"))
}

/// Executes a construct on variables by the nodes after `on`, or begins it; what the edit of the program has
/// written.
fn execute(
    site: *const Site,
    (items, count): (*const Item, c_int),
    on: *const On,
    asynchronous: *const c_long,
    begin: impl FnOnce(&mut Node, &Arc<NodeSet>, &[(Item, Vec<Item>)], u64) -> Result<Operation>,
) {
    run(site, |node| {
        // SAFETY: what the edit of the program has written; the program leaves the variables alone until
        // the end of the construct.
        unsafe {
            let variables = variables(items, count);
            let set = nodes_on(node, on)?;
            if set.position(node.here()).is_none() {
                return Ok(());
            }
            let number = async_number(asynchronous);
            let operation = node.new_operation(&set, number);
            let begun = begin(node, &set, &variables, operation)?;
            node.go_on(begun, number)
        }
    });
}

/// A reduction of variables, or of the accelerator's copies.
fn reduce(
    site: *const Site,
    number: c_int,
    items: (*const Item, c_int),
    on: *const On,
    asynchronous: *const c_long,
    on_device: bool,
) {
    execute(site, items, on, asynchronous, |node, set, variables, operation| {
        let (operator, described) = (operator(number)?, described(variables));
        described.iter().try_for_each(|it| it.check(operator))?;
        let pieces = pieces(variables, on_device);
        // SAFETY: variables of the program.
        let bytes = unsafe { pieces.gather()? };
        let begun = AllReduce::begin(node.mailbox(), Arc::clone(set), bytes, operation)?;
        Ok(Operation::Reduction(begun, operator, described, pieces))
    });
}

pub(super) extern "C" fn reduction(
    site: *const Site,
    number: c_int,
    items: *const Item,
    count: c_int,
    on: *const On,
    asynchronous: *const c_long,
) {
    reduce(site, number, (items, count), on, asynchronous, false);
}

pub(super) extern "C" fn device_reduction(
    site: *const Site,
    number: c_int,
    items: *const Item,
    count: c_int,
    on: *const On,
    asynchronous: *const c_long,
) {
    reduce(site, number, (items, count), on, asynchronous, true);
}

/// A broadcast of variables, or of the accelerator's copies.
fn broadcast(
    site: *const Site,
    items: (*const Item, c_int),
    from: *const On,
    on: *const On,
    asynchronous: *const c_long,
    on_device: bool,
) {
    execute(site, items, on, asynchronous, |node, set, variables, operation| {
        let root = match from.is_null() {
            true => 0,
            false => {
                // SAFETY: what the edit of the program has written.
                let first = unsafe { nodes_on(node, from)? }.nodes.first().copied();
                first.and_then(|it| set.position(it)).ok_or_else(|| {
                    XmpError::new("the node after `from` is not one of those that broadcast")
                })?
            }
        };
        let pieces = pieces(variables, on_device);
        let bytes = match set.position(node.here()) == Some(root) {
            // SAFETY: variables of the program.
            true => unsafe { pieces.gather()? },
            false => vec![0; pieces.all.iter().map(|it| it.1).sum()],
        };
        let begun = Broadcast::begin(node.mailbox(), Arc::clone(set), root, bytes, operation)?;
        Ok(Operation::Broadcast(begun, pieces))
    });
}

pub(super) extern "C" fn bcast(
    site: *const Site,
    items: *const Item,
    count: c_int,
    from: *const On,
    on: *const On,
    asynchronous: *const c_long,
) {
    broadcast(site, (items, count), from, on, asynchronous, false);
}

pub(super) extern "C" fn device_bcast(
    site: *const Site,
    items: *const Item,
    count: c_int,
    from: *const On,
    on: *const On,
    asynchronous: *const c_long,
) {
    broadcast(site, (items, count), from, on, asynchronous, true);
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
            let pieces = pieces(&variables, false);
            let saved = pieces.gather()?;
            let mut identity = saved.clone();
            let mut at = 0;
            for variable in described(&variables) {
                variable.check(operator)?;
                variable.set_identity(operator, &mut identity[at..]);
                at += variable.total();
            }
            pieces.scatter(&identity)?;
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
            let pieces = pieces(&variables, false);
            let mut bytes = pieces.gather()?;
            let set = sharing(node, on, axes)?;
            if set.position(node.here()).is_some() {
                node.reduce(&set, operator, &described, &mut bytes)?;
            }
            let Some(mut saved) = saved else {
                described.iter().try_for_each(|it| it.check(operator))?;
                return pieces.scatter(&bytes);
            };
            let mut at = 0;
            for variable in &described {
                let range = at..at + variable.total();
                // The old value is that of an earlier iteration.
                combine_old(variable, operator, &mut saved[range.clone()], &bytes[range.clone()]);
                at = range.end;
            }
            pieces.scatter(&saved)
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
fn sharing(node: &Node, on: *mut layout::Grid, axes: c_uint) -> Result<Arc<NodeSet>> {
    let grid = grid(on)?;
    let placement = grid.placed()?;
    let nodes = &placement.nodes;
    let Some(position) = nodes.set.position(node.here()) else {
        return Ok(Arc::new(NodeSet { nodes: Vec::new() }));
    };
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
    Ok(Arc::new(nodes.product(&coordinates).intersect(node.executing())))
}
