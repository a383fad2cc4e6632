//! The data of the C ABI besides objects: kernels, launches, statics and the program's table. `runtime/include/apg.h`
//! is the same in C.

use std::ffi::c_void;
use std::os::raw::c_char;

use super::Runtime;
use crate::memory::{Ref, TypeDescriptor};

/// How a kernel receives a captured value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CaptureKind {
    /// By value.
    Scalar,
    /// A host rail, copied to the device.
    HostRail,
    /// A host rail, copied to constant memory.
    ConstantRail,
    /// A global rail of the kernel's place.
    GlobalRail,
}

/// A captured value of a kernel.
#[derive(Debug)]
#[repr(C)]
pub struct Capture {
    /// Source name.
    pub name: *const c_char,
    /// A [`CaptureKind`].
    pub kind: u32,
    /// Position in the environment.
    pub offset: u32,
    /// Bytes in the environment.
    pub size: u32,
    /// Bytes of an element of a rail.
    pub element_size: u32,
}

/// The CPU form of a kernel: runs blocks `first..last` of the flattened grid and returns the exception raised, or null.
pub type CpuKernel =
    unsafe extern "C" fn(environment: *const c_void, launch: *const Launch, first: i64, last: i64) -> Ref;

/// A kernel.
#[derive(Debug)]
#[repr(C)]
pub struct Kernel {
    /// Readable symbol.
    pub name: *const c_char,
    /// The `.x10` file it stands in.
    pub file: *const c_char,
    /// Line of its `at`.
    pub line: u32,
    /// CUDA C++.
    pub cuda: *const c_char,
    /// Bytes of the environment.
    pub env_size: u32,
    /// Number of captures.
    pub capture_count: u32,
    /// Captures.
    pub captures: *const Capture,
    /// Number of shared rails.
    pub shared_count: u32,
    /// CPU form.
    pub cpu: Option<CpuKernel>,
}

/// Extents of a launch, slowest axis first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Launch {
    /// Blocks along each axis.
    pub blocks: [i32; 3],
    /// Threads along each axis.
    pub threads: [i32; 3],
    /// Elements of each shared rail.
    pub shared_lengths: [i64; 16],
    /// Bytes of all shared rails.
    pub shared_bytes: u32,
}

/// The state of a static field, owned by the program and zero at first.
#[derive(Debug)]
#[repr(C)]
pub struct StaticState {
    /// 0 new, 1 being initialised, 2 ready, 3 failed. Generated code reads it (acquire) and uses the field when it is 2.
    pub state: std::sync::atomic::AtomicU32,
    /// Name of the field, for messages.
    pub name: *const c_char,
    /// The exception its initialiser raised.
    pub failure: Ref,
}

/// Memory of the program that holds references: scanned word by word as roots.
#[derive(Debug)]
#[repr(C)]
pub struct Roots {
    /// First byte.
    pub start: *const c_void,
    /// Bytes.
    pub size: u64,
}

/// What a program exports as [`super::PROGRAM_SYMBOL`]. Every function catches whatever the program raises and returns it.
#[derive(Debug)]
#[repr(C)]
pub struct ProgramTable {
    /// [`super::VERSION`].
    pub abi: u32,
    /// Number of types.
    pub type_count: u32,
    /// Types; a type's id is its index.
    pub types: *const *const TypeDescriptor,
    /// Number of kernels.
    pub kernel_count: u32,
    /// Kernels; the same index at every place.
    pub kernels: *const *const Kernel,
    /// Number of source files.
    pub file_count: u32,
    /// Source files.
    pub files: *const *const c_char,
    /// Number of root areas.
    pub root_count: u32,
    /// Root areas.
    pub roots: *const Roots,
    /// Receives the runtime's table, before anything else is called.
    pub bind: unsafe extern "C" fn(runtime: *const Runtime),
    /// Runs `main`.
    pub main: unsafe extern "C" fn(arguments: Ref) -> Ref,
    /// Makes an exception: kind, message (a rail of throwables for [`super::ExceptionKind::Multiple`]), result.
    pub make_exception: unsafe extern "C" fn(kind: u32, argument: Ref, out: *mut Ref) -> Ref,
    /// Calls a closure without parameters and result.
    pub call: unsafe extern "C" fn(closure: Ref) -> Ref,
    /// Calls a closure without parameters that returns a reference.
    pub call_value: unsafe extern "C" fn(closure: Ref, out: *mut Ref) -> Ref,
    /// `object.toString()`.
    pub to_string: unsafe extern "C" fn(object: Ref, out: *mut Ref) -> Ref,
}

impl ProgramTable {
    /// The types.
    pub fn types(&self) -> &[*const TypeDescriptor] {
        unsafe { slice(self.types, self.type_count) }
    }

    /// The kernels.
    pub fn kernels(&self) -> &[*const Kernel] {
        unsafe { slice(self.kernels, self.kernel_count) }
    }

    /// The root areas.
    pub fn roots(&self) -> &[Roots] {
        unsafe { slice(self.roots, self.root_count) }
    }
}

impl Kernel {
    /// The captures.
    pub fn captures(&self) -> &[Capture] {
        unsafe { slice(self.captures, self.capture_count) }
    }
}

/// A table of the program; null stands for an empty one.
///
/// # Safety
/// `count` elements lie at `start`, or `count` is 0.
pub(crate) unsafe fn slice<'a, T>(start: *const T, count: u32) -> &'a [T] {
    if start.is_null() || count == 0 {
        return &[];
    }
    unsafe { std::slice::from_raw_parts(start, count as usize) }
}
