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
    /// `async/blocked-atomic`
    AsyncBlockedAtomic(r#async::blocked_atomic::BlockedAtomic),
    /// `async/captured-var`
    AsyncCapturedVar(r#async::captured_var::CapturedVar),
    /// `async/idle-barrier`
    AsyncIdleBarrier(r#async::idle_barrier::IdleBarrier),
    /// `async/not-awaited`
    AsyncNotAwaited(r#async::not_awaited::NotAwaited),
    /// `cuda/missing-annotation`
    CudaMissingAnnotation(cuda::missing_annotation::MissingAnnotation),
    /// `flow/call-in-construction`
    FlowCallInConstruction(flow::call_in_construction::CallInConstruction),
    /// `flow/captured-var`
    FlowCapturedVar(flow::captured_var::CapturedVar),
    /// `flow/escaping-this`
    FlowEscapingThis(flow::escaping_this::EscapingThis),
    /// `flow/field-not-assigned`
    FlowFieldNotAssigned(flow::field_not_assigned::FieldNotAssigned),
    /// `flow/missing-return`
    FlowMissingReturn(flow::missing_return::MissingReturn),
    /// `flow/negative-size`
    FlowNegativeSize(flow::negative_size::NegativeSize),
    /// `flow/no-this-access`
    FlowNoThisAccess(flow::no_this_access::NoThisAccess),
    /// `flow/non-escaping-method`
    FlowNonEscapingMethod(flow::non_escaping_method::NonEscapingMethod),
    /// `flow/property-call`
    FlowPropertyCall(flow::property_call::PropertyCall),
    /// `flow/this-too-early`
    FlowThisTooEarly(flow::this_too_early::ThisTooEarly),
    /// `flow/uncaught-exception`
    FlowUncaughtException(flow::uncaught_exception::UncaughtException),
    /// `flow/unreachable`
    FlowUnreachable(flow::unreachable::Unreachable),
    /// `flow/unused-value`
    FlowUnusedValue(flow::unused_value::UnusedValue),
    /// `flow/use-before-assignment`
    FlowUseBeforeAssignment(flow::use_before_assignment::UseBeforeAssignment),
    /// `flow/val-reassigned`
    FlowValReassigned(flow::val_reassigned::ValReassigned),
    /// `place/captured-var`
    PlaceCapturedVar(place::captured_var::CapturedVar),
    /// `place/lost-write`
    PlaceLostWrite(place::lost_write::LostWrite),
    /// `place/remote-access`
    PlaceRemoteAccess(place::remote_access::RemoteAccess),
}

impl ProblemData {
    /// The rule that is broken, and its words.
    pub fn data(&self) -> &dyn Render {
        match self {
            ProblemData::AsyncBlockedAtomic(data) => data,
            ProblemData::AsyncCapturedVar(data) => data,
            ProblemData::AsyncIdleBarrier(data) => data,
            ProblemData::AsyncNotAwaited(data) => data,
            ProblemData::CudaMissingAnnotation(data) => data,
            ProblemData::FlowCallInConstruction(data) => data,
            ProblemData::FlowCapturedVar(data) => data,
            ProblemData::FlowEscapingThis(data) => data,
            ProblemData::FlowFieldNotAssigned(data) => data,
            ProblemData::FlowMissingReturn(data) => data,
            ProblemData::FlowNegativeSize(data) => data,
            ProblemData::FlowNoThisAccess(data) => data,
            ProblemData::FlowNonEscapingMethod(data) => data,
            ProblemData::FlowPropertyCall(data) => data,
            ProblemData::FlowThisTooEarly(data) => data,
            ProblemData::FlowUncaughtException(data) => data,
            ProblemData::FlowUnreachable(data) => data,
            ProblemData::FlowUnusedValue(data) => data,
            ProblemData::FlowUseBeforeAssignment(data) => data,
            ProblemData::FlowValReassigned(data) => data,
            ProblemData::PlaceCapturedVar(data) => data,
            ProblemData::PlaceLostWrite(data) => data,
            ProblemData::PlaceRemoteAccess(data) => data,
        }
    }
}

impl From<r#async::blocked_atomic::BlockedAtomic> for ProblemData {
    fn from(data: r#async::blocked_atomic::BlockedAtomic) -> ProblemData {
        ProblemData::AsyncBlockedAtomic(data)
    }
}

impl From<r#async::captured_var::CapturedVar> for ProblemData {
    fn from(data: r#async::captured_var::CapturedVar) -> ProblemData {
        ProblemData::AsyncCapturedVar(data)
    }
}

impl From<r#async::idle_barrier::IdleBarrier> for ProblemData {
    fn from(data: r#async::idle_barrier::IdleBarrier) -> ProblemData {
        ProblemData::AsyncIdleBarrier(data)
    }
}

