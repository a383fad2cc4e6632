//! Data layouts that a compiled program and the runtime share: the Rust mirror of `include/apg.h`.

use std::ffi::{CStr, c_char, c_void};

mod exceptions;
mod object_ref;

pub use exceptions::{ExceptionKind, Outcome, Raised};
pub use object_ref::{ARRAY_HEADER, Ref};

/// Version of the ABI. A program for another version is refused.
pub const VERSION: u32 = 19;

/// The symbol under which a program exports its table.
pub const PROGRAM_SYMBOL: &str = "apg_program_v1";

/// X10 names of the types that the runtime itself makes instances of. They are looked up by name in the
/// program's types, so a program must always contain them.
pub mod names {
    /// `x10.lang.String`.
    pub const STRING: &str = "x10.lang.String";
    /// The parameter of `main`.
    pub const STRING_RAIL: &str = "x10.lang.Rail[x10.lang.String]";
    /// The argument of the factory of [`super::ExceptionKind::Multiple`].
    pub const THROWABLE_RAIL: &str = "x10.lang.Rail[x10.lang.CheckedThrowable]";
    /// All of them.
    pub const REQUIRED: [&str; 3] = [STRING, STRING_RAIL, THROWABLE_RAIL];
}

/// The header of every heap object.
#[repr(C)]
#[derive(Debug)]
pub struct Object {
    /// The type descriptor.
    pub ty: *const Type,
}

/// The header of a rail (`x10.lang.Rail`) and of a string; elements or bytes follow at [`Type::size`].
#[repr(C)]
#[derive(Debug)]
pub struct Counted {
    /// The type descriptor.
    pub ty: *const Type,
    /// Number of elements, or of bytes of a string.
    pub length: i64,
}

/// Kind of a type (`apg_kind`).
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An object with fields.
    Object,
    /// A rail.
    Rail,
    /// A string.
    String,
    /// A struct or primitive in a box.
    Boxed,
    /// A closure.
    Closure,
    /// A `var` that closures share.
    Cell,
    /// A struct; it has no instances of its own on the heap.
    Struct,
}

impl Kind {
    /// The kind with a number of the header file.
    pub fn from_number(number: u32) -> Option<Kind> {
        use Kind::*;
        [Object, Rail, String, Boxed, Closure, Cell, Struct].into_iter().find(|kind| *kind as u32 == number)
    }
}

/// Index of a closure's code in its virtual method table.
pub const CLOSURE_APPLY: u32 = 4;

/// Types of slots (`apg_slot`) that the runtime treats specially; all others are plain bytes.
pub mod slot {
    /// 8-bit boolean.
    pub const BOOL: u8 = 0;
    /// 32-bit signed integer.
    pub const I32: u8 = 3;
    /// 64-bit signed integer.
    pub const I64: u8 = 4;
    /// 32-bit floating point.
    pub const F32: u8 = 9;
    /// 64-bit floating point.
    pub const F64: u8 = 10;
    /// A code point.
    pub const CHAR: u8 = 11;
    /// A reference.
    pub const REF: u8 = 12;
    /// A struct by value.
    pub const VALUE: u8 = 13;

    /// Size of a slot in bytes; `None` for a struct or an unknown slot.
    pub fn size(slot: u8) -> Option<usize> {
        const SIZES: [usize; 13] = [1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 4, 8];
        SIZES.get(slot as usize).copied()
    }
}

/// A field (`apg_field`).
#[repr(C)]
#[derive(Debug)]
pub struct Field {
    /// Source name.
    pub name: *const c_char,
    /// Bytes from the start of the object or struct.
    pub offset: u32,
    /// One of [`slot`].
    pub slot: u8,
    /// Not sent to other places.
    pub transient: u8,
    /// For a struct its descriptor; for a reference the declared class, or null.
    pub ty: *const Type,
}

impl Field {
    /// The source name.
    pub fn name(&self) -> &str {
        if self.name.is_null() {
            return "";
        }
        // SAFETY: descriptors are static data of the program; names are C strings.
        unsafe { CStr::from_ptr(self.name) }.to_str().unwrap_or("")
    }
}

/// An interface's methods (`apg_itable`).
#[repr(C)]
#[derive(Debug)]
pub struct Itable {
    /// The interface's number.
    pub interface: u32,
    /// The methods' code.
    pub methods: *const *const c_void,
}

