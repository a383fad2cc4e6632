//! Constructs: loops, barriers, tasks, reflections and assignments of sections.

use std::ffi::{c_int, c_long};
use std::sync::Arc;

use super::declare::array_state;
use super::{async_number, grid, nodes_on, run, subscripts};
use crate::offload::resident;
use crate::xmp::collective;
use crate::xmp::declarations::ArrayState;
use crate::xmp::device::{BlockMemory, Memories};
use crate::xmp::error::{Result, XmpError};
use crate::xmp::exchange::{Combine, Plan};
use crate::xmp::gmove::{Of, Side};
use crate::xmp::grid::{Axis, Grid, Placement};
use crate::xmp::layout::{self, On, Part, Range, Site, list};
use crate::xmp::loops::{Loop, LoopMode, beside, local_range};
use crate::xmp::mailbox::{Construct, Context};
use crate::xmp::node::Assignment;
use crate::xmp::operation::{Exchanges, Operation};
use crate::xmp::reduction::{Element, Operator, Shape, Variable};
use crate::xmp::reflect::Width;

/// Where the points of a grid are, and one of its axes.
fn axis_of(grid: &Grid, axis: c_int) -> Result<(&Placement, &Axis)> {
    let placement = grid.placed()?;
    let found = usize::try_from(axis).ok().and_then(|it| placement.axes.get(it));
    let axis = found.ok_or_else(|| XmpError::new(format!("`{}` has {} axes", grid.name, grid.rank())))?;
    Ok((placement, axis))
}

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
        let (placement, axis) = axis_of(&grid, axis)?;
        let mode = LoopMode::from_number(mode).unwrap_or(LoopMode::Whole);
        let position = placement.nodes.set.position(node.here());
        let coordinate =
            position.map(|it| axis.node_axis.map_or(0, |axis| placement.nodes.coordinates(it)[axis]));
        let whole = Loop { first, last, step };
        if let Some(none) = beside(&axis.map, offset, whole, node.widest_shadow) {
            return Ok(none);
        }
        local_range(&axis.map, coordinate, offset, whole, mode, (below, above), unbound != 0)
    })
}

pub(super) extern "C" fn owns(site: *const Site, of: *mut layout::Grid, axis: c_int, index: c_long) -> c_int {
    run(site, |node| {
        let grid = grid(of)?;
        let (placement, axis) = axis_of(&grid, axis)?;
        let Some(position) = placement.nodes.set.position(node.here()) else { return Ok(0) };
        let is_inside = index >= axis.map.first && index <= axis.map.last;
        let is_own = axis
            .node_axis
            .is_none_or(|it| axis.map.owner(index) == placement.nodes.coordinates(position)[it]);
        Ok(c_int::from(is_inside && is_own))
    })
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
pub(super) unsafe fn widths(start: *const layout::Width, rank: usize) -> Option<Vec<Width>> {
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

/// Adds shadows of an array to the elements that they are copies of, in the memory that `memory` tells:
/// `None` for that of the host.
pub(super) fn reduce_shadow_in(
    site: *const Site,
    array: *mut layout::Array,
    list: *const layout::Width,
    asynchronous: *const c_long,
    memory: impl FnOnce(&ArrayState, *mut u8) -> Result<Option<Arc<dyn BlockMemory>>>,
) {
    run(site, |node| {
        // SAFETY: an array of the program and what the edit has written; the plan is inside of its block.
        unsafe {
            let state = array_state(array)?;
            // Each element gets what is next to it along an axis; corners are no copies of their own.
            let plan = state.plan_reflect(widths(list, state.rank()), true)?;
            let variable = Variable {
                value: shape_of_elements(state.element, state.element_bytes()),
                locations: Vec::new(),
            };
            variable.check(Operator::Sum)?;
            let add = move |own: &mut [u8], new: &[u8]| {
                let count = own.len() / variable.value.bytes.max(1);
                let all = Variable { value: Shape { count, ..variable.value }, locations: Vec::new() };
                all.combine(Operator::Sum, own, new);
            };
            let phases = Arc::new(plan.iter().map(Plan::reversed).collect());
            let address = (*array).address.cast::<u8>();
            let (combine, number) = (Some(Box::new(add) as Combine), async_number(asynchronous));
            if let Some(memory) = memory(state, address)? {
                let memories = (Memories::one(memory), resident::has_gpu());
                return node.exchange_between(phases, Construct::ReduceShadow, memories, combine, number);
            }
            let executing = Arc::clone(node.executing());
            let operation = node.new_operation(&executing, number);
            let context = Context { construct: Construct::ReduceShadow, operation };
            let exchanges = Exchanges { phases, context, source: address, target: address, combine };
            let begun = Operation::exchange(node.mailbox(), exchanges)?;
            node.go_on(begun, number)
        }
    });
}

pub(super) extern "C" fn reduce_shadow(
    site: *const Site,
    array: *mut layout::Array,
    list: *const layout::Width,
    asynchronous: *const c_long,
) {
    reduce_shadow_in(site, array, list, asynchronous, |_, _| Ok(None));
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

/// Bits of a mode: the left side, and the right side, are in the accelerator's copies (`apg_xmp.h`).
const TO_ON_DEVICE: c_int = 4;
const FROM_ON_DEVICE: c_int = 8;

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
            let on_device = (mode & TO_ON_DEVICE != 0, mode & FROM_ON_DEVICE != 0);
            let assignment = Assignment { to: &to, target, from: &from, source, on_device };
            let mode = mode & !(TO_ON_DEVICE | FROM_ON_DEVICE);
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