impl From<r#async::not_awaited::NotAwaited> for ProblemData {
    fn from(data: r#async::not_awaited::NotAwaited) -> ProblemData {
        ProblemData::AsyncNotAwaited(data)
    }
}

impl From<cuda::missing_annotation::MissingAnnotation> for ProblemData {
    fn from(data: cuda::missing_annotation::MissingAnnotation) -> ProblemData {
        ProblemData::CudaMissingAnnotation(data)
    }
}

impl From<flow::call_in_construction::CallInConstruction> for ProblemData {
    fn from(data: flow::call_in_construction::CallInConstruction) -> ProblemData {
        ProblemData::FlowCallInConstruction(data)
    }
}

impl From<flow::captured_var::CapturedVar> for ProblemData {
    fn from(data: flow::captured_var::CapturedVar) -> ProblemData {
        ProblemData::FlowCapturedVar(data)
    }
}

impl From<flow::escaping_this::EscapingThis> for ProblemData {
    fn from(data: flow::escaping_this::EscapingThis) -> ProblemData {
        ProblemData::FlowEscapingThis(data)
    }
}

impl From<flow::field_not_assigned::FieldNotAssigned> for ProblemData {
    fn from(data: flow::field_not_assigned::FieldNotAssigned) -> ProblemData {
        ProblemData::FlowFieldNotAssigned(data)
    }
}

impl From<flow::missing_return::MissingReturn> for ProblemData {
    fn from(data: flow::missing_return::MissingReturn) -> ProblemData {
        ProblemData::FlowMissingReturn(data)
    }
}

impl From<flow::negative_size::NegativeSize> for ProblemData {
    fn from(data: flow::negative_size::NegativeSize) -> ProblemData {
        ProblemData::FlowNegativeSize(data)
    }
}

impl From<flow::no_this_access::NoThisAccess> for ProblemData {
    fn from(data: flow::no_this_access::NoThisAccess) -> ProblemData {
        ProblemData::FlowNoThisAccess(data)
    }
}

impl From<flow::non_escaping_method::NonEscapingMethod> for ProblemData {
    fn from(data: flow::non_escaping_method::NonEscapingMethod) -> ProblemData {
        ProblemData::FlowNonEscapingMethod(data)
    }
}

impl From<flow::property_call::PropertyCall> for ProblemData {
    fn from(data: flow::property_call::PropertyCall) -> ProblemData {
        ProblemData::FlowPropertyCall(data)
    }
}

impl From<flow::this_too_early::ThisTooEarly> for ProblemData {
    fn from(data: flow::this_too_early::ThisTooEarly) -> ProblemData {
        ProblemData::FlowThisTooEarly(data)
    }
}

impl From<flow::uncaught_exception::UncaughtException> for ProblemData {
    fn from(data: flow::uncaught_exception::UncaughtException) -> ProblemData {
        ProblemData::FlowUncaughtException(data)
    }
}

impl From<flow::unreachable::Unreachable> for ProblemData {
    fn from(data: flow::unreachable::Unreachable) -> ProblemData {
        ProblemData::FlowUnreachable(data)
    }
}

impl From<flow::unused_value::UnusedValue> for ProblemData {
    fn from(data: flow::unused_value::UnusedValue) -> ProblemData {
        ProblemData::FlowUnusedValue(data)
    }
}

impl From<flow::use_before_assignment::UseBeforeAssignment> for ProblemData {
    fn from(data: flow::use_before_assignment::UseBeforeAssignment) -> ProblemData {
        ProblemData::FlowUseBeforeAssignment(data)
    }
}

impl From<flow::val_reassigned::ValReassigned> for ProblemData {
    fn from(data: flow::val_reassigned::ValReassigned) -> ProblemData {
        ProblemData::FlowValReassigned(data)
    }
}

impl From<place::captured_var::CapturedVar> for ProblemData {
    fn from(data: place::captured_var::CapturedVar) -> ProblemData {
        ProblemData::PlaceCapturedVar(data)
    }
}

impl From<place::lost_write::LostWrite> for ProblemData {
    fn from(data: place::lost_write::LostWrite) -> ProblemData {
        ProblemData::PlaceLostWrite(data)
    }
}

impl From<place::remote_access::RemoteAccess> for ProblemData {
    fn from(data: place::remote_access::RemoteAccess) -> ProblemData {
        ProblemData::PlaceRemoteAccess(data)
    }
}
