//! Constructs on memory of accelerators (XcalableACC 1.0, chapter 3).

mod exchange;
mod memory;
mod packing;
mod pairs;
pub(super) mod sections;
#[cfg(test)]
mod tests;

pub(super) use exchange::{DeviceExchange, KeptCopies};
pub(super) use memory::{BlockMemory, Memories};
