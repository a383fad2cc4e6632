//! Coarrays: declarations, puts and gets, posts, locks, atomic operations and synchronisation.

use std::ffi::{c_char, c_int, c_long, c_ulong, c_void};
use std::sync::Arc;

use super::constructs::side;
use super::{nodes_on, run, subscripts};
use crate::xmp::collective;
use crate::xmp::declarations::CoarrayState;
use crate::xmp::device::sections::{load, store};
use crate::xmp::error::{Result, XmpError};
use crate::xmp::gmove;
use crate::xmp::layout::{Coarray, On, Part, Site, list, text};
use crate::xmp::node::Node;
use crate::xmp::one_sided::{self, Atomic, RemoteMemory};
use crate::xmp::strided::{StridedBox, total_bytes};

pub(super) extern "C" fn declare(
    site: *const Site,
    coarray: *mut Coarray,
    name: *const c_char,
    variable: *mut c_void,
    bytes: c_ulong,
    rank: c_int,
    extents: *const c_long,
    corank: c_int,
    coextents: *const c_long,
) {
    run(site, |node| {
        let name = text(name);
        // SAFETY: lists of the program with an element for each axis.
        let (extents, coextents) = unsafe {
            (list(extents, rank.max(0) as usize).to_vec(), list(coextents, corank.max(0) as usize).to_vec())
        };
        let total = extents.iter().try_fold(bytes, |all, it| all.checked_mul(u64::try_from(*it).ok()?));
        let total = total.ok_or_else(|| {
            XmpError::new(format!("the coarray `{name}` has more bytes than there are addresses"))
        })?;
        let set = Arc::clone(node.executing());
        let segment = node.new_segment(&set);
        let address = variable.cast::<u8>();
        let state =
            CoarrayState { name, element_bytes: bytes as i64, extents, coextents, set, segment, address };
        // SAFETY: the program's struct, and its object, which stays as long as the process.
        unsafe {
            (*coarray).state = Box::into_raw(Box::new(state)).cast();
            one_sided::publish(node.mailbox(), segment, address, total);
        }
        Ok(())
    });
}

/// The state of a coarray of the program.
///
/// # Safety
/// `declare` has made it, or it is zero.
unsafe fn state<'a>(coarray: *const Coarray) -> Result<&'a CoarrayState> {
    // SAFETY: the caller's.
    let state = unsafe { coarray.as_ref().and_then(|it| it.state.cast::<CoarrayState>().as_ref()) };
    state.ok_or_else(|| XmpError::new("a coarray is used before it is declared"))
}

/// A section of a coarray on an image: the node, and where the elements are in its memory.
///
/// # Safety
/// What the edit of the program has written.
unsafe fn remote(
    coarray: &CoarrayState,
    image: *const c_long,
    part: *const Part,
) -> Result<(u32, Vec<StridedBox>)> {
    // SAFETY: the caller's.
    let (image, subscripts) = unsafe {
        let subscripts = part.as_ref().and_then(|it| subscripts(it.subscripts, coarray.extents.len()));
        (list(image, coarray.coextents.len()), subscripts)
    };
    let node = coarray.node(image)?;
    let boxes = gmove::boxes_in_memory(&coarray.extents, coarray.element_bytes, subscripts.as_deref())?;
    Ok((node, boxes))
}

/// The side of this node: where its elements are, and from where on.
///
/// # Safety
/// What the edit of the program has written.
unsafe fn own(node: u32, part: *const Part) -> Result<(Vec<StridedBox>, *mut u8)> {
    // SAFETY: the caller's.
    unsafe {
        if !(*part).array.is_null() {
            let (own, memory, _) = side(part)?;
            return Ok((gmove::own_boxes(&own, node)?, memory));
        }
        let rank = (*part).rank.max(0) as usize;
        let subscripts = subscripts((*part).subscripts, rank);
        let extents = list((*part).extents, rank);
        let boxes = gmove::boxes_in_memory(extents, (*part).bytes as i64, subscripts.as_deref())?;
        Ok((boxes, (*part).address.cast()))
    }
}

