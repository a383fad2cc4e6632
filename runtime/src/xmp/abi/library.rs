//! The library: nodes, time, inquiries about descriptors, memory, the end.

use std::ffi::{c_double, c_int, c_long, c_void};
use std::sync::Arc;

use super::declare::array_state;
use super::{PROGRAM, RelatedGrid, run};
use crate::xmp::declarations::SharedGrid;
use crate::xmp::error::{Result, XmpError};
use crate::xmp::grid::{Grid, GridKind};
use crate::xmp::inquiry::{self, Question};
use crate::xmp::layout::{self, list, tag};

pub(super) extern "C" fn count_nodes(of_program: c_int) -> c_int {
    run(std::ptr::null(), |node| {
        let set = if of_program != 0 { node.entire() } else { node.executing() };
        Ok(c_int::try_from(set.nodes.len()).unwrap_or(c_int::MAX))
    })
}

pub(super) extern "C" fn node_number(of_program: c_int) -> c_int {
    run(std::ptr::null(), |node| {
        let set = if of_program != 0 { node.entire() } else { node.executing() };
        // A node that is not in the task has the number 0 - 1, which none has.
        Ok(set.position(node.here()).and_then(|it| c_int::try_from(it).ok()).unwrap_or(-1))
    })
}

pub(super) extern "C" fn time() -> c_double {
    PROGRAM.get().map_or(0.0, |it| it.start.elapsed().as_secs_f64())
}

/// What a descriptor is.
enum Described {
    Grid(SharedGrid),
    Array(*mut layout::Array),
}

fn described(descriptor: *mut c_void) -> Result<Described> {
    // SAFETY: null, or what begins with a tag: the program has descriptors from this runtime alone.
    match unsafe { descriptor.cast::<u64>().as_ref() } {
        Some(&tag::GRID) => {
            // SAFETY: the tag says so.
            let grid = unsafe { &*descriptor.cast::<layout::Grid>() };
            Ok(Described::Grid(grid.state.clone()))
        }
        Some(&tag::ARRAY) => Ok(Described::Array(descriptor.cast())),
        _ => Err(XmpError::new("a descriptor is used that describes nothing")),
    }
}

pub(super) extern "C" fn inquire(
    descriptor: *mut c_void,
    question: c_int,
    axis: c_int,
    index: c_long,
    answer: *mut c_long,
) -> c_int {
    run(std::ptr::null(), |node| {
        let Some(question) = Question::from_number(question) else {
            return Err(XmpError::new("an inquiry is not known"));
        };
        let found = match described(descriptor)? {
            Described::Grid(grid) => inquiry::of_grid(&grid.get(), question, axis, index, node.here()),
            Described::Array(array) => {
                // SAFETY: the tag says so.
                let state = unsafe { array_state(array)? };
                inquiry::of_array(state, question, axis, index)
            }
        };
        let Some(found) = found else { return Ok(inquiry::UNDEFINED) };
        // SAFETY: a variable of the program.
        unsafe { answer.write(found) };
        Ok(0)
    })
}

pub(super) extern "C" fn related(descriptor: *mut c_void) -> *mut c_void {
    run(std::ptr::null(), |_| {
        let grid = match described(descriptor)? {
            // SAFETY: the tag says so.
            Described::Array(array) => return Ok(keep(unsafe { array_state(array)? }.template.clone())),
            Described::Grid(grid) => grid.get(),
        };
        let other: Option<Arc<Grid>> = match &grid.kind {
            GridKind::Nodes { part } => part.as_ref().map(|it| Arc::clone(&it.grid)),
            GridKind::Template { distribution, .. } => distribution.as_ref().map(|it| Arc::clone(&it.1)),
        };
        let Some(other) = other else { return Ok(std::ptr::null_mut()) };
        Ok(keep(SharedGrid::new((*other).clone())))
    })
}

/// A descriptor of a grid for the program; the same for equal grids.
fn keep(grid: SharedGrid) -> *mut c_void {
    let Some(program) = PROGRAM.get() else { return std::ptr::null_mut() };
    let mut kept = program.related.lock();
    let is_same = |it: &RelatedGrid| {
        let (own, other) = (it.grid.get(), grid.get());
        let are_equal_nodes = own.name == other.name
            && matches!(other.kind, GridKind::Nodes { .. })
            && own.placement == other.placement;
        Arc::ptr_eq(&it.grid.0, &grid.0) || are_equal_nodes
    };
    if let Some(found) = kept.iter().find(|it| is_same(it)) {
        return found.descriptor as *mut c_void;
    }
    let descriptor = Box::into_raw(Box::new(layout::Grid { tag: tag::GRID, state: grid.clone() }));
    kept.push(RelatedGrid { grid, descriptor: descriptor as usize });
    descriptor.cast()
}

pub(super) extern "C" fn allocate(descriptor: *mut c_void, extents: *const c_long) -> *mut c_void {
    run(std::ptr::null(), |node| {
        let Described::Array(array) = described(descriptor)? else {
            return Err(XmpError::new("`xmp_malloc` of what is no array"));
        };
        // SAFETY: the tag says so; an extent for each axis.
        unsafe {
            let state = array_state(array)?;
            let extents = list(extents, state.rank()).to_vec();
            state.place(node, array, Some(extents))?;
            state.placed()?;
            Ok((*array).address)
        }
    })
}

pub(super) extern "C" fn leave(status: c_int) -> c_int {
    super::leave(status)
}
