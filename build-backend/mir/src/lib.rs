//! MIR: the typed tree between lowering and code generation.
//!
//! The program is monomorphised: all types are concrete, all calls name a function, a vtable slot or a
//! runtime entry, all captures are explicit, and all control flow is structured.
//!
//! Operands of an [`Expr`] are evaluated left to right and have no side effects on locals of the same
//! expression; lowering introduces temporaries otherwise.

#![warn(clippy::print_stderr)]

mod children;
pub mod entries;
pub mod fold;
mod kernel;
pub mod native;
mod numbering;
pub mod operation;
mod span;
pub mod text;
pub mod thread_index;
pub mod verify;
pub mod walk;
pub mod walk_mut;

use std::fmt;
use std::sync::Arc;

use children::children;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

pub use kernel::{Kernel, KernelCapture, KernelCaptureKind, LaunchConfiguration, SharedInit, SharedRail};
pub use operation::{AtomicOperation, CollectiveOp, Operation};
pub use span::{LineColumn, Span};
pub use thread_index::ThreadIndex;

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index into its table.
            #[inline]
            pub fn index(self) -> usize { self.0 as usize }
        }
    )* };
}
index! {
    /// Index into [`Program::classes`].
    ClassId,
    /// Index into [`Program::structs`].
    StructId,
    /// Index into [`Program::interfaces`].
    InterfaceId,
    /// Index into [`Program::functions`].
    FunctionId,
    /// Index into [`Program::statics`].
    StaticId,
    /// Index into [`Program::kernels`].
    KernelId,
    /// Index into [`Program::files`].
    FileId,
    /// Index into [`Function::locals`].
    LocalId,
    /// A jump target, unique within the function.
    LabelId,
    /// Identity of a statement in its function or kernel.
    StmtId,
    /// Identity of an expression in its function or kernel.
    ExprId,
}

macro_rules! unassigned {
    ($($name:ident),*) => { $(
        impl $name {
            /// The identity of a node that [`Program::assign_ids`] has not numbered.
            pub const UNASSIGNED: $name = $name(u32::MAX);

            /// Whether the node is numbered, so that it can be a key.
            #[inline]
            pub fn is_assigned(self) -> bool { self != $name::UNASSIGNED }
        }
    )* };
}
unassigned!(StmtId, ExprId);

/// A machine type.
#[allow(missing_docs, reason = "variants are named by kind and width")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// No value.
    Void,
    /// 0 or 1, one byte.
    Bool,
    /// Integers.
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    /// IEEE 754.
    F32,
    F64,
    /// A Unicode code point, 4 bytes.
    Char,
    /// A reference to a heap object of this class or a subclass, or null.
    Ref(ClassId),
    /// A reference to any heap object (interfaces, `Any`, function types), or null.
    Any,
    /// A value of a struct.
    Struct(StructId),
}

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// `.x10` paths, as shown in messages.
    pub files: Vec<String>,
    /// Files of the class library.
    pub library: Vec<FileId>,
    /// Structs used by value.
    pub structs: Vec<Struct>,
    /// Heap classes, rails, boxes and closures; a superclass comes before its subclasses. The first one is
    /// the root (`x10.lang.Any`, no fields, the fixed slots): superclass of every class that names no other,
    /// and the class of a `CallVirtual` on a receiver of type [`Ty::Any`].
    pub classes: Vec<Class>,
    /// Specialised closure classes and their originals, which have the same layout.
    pub closure_versions: FxHashMap<ClassId, ClassId>,
    /// Interfaces with at least one method called through them.
    pub interfaces: Vec<Interface>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Static fields, initialised lazily and once.
    pub statics: Vec<Static>,
    /// `@CUDA` kernels.
    pub kernels: Vec<Kernel>,
    /// `main`: takes a `Ref` to the rail of strings.
    pub main: Option<FunctionId>,
    /// Called by the runtime to make an exception of its own: `(message) -> object`, one per kind in
    /// the order of the ABI's `apg_exception_kind`.
    pub runtime_exceptions: Vec<FunctionId>,
    /// Serialises an instance of a [`Serialization::Custom`] type: `(object) -> rail`. Called by the runtime.
    pub serialize_hook: Option<FunctionId>,
    /// Makes the deserialiser, the argument of the function in [`Serialization::Custom`]: `(rail) -> object`.
    pub deserialize_hook: Option<FunctionId>,
    /// C++ files that source files name.
    pub natives: Vec<native::NativeFile>,
    /// Whether the program contains C++ code in methods, blocks or files.
    pub has_native_code: bool,
    /// Without checks of rail indices (`--checks none`).
    pub unchecked: bool,
    /// For a debugger: CPU kernels loop over the threads of each statement, and each statement has its line.
    pub debug: bool,
    /// A `#line` directive for each statement, also where the compiler can count lines: for readers of the
    /// code.
    pub emit_all_lines: bool,
}

