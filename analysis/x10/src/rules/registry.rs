//! All rules by family, and one type for the problems of all of them. Written by `cargo xtask rules`.

use super::render::Render;
use super::{r#async, constraint, cuda, flow, hoist, internal, name, place, syntax, r#type};
use crate::diagnostics::Rule;

/// The rules of each family, families in alphabetical order.
pub(super) static FAMILIES: [&[&Rule]; 10] = [
    r#async::RULES,
    constraint::RULES,
    cuda::RULES,
    flow::RULES,
    hoist::RULES,
    internal::RULES,
    name::RULES,
    place::RULES,
    syntax::RULES,
    r#type::RULES,
];

/// The data of a problem of any rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemData {
    /// `flow/negative-size`
    FlowNegativeSize(flow::negative_size::NegativeSize),
    /// `flow/unused-value`
    FlowUnusedValue(flow::unused_value::UnusedValue),
    /// `place/remote-access`
    PlaceRemoteAccess(place::remote_access::RemoteAccess),
}

impl ProblemData {
    /// The rule that is broken, and its words.
    pub fn data(&self) -> &dyn Render {
        match self {
            ProblemData::FlowNegativeSize(data) => data,
            ProblemData::FlowUnusedValue(data) => data,
            ProblemData::PlaceRemoteAccess(data) => data,
        }
    }
}

impl From<flow::negative_size::NegativeSize> for ProblemData {
    fn from(data: flow::negative_size::NegativeSize) -> ProblemData {
        ProblemData::FlowNegativeSize(data)
    }
}

impl From<flow::unused_value::UnusedValue> for ProblemData {
    fn from(data: flow::unused_value::UnusedValue) -> ProblemData {
        ProblemData::FlowUnusedValue(data)
    }
}

impl From<place::remote_access::RemoteAccess> for ProblemData {
    fn from(data: place::remote_access::RemoteAccess) -> ProblemData {
        ProblemData::PlaceRemoteAccess(data)
    }
}
