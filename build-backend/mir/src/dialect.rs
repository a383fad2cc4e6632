//! The dialect that each expression and statement belongs to.

use crate::team;
use crate::{ExprKind, StmtKind};

/// A dialect of MIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Machine types, memory, calls and control flow.
    Core,
    /// Objects on a collected heap, and exceptions.
    Object,
    /// Places and activities, and the entries of their runtime.
    Apgas,
    /// Kernels and the threads that run them.
    Gpu,
}

impl Dialect {
    /// Whether a program needs classes to use it.
    pub fn needs_object_heap(self) -> bool {
        matches!(self, Dialect::Object | Dialect::Apgas)
    }
}

impl ExprKind {
    /// The dialect of the expression itself.
    pub fn dialect(&self) -> Dialect {
        match self {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Zero
            | ExprKind::Local(_)
            | ExprKind::StructField { .. }
            | ExprKind::MakeStruct(_)
            | ExprKind::Load(_)
            | ExprKind::AddressOf(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::ExternalAddress(_)
            | ExprKind::Bytes(_)
            | ExprKind::CallPointer { .. }
            | ExprKind::Call { .. }
            | ExprKind::Operation { .. }
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Select { .. } => Dialect::Core,
            ExprKind::String(_)
            | ExprKind::Null
            | ExprKind::Field { .. }
            | ExprKind::Element { .. }
            | ExprKind::Length { .. }
            | ExprKind::Static(_)
            | ExprKind::Allocate(_)
            | ExprKind::AllocateRail { .. }
            | ExprKind::TableRail { .. }
            | ExprKind::MakeObject { .. }
            | ExprKind::StackAllocate { .. }
            | ExprKind::NonNull(_)
            | ExprKind::CallVirtual { .. }
            | ExprKind::CallInterface { .. }
            | ExprKind::CallClosure { .. }
            | ExprKind::Cast { .. }
            | ExprKind::InstanceOf { .. } => Dialect::Object,
            ExprKind::Runtime { entry, .. } if team::entry(entry).is_some() => Dialect::Gpu,
            ExprKind::At { .. } | ExprKind::Runtime { .. } | ExprKind::Here => Dialect::Apgas,
            ExprKind::Atomic { .. } | ExprKind::Collective { .. } | ExprKind::ThreadIndex(_) => Dialect::Gpu,
        }
    }
}

impl StmtKind {
    /// The dialect of the statement itself.
    pub fn dialect(&self) -> Dialect {
        match self {
            StmtKind::Set { .. }
            | StmtKind::SetStructField { .. }
            | StmtKind::Store { .. }
            | StmtKind::Expr(_)
            | StmtKind::Block(_)
            | StmtKind::Outlined(_)
            | StmtKind::If { .. }
            | StmtKind::Loop { .. }
            | StmtKind::Switch { .. }
            | StmtKind::Labeled { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Goto(_)
            | StmtKind::Target(_)
            | StmtKind::Return(_) => Dialect::Core,
            StmtKind::SetField { .. }
            | StmtKind::SetElement { .. }
            | StmtKind::SetStatic { .. }
            | StmtKind::Throw(_)
            | StmtKind::Try { .. }
            | StmtKind::Native(_) => Dialect::Object,
            StmtKind::Async { .. }
            | StmtKind::AsyncAt { .. }
            | StmtKind::At { .. }
            | StmtKind::Finish { .. }
            | StmtKind::Atomic(_)
            | StmtKind::When(_) => Dialect::Apgas,
            StmtKind::Launch { .. } | StmtKind::Barrier => Dialect::Gpu,
        }
    }
}
