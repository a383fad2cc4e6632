//! What every other part of the runtime uses: output, temporary files, limits, signals, sanitizers. Knows nothing above it.

// First: its macro is used by name below.
#[macro_use]
pub(crate) mod log;

pub mod allocator;
pub mod byte_size;
pub mod interrupt;
pub mod limits;
pub mod output_errors;
pub mod output_tag;
pub mod place;
pub mod sanitizer;
pub(crate) mod signals;
pub mod temp_files;
