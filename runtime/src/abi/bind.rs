//! Binding of the loaded program to this runtime.

use super::{Runtime, table};
use crate::apgas::cancellation;
use crate::base::place::here;
use crate::program;

/// Gives the loaded program the table of runtime functions.
pub fn bind_program() {
    let runtime: &'static Runtime = Box::leak(Box::new(table(i64::from(here()))));
    cancellation::control(&runtime.quick);
    // SAFETY: a table of that type, which is never freed.
    unsafe { program::bind(std::ptr::from_ref(runtime).cast()) };
}
