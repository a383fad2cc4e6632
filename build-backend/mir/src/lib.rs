//! MIR: the program after type checking, reachability and monomorphisation. Nothing of X10's types or names is
//! needed to compile it: all types are concrete, all calls resolved to a function, a vtable slot or a
//! runtime entry, all captures explicit, all control flow structured. A second back end or a second front end
//! (C with OpenMP directives) needs nothing else.
//!
//! Evaluation order is explicit: operands of every [`Expr`] are evaluated left to right and are free of
//! side effects on locals assigned in the same expression; lowering introduces temporaries otherwise.

mod children;
pub mod entries;
pub mod fold;
mod kernel;
pub mod native;
pub mod operation;
pub mod print;
pub mod thread_index;
pub mod walk;
pub mod walk_mut;

use std::sync::Arc;

use children::children;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

pub use kernel::{Kernel, KernelCapture, KernelCaptureKind, LaunchConfiguration, SharedInit, SharedRail};
pub use operation::{AtomicOperation, CollectiveOp, Operation};
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
}

/// A position in a source file, for `#line` and for stack traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The file.
    pub file: FileId,
    /// 1-based line.
    pub line: u32,
}

/// A machine type.
#[allow(missing_docs)] // a width says it
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
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// `.x10` paths, as shown in messages.
    pub files: Vec<String>,
    /// Those of the class library.
    pub library: Vec<FileId>,
    /// Structs used by value.
    pub structs: Vec<Struct>,
    /// Heap classes, rails, boxes and closures; a superclass comes before its subclasses. The first one is the
    /// root (`x10.lang.Any`, no fields, the fixed slots): superclass of every class that names no other, and
    /// the class of a `CallVirtual` on a receiver of type [`Ty::Any`].
    pub classes: Vec<Class>,
    /// Versions of closures, by what they are versions of: they lie in memory as those do.
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
    /// Called by the runtime for what an instance of a [`Serialization::Custom`] type sends of itself: `(object) -> rail`.
    pub serialize_hook: Option<FunctionId>,
    /// Called by the runtime for what gives that back: `(rail) -> object`, the argument of [`Serialization::Custom`].
    pub deserialize_hook: Option<FunctionId>,
    /// What files say of their C++ code.
    pub natives: Vec<native::NativeFile>,
    /// It has C++ code of its own, in methods, blocks or files.
    pub has_native_code: bool,
    /// Indices of rails are not checked (`--checks none`).
    pub unchecked: bool,
    /// For a debugger: kernels on the CPU are printed as loops over all threads, each statement with its own line.
    pub debug: bool,
    /// Each statement says its line, also where a compiler that counts lines knows it: for those who read the text.
    pub emit_all_lines: bool,
}

/// A struct (a value type).
#[derive(Clone, Debug)]
pub struct Struct {
    /// X10 name with type arguments, for messages.
    pub name: String,
    /// Fields in order.
    pub fields: Vec<Field>,
    /// How values are sent to other places.
    pub serialization: Serialization,
}

/// How instances of a type are sent to other places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Serialization {
    /// Field by field.
    #[default]
    FieldByField,
    /// As the type's own code says. The function makes an instance of what was sent, which its last parameter gives: it fills an
    /// object, its first parameter, or results in a struct. Without it nothing can be received.
    Custom(Option<FunctionId>),
    /// Field by field; then the function sets transient fields: of an object, its first parameter, or of a struct, which it takes
    /// and results in.
    RestoreTransient(FunctionId),
    /// Not at all.
    NotSerializable,
    /// By home, number and weight: what GlobalRefs share.
    GlobalRef,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Source name (closure captures: the variable's).
    pub name: SmolStr,
    /// Type.
    pub ty: Ty,
    /// Not sent to other places.
    pub transient: bool,
    /// Read and written in one step, in one order for all activities (`@Volatile`); of classes only.
    pub volatile: bool,
    /// Never null, as the class library declares it (`{self!=null}`).
    pub non_null: bool,
}

/// What a class is to the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant says what its fields are
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
#[derive(Clone, Debug)]
pub struct Class {
    /// X10 name with type arguments, for `typeName()`, traces and errors.
    pub name: String,
    /// What it is.
    pub kind: ClassKind,
    /// Superclass.
    pub superclass: Option<ClassId>,
    /// Own fields (inherited ones come first in memory).
    pub fields: Vec<Field>,
    /// How objects are sent to other places.
    pub serialization: Serialization,
    /// The code for each virtual slot, inherited slots first; `None` is abstract, or never called.
    pub vtable: Vec<Option<FunctionId>>,
    /// Implemented interfaces with the code for each of their slots; `None` is never called.
    pub interfaces: Vec<(InterfaceId, Vec<Option<FunctionId>>)>,
}

/// An interface (also used for `instanceof` and casts to it).
#[derive(Clone, Debug)]
pub struct Interface {
    /// X10 name with type arguments.
    pub name: String,
    /// Number of slots.
    pub slots: u32,
}

/// A static field.
#[derive(Clone, Debug)]
pub struct Static {
    /// Qualified X10 name.
    pub name: String,
    /// Type.
    pub ty: Ty,
    /// Computes the first value, with no parameters; run once, on first use.
    pub init: FunctionId,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// X10 name for traces (`Main.main`), and a readable part of the symbol.
    pub name: String,
    /// Where it is declared.
    pub position: Position,
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
    /// Called by kernels only: the host needs no code.
    pub kernel_only: bool,
    /// Whether it may be on the stack several times.
    pub recursion: Recursion,
    /// Objects in the function's frame, see [`ExprKind::StackAllocate`].
    pub stack_objects: Vec<ClassId>,
    /// Whether it is worth its place in its callers.
    pub inlining: Inlining,
}