/// A type descriptor (`apg_type`).
#[repr(C)]
#[derive(Debug)]
pub struct Type {
    /// Index in the program's table.
    pub id: u32,
    /// A [`Kind`].
    pub kind: u32,
    /// X10 name.
    pub name: *const c_char,
    /// Superclass or null.
    pub superclass: *const Type,
    /// Bytes of an instance with its header; of a rail or string: of the header.
    pub size: u64,
    /// Number of fields.
    pub field_count: u32,
    /// All fields, inherited first.
    pub fields: *const Field,
    /// Rails: slot of an element.
    pub element_slot: u8,
    /// Rails: bytes of an element.
    pub element_size: u32,
    /// Rails of structs: the struct's descriptor.
    pub element: *const Type,
    /// Number of interface tables.
    pub interface_count: u32,
    /// Interface tables, sorted by number.
    pub interfaces: *const Itable,
    /// Number of virtual methods.
    pub vtable_length: u32,
    /// How instances are sent: one of [`custom`].
    pub custom: u32,
    /// Constructs an instance at an address from the passed deserializer, an X10 object. Returns the raised
    /// exception, or null.
    pub restore: Option<Restore>,
    /// Closures without parameters: 1 if the code always ends soon, so that the thread that reads messages
    /// may run it.
    pub brief: u8,
    /// Closures without parameters: kind of the result, one of [`result`]; 0 for all other types.
    pub result: u8,
    /// Virtual methods: as many as `vtable_length` lie here.
    pub vtable: [*const c_void; 0],
}

/// Result kinds of closures without parameters (`apg_result`).
pub mod result {
    /// Any other closure or type.
    pub const OTHER: u8 = 0;
    /// No result: the body of an activity.
    pub const NOTHING: u8 = 1;
    /// A reference: the body of an `at` with a value.
    pub const REFERENCE: u8 = 2;
}

/// See [`Type::restore`].
pub type Restore = unsafe extern "C" fn(*mut c_void, Ref) -> Ref;

/// How instances of a type are sent to other places (`apg_custom`).
pub mod custom {
    /// Field by field.
    pub const NONE: u32 = 0;
    /// By custom serialization of the program.
    pub const OWN: u32 = 1;
    /// Not at all.
    pub const REFUSED: u32 = 2;
    /// Field by field; after the deserialization, code of the program sets transient fields.
    pub const RESTORED: u32 = 3;
    /// As a token of GlobalRefs: by home, number and weight.
    pub const GLOBAL: u32 = 4;
}

impl Type {
    /// The X10 name, for messages.
    pub fn name(&self) -> String {
        if self.name.is_null() {
            return "?".to_owned();
        }
        // SAFETY: descriptors are static data of the program; names are C strings.
        unsafe { CStr::from_ptr(self.name) }.to_string_lossy().into_owned()
    }

    /// The fields.
    pub fn fields(&self) -> &[Field] {
        if self.field_count == 0 {
            return &[];
        }
        // SAFETY: descriptors are static data of the program and say their own lengths.
        unsafe { std::slice::from_raw_parts(self.fields, self.field_count as usize) }
    }

    /// Whether instances are sent by custom serialization, or refused.
    pub fn is_sent_whole(&self) -> bool {
        matches!(self.custom, custom::OWN | custom::REFUSED)
    }

    /// Whether instances are closures without parameters, and with a reference as the result if `value`, or
    /// without a result if not.
    pub fn is_body(&self, value: bool) -> bool {
        let result = if value { result::REFERENCE } else { result::NOTHING };
        self.kind == Kind::Closure as u32 && self.result == result
    }

    /// Whether instances have a length and inline elements.
    pub fn is_counted(&self) -> bool {
        self.kind == Kind::Rail as u32 || self.kind == Kind::String as u32
    }

    /// Bytes of one element of a rail or string.
    pub fn element_bytes(&self) -> usize {
        if self.kind == Kind::String as u32 { 1 } else { self.element_size as usize }
    }

    /// Size of an instance with `length` elements (ignored for types without elements); `None` on overflow.
    pub fn instance_size(&self, length: i64) -> Option<usize> {
        let header = usize::try_from(self.size).ok()?;
        if !self.is_counted() {
            return Some(header);
        }
        let elements = usize::try_from(length).ok()?.checked_mul(self.element_bytes())?;
        header.checked_add(elements).filter(|size| *size <= isize::MAX as usize)
    }

