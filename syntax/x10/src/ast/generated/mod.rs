//! The typed tree, generated from `x10.ungram`.

#[rustfmt::skip]
mod enums;
#[rustfmt::skip]
mod nodes;

pub use self::enums::*;
pub use self::nodes::*;