/// A struct (a value type).
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// X10 name with type arguments, for messages.
    pub name: String,
    /// Fields in order.
    pub fields: Vec<Field>,
    /// Serialisation of values.
    pub serialization: Serialization,
}

/// Serialisation policy of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Serialization {
    /// Field by field.
    #[default]
    FieldByField,
    /// By the type's own code. The function deserialises from its last parameter: it fills an object, its
    /// first parameter, or returns a struct. Without it instances cannot be received.
    Custom(Option<FunctionId>),
    /// Field by field. The function then sets transient fields of an object, its first parameter, or of a
    /// struct that it takes and returns.
    RestoreTransient(FunctionId),
    /// An error.
    NotSerializable,
    /// By home, id and weight: the shared object of GlobalRefs.
    GlobalRef,
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Source name (closure captures: the variable's).
    pub name: SmolStr,
    /// Type.
    pub ty: Ty,
    /// Not serialised.
    pub transient: bool,
    /// Sequentially consistent (`@Volatile`); of classes only.
    pub volatile: bool,
    /// Declared non-null by the class library (`{self!=null}`).
    pub non_null: bool,
    /// Assigned by constructors only, and not in loops.
    pub immutable: bool,
}

/// The kind of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum ClassKind {
    /// An object with fields.
    Object,
    /// `x10.lang.Rail[T]`: header, length, elements inline.
    Rail { element: Ty },
    /// `x10.lang.String`: header, length in bytes, UTF-8.
    String,
    /// A struct or primitive in a box: one field `value`.
    Boxed { value: Ty },
    /// A closure, its captures as fields; its code is vtable slot [`slot::CLOSURE_APPLY`].
    Closure,
    /// A heap cell for a `var` shared between activities: one field `value`.
    Cell { value: Ty },
}

/// The vtable slots that every object has, boxes and closures included.
pub mod slot {
    /// `toString():String`
    pub const TO_STRING: u32 = 0;
    /// `equals(Any):Boolean`
    pub const EQUALS: u32 = 1;
    /// `hashCode():Int`
    pub const HASH_CODE: u32 = 2;
    /// `typeName():String`
    pub const TYPE_NAME: u32 = 3;
    /// A closure's code. Classes that implement a function type are called through its interface.
    pub const CLOSURE_APPLY: u32 = 4;
    /// First slot of a class's own methods.
    pub const FIRST_FREE: u32 = 4;
}

/// A heap class.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// X10 name with type arguments, for `typeName()`, traces and errors.
    pub name: String,
    /// Its kind.
    pub kind: ClassKind,
    /// Superclass.
    pub superclass: Option<ClassId>,
    /// Own fields (inherited ones come first in memory).
    pub fields: Vec<Field>,
    /// Serialisation of objects.
    pub serialization: Serialization,
    /// The code for each virtual slot, inherited slots first; `None` is abstract, or never called.
    pub vtable: Vec<Option<FunctionId>>,
    /// Implemented interfaces with the code for each of their slots; `None` is never called.
    pub interfaces: Vec<(InterfaceId, Vec<Option<FunctionId>>)>,
}

/// An interface (also used for `instanceof` and casts to it).
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// X10 name with type arguments.
    pub name: String,
    /// Number of slots.
    pub slots: u32,
}

/// A static field.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// Qualified X10 name.
    pub name: String,
    /// Type.
    pub ty: Ty,
    /// Computes the first value, with no parameters; run once, on first use.
    pub init: FunctionId,
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// X10 name for traces (`Main.main`), and a readable part of the symbol.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Parameters (first), then locals.
    pub locals: Vec<Local>,
    /// How many of `locals` are parameters; an instance method's first is its receiver.
    pub params: u32,
    /// Result.
    pub result: Ty,
    /// Code; ends in `Return` on every path unless `result` is `Void`.
    pub body: Vec<Stmt>,
    /// Also needed as device code.
    pub device: bool,
    /// Called by kernels only, so that hosts need no code.
    pub kernel_only: bool,
    /// Whether it may be on the stack several times.
    pub recursion: Recursion,
    /// Objects on the stack, see [`ExprKind::StackAllocate`].
    pub stack_objects: Vec<ClassId>,
    /// Inlining into callers.
    pub inlining: Inlining,
    /// What passes may rely on beside the code.
    pub role: FunctionRole,
}