/// Elements for a target: as many as it has, or one, which is repeated.
fn fitted(bytes: Vec<u8>, element_bytes: i64, target: &[StridedBox]) -> Result<Vec<u8>> {
    let (wanted, element) = (total_bytes(target), element_bytes as usize);
    match bytes.len() {
        found if found == wanted => Ok(bytes),
        found if found == element && element > 0 && wanted % element == 0 => {
            Ok(bytes.repeat(wanted / element))
        }
        found => Err(XmpError::new(format!(
            "{} elements are assigned to {}",
            found / element.max(1),
            wanted / element.max(1)
        ))),
    }
}

/// An access to a section of a coarray on an image: the node, where the elements are there and here, and
/// from where on here.
struct Access<'a> {
    coarray: &'a CoarrayState,
    owner: u32,
    boxes: Vec<StridedBox>,
    own: Vec<StridedBox>,
    memory: *mut u8,
}

/// Executes an access to a section of a coarray, of what the edit of the program has written.
fn access(
    site: *const Site,
    coarray: *mut Coarray,
    image: *const c_long,
    there: *const Part,
    here: *const Part,
    execute: impl FnOnce(&mut Node, Access<'_>) -> Result<()>,
) {
    run(site, |node| {
        // SAFETY: what the edit of the program has written: sections of its memory.
        let access = unsafe {
            let coarray = state(coarray)?;
            let (owner, boxes) = remote(coarray, image, there)?;
            let (own, memory) = own(node.here(), here)?;
            Access { coarray, owner, boxes, own, memory }
        };
        execute(node, access)
    });
}

/// Where the elements of an access are, beside the memory of the host: bits of `apg_xmp.h`.
#[derive(Clone, Copy)]
struct Sides(c_int);

impl Sides {
    /// Those of the coarray are the accelerator's.
    fn coarray_on_device(self) -> bool {
        self.0 & 1 != 0
    }

    /// Those of the other side are.
    fn own_on_device(self) -> bool {
        self.0 & 2 != 0
    }
}

pub(super) extern "C" fn put(
    site: *const Site,
    coarray: *mut Coarray,
    image: *const c_long,
    to: *const Part,
    from: *const Part,
    sides: c_int,
) {
    access(site, coarray, image, to, from, |node, it| {
        let sides = Sides(sides);
        // SAFETY: sections of the program's memory.
        let elements = unsafe { load(sides.own_on_device(), it.memory, &it.own)? };
        let bytes = fitted(elements, it.coarray.element_bytes, &it.boxes)?;
        let on_device = sides.coarray_on_device();
        if it.owner == node.here() {
            // SAFETY: a section of the program's memory.
            return unsafe { store(on_device, it.coarray.address, &it.boxes, &bytes) };
        }
        node.put(it.owner, RemoteMemory { segment: it.coarray.segment, on_device }, &it.boxes, &bytes)
    });
}

pub(super) extern "C" fn get(
    site: *const Site,
    coarray: *mut Coarray,
    image: *const c_long,
    to: *const Part,
    from: *const Part,
    sides: c_int,
) {
    access(site, coarray, image, from, to, |node, it| {
        let sides = Sides(sides);
        let on_device = sides.coarray_on_device();
        let bytes = match it.owner == node.here() {
            // SAFETY: a section of the program's memory.
            true => unsafe { load(on_device, it.coarray.address, &it.boxes)? },
            false => {
                let of = RemoteMemory { segment: it.coarray.segment, on_device };
                one_sided::read(node.mailbox(), it.owner, of, &it.boxes)?
            }
        };
        let bytes = fitted(bytes, it.coarray.element_bytes, &it.own)?;
        // SAFETY: a section of the program's memory.
        unsafe { store(sides.own_on_device(), it.memory, &it.own, &bytes) }
    });
}

/// The one node that a clause names.
///
/// # Safety
/// What the edit of the program has written.
unsafe fn one_node(node: &Node, on: *const On) -> Result<u32> {
    // SAFETY: the caller's.
    let set = unsafe { nodes_on(node, on)? };
    match set.nodes[..] {
        [only] => Ok(only),
        _ => {
            Err(XmpError::new(format!("`post` and `wait` name one node, and these are {}", set.nodes.len())))
        }
    }
}

pub(super) extern "C" fn post(site: *const Site, on: *const On, tag: c_long) {
    run(site, |node| {
        // What was written in front of it has to be there.
        node.sync_memory()?;
        // SAFETY: what the edit of the program has written.
        let to = unsafe { one_node(node, on)? };
        node.mailbox().post_tag(to, tag)
    });
}

pub(super) extern "C" fn wait(site: *const Site, on: *const On, tag: *const c_long) {
    run(site, |node| {
        // SAFETY: what the edit of the program has written.
        let (from, tag) = unsafe {
            let from = if on.is_null() { None } else { Some(one_node(node, on)?) };
            (from, tag.as_ref().copied())
        };
        node.mailbox().wait_for_post(from, tag)
    });
}

/// The node of an element, and where it is.
///
/// # Safety
/// What the edit of the program has written.
unsafe fn element(coarray: *mut Coarray, image: *const c_long, at: *const Part) -> Result<(u32, (u64, u64))> {
    // SAFETY: the caller's.
    unsafe {
        let coarray = state(coarray)?;
        let (node, boxes) = remote(coarray, image, at)?;
        let offset = boxes.first().map_or(0, |it| it.offset as u64);
        Ok((node, (coarray.segment, offset)))
    }
}

pub(super) extern "C" fn lock(
    site: *const Site,
    coarray: *mut Coarray,
    image: *const c_long,
    at: *const Part,
    unlock: c_int,
) {
    run(site, |node| {
        if unlock != 0 {
            // The next holder sees what was written.
            node.sync_memory()?;
        }
        // SAFETY: what the edit of the program has written.
        let (owner, at) = unsafe { element(coarray, image, at)? };
        one_sided::set_lock(node.mailbox(), owner, at, unlock == 0)
    });
}

pub(super) extern "C" fn atomic(
    site: *const Site,
    coarray: *mut Coarray,
    image: *const c_long,
    at: *const Part,
    operation: c_int,
    value: c_int,
    compare: c_int,
) -> c_int {
    run(site, |node| {
        let operation = Atomic::from_number(operation)
            .ok_or_else(|| XmpError::new("an atomic operation is not known"))?;
        // SAFETY: what the edit of the program has written.
        let (owner, at) = unsafe { element(coarray, image, at)? };
        one_sided::atomic(node.mailbox(), owner, at, operation, value, compare)
    })
}

pub(super) extern "C" fn sync_memory() {
    run(std::ptr::null(), Node::sync_memory);
}

pub(super) extern "C" fn sync_all() {
    run(std::ptr::null(), Node::sync_all);
}

pub(super) extern "C" fn sync_images(images: *const c_int, count: c_int) {
    run(std::ptr::null(), |node| {
        node.sync_memory()?;
        let executing = Arc::clone(node.executing());
        if count < 0 {
            return collective::barrier(node.mailbox(), &executing);
        }
        // SAFETY: a list of the program.
        let images = unsafe { list(images, count as usize) };
        let mut nodes = Vec::new();
        for image in images {
            let found = usize::try_from(*image).ok().and_then(|it| executing.nodes.get(it).copied());
            let other = found.ok_or_else(|| {
                XmpError::new(format!("`sync_images` with image {image} of {}", executing.nodes.len()))
            })?;
            if other != node.here() {
                nodes.push(other);
            }
        }
        node.mailbox().sync_with(&nodes)
    });
}
