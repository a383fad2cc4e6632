//! What an edited C program and this runtime exchange: the structs of `apg_xmp.h`.

use std::ffi::{CStr, c_char, c_double, c_int, c_long, c_uint, c_ulong, c_void};

/// Maximum number of axes.
pub(super) const MAX_RANK: usize = 16;

/// `tag` of arrays and grids, which says what a descriptor describes.
pub(super) mod tag {
    /// [`super::Array`].
    pub(in crate::xmp) const ARRAY: u64 = 0x6170_6758_4d50_0001;
    /// [`super::Grid`].
    pub(in crate::xmp) const GRID: u64 = 0x6170_6758_4d50_0002;
}

/// A directive of the program (`apg_xmp_site`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Site {
    file: *const c_char,
    directive: *const c_char,
    line: c_uint,
}

impl Site {
    /// `file:line: directive`.
    pub(super) fn describe(&self) -> String {
        format!("{}:{}: `{}`", text(self.file), self.line, text(self.directive))
    }
}

/// A subscript (`apg_xmp_triplet`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Triplet {
    pub(super) kind: c_int,
    pub(super) start: c_long,
    pub(super) count: c_long,
    pub(super) step: c_long,
}

/// Nodes, or points of a template (`apg_xmp_on`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct On {
    pub(super) grid: *const Grid,
    pub(super) subscripts: *const Triplet,
}

/// The format of an axis of a template (`apg_xmp_format`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Format {
    pub(super) kind: c_int,
    pub(super) width: c_long,
    pub(super) map: *const c_int,
}

/// The alignment of an axis of an array (`apg_xmp_alignment`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Alignment {
    pub(super) axis: c_int,
    pub(super) offset: c_long,
}

/// An axis of local memory (`apg_xmp_axis`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) offset: c_long,
    pub(super) width: c_long,
    pub(super) cycle: c_long,
}

/// An array of the program (`apg_xmp_array`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Array {
    pub(super) tag: c_ulong,
    pub(super) address: *mut c_void,
    pub(super) origin: c_long,
    pub(super) stride: [c_long; MAX_RANK],
    pub(super) axis: [Axis; MAX_RANK],
    pub(super) state: *mut c_void,
}

/// Nodes or a template of the program (`apg_xmp_grid`), of which it has an address alone.
#[repr(C)]
#[derive(Debug)]
pub(super) struct Grid {
    pub(super) tag: c_ulong,
    pub(super) state: super::declarations::SharedGrid,
}

/// Iterations of a node (`apg_xmp_range`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are described in apg_xmp.h")]
pub struct Range {
    pub runs: c_long,
    pub first: c_long,
    pub last: c_long,
    pub step: c_long,
    pub low: c_long,
    pub high: c_long,
    pub stride: c_long,
    pub block: c_long,
    pub period: c_long,
    pub width: c_long,
    pub other_width: c_long,
}

/// Some iterations, `Range::step` apart: the first and the last one.
pub(super) type Run = (c_long, c_long);

impl Range {
    /// `apg_xmp_run`: the run with a number below `runs`.
    pub(super) fn run(&self, index: c_long) -> Run {
        let k = if self.step < 0 { self.runs - 1 - index } else { index };
        let block = self.block + k * self.period;
        let width = if k == 0 { self.width } else { self.other_width };
        let last = (block + width - 1).min(self.high);
        let first = block.max(self.low);
        let past = (first - self.low) % self.stride;
        let first = if past == 0 { first } else { first + self.stride - past };
        // An empty one has no negative bounds: an unsigned iteration variable would wrap around.
        match (self.step < 0, first <= last) {
            (false, true) => (first, last),
            (false, false) => (1, 0),
            (true, true) => (last - (last - first) % self.stride, first),
            (true, false) => (0, 1),
        }
    }
}

/// Elements of the program (`apg_xmp_item`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) address: *mut c_void,
    pub(super) count: c_long,
    pub(super) ty: c_int,
    pub(super) bytes: c_ulong,
    pub(super) locations: c_int,
    pub(super) location: *const Item,
}

/// Elements that are renewed (`apg_xmp_width`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Width {
    pub(super) below: c_long,
    pub(super) above: c_long,
    pub(super) periodic: c_int,
}

/// A side of a gmove (`apg_xmp_part`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Part {
    pub(super) array: *mut Array,
    pub(super) address: *mut c_void,
    pub(super) rank: c_int,
    pub(super) extents: *const c_long,
    pub(super) subscripts: *const Triplet,
    pub(super) bytes: c_ulong,
}

/// A coarray (`apg_xmp_coarray`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Coarray {
    pub(super) state: *mut c_void,
}

type Where = *const Site;
type Async = *const c_long;

