//! Limits of the preprocessor: bad input ends with an error.

/// How deep files may include each other, as in GCC.
pub(super) const MAX_INCLUDE_DEPTH: usize = 200;
/// How deep invocations may stand in arguments of others.
pub(super) const MAX_ARGUMENT_DEPTH: usize = 200;
/// How many tokens expansions may give in one translation unit.
pub(super) const MAX_EXPANDED_TOKENS: usize = 4_000_000;
/// How deep an expression of `#if` may be nested.
pub(super) const MAX_CONDITION_DEPTH: usize = 500;
/// How many errors are kept.
pub(super) const MAX_ERRORS: usize = 200;
/// How many declarations are replaced one after the other before all of a file is read again.
pub(super) const MAX_SPLICES: u32 = 200;