    /// Whether this is `other` or a subclass of it.
    pub fn is_subclass_of(&self, other: *const Type) -> bool {
        let mut at: *const Type = self;
        while !at.is_null() {
            if at == other {
                return true;
            }
            // SAFETY: superclass chains end in null.
            at = unsafe { (*at).superclass };
        }
        false
    }
}

/// `x10.lang.GlobalRail` by value (`apg_global_rail`).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalRail {
    /// Elements.
    pub size: i64,
    /// The place that owns the memory.
    pub home: i64,
    /// On a host place a registered rail, on an accelerator the device address.
    pub handle: i64,
}

/// A `CUDATextureRail` by value (`apg_texture_rail`).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureRail {
    /// Axes.
    pub rank: i64,
    /// Elements along each.
    pub extent: [i64; 3],
    /// The place that owns the memory.
    pub home: i64,
    /// On a host a number of its own, on an accelerator the texture object.
    pub object: i64,
}

/// Flags of a launch that the program passes.
pub mod launch {
    /// Captured rails are not written until the kernel has ended.
    pub const SETTLED: i32 = 1;
    /// The program has C++ code of its own.
    pub const FOREIGN: i32 = 2;
}

/// How a captured value is passed to a kernel (`apg_capture_kind`).
pub mod capture_kind {
    /// By value.
    pub const SCALAR: u32 = 0;
    /// A rail copied to the device for the launch.
    pub const HOST_RAIL: u32 = 1;
    /// The same, read-only for the kernel.
    pub const CONSTANT_RAIL: u32 = 2;
    /// Memory that is already at the kernel's place.
    pub const GLOBAL_RAIL: u32 = 3;
    /// A texture inside of a captured value, which is passed with it.
    pub const TEXTURE: u32 = 4;
}

/// A rail in a kernel's environment (`apg_kernel_rail`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KernelRail {
    /// First element.
    pub data: *mut c_void,
    /// Elements.
    pub length: i64,
}

/// A captured value (`apg_capture`).
#[repr(C)]
#[derive(Debug)]
pub struct Capture {
    /// Source name.
    pub name: *const c_char,
    /// One of [`capture_kind`].
    pub kind: u32,
    /// Bytes from the start of the environment.
    pub offset: u32,
    /// Bytes in the environment.
    pub size: u32,
    /// Bytes of a rail's element.
    pub element_size: u32,
}

/// Maximum number of shared rails of a kernel.
pub const MAX_SHARED: usize = 16;

/// Record of the first failed check of a launch (`apg_fault`); axis 0 is x.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// One of [`fault_kind`].
    pub kind: u32,
    /// Block index.
    pub block: [u32; 3],
    /// Thread index.
    pub thread: [u32; 3],
    /// Index into the program's files.
    pub file: u32,
    /// 1-based line.
    pub line: u32,
    /// 1 after the kernel has ended: the device writes it last.
    pub ended: u32,
    /// The index.
    pub index: i64,
    /// The rail's elements.
    pub length: i64,
}

/// Values of [`Fault::kind`].
pub mod fault_kind {
    /// No check failed.
    pub const NONE: u32 = 0;
    /// An index outside its rail.
    pub const BOUNDS: u32 = 1;
    /// An index into null.
    pub const NULL: u32 = 2;
    /// A division by zero.
    pub const DIVISION: u32 = 3;
    /// No memory for the shared rails and locals of a block on a CPU.
    pub const MEMORY: u32 = 4;
}

/// Extents of a launch (`apg_launch`); axis 0 is x, the fastest.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks on each axis.
    pub blocks: [i32; 3],
    /// Threads of a block on each axis.
    pub threads: [i32; 3],
    /// Elements of each shared rail.
    pub shared_lengths: [i64; MAX_SHARED],
    /// Record of the first failed check, for the CPU version of the kernel.
    pub fault: *mut Fault,
    /// 1 if all accesses that depend on the launch are inside of their rails, plus 2 if their indices may be
    /// computed with 64 bits: see [`Kernel::proven`].
    pub proven: u32,
}

/// Where shared rails lie in dynamic shared memory (`apg_launch_shared`).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShared {
    /// Bytes from the start.
    pub offset: [u32; MAX_SHARED],
    /// Elements.
    pub length: [i32; MAX_SHARED],
    /// Address of the record of the first failed check.
    pub fault: u64,
    /// Address of the mailbox of a kernel that makes calls of slots, or 0.
    pub mailbox: u64,
}

