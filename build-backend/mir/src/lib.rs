//! MIR: the typed tree between lowering and code generation.
//!
//! The program is monomorphised: all types are concrete, all calls name a function, a table's slot, a
//! runtime entry or a pointer, and all captures are explicit.
//!
//! Operands of an [`Expr`] are evaluated left to right and have no side effects on locals of the same
//! expression; lowering introduces temporaries otherwise.
//!
//! Four dialects share expressions and statements: [`core`], [`object`], [`apgas`] and [`gpu`].

#![warn(clippy::print_stderr)]

pub mod apgas;
mod children;
pub mod core;
mod dialect;
mod expr;
pub mod fold;
mod function;
pub mod gpu;
mod ids;
pub mod native;
mod numbering;
pub mod object;
mod program;
mod span;
mod stmt;
pub mod text;
pub mod verify;
pub mod walk;
pub mod walk_mut;

use children::children;

pub use apgas::{Clocks, WhenBranch, entries};
pub use core::{
    AddressSpace, ArithmeticRules, ArrayType, External, Field, Global, Initializer, Layouts, MemoryLayout,
    Operation, Place, PlaceKind, PointerType, Signature, SizeAlign, Struct, Ty, TypeTable, operation,
};
pub use dialect::Dialect;
pub use expr::{Expr, ExprKind};
pub use function::{Function, FunctionRole, Indexing, Inlining, Local, Recursion};
pub use gpu::{
    AtomicOperation, CollectiveOp, Kernel, KernelCapture, KernelCaptureKind, LaunchConfiguration,
    SharedArray, SharedInit, ThreadIndex, team, thread_index,
};
pub use ids::{
    ArrayId, ClassId, ExprId, ExternalId, FileId, FunctionId, GlobalId, InterfaceId, KernelId, LabelId,
    LocalId, PointerId, SignatureId, StaticId, StmtId, StructId, VariableId,
};
pub use object::{
    CastTarget, Class, ClassKind, FieldAttributes, Interface, Serialization, Static, Table, TypeAttributes,
    slot,
};
pub use program::Program;
pub use span::{LineColumn, Span};
pub use stmt::{Catch, Stmt, StmtKind};