/// A declared property of a function that passes may rely on without a look at its code.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum FunctionRole {
    /// None.
    #[default]
    Plain,
    /// Makes an immutable tuple of its parameters, which are of type [`Ty::I64`], and has no other effect.
    Tuple,
    /// As the entry [`entries::CHAR_AT`].
    CharAt,
    /// Computes a value from immutable fields of its parameters, objects that are not null: the same at each
    /// call, without effects and exceptions.
    Property,
    /// Accesses an element of its first parameter, an object. The indices follow, then the value of a store.
    /// An element is accessed without a bounds check by another function for each form of the indices:
    /// parameters of type [`Ty::I64`], of which there is one form only, or one [`FunctionRole::Tuple`] of
    /// any rank.
    Indexing(Vec<Indexing>),
}

/// Functions that together access an element as a function of [`FunctionRole::Indexing`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexing {
    /// Number of indices.
    pub rank: u32,
    /// `(object, low, high, low, high, ...): Bool`, without effects: whether each range is not empty and all
    /// elements at indices within the ranges exist.
    pub covers: FunctionId,
    /// `(object, index, index, ..., value)`: the access to an element that exists.
    pub unchecked: FunctionId,
}

/// Inlining that a declaration requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inlining {
    /// The compiler decides.
    #[default]
    Free,
    /// No inlining (`@NoInline`).
    Never,
    /// No inlining, and calls are unlikely (`@Cold`).
    Cold,
}

/// Stack overflow checks of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recursion {
    /// The strongly connected component of the call graph; 0 for functions on no cycle.
    pub cycle: u32,
    /// Check at the start of the function, since callers outside of generated code may close the cycle.
    /// Otherwise calls within the component check.
    pub checks_at_start: bool,
}

/// A local variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Source name, or `$n`.
    pub name: SmolStr,
    /// Type.
    pub ty: Ty,
}

/// A statement, with its identity and its source. Two statements are equal if they do the same: their
/// identities and spans do not count.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its identity.
    pub id: StmtId,
    /// The source of it.
    pub span: Span,
    /// The statement.
    pub kind: StmtKind,
}

impl PartialEq for Stmt {
    fn eq(&self, other: &Stmt) -> bool {
        self.kind == other.kind
    }
}

impl Stmt {
    /// A statement that is not numbered yet.
    pub fn new(span: Span, kind: StmtKind) -> Stmt {
        Stmt { id: StmtId::UNASSIGNED, span, kind }
    }
}

