//! Evaluation order of operands.
//!
//! X10 evaluates operands left to right. In MIR operands must not interfere: a value that a later operand
//! could change, or that must be computed before a later effect, is saved in a temporary.

use apg_analysis::program::body::ExprId;
use apg_analysis::program::ty::Ty;

use crate::builder::function::Builder;
use apg_mir::{self as mir, ExprKind, Operation};

/// The effect of evaluating an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    /// Invariant.
    None,
    /// Depends on when it is evaluated, or may raise an exception.
    Reads,
    /// Has side effects.
    Writes,
}

impl Builder<'_, '_> {
    /// Lowers operands that are evaluated in order, each converted to a type.
    pub(crate) fn operands(&mut self, operands: &[(ExprId, Ty)]) -> Vec<mir::Expr> {
        self.operands_after(Vec::new(), operands)
    }

    /// As above, after operands that are already lowered.
    pub(crate) fn operands_after(
        &mut self,
        first: Vec<mir::Expr>,
        operands: &[(ExprId, Ty)],
    ) -> Vec<mir::Expr> {
        let mut values = first;
        for &(id, ty) in operands {
            let start = self.block().len();
            let value = self.value_as(id, ty);
            if self.block().len() > start {
                self.save_before(&mut values, start);
            }
            values.push(value);
        }
        self.separate(&mut values);
        values
    }

    /// Saves values in temporaries that are set before statement `at` of the current block.
    fn save_before(&mut self, values: &mut [mir::Expr], mut at: usize) {
        for value in values {
            if self.effect(value) == Effect::None || self.stays(value, at) {
                continue;
            }
            let local = self.temporary(value.ty);
            let saved = std::mem::replace(value, self.local(local));
            let span = self.span;
            self.block().insert(at, mir::Stmt::new(span, mir::StmtKind::Set { local, value: saved }));
            at += 1;
        }
    }

    /// Whether a value is a variable that no statement from `at` on assigns. A temporary would cost a copy
    /// for each thread in the CPU form of a kernel.
    fn stays(&mut self, value: &mir::Expr, at: usize) -> bool {
        let ExprKind::Local(local) = value.kind else { return false };
        let mut assigned = !self.is_device_code();
        mir::walk::visit_stmts(&self.block()[at..], &mut |it| {
            assigned |= matches!(&it.kind, mir::StmtKind::Set { local: id, .. } | mir::StmtKind::SetStructField { local: id, .. } if *id == local);
        });
        !assigned
    }

    /// Saves values that an effect of a later operand could change.
    fn separate(&mut self, values: &mut [mir::Expr]) {
        for i in 0..values.len() {
            let own = self.effect(&values[i]);
            let later = values[i + 1..].iter().map(|it| self.effect(it)).max().unwrap_or(Effect::None);
            let disturbed = own > Effect::None && later == Effect::Writes;
            let disturbs = own == Effect::Writes && later > Effect::None;
            if disturbed || disturbs {
                let local = self.temporary(values[i].ty);
                let saved = std::mem::replace(&mut values[i], self.local(local));
                self.set(local, saved);
            }
        }
    }

    /// Whether the value is the same whenever it is evaluated.
    pub(crate) fn is_constant(&self, expr: &mir::Expr) -> bool {
        self.effect(expr) == Effect::None
    }

    fn effect(&self, expr: &mir::Expr) -> Effect {
        let of = |it: &mir::Expr| self.effect(it);
        let all = |list: &[mir::Expr]| list.iter().map(of).max().unwrap_or(Effect::None);
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::String(_)
            | ExprKind::Null
            | ExprKind::Zero
            | ExprKind::Here
            | ExprKind::ThreadIndex(_) => Effect::None,
            ExprKind::Local(local) if self.is_mutable(*local) => Effect::Reads,
            ExprKind::Local(_) => Effect::None,
            ExprKind::Field { object, .. } => of(object).max(Effect::Reads),
            ExprKind::StructField { value, .. } => of(value),
            ExprKind::Element { rail, index, .. } => of(rail).max(of(index)).max(Effect::Reads),
            ExprKind::Length { rail, checked } => {
                of(rail).max(if *checked { Effect::Reads } else { Effect::None })
            }
            ExprKind::MakeStruct(fields) => all(fields),
            ExprKind::MakeObject { fields, .. } | ExprKind::StackAllocate { fields, .. } => {
                all(fields).max(Effect::Reads)
            }
            ExprKind::Allocate(_) | ExprKind::TableRail { .. } => Effect::Reads,
            ExprKind::AllocateRail { length, .. } => of(length).max(Effect::Reads),
            ExprKind::Operation { operation: Operation::Div | Operation::Rem, args } => {
                all(args).max(Effect::Reads)
            }
            ExprKind::Operation { args, .. } => all(args),
            ExprKind::FunctionAddress(_) | ExprKind::ExternalAddress(_) | ExprKind::Bytes(_) => Effect::None,
            ExprKind::Load(place) | ExprKind::AddressOf(place) => {
                place.operands().into_iter().map(of).max().unwrap_or(Effect::None).max(Effect::Reads)
            }
            ExprKind::Cast { value, checked, .. } => {
                of(value).max(if *checked { Effect::Reads } else { Effect::None })
            }
            ExprKind::NonNull(value) => of(value).max(Effect::Reads),
            ExprKind::InstanceOf { value, .. } => of(value),
            ExprKind::And(left, right) | ExprKind::Or(left, right) => of(left).max(of(right)),
            ExprKind::Select { condition, then, otherwise } => of(condition).max(of(then)).max(of(otherwise)),
            ExprKind::Static(_)
            | ExprKind::CallPointer { .. }
            | ExprKind::Call { .. }
            | ExprKind::CallVirtual { .. }
            | ExprKind::CallInterface { .. }
            | ExprKind::CallClosure { .. }
            | ExprKind::Runtime { .. }
            | ExprKind::Atomic { .. }
            | ExprKind::Collective { .. }
            | ExprKind::At { .. } => Effect::Writes,
        }
    }
}

/// An expression without a position.
pub(crate) fn expr(ty: mir::Ty, kind: ExprKind) -> mir::Expr {
    mir::Expr::new(ty, kind)
}

/// A constant of an integer type.
pub(crate) fn int(ty: mir::Ty, value: i64) -> mir::Expr {
    expr(ty, ExprKind::Int(value))
}

/// A Boolean constant.
pub(crate) fn bool(value: bool) -> mir::Expr {
    int(mir::Ty::Bool, i64::from(value))
}

/// The zero of a type.
pub(crate) fn zero(ty: mir::Ty) -> mir::Expr {
    expr(ty, ExprKind::Zero)
}

/// An operation on values of one type, folded for constants.
pub(crate) fn operation(operation: Operation, ty: mir::Ty, args: Vec<mir::Expr>) -> mir::Expr {
    if let Some(folded) = crate::construct::intrinsic::fold(operation, &args, ty) {
        return folded;
    }
    expr(ty, ExprKind::Operation { operation, args })
}
