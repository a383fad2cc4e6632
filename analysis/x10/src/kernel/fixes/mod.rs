//! Fixes of kernel rules: templates of text edits, independent of the text elsewhere, and what makes each fix
//! safe.

mod atomic_update;
mod code_motion;
mod count_from_zero;
mod global_rail;
mod relocate;
pub(in crate::kernel) mod render;
pub(in crate::kernel) mod template;