/// Statements: structured control flow.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum StmtKind {
    /// `local = value`; the first one in a block also declares it.
    Set { local: LocalId, value: Expr },
    /// Store into a field; `object` is null-checked if `checked`.
    SetField { object: Expr, class: ClassId, field: u32, value: Expr, checked: bool },
    /// Store into a field of a struct held in a local (constructors).
    SetStructField { local: LocalId, field: u32, value: Expr },
    /// Store into a rail: null and bounds checks if `checked`.
    SetElement { rail: Expr, element: Ty, index: Expr, value: Expr, checked: bool },
    /// First value of a static (runtime-internal).
    SetStatic { field: StaticId, value: Expr },
    /// Evaluate for its effect.
    Expr(Expr),
    /// A scope.
    Block(Vec<Stmt>),
    /// A scope that is printed as a function, because the enclosing function would be too long. No jump
    /// leaves it.
    Outlined(Vec<Stmt>),
    /// A branch.
    If { condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    /// `label: while (condition) { body; continue-target: update }`.
    Loop {
        label: LabelId,
        condition: Expr,
        body: Vec<Stmt>,
        update: Vec<Stmt>,
        unroll: Option<u32>,
        post_tested: bool,
    },
    /// Cases with fall-through; `None` is the default. Left by `Break(label)`.
    Switch { label: LabelId, value: Expr, cases: Vec<(Vec<Option<i64>>, Vec<Stmt>)> },
    /// Left by `Break(label)`.
    Labeled { label: LabelId, body: Vec<Stmt> },
    /// Out of the loop, switch or block.
    Break(LabelId),
    /// To the update of the loop.
    Continue(LabelId),
    /// From the function.
    Return(Option<Expr>),
    /// Raise an exception object.
    Throw(Expr),
    /// Catches are tried in order: class tests, the local that receives it, the code. `finally` runs on every
    /// way out.
    Try { body: Vec<Stmt>, catches: Vec<Catch>, finally: Vec<Stmt> },
    /// Start `closure` (no parameters, void) as an activity here, in the scope of the innermost finish.
    Async { closure: Expr, clocks: Clocks },
    /// Start a copy of `closure` as an activity at `place`; `place` is a place's id (`I64`), here and below.
    /// Failures of sending are raised by this activity if `raise_at_sender`, else by the new one.
    AsyncAt { place: Expr, closure: Expr, clocks: Clocks, raise_at_sender: bool },
    /// Run a copy of `closure` at `place` and wait.
    At { place: Expr, closure: Expr },
    /// Wait for all activities started inside.
    Finish { body: Vec<Stmt>, clocked: bool },
    /// Mutual exclusion at this place.
    Atomic(Vec<Stmt>),
    /// Wait until a guard holds, then run its code atomically. Each guard is statements and a value.
    When(Vec<WhenBranch>),
    /// Run a kernel at `place` (an accelerator of this host, or this host) and wait for it; `captures` in the
    /// order of [`Kernel::captures`]. Lowering has already routed execution to the host of `place`. With
    /// `fallback_activity` the launch is asynchronous in the scope of the innermost finish; at a place
    /// without a device that closure, which launches and waits, is started instead. `captures_stable`: the
    /// activity does not write to captured rails before the kernel ends.
    Launch {
        place: Expr,
        kernel: KernelId,
        captures: Vec<Expr>,
        fallback_activity: Option<Expr>,
        captures_stable: bool,
    },
    /// `Clock.advanceAll()` inside a kernel.
    Barrier,
    /// C++ code of the program.
    Native(native::NativeCode),
}

/// Constant elements of a rail or of nested rails.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The classes of the rails, the outermost first.
    pub classes: Vec<ClassId>,
    /// For each class the lengths of its rails, in order.
    pub lengths: Vec<Vec<i64>>,
    /// The type of an element of the innermost rails: a scalar, or a string.
    pub element: Ty,
    /// The elements of all innermost rails, in order: numbers, strings, nulls and zeros.
    pub elements: Vec<Expr>,
}

/// A `catch`.
#[derive(Clone, Debug, PartialEq)]
pub struct Catch {
    /// Caught class and its subclasses.
    pub class: ClassId,
    /// Receives the exception.
    pub local: LocalId,
    /// Handler.
    pub body: Vec<Stmt>,
}

/// A guard of a `when`.
#[derive(Clone, Debug, PartialEq)]
pub struct WhenBranch {
    /// Run before the guard's value is read, each time.
    pub setup: Vec<Stmt>,
    /// The guard.
    pub condition: Expr,
    /// Code.
    pub body: Vec<Stmt>,
}

/// Clocks of a new activity.
#[derive(Clone, Debug, PartialEq)]
pub enum Clocks {
    /// None.
    None,
    /// None, and no finish waits for the activity.
    Uncounted,
    /// The innermost clocked finish's.
    Implicit,
    /// These.
    Listed(Vec<Expr>),
}

/// An expression and its type, with its identity and its source. Two expressions are equal if they compute
/// the same in the same way: their identities and spans do not count.
#[derive(Clone)]
pub struct Expr {
    /// Its identity.
    pub id: ExprId,
    /// The source of it; `None` for a part of the enclosing expression or statement that has no text of its
    /// own.
    pub span: Option<Span>,
    /// Type.
    pub ty: Ty,
    /// Operation.
    pub kind: ExprKind,
}

impl Expr {
    /// An expression without a span, not numbered yet.
    pub fn new(ty: Ty, kind: ExprKind) -> Expr {
        Expr { id: ExprId::UNASSIGNED, span: None, ty, kind }
    }

    /// The same with a span.
    pub fn with_span(self, span: Option<Span>) -> Expr {
        Expr { span, ..self }
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.ty == other.ty
            && match (&self.kind, &other.kind) {
                // -0.0 is not 0.0.
                (ExprKind::Float(a), ExprKind::Float(b)) => a.to_bits() == b.to_bits(),
                (a, b) => a == b,
            }
    }
}