/// Elements that a block sends, or room for some (`apg_slot_buffer`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SlotBuffer {
    /// First element of the rail.
    pub data: *mut c_void,
    /// The rail's elements.
    pub length: i64,
    /// Index of the first element of the buffer.
    pub index: i64,
    /// Elements of a part of the buffer.
    pub count: i64,
    /// Bytes of an element.
    pub size: u32,
    /// Code of the elements' type ([`slot`]).
    pub kind: u32,
}

/// A call of the slot of a kernel's block (`apg_slot_request`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SlotCall {
    /// The group's number.
    pub group: i64,
    /// The slot.
    pub rank: i64,
    /// The rank that it sends to, the root, or the number of what was begun.
    pub partner: i64,
    /// The rank that it receives from; -1 for any.
    pub from: i64,
    /// The tag.
    pub tag: i64,
    /// The operation of a reduction.
    pub operation: i64,
    /// First rank of the subgroup.
    pub first: i64,
    /// Slots of the subgroup.
    pub members: i64,
    /// Distance of its ranks.
    pub stride: i64,
    /// The block's number.
    pub block: i64,
    /// What is sent, then where received elements go; one for both if there is one.
    pub buffers: [SlotBuffer; 2],
    /// Number of the call ([`crate::slots::request::Call`]).
    pub call: i32,
    /// Number of buffers.
    pub buffer_count: u32,
    /// Index into the program's files.
    pub file: u32,
    /// 1-based line.
    pub line: u32,
}

/// A kernel (`apg_kernel`).
#[repr(C)]
#[derive(Debug)]
pub struct Kernel {
    /// The device function's symbol.
    pub name: *const c_char,
    /// `.x10` file.
    pub file: *const c_char,
    /// 1-based line.
    pub line: u32,
    /// CUDA C++.
    pub cuda: *const c_char,
    /// Bytes of the environment.
    pub env_size: u32,
    /// The environment is the device function's parameter, not a pointer to it.
    pub env_by_value: u8,
    /// `autoBlocks()` is used.
    pub auto_blocks: u8,
    /// `autoThreads()` is used.
    pub auto_threads: u8,
    /// There is a variant for launches of few threads, in which loops load ahead (software pipelining).
    pub early: u8,
    /// It sends or receives messages of slots: each block runs by itself, and may wait.
    pub communicates: u8,
    /// Number of captures.
    pub capture_count: u32,
    /// Captures.
    pub captures: *const Capture,
    /// Number of shared rails.
    pub shared_count: u32,
    /// Bytes of an element of each shared rail.
    pub shared_element_sizes: *const u32,
    /// Evaluates extents and shared lengths.
    pub configure: unsafe extern "C" fn(*const c_void, i32, i32, *mut Launch) -> *mut Object,
    /// Runs a range of blocks on the CPU.
    pub cpu: unsafe extern "C" fn(*const c_void, *const Launch, i64, i64) -> *mut Object,
    /// Checks the accesses that depend on the launch; null if there are none. Bits of the result: 1 if all
    /// are inside of their rails; 2 if their indices may be computed with 64 bits, 4 if with 32; the upper
    /// half holds one bit for each condition that is true.
    pub proven: Option<unsafe extern "C" fn(*const c_void, *const Launch) -> u64>,
    /// Choices of `autoBlocks()`, preferred ones first; null if any number may be chosen.
    pub block_choices: *const i32,
    /// Number of these choices.
    pub block_choice_count: u32,
    /// Choices of `autoThreads()`, as for `block_choices`.
    pub thread_choices: *const i32,
    /// Number of these choices.
    pub thread_choice_count: u32,
}

impl Kernel {
    /// Choices of `autoBlocks()`.
    pub fn block_choices(&self) -> &[i32] {
        // SAFETY: a static table of the program, or null and none.
        unsafe { choices(self.block_choices, self.block_choice_count) }
    }

    /// Choices of `autoThreads()`.
    pub fn thread_choices(&self) -> &[i32] {
        // SAFETY: as above.
        unsafe { choices(self.thread_choices, self.thread_choice_count) }
    }
}

/// # Safety
/// `first` points to `count` numbers that stay, unless there are none.
unsafe fn choices<'a>(first: *const i32, count: u32) -> &'a [i32] {
    if first.is_null() {
        return &[];
    }
    // SAFETY: by the caller.
    unsafe { std::slice::from_raw_parts(first, count as usize) }
}

