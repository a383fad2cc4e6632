//! Kernels: captures, launch configuration and device code.

use smol_str::SmolStr;

use crate::{Expr, GlobalId, Local, LocalId, Span, StaticId, Stmt, Ty};

/// A kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Readable symbol: `Class_method_line`.
    pub name: String,
    /// The source of the kernel.
    pub span: Span,
    /// Captured values: these become the environment struct, in order, as parameters
    /// `0..captures.len()` of `host` and as locals of the same numbers in `device`.
    pub captures: Vec<KernelCapture>,
    /// Host code that computes the launch configuration from the captures.
    pub host: LaunchConfiguration,
    /// Shared arrays; their lengths come from `host`.
    pub shared: Vec<SharedArray>,
    /// Locals of the thread body: the captures, then block indices, thread indices, shared arrays, then its
    /// own.
    pub locals: Vec<Local>,
    /// Variables in the memory of each thread, whose address may be taken.
    pub variables: Vec<Local>,
    /// Block index locals, slowest first (1 to 3).
    pub block_locals: Vec<LocalId>,
    /// Thread index locals, slowest first (1 to 3).
    pub thread_locals: Vec<LocalId>,
    /// The local that holds the number of blocks, if the launch chooses it.
    pub auto_blocks: Option<LocalId>,
    /// See `auto_blocks`.
    pub auto_threads: Option<LocalId>,
    /// Numbers of blocks that the launch may choose, the preferred ones first; empty for any.
    pub block_choices: Vec<i32>,
    /// Likewise for the threads of a block.
    pub thread_choices: Vec<i32>,
    /// Code of one thread.
    pub body: Vec<Stmt>,
    /// The program requests captured values as parameters: a hint, the choice is automatic.
    pub direct_params: bool,
    /// Mathematical functions may be faster and less precise.
    pub fast_math: bool,
    /// The body has a barrier.
    pub has_barrier: bool,
}

/// A captured value of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelCapture {
    /// Source name.
    pub name: SmolStr,
    /// How it is passed.
    pub kind: KernelCaptureKind,
    /// The static field whose value it is.
    pub static_field: Option<StaticId>,
    /// The global whose address it is: functions that the kernel calls access the global through it.
    pub global: Option<GlobalId>,
    /// An expression over other captures with the same value.
    pub derived_from: Option<Expr>,
}

/// How a captured value is passed to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum KernelCaptureKind {
    /// By value in the environment.
    Scalar(Ty),
    /// An array of the host, copied to the device.
    Buffer { element: Ty },
    /// As `Buffer`, in constant memory.
    ConstantBuffer { element: Ty },
    /// A buffer in device memory at the place of the kernel: a device pointer and a length.
    GlobalBuffer { element: Ty },
}

/// Host expressions over the captures (and auto values) that configure a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchConfiguration {
    /// Extent of each block axis, in order of `block_locals`.
    pub blocks: Vec<Expr>,
    /// Extent of each thread axis.
    pub threads: Vec<Expr>,
    /// Length of each shared array, in elements.
    pub shared_lengths: Vec<Expr>,
}

/// An array in shared memory.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedArray {
    /// The local that names it in `body`; `Element`/`SetElement`/`Length` on it address shared memory.
    pub local: LocalId,
    /// Element type.
    pub element: Ty,
    /// Initial elements, computed by all threads of the block.
    pub init: SharedInit,
}

/// Initial elements of a shared array.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum SharedInit {
    /// Zeros.
    Zero,
    /// The value of an expression over the captures.
    Value(Expr),
    /// A function of the index: statements over locals, `index` is set first, the value is `value`.
    Function { index: LocalId, setup: Vec<Stmt>, value: Expr },
    /// The elements of a captured buffer.
    Copy(LocalId),
}
