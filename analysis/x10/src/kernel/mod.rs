//! `@CUDA` kernels. One query answers the one question "what does the GPU run?": [`Kernel`] or all the
//! [`Violation`]s (invariant 1). The editor underlines the violations; the emitter takes only a kernel.

mod affine;
mod constant;
mod context;
mod device_code;
mod device_semantics;
mod diagnostics;
mod fixes;
mod generics;
mod launch_summary;
mod limits;
mod races;
mod shape;
#[cfg(test)]
mod tests;
mod uniformity;
mod violation;

use crate::body::{ExprId, LocalId, StmtId};
use crate::ids::{FieldId, MethodId};
use crate::ty::Ty;

/// How constant memory is made.
pub(crate) const CONSTANT_RAIL: &str = "constant memory is filled from a rail of the host, at the start of the kernel: `val rail = new Rail[T](n, init);` \
                                        before it, and `async at (p) @CUDA { val c = CUDAConstantRail(rail); finish for (block in ...) ... }`";

pub(crate) use affine::{Affine, SymbolContext, Term};
pub(crate) use context::KernelContext;
pub use device_code::functions::requires_thread_context;
pub(crate) use device_semantics::DeviceSemantics;
pub use diagnostics::{function_violations, kernel_diagnostics, kernels};
pub use fixes::template::{EditTemplate, FixTemplate, Fragment};
pub use generics::bound_requirements::{BoundCall, BoundCallee};
pub use generics::instantiation::instance_violations;
pub use launch_summary::{
    AxisSummary, CaptureSummary, LaunchSummary, SharedSummary, TransferKind, launch_summaries,
};
pub use violation::{RelatedSite, Violation};

/// A well-formed kernel: the parts of
/// `at (p) @CUDA { prelude; finish for (block..) async { shared..; clocked finish for (thread..) clocked async body } }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The `at` statement inside the owner's body.
    pub at: StmtId,
    /// Where it is sent.
    pub place: ExprId,
    /// `@CUDADirectParams` was given.
    pub direct_params: bool,
    /// `@FastMath` was given.
    pub fast_math: bool,
    /// The `val`s before the outer finish, in order.
    pub prelude: Vec<Prelude>,
    /// One to three block axes, outermost (slowest) first.
    pub blocks: Vec<Axis>,
    /// Shared memory, in order.
    pub shared: Vec<SharedRail>,
    /// One to three thread axes, outermost first.
    pub threads: Vec<Axis>,
    /// What each thread does.
    pub body: StmtId,
    /// What has to be brought to the place, in order of first use.
    pub captures: Vec<KernelCapture>,
    /// Every `@CUDA` function reached, transitively, each once.
    pub functions: Vec<MethodId>,
    /// Whether the body has a barrier (`Clock.advanceAll()`).
    pub has_barrier: bool,
    /// What its own code calls that type parameters promise.
    pub bound_calls: Vec<BoundCall>,
}

/// A `val` before the kernel's outer finish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prelude {
    /// The variable.
    pub local: LocalId,
    /// What it is.
    pub kind: PreludeKind,
    /// What automatic configuration chooses from, the preferred ones first; empty for any number.
    pub choices: Vec<i32>,
}

/// What a prelude variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant says what its fields are
pub enum PreludeKind {
    /// `CUDAUtilities.autoBlocks()`, or with choices
    AutoBlocks,
    /// `CUDAUtilities.autoThreads()`, or with choices
    AutoThreads,
    /// `CUDAConstantRail(rail)`: the captured host rail.
    ConstantRail { rail: ExprId, element: Ty },
}

/// One axis of blocks or threads: `local in low..high`, `low` is always 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The index; `None` when nothing names it.
    pub local: Option<LocalId>,
    /// Highest index, included; hoistable, evaluated on the host. The extent is this plus one.
    pub last: ExprId,
}

/// A rail in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedRail {
    /// The variable.
    pub local: LocalId,
    /// Element type, a primitive or plain struct.
    pub element: Ty,
    /// Size and first contents.
    pub init: SharedInit,
}

/// How a shared rail starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant says what its fields are
pub enum SharedInit {
    /// `new Rail[T](length)`: zeros. `length` is hoistable.
    Zero { length: ExprId },
    /// `new Rail[T](length, value)`: the same hoistable value everywhere.
    Value { length: ExprId, value: ExprId },
    /// `new Rail[T](length, (i:Long) => ...)`: the closure literal, called in the kernel for each index.
    Closure { length: ExprId, closure: ExprId },
    /// `new Rail[T](rail)`: a copy of a captured `Rail` or `GlobalRail`, as long as it.
    Copy { rail: ExprId },
}

/// A variable that the kernel uses and the host provides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelCapture {
    /// The variable, or the instance's field read through `this` (never inside a valid kernel today).
    pub source: CaptureSource,
    /// Its type.
    pub ty: Ty,
    /// How it travels.
    pub kind: CaptureKind,
}

/// Where a captured value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaptureSource {
    /// A local of the enclosing body.
    Local(LocalId),
    /// A static `val` of primitive type.
    Static(FieldId),
}

/// How a captured value travels.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant says what its fields are
pub enum CaptureKind {
    /// A primitive or plain struct, by value.
    Scalar,
    /// A host `Rail[T]`: its elements are copied to the device before the launch; read-only in the kernel.
    Rail { element: Ty },
    /// A `GlobalRail[T]` that lives at the kernel's place: only its address travels.
    GlobalRail { element: Ty },
}

/// What the recogniser says about one `@CUDA` block, or about one `@CUDA` function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The `at` statement; for an annotation in a wrong place the annotated statement.
    pub at: StmtId,
    /// The kernel; `None` if a violation is an error, or if a part of the body has errors of its own.
    pub kernel: Option<Kernel>,
    /// All broken rules, in source order.
    pub violations: Vec<Violation>,
}

/// The bytes of a value that holds no references; none for others.
pub fn plain_bytes(db: &dyn crate::db::Db, ty: crate::ty::Ty) -> Option<u64> {
    device_semantics::DeviceSemantics::new(db).size(ty)
}
