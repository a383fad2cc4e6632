//! Collection: roots, marking, weak references, and the collection itself (mark and sweep).

pub(crate) mod collect;
pub(crate) mod marker;
pub(crate) mod roots;
pub(crate) mod weak;
