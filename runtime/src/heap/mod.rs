//! The heap: references to objects, allocation, collection.
//!
//! A non-moving mark-and-sweep collector. Small objects live in blocks of one size ([`alloc::blocks`]), each
//! thread allocates from blocks of its own ([`alloc::allocator`]). To collect, every thread that may touch
//! objects is stopped by a signal wherever it is ([`safepoint`]); stacks and registers are read
//! conservatively ([`mark::roots`]), objects precisely by their descriptors ([`mark::marker`]). Rust code
//! that keeps a reference where no stack shows it uses a [`Handle`].

mod alloc;
pub mod global_refs;
mod handles;
pub mod hooks;
mod mark;
pub mod page_watch;
mod place_objects;
mod safepoint;

#[cfg(test)]
pub(crate) mod tests;

pub use crate::layout::{ARRAY_HEADER, Ref};
pub(crate) use alloc::allocator::allocate_in_emergency;
pub(crate) use alloc::allocator::is_memory_short;
pub use alloc::allocator::{
    allocate, allocate_counted, allocate_for_copy, allocate_set_later, allocate_unwritten, grow_string,
    has_room_at_once, make_room, shorten_string,
};
pub(crate) use alloc::blocks::reserve as reserve_memory;
pub use alloc::limits::{configure, of_machine};
pub use alloc::state::{bytes_in_use, prepare};
pub use handles::Handle;
pub use mark::collect::{CollectionHold, Statistics, collect, hold_collection, statistics};
pub(crate) use mark::collect::{collect_for_others, is_held as is_collection_held};
pub use mark::roots::{add_queues, add_static_roots};
pub use place_objects::{forget_global, global, interned, register_global};
pub(crate) use safepoint::mutators::{
    abandon as abandon_thread, enter_critical, leave_critical, set_running, stop_count, while_parked,
};
pub(crate) use safepoint::stacks::{StackRecord, forget_ended_calls, register_stack, set_suspended};
