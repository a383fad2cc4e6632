//! Run time of XcalableMP programs in C (specification 1.4): a node is a place, and each runs the whole
//! program.
//!
//! The compiler replaces directives by calls of the functions in `apg_xmp.h` ([`mod@abi`]). A [`grid`] says
//! which node has which point of a template ([`distribution`]), an
//! [`mod@array`] where a node has its elements.
//! Constructs that communicate are plans ([`exchange`]) of strided boxes of memory ([`strided`]), made by
//! [`mod@reflect`] and [`mod@gmove`] and carried by two-sided messages ([`mailbox`]) over the network of
//! places, or collective operations ([`collective`], [`reduction`]). Coarrays are one-sided accesses
//! ([`one_sided`]). Blocks on accelerators are exchanged from one to the other ([`device`]).

mod abi;
pub mod array;
pub mod collective;
pub mod declarations;
mod device;
pub mod distribution;
pub mod error;
pub mod exchange;
pub mod gmove;
pub mod grid;
pub mod inquiry;
pub mod intrinsics;
mod kept_plans;
mod layout;
mod long_double;
pub mod loops;
pub mod mailbox;
pub mod node;
pub mod node_set;
mod one_sided;
mod operation;
pub mod progression;
pub mod reduction;
pub mod reflect;
mod segments;
pub mod strided;
#[cfg(test)]
mod tests;

pub use abi::{EndProgram, Main, attach, leave};

/// The header of edited programs.
pub const HEADER: &str = include_str!("apg_xmp.h");

/// The header of the library, for users (`xmp.h`).
pub const USER_HEADER: &str = include_str!("xmp.h");

/// The unit in C that an edited program is linked with.
pub const SUPPORT: &str = include_str!("apg_xmp.c");
