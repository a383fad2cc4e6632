//! The typed tree, generated from `x10.ungram`.

#[rustfmt::skip]
pub(super) mod enums;
#[rustfmt::skip]
pub(super) mod nodes;

pub use self::enums::*;
pub use self::nodes::*;
