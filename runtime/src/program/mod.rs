//! The compiled program of a place: loading it, and what the runtime asks of it.

mod loaded;
mod objects;
mod serialize_hooks;
mod stack_trace;
mod uncaught;

#[cfg(test)]
pub(crate) use loaded::attach;
pub use loaded::{
    bind, call, call_value, file, load, load_bytes, load_copy, main, memory_file, to_string, types,
};
pub use objects::{
    allocate, allocate_last, allocate_rail, exception, exception_without_message, is_exception, multiple,
    string, string_of_length, string_rail, string_with_room,
};
pub use serialize_hooks::{restore, saved};
pub use stack_trace::{append_sender_frames, capture, frames_in};
pub use uncaught::print_uncaught;
