//! The typed tree, generated from `c.ungram`.

#[rustfmt::skip]
pub(super) mod enums;
#[rustfmt::skip]
pub(super) mod nodes;

pub use self::enums::*;
pub use self::nodes::*;
