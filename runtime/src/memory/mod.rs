//! The heap: references to objects, allocation, collection.
//!
//! A non-moving mark-and-sweep collector. Small objects live in blocks of one size ([`blocks`]), each thread allocates
//! from blocks of its own ([`heap`]). To collect, every thread that may touch objects is stopped by a signal wherever
//! it is ([`threads`]); stacks and registers are read conservatively ([`roots`]), objects precisely by their
//! descriptors ([`mark`]). Rust code that keeps a reference where no stack shows it uses a [`Handle`].

mod blocks;
mod collect;
pub mod globals;
mod handles;
mod heap;
mod limits;
mod mark;
mod mixed;
mod object;
pub mod others;
mod roots;
mod stacks;
mod threads;
mod trim;
pub mod watch;
mod weak;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use blocks::reserve as reserve_memory;
pub use collect::{CollectionHold, Statistics, collect, hold_collection, statistics};
pub use handles::{Handle, forget_global, global, interned, register_global};
pub(crate) use heap::allocate_in_emergency;
pub use heap::{
    ProgramHeap, allocate, allocate_counted, allocate_set_later, allocate_unwritten, bytes_in_use,
    grow_string, has_room_at_once, make_room, shorten_string,
};
pub use limits::{configure, of_machine};
pub use object::{ARRAY_HEADER, Ref};
pub use roots::{add_queues, add_static_roots};
pub(crate) use stacks::{StackRecord, forget_ended_calls, register_stack, set_running, set_suspended};
pub(crate) use threads::{
    SIGNAL as STOP_SIGNAL, abandon as abandon_thread, enter_critical, leave_critical, while_parked,
};