/// Without identity and span, so that equal expressions print equally.
impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expr").field("ty", &self.ty).field("kind", &self.kind).finish()
    }
}

/// Expressions.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum ExprKind {
    /// Integer, boolean or character constant.
    Int(i64),
    /// Floating constant (rounded to `F32` if that is the type).
    Float(f64),
    /// String constant, interned once per process.
    String(SmolStr),
    /// Null.
    Null,
    /// The zero value of the type.
    Zero,
    /// A local.
    Local(LocalId),
    /// A field of a heap object; null-checked if `checked`.
    Field { object: Box<Expr>, class: ClassId, field: u32, checked: bool },
    /// A field of a struct value.
    StructField { value: Box<Expr>, field: u32 },
    /// An element of a rail; null and bounds checks if `checked`.
    Element { rail: Box<Expr>, index: Box<Expr>, checked: bool },
    /// Atomic read-modify-write of an element; yields the previous value. `values` are the operands of
    /// `operation`.
    Atomic { operation: AtomicOperation, rail: Box<Expr>, index: Box<Expr>, values: Vec<Expr> },
    /// A collective operation of a warp or block in a kernel; only as the value of [`StmtKind::Set`].
    Collective { operation: CollectiveOp, args: Vec<Expr> },
    /// A thread index in a function that is inlined into kernels, replaced by [`ThreadIndex::expand`].
    ThreadIndex(ThreadIndex),
    /// The length of a rail.
    Length { rail: Box<Expr>, checked: bool },
    /// A static field, initialised on first use.
    Static(StaticId),
    /// A struct from its fields.
    MakeStruct(Vec<Expr>),
    /// A new object with zero fields; its constructor is a call after it.
    Allocate(ClassId),
    /// A new rail, uninitialised unless `zeroed`. A negative length raises NegativeArraySizeException.
    AllocateRail { class: ClassId, length: Box<Expr>, zeroed: bool },
    /// A new rail with the elements of a table.
    TableRail { class: ClassId, table: Arc<Table> },
    /// A new closure or cell or box with these fields.
    MakeObject { class: ClassId, fields: Vec<Expr> },
    /// As `MakeObject`, or as `Allocate` without fields, on the stack: reinitialises object `slot` of
    /// [`Function::stack_objects`]. No reference to the previous object exists, and none outlives the
    /// function.
    StackAllocate { slot: u32, class: ClassId, fields: Vec<Expr> },
    /// The reference itself; raises NullPointerException if it is null (receivers of direct calls).
    NonNull(Box<Expr>),
    /// `at (place) e`: runs a copy of `closure` (no parameters, result `Any`: values are boxed) at `place`,
    /// waits, and is a copy of its result. Exceptions of the closure are raised here.
    At { place: Box<Expr>, closure: Box<Expr> },
    /// A call of a known function.
    Call { function: FunctionId, args: Vec<Expr> },
    /// A call through the receiver's vtable; the receiver is `args[0]`, null-checked.
    CallVirtual { class: ClassId, slot: u32, args: Vec<Expr> },
    /// A call through the receiver's interface table.
    CallInterface { interface: InterfaceId, slot: u32, args: Vec<Expr> },
    /// A call of a value of function type: `args[0]` is a closure (slot `CLOSURE_APPLY`) or an object of a
    /// class that implements the function type (slot 0 of `interface`).
    CallClosure { interface: InterfaceId, args: Vec<Expr> },
    /// An arithmetic, comparison or conversion operation on machine types.
    Operation { operation: Operation, args: Vec<Expr> },
    /// A call of a runtime entry by its name in the ABI (`string_concat`, `nano_time`, ...).
    Runtime { entry: SmolStr, args: Vec<Expr> },
    /// Reference cast; checked at run time if `checked`.
    Cast { value: Box<Expr>, target: CastTarget, checked: bool },
    /// Type test; false for null.
    InstanceOf { value: Box<Expr>, target: CastTarget },
    /// Short-circuit and, or; conditional.
    And(Box<Expr>, Box<Expr>),
    /// Short-circuit or.
    Or(Box<Expr>, Box<Expr>),
    /// Only one of the two is evaluated.
    Select { condition: Box<Expr>, then: Box<Expr>, otherwise: Box<Expr> },
    /// The id of the current place.
    Here,
}

/// The target of a cast or type test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastTarget {
    /// A class.
    Class(ClassId),
    /// An interface.
    Interface(InterfaceId),
}
