//! Device constructs of OpenMP in C programs (OpenMP 5.2, section 5.8, chapter 13): the program is a shared
//! object whose directives have become calls of [`layout::Functions`]. It runs in this process, on its main
//! thread.

mod abi;
mod host_regions;
mod layout;
mod memory;
mod parallel;
mod peers;
mod pieces;
mod present_table;
mod recorded;
mod regions;
pub(crate) mod resident;

pub use abi::{EndProgram, Main, TargetDevices, load};

/// The header of edited programs.
pub const HEADER: &str = concat!(include_str!("apg_target.h"), include_str!("apg_parallel.h"));

/// The unit in C that an edited program is linked with.
pub const SUPPORT: &str = concat!(include_str!("apg_target.c"), include_str!("apg_parallel.c"));

/// The header of the unit with the heap of a program whose parallel regions run on a device.
pub const HEAP_HEADER: &str = include_str!("apg_heap.h");

/// That unit.
pub const HEAP: &str = include_str!("apg_heap.c");

/// Functions that the linker gives names of that unit (`--wrap` of ld).
pub const HEAP_WRAPPED: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "malloc_usable_size",
    "strdup",
    "strndup",
    "getline",
    "getdelim",
];
