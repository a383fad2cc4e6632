//! Name resolution: packages, imports, and lookup of type names in scopes.

pub mod ancestors;
pub mod imports;
pub(crate) mod java;
pub mod lookup;
pub(crate) mod outdated_names;
pub mod packages;
pub mod problem;
pub mod type_scope;
pub(crate) mod typedef_overload;
