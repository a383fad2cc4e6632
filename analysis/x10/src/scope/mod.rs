//! Names: packages, imports, and the types that names stand for.

pub mod ancestors;
pub mod constraints;
pub(crate) mod former;
pub mod imports;
pub(crate) mod java;
pub mod lookup;
pub(crate) mod overload;
pub mod packages;
pub mod problem;
pub mod property;
pub mod resolve;
pub mod signature;
mod steps;
#[cfg(test)]
mod tests;
