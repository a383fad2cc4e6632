//! GPU kernels: recognition of `@CUDA` blocks, the rules of device code, and analyses of threads.
//!
//! One query answers what the GPU runs: a [`Kernel`], or all [`Violation`]s. The editor underlines the
//! violations; code generation takes only a kernel. Folders: `shape` (recognition of the loop nest),
//! `device_code` (what threads may do), `generics` (type parameters), `lower_kernel` (the kernel model),
//! `divergence` (barriers) and `races` (data races), both found on that model, and `fixes`.

mod constant;
mod context;
mod device_code;
mod device_semantics;
mod diagnostics;
mod divergence;
mod fixes;
mod generics;
mod launch_summary;
mod limits;
mod lower_expression;
mod lower_kernel;
mod races;
mod shape;
mod slot_calls;
#[cfg(test)]
mod tests;
mod violation;

use crate::body::{ExprId, LocalId, StmtId};
use crate::ids::{FieldId, MethodId};
use crate::ty::Ty;

pub(crate) use context::KernelContext;
pub use device_code::functions::requires_thread_context;
pub(crate) use device_semantics::DeviceSemantics;
pub(crate) use diagnostics::{function_violations, kernel_diagnostics};
pub(crate) use fixes::template::FixTemplate;
pub(crate) use generics::bound_call::BoundCall;
pub(crate) use generics::instantiation::instance_violations;
pub(crate) use launch_summary::{AxisSummary, LaunchSummary, TransferKind, launch_summaries};
pub(crate) use lower_expression::{Affine, SymbolContext};
pub use shape::recognise::kernels;
pub(crate) use slot_calls::slot_violations;
pub(crate) use violation::Violation;

/// A well-formed kernel: `at (p) @CUDA { prelude; finish for (block..) async { shared..; clocked finish for
/// (thread..) clocked async body } }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The `at` statement inside the owner's body.
    pub at: StmtId,
    /// The target place.
    pub place: ExprId,
    /// Whether `@CUDADirectParams` is given.
    pub direct_params: bool,
    /// Whether `@FastMath` is given.
    pub fast_math: bool,
    /// The `val`s before the outer finish, in order.
    pub prelude: Vec<Prelude>,
    /// One to three block axes, outermost (slowest) first.
    pub blocks: Vec<Axis>,
    /// Shared memory, in order.
    pub shared: Vec<SharedRail>,
    /// One to three thread axes, outermost first.
    pub threads: Vec<Axis>,
    /// The code of one thread.
    pub body: StmtId,
    /// Captured variables, in order of first use.
    pub captures: Vec<KernelCapture>,
    /// Every `@CUDA` function reachable from the kernel, each once.
    pub functions: Vec<MethodId>,
    /// Whether the body has a barrier (`Clock.advanceAll()`).
    pub has_barrier: bool,
    /// Calls through bounds of type parameters in its own code.
    pub bound_calls: Vec<BoundCall>,
}

/// A `val` before the kernel's outer finish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prelude {
    /// The variable.
    pub local: LocalId,
    /// How it is computed.
    pub kind: PreludeKind,
    /// Choices of automatic configuration, preferred ones first; empty: any number.
    pub choices: Vec<i32>,
}

/// How a prelude variable is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum PreludeKind {
    /// `CUDAUtilities.autoBlocks()`, or with choices, or `residentBlocks()`
    AutoBlocks,
    /// `CUDAUtilities.autoThreads()`, or with choices
    AutoThreads,
    /// `CUDAConstantRail(rail)`: the captured host rail.
    ConstantRail { rail: ExprId, element: Ty },
}

/// One axis of blocks or threads: `local in 0..last`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The index; `None` if the loop does not name it.
    pub local: Option<LocalId>,
    /// The highest index, inclusive: a hoistable expression, evaluated on the host. The extent is one more.
    pub last: ExprId,
}

/// A rail in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedRail {
    /// The variable.
    pub local: LocalId,
    /// Element type, a primitive or plain struct.
    pub element: Ty,
    /// Length and initial contents.
    pub init: SharedInit,
}

/// Initialisation of a shared rail.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum SharedInit {
    /// `new Rail[T](length)`: zeros. `length` is hoistable.
    Zero { length: ExprId },
    /// `new Rail[T](length, value)`: the same hoistable value everywhere.
    Value { length: ExprId, value: ExprId },
    /// `new Rail[T](length, (i:Long) => ...)`: the closure literal, called in the kernel for each index.
    Closure { length: ExprId, closure: ExprId },
    /// `new Rail[T](rail)`: a copy of a captured `Rail` or `GlobalRail`, of the same length.
    Copy { rail: ExprId },
}

/// A captured variable: the kernel uses it, the host passes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelCapture {
    /// The variable.
    pub source: CaptureSource,
    /// Its type.
    pub ty: Ty,
    /// How it is passed.
    pub kind: CaptureKind,
}

/// Source of a captured value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaptureSource {
    /// A local of the enclosing body.
    Local(LocalId),
    /// A static `val` of primitive type.
    Static(FieldId),
}

/// How a captured value is passed to the device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum CaptureKind {
    /// A primitive or plain struct, by value.
    Scalar,
    /// A host `Rail[T]`: its elements are copied to the device before the launch; read-only in the kernel.
    Rail { element: Ty },
    /// A `GlobalRail[T]` that lives at the kernel's place: only its address is passed.
    GlobalRail { element: Ty },
}

/// The result of recognition for one `@CUDA` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The `at` statement; for a misplaced annotation the annotated statement.
    pub at: StmtId,
    /// The kernel; `None` if a violation is an error, or if a part of the body has type errors.
    pub kernel: Option<Kernel>,
    /// All violations, in source order.
    pub violations: Vec<Violation>,
}

/// Size in bytes of a value without references; `None` for other types.
pub(crate) fn plain_bytes(db: &dyn crate::db::Db, ty: crate::ty::Ty) -> Option<u64> {
    device_semantics::DeviceSemantics::new(db).size(ty)
}