/// What a declaration says of calls of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inlining {
    /// Nothing: the compiler decides.
    #[default]
    Free,
    /// They stay calls (`@NoInline`).
    Never,
    /// They stay calls, and what leads to them seldom happens (`@Cold`).
    Cold,
}

/// What a function has to check so that the stack does not overflow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recursion {
    /// Functions that may call each other in a circle have the same number; 0: none.
    pub cycle: u32,
    /// The circle may be closed without a call in the function's code: there must be room when it starts. Otherwise there
    /// must be in front of each call that may be of the circle.
    pub checks_at_start: bool,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Source name, or `$n`.
    pub name: SmolStr,
    /// Type.
    pub ty: Ty,
}

/// A statement with its position.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// For `#line`.
    pub position: Position,
    /// What it does.
    pub kind: StmtKind,
}

/// Statements: structured control flow.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // each variant says what its fields are
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
    /// A scope that becomes a function of its own in the target's language, where the function around would be too long. No jump
    /// leaves it.
    Outlined(Vec<Stmt>),
    /// Two ways.
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
    /// Catches are tried in order: class tests, the local that receives it, the code. `finally` runs on every way out.
    Try { body: Vec<Stmt>, catches: Vec<Catch>, finally: Vec<Stmt> },
    /// Start `closure` (no parameters, void) as an activity here, governed by the innermost finish.
    Async { closure: Expr, clocks: Clocks },
    /// Start a copy of `closure` as an activity at `place`; `place` is a place's id (`I64`), here and below.
    /// With `travels` this activity raises what goes wrong on the way there, else that is an exception of the new one.
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
    /// order of [`Kernel::captures`]. Lowering has already routed execution to the host of `place`.
    /// With `detached`, the kernel is an activity of the innermost finish, and nothing waits: where the place has no device,
    /// that closure (which does the same and waits) is started instead. `settled`: the activity leaves captured rails alone until
    /// the kernel has ended.
    Launch {
        place: Expr,
        kernel: KernelId,
        captures: Vec<Expr>,
        fallback_activity: Option<Expr>,
        captures_stable: bool,
    },
    /// `Clock.advanceAll()` inside a kernel.
    Barrier,
    /// Code in the target's language that the program brings along.
    Native(native::NativeCode),
}

/// Constants that a rail is made from, or rails of rails.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
pub struct Catch {
    /// Caught class and its subclasses.
    pub class: ClassId,
    /// Receives the exception.
    pub local: LocalId,
    /// Handler.
    pub body: Vec<Stmt>,
}

/// A guard of a `when`.
#[derive(Clone, Debug)]
pub struct WhenBranch {
    /// Run before the guard's value is read, each time.
    pub setup: Vec<Stmt>,
    /// The guard.
    pub condition: Expr,
    /// Code.
    pub body: Vec<Stmt>,
}

/// Clocks of a new activity.
#[derive(Clone, Debug)]
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

/// An expression and its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Type.
    pub ty: Ty,
    /// Operation.
    pub kind: ExprKind,
    /// Where it stands, if that need not be where its statement or the expression around it does.
    pub position: Option<Position>,
}

/// Expressions.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // each variant says what its fields are
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
    /// Changes an element of a rail in one step, and is the value before; `values` are what `operation` says.
    Atomic { operation: AtomicOperation, rail: Box<Expr>, index: Box<Expr>, values: Vec<Expr> },
    /// What the threads of a warp or block do together, in a kernel; only as the value of [`StmtKind::Set`].
    Collective { operation: CollectiveOp, args: Vec<Expr> },
    /// A number of the thread, in a function that is part of a kernel: [`ThreadIndex::expand`] is what it is there.
    ThreadIndex(ThreadIndex),
    /// The length of a rail.
    Length { rail: Box<Expr>, checked: bool },
    /// A static field, initialised on first use.
    Static(StaticId),
    /// A struct from its fields.
    MakeStruct(Vec<Expr>),
    /// A new object with zero fields; its constructor is a call after it.
    Allocate(ClassId),
    /// A new rail, of zeros unless nothing reads an element before it is set. A negative length raises NegativeArraySizeException.
    AllocateRail { class: ClassId, length: Box<Expr>, zeroed: bool },
    /// A new rail with the elements of a table.
    TableRail { class: ClassId, table: Arc<Table> },
    /// A new closure or cell or box with these fields.
    MakeObject { class: ClassId, fields: Vec<Expr> },
    /// As `MakeObject` (or, without fields, as `Allocate`), but in the frame: the object `slot` of [`Function::stack_objects`] begins
    /// anew. Nothing else refers to it then, nor when the function ends.
    StackAllocate { slot: u32, class: ClassId, fields: Vec<Expr> },
    /// The reference itself; raises NullPointerException if it is null (receivers of direct calls).
    NonNull(Box<Expr>),
    /// `at (place) e`: runs a copy of `closure` (no parameters, result `Any`: values are boxed) at `place`, waits,
    /// and is a copy of its result. Exceptions of the closure are raised here.
    At { place: Box<Expr>, closure: Box<Expr> },
    /// A call of a known function.
    Call { function: FunctionId, args: Vec<Expr> },
    /// A call through the receiver's vtable; the receiver is `args[0]`, null-checked.
    CallVirtual { class: ClassId, slot: u32, args: Vec<Expr> },
    /// A call through the receiver's interface table.
    CallInterface { interface: InterfaceId, slot: u32, args: Vec<Expr> },
    /// A call of a value of function type: `args[0]` is a closure (slot `CLOSURE_APPLY`) or an object of a class
    /// that implements the function type (slot 0 of `interface`).
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
