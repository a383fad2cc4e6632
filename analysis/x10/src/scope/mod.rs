//! Name resolution: packages, imports, and lookup of type names in scopes.

pub(crate) mod ancestors;
pub(crate) mod imports;
pub(crate) mod java;
pub(crate) mod lookup;
pub(crate) mod outdated_names;
pub(crate) mod packages;
pub(crate) mod problem;
pub(crate) mod type_scope;
pub(crate) mod typedef_overload;
