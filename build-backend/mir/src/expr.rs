//! Expressions.

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::*;

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
    /// What a place contains: a scalar, pointer, struct or union.
    Load(Box<Place>),
    /// The address of a place.
    AddressOf(Box<Place>),
    /// The address of a function.
    FunctionAddress(FunctionId),
    /// The address of an external function.
    ExternalAddress(ExternalId),
    /// The address of a constant array of bytes, with a zero after the last.
    Bytes(Arc<[u8]>),
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
    /// A call of the function that a pointer points to.
    CallPointer { callee: Box<Expr>, args: Vec<Expr> },
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
