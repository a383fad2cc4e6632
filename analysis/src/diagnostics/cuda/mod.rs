//! `cuda/...`: what a `@CUDA` kernel may look like and do.

use crate::diagnostics::Rule;

/// The rules of this family, in alphabetical order.
pub static RULES: &[&Rule] = &[];
