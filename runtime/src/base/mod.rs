//! What every other part of the runtime uses: output, temporary files, limits, signals, sanitizers. Knows
//! nothing above it.

// First: its macro is used by name below.
#[macro_use]
pub(crate) mod log;

pub(crate) mod affinity;
pub mod allocator;
pub(crate) mod append_list;
pub(crate) mod backtrace;
pub mod byte_size;
pub(crate) mod dynamic_library;
pub mod ending;
pub(crate) mod fatal;
pub mod interrupt;
pub mod limits;
pub(crate) mod output;
pub mod output_errors;
pub(crate) mod output_lock;
pub mod output_tag;
pub mod place;
pub mod plain_text;
pub mod process;
pub(crate) mod program_image;
pub mod sanitizer;
pub(crate) mod signals;
pub mod temp_files;