// SAFETY: the record is written atomically, by the thread that is first.
unsafe impl Send for Launch {}
// SAFETY: as above.
unsafe impl Sync for Launch {}
// SAFETY: descriptors and kernels are static, constant data of the program.
unsafe impl Sync for Type {}
// SAFETY: as above.
unsafe impl Sync for Field {}
// SAFETY: as above.
unsafe impl Sync for Itable {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Capture {}
// SAFETY: as above.
unsafe impl Sync for Root {}
// SAFETY: as above.
unsafe impl Sync for Program {}
// SAFETY: as above.
unsafe impl Send for Program {}

/// State of a static field (`apg_static`); initially zero, except for the name.
#[repr(C)]
#[derive(Debug)]
pub struct StaticState {
    /// 0 new, 1 being initialised, 2 ready, 3 failed.
    pub state: std::sync::atomic::AtomicU32,
    /// Qualified X10 name.
    pub name: *const c_char,
    /// The exception that the initialiser has raised.
    pub failure: Ref,
}

/// A static field (`apg_root`).
#[repr(C)]
#[derive(Debug)]
pub struct Root {
    /// Where it is.
    pub address: *mut c_void,
    /// One of [`slot`].
    pub slot: u32,
    /// For a struct its descriptor.
    pub ty: *const Type,
}

/// What a program exports as [`PROGRAM_SYMBOL`] (`apg_program`). Its functions return the exception
/// that the X10 code raised, or null.
#[repr(C)]
#[derive(Debug)]
pub struct Program {
    /// [`VERSION`].
    pub abi: u32,
    /// Number of types.
    pub type_count: u32,
    /// Types; a type's id is its index.
    pub types: *const *const Type,
    /// Number of kernels.
    pub kernel_count: u32,
    /// Kernels; the same index at every place.
    pub kernels: *const *const Kernel,
    /// Number of source files.
    pub file_count: u32,
    /// Source files.
    pub files: *const *const c_char,
    /// Number of roots.
    pub root_count: u32,
    /// Static fields.
    pub roots: *const Root,
    /// `x10.lang.String`, or null.
    pub string_type: *const Type,
    /// `x10.lang.Rail[x10.lang.String]`, or null.
    pub string_rail_type: *const Type,
    /// Receives the runtime's table, before anything else is called.
    pub bind: unsafe extern "C" fn(*const std::ffi::c_void),
    /// Runs `main` with a rail of strings.
    pub main: unsafe extern "C" fn(Ref) -> Ref,
    /// Makes an exception of a [`ExceptionKind`] from a message.
    pub make_exception: unsafe extern "C" fn(u32, Ref, *mut Ref) -> Ref,
    /// Calls a closure without parameters and result.
    pub call: unsafe extern "C" fn(Ref) -> Ref,
    /// Calls a closure without parameters whose result is a reference.
    pub call_value: unsafe extern "C" fn(Ref, *mut Ref) -> Ref,
    /// `object.toString()`.
    pub to_string: unsafe extern "C" fn(Ref, *mut Ref) -> Ref,
    /// `object.equals(other)`.
    pub equals: unsafe extern "C" fn(Ref, Ref, *mut u8) -> Ref,
    /// `object.hashCode()`.
    pub hash_code: unsafe extern "C" fn(Ref, *mut i32) -> Ref,
    /// Custom serialization: makes a rail of the values to send for an object, or a struct in a box. Null if
    /// no type has custom serialization.
    pub saved: Option<unsafe extern "C" fn(Ref, *mut Ref) -> Ref>,
    /// Makes a deserializer for such a rail: the argument of [`Type::restore`].
    pub deserializer: Option<unsafe extern "C" fn(Ref, *mut Ref) -> Ref>,
}

impl Program {
    /// The types.
    pub fn types(&self) -> &[*const Type] {
        // SAFETY: tables of the program say their own lengths.
        unsafe { table(self.types, self.type_count) }
    }

    /// The kernels.
    pub fn kernels(&self) -> &[*const Kernel] {
        // SAFETY: as above.
        unsafe { table(self.kernels, self.kernel_count) }
    }

    /// The static fields.
    pub fn roots(&self) -> &[Root] {
        // SAFETY: as above.
        unsafe { table(self.roots, self.root_count) }
    }
}

/// A table of the program; an empty one may be null.
///
/// # Safety
/// `count` elements that live as long as the program lie at `start`, or `count` is 0.
unsafe fn table<'a, T>(start: *const T, count: u32) -> &'a [T] {
    // SAFETY: by the caller.
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(start, count as usize) } }
}
