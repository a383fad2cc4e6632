//! Declarations: nodes, templates, alignments, shadows.

use std::ffi::{c_char, c_int, c_long, c_ulong, c_void};
use std::sync::Arc;

use super::{grid, nodes_on, run, subscripts};
use crate::xmp::array::{Alignment, Shadow};
use crate::xmp::declarations::{ArrayState, SharedGrid};
use crate::xmp::error::{Result, XmpError};
use crate::xmp::grid::{Format, Grid, PartOf, Spelling};
use crate::xmp::layout::{self, On, Site, list, tag, text};
use crate::xmp::node::Node;
use crate::xmp::node_set::Nodes;
use crate::xmp::reduction::Element;

fn spelling(number: c_int) -> Spelling {
    if number == 0 { Spelling::Brackets } else { Spelling::Parentheses }
}

fn new_grid(grid: Grid) -> *mut layout::Grid {
    Box::into_raw(Box::new(layout::Grid { tag: tag::GRID, state: SharedGrid::new(grid) }))
}

pub(super) extern "C" fn nodes(
    site: *const Site,
    name: *const c_char,
    written: c_int,
    rank: c_int,
    sizes: *const c_long,
    part: *const On,
) -> *mut layout::Grid {
    run(site, |node| {
        let name = text(name);
        // SAFETY: a size for each axis, and what the edit of the program has written.
        let (sizes, part_of) = unsafe { (list(sizes, rank as usize), part.as_ref()) };
        let set = match part_of {
            None => Arc::clone(node.entire()),
            // SAFETY: what the edit of the program has written.
            Some(_) => unsafe { nodes_on(node, part)? },
        };
        let part = match part_of.filter(|it| !it.grid.is_null()) {
            None => None,
            Some(on) => {
                let grid = grid(on.grid)?;
                // SAFETY: a subscript for each axis of the grid.
                let subscripts = unsafe { subscripts(on.subscripts, grid.rank()) }.unwrap_or_default();
                Some(PartOf { grid, subscripts })
            }
        };
        let nodes = Nodes::new(&name, sizes, &set)?;
        Ok(new_grid(Grid::of_nodes(&name, spelling(written), nodes, part)))
    })
}

/// Bounds of axes from their lowest indices and sizes.
///
/// # Safety
/// The lists have `rank` elements, or are null.
unsafe fn bounds(lower: *const c_long, sizes: *const c_long, rank: usize) -> Option<Vec<(i64, i64)>> {
    // SAFETY: the caller's.
    let (lower, sizes) = unsafe { (list(lower, rank), list(sizes, rank)) };
    let all = lower.iter().zip(sizes).map(|(first, size)| (*first, first + size - 1));
    (!sizes.is_empty()).then(|| all.collect())
}

pub(super) extern "C" fn template(
    site: *const Site,
    name: *const c_char,
    written: c_int,
    rank: c_int,
    lower: *const c_long,
    sizes: *const c_long,
) -> *mut layout::Grid {
    run(site, |_| {
        let rank = rank as usize;
        // SAFETY: lists of the program with an element for each axis.
        let bounds = unsafe { bounds(lower, sizes, rank) };
        Ok(new_grid(Grid::of_template(&text(name), spelling(written), rank, bounds)))
    })
}

/// Formats of the axes of a template onto nodes.
///
/// # Safety
/// The list has `rank` elements, or is null; each gblock map has a size for each node of its axis.
unsafe fn formats(start: *const layout::Format, rank: usize, nodes: &Grid) -> Result<Option<Vec<Format>>> {
    if start.is_null() {
        return Ok(None);
    }
    let sizes = &nodes.placed()?.nodes.sizes;
    let mut node_axes = sizes.iter();
    let mut formats = Vec::new();
    // SAFETY: the caller's.
    for it in unsafe { list(start, rank) } {
        let nodes = if it.kind == 0 { None } else { node_axes.next() };
        formats.push(match it.kind {
            0 => Format::Whole,
            1 => Format::Block((it.width != 0).then_some(it.width)),
            2 => Format::Cyclic(if it.width == 0 { 1 } else { it.width }),
            _ if it.map.is_null() => Format::Gblock(None),
            _ => {
                let count = nodes.copied().unwrap_or(0) as usize;
                // SAFETY: the caller's.
                let map = unsafe { list(it.map, count) };
                Format::Gblock(Some(map.iter().copied().map(i64::from).collect()))
            }
        });
    }
    Ok(Some(formats))
}

pub(super) extern "C" fn distribute(
    site: *const Site,
    template: *mut layout::Grid,
    nodes: *mut layout::Grid,
    list: *const layout::Format,
) {
    run(site, |node| {
        let (own, nodes) = (grid(template)?, grid(nodes)?);
        // SAFETY: what the edit of the program has written.
        let formats = unsafe { formats(list, own.rank(), &nodes)? }.unwrap_or_default();
        fix(node, template, |it| it.fix(Some((formats, nodes)), None, None))
    });
}

/// Changes a template, and places the arrays that wait for it.
fn fix(
    node: &mut Node,
    template: *mut layout::Grid,
    change: impl FnOnce(&mut Grid) -> Result<()>,
) -> Result<()> {
    // SAFETY: `grid` has found it.
    let Some(shared) = (unsafe { template.as_ref() }).map(|it| it.state.clone()) else { return Ok(()) };
    let waiting = {
        let mut state = shared.0.lock();
        change(Arc::make_mut(&mut state.grid))?;
        match state.grid.placement {
            Some(_) => std::mem::take(&mut state.waiting),
            None => Vec::new(),
        }
    };
    for address in waiting {
        let array = address as *mut layout::Array;
        // SAFETY: arrays of the program that it has not dropped: those take themselves out.
        unsafe { array_state(array)?.place(node, array, None)? };
    }
    Ok(())
}

