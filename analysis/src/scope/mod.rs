//! Names: packages, imports, and the types that names stand for.

pub mod packages;
pub mod problem;
pub mod resolve;
pub mod signature;
