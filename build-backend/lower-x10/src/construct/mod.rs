//! Lowering of X10 constructs.

pub(crate) mod call;
pub(crate) mod closure;
pub(crate) mod concurrency;
pub(crate) mod constraint;
pub(crate) mod constructor;
pub(crate) mod convert;
pub(crate) mod counted_points;
pub(crate) mod cpp_snippet;
pub(crate) mod element_access;
pub(crate) mod expr;
pub(crate) mod inner_classes;
pub(crate) mod intrinsic;
pub(crate) mod loops;
pub(crate) mod native;
pub(crate) mod point_loops;
pub(crate) mod rail_literal;
pub(crate) mod stmt;
pub(crate) mod strings;