pub(super) extern "C" fn template_fix(
    site: *const Site,
    template: *mut layout::Grid,
    list: *const layout::Format,
    lower: *const c_long,
    sizes: *const c_long,
) {
    run(site, |node| {
        let own = grid(template)?;
        let nodes = match &own.kind {
            crate::xmp::grid::GridKind::Template { distribution: Some((_, nodes)), .. } => {
                Some(Arc::clone(nodes))
            }
            _ => None,
        };
        let formats = match nodes {
            // SAFETY: what the edit of the program has written.
            Some(nodes) => unsafe { formats(list, own.rank(), &nodes)? },
            // `fix` refuses any.
            None => (!list.is_null()).then(Vec::new),
        };
        // SAFETY: lists of the program with an element for each axis.
        let bounds = unsafe { bounds(lower, sizes, own.rank()) };
        fix(node, template, |it| it.fix(None, formats, bounds))
    });
}

pub(super) extern "C" fn drop_grid(grid: *mut layout::Grid) {
    if !grid.is_null() {
        // SAFETY: made by `new_grid`, and dropped once by the program. Arrays have references of their own.
        drop(unsafe { Box::from_raw(grid) });
    }
}

/// The state of an array of the program.
///
/// # Safety
/// `align` has made the array, or it is zero or null; no other reference to its state is in use.
pub(super) unsafe fn array_state<'a>(array: *const layout::Array) -> Result<&'a mut ArrayState> {
    // SAFETY: the caller's.
    let array = unsafe { array.as_ref() }.filter(|it| it.tag == tag::ARRAY);
    // SAFETY: made by `align`.
    let state = array.and_then(|it| unsafe { it.state.cast::<ArrayState>().as_mut() });
    state.ok_or_else(|| XmpError::new("an array is used before it is aligned"))
}

pub(super) extern "C" fn align(
    site: *const Site,
    array: *mut layout::Array,
    name: *const c_char,
    variable: *mut c_void,
    ty: c_int,
    bytes: c_ulong,
    rank: c_int,
    extents: *const c_long,
    with: *mut layout::Grid,
    axes: *const layout::Alignment,
) {
    run(site, |node| {
        let (name, rank) = (text(name), rank as usize);
        if rank > layout::MAX_RANK {
            return Err(XmpError::new(format!(
                "`{name}` has {rank} axes: there are at most {}",
                layout::MAX_RANK
            )));
        }
        let template = grid(with)?;
        // SAFETY: lists of the program with an element for each axis.
        let (extents, axes) = unsafe { (list(extents, rank), list(axes, rank)) };
        let mut alignments = Vec::new();
        for axis in axes {
            let template_axis = usize::try_from(axis.axis).ok();
            if template_axis.is_some_and(|it| it >= template.rank()) {
                return Err(XmpError::new(format!("`{}` has {} axes", template.name, template.rank())));
            }
            alignments.push(Alignment { template_axis, offset: axis.offset });
        }
        let element = Element::from_number(ty).unwrap_or(Element::Bytes);
        // SAFETY: `grid` has found it.
        let shared = unsafe { (*with).state.clone() };
        let state = ArrayState::new(
            name,
            element,
            bytes as i64,
            extents.to_vec(),
            alignments,
            shared,
            variable.cast(),
        );
        let state = Box::into_raw(Box::new(state));
        // SAFETY: the program's struct, and what was made just now.
        unsafe {
            (*array).tag = tag::ARRAY;
            (*array).state = state.cast();
            (*state).place(node, array, None)
        }
    });
}

pub(super) extern "C" fn shadow(
    site: *const Site,
    array: *mut layout::Array,
    below: *const c_long,
    above: *const c_long,
) {
    run(site, |node| {
        // SAFETY: an array of the program.
        let state = unsafe { array_state(array)? };
        let rank = state.rank();
        // SAFETY: lists of the program with an element for each axis.
        let (below, above) = unsafe { (list(below, rank), list(above, rank)) };
        let widths = below.iter().zip(above).map(|(below, above)| match (*below, *above) {
            (-1, -1) => Shadow { below: 0, above: 0, is_full: true },
            (below, above) => Shadow { below, above, is_full: false },
        });
        state.set_shadows(widths.collect())?;
        let widest = state.shadows().iter().map(|it| it.below.max(it.above)).max().unwrap_or(0);
        node.widest_shadow = node.widest_shadow.max(widest);
        // SAFETY: an array of the program.
        unsafe { state.place(node, array, None) }
    });
}

pub(super) extern "C" fn drop_array(array: *mut layout::Array) {
    run(std::ptr::null(), |node| {
        // SAFETY: an array of the program; `align` may not have been reached.
        let Some(own) = (unsafe { array.as_mut() }).filter(|it| it.tag == tag::ARRAY) else { return Ok(()) };
        own.tag = 0;
        // SAFETY: made by `align`, and dropped once.
        let mut state = unsafe { Box::from_raw(own.state.cast::<ArrayState>()) };
        state.release(node, array);
        Ok(())
    });
}