/// What the program calls (`apg_xmp_functions`).
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs, reason = "they are described in apg_xmp.h")]
pub(super) struct Functions {
    pub(super) nodes:
        extern "C" fn(Where, *const c_char, c_int, c_int, *const c_long, *const On) -> *mut Grid,
    pub(super) new_template:
        extern "C" fn(Where, *const c_char, c_int, c_int, *const c_long, *const c_long) -> *mut Grid,
    pub(super) distribute: extern "C" fn(Where, *mut Grid, *mut Grid, *const Format),
    pub(super) template_fix: extern "C" fn(Where, *mut Grid, *const Format, *const c_long, *const c_long),
    pub(super) drop_grid: extern "C" fn(*mut Grid),
    pub(super) align: extern "C" fn(
        Where,
        *mut Array,
        *const c_char,
        *mut c_void,
        c_int,
        c_ulong,
        c_int,
        *const c_long,
        *mut Grid,
        *const Alignment,
    ),
    pub(super) shadow: extern "C" fn(Where, *mut Array, *const c_long, *const c_long),
    pub(super) drop_array: extern "C" fn(*mut Array),
    pub(super) for_loop: extern "C" fn(
        Where,
        *mut Grid,
        c_int,
        c_long,
        c_long,
        c_long,
        c_long,
        c_int,
        c_long,
        c_long,
        c_int,
    ) -> Range,
    pub(super) owns: extern "C" fn(Where, *mut Grid, c_int, c_long) -> c_int,
    pub(super) reduction: extern "C" fn(Where, c_int, *const Item, c_int, *const On, Async),
    pub(super) begin_reduction: extern "C" fn(Where, c_int, *const Item, c_int) -> *mut c_void,
    pub(super) end_reduction: extern "C" fn(Where, c_int, *const Item, c_int, *mut Grid, c_uint, *mut c_void),
    pub(super) bcast: extern "C" fn(Where, *const Item, c_int, *const On, *const On, Async),
    pub(super) barrier: extern "C" fn(Where, *const On),
    pub(super) begin_task: extern "C" fn(Where, *const On, c_int) -> c_int,
    pub(super) end_task: extern "C" fn(),
    pub(super) wait_async: extern "C" fn(Where, *const c_long, c_int, *const On),
    pub(super) reflect: extern "C" fn(Where, *mut Array, *const Width, c_int, Async),
    pub(super) reflect_init: extern "C" fn(Where, *mut Array, *const Width, c_int),
    pub(super) reflect_do: extern "C" fn(Where, *mut Array, Async),
    pub(super) reduce_shadow: extern "C" fn(Where, *mut Array, *const Width, Async),
    pub(super) gmove: extern "C" fn(Where, c_int, *const Part, *const Part, Async),
    pub(super) coarray: extern "C" fn(
        Where,
        *mut Coarray,
        *const c_char,
        *mut c_void,
        c_ulong,
        c_int,
        *const c_long,
        c_int,
        *const c_long,
    ),
    pub(super) put: extern "C" fn(Where, *mut Coarray, *const c_long, *const Part, *const Part, c_int),
    pub(super) get: extern "C" fn(Where, *mut Coarray, *const c_long, *const Part, *const Part, c_int),
    pub(super) post: extern "C" fn(Where, *const On, c_long),
    pub(super) wait: extern "C" fn(Where, *const On, *const c_long),
    pub(super) lock: extern "C" fn(Where, *mut Coarray, *const c_long, *const Part, c_int),
    pub(super) atomic:
        extern "C" fn(Where, *mut Coarray, *const c_long, *const Part, c_int, c_int, c_int) -> c_int,
    pub(super) sync_memory: extern "C" fn(),
    pub(super) sync_all: extern "C" fn(),
    pub(super) sync_images: extern "C" fn(*const c_int, c_int),
    pub(super) count_nodes: extern "C" fn(c_int) -> c_int,
    pub(super) node_number: extern "C" fn(c_int) -> c_int,
    pub(super) time: extern "C" fn() -> c_double,
    pub(super) inquire: extern "C" fn(*mut c_void, c_int, c_int, c_long, *mut c_long) -> c_int,
    pub(super) related: extern "C" fn(*mut c_void) -> *mut c_void,
    pub(super) allocate: extern "C" fn(*mut c_void, *const c_long) -> *mut c_void,
    pub(super) intrinsic: extern "C" fn(c_int, *const *mut c_void, c_int),
    pub(super) leave: extern "C" fn(c_int) -> c_int,
    pub(super) elements: extern "C" fn(*const Array) -> c_long,
    pub(super) present: extern "C" fn(Where, *const c_char, *const c_void, c_ulong),
    pub(super) device_reflect: extern "C" fn(Where, *mut Array, *const Width, c_int, Async),
    pub(super) device_reflect_do: extern "C" fn(Where, *mut Array, Async),
    pub(super) device_reduce_shadow: extern "C" fn(Where, *mut Array, *const Width, Async),
    pub(super) device_reduction: extern "C" fn(Where, c_int, *const Item, c_int, *const On, Async),
    pub(super) device_bcast: extern "C" fn(Where, *const Item, c_int, *const On, *const On, Async),
}

/// A constant string of the program.
pub(super) fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: a C string of the program, which stays loaded.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// A list of the program, empty for null.
///
/// # Safety
/// The list has `count` elements, or is null.
pub(super) unsafe fn list<'a, T>(start: *const T, count: usize) -> &'a [T] {
    if start.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller's.
    unsafe { std::slice::from_raw_parts(start, count) }
}
