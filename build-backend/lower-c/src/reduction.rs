//! Reductions (OpenMP 5.2, section 5.5.5): each thread has a partial result, blocks combine them by a tree
//! (Harris, *Optimizing Parallel Reduction in CUDA*, 2007), and one thread of each block adds to the total.

use apg_c_analysis::hir::VariableId;
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, AddressSpace, AtomicOperation, CollectiveOp, Expr, LocalId, Operation, Stmt, Ty};

use crate::atomic::{atomic, has_atomics};
use crate::body::{Body, Storage, binary, int, local_value, operation};
use crate::conversion::{is_float, is_signed, not_zero};
use crate::data::Reduction;
use crate::unsupported::{Lowered, unsupported};

/// The partial result of a thread.
pub(crate) struct PrivateSum {
    operator: Reduction,
    own: Storage,
    ty: Ty,
    /// The address of the total.
    target: LocalId,
    range: TextRange,
}

impl Body<'_, '_> {
    /// Declares the partial result of a thread.
    pub(crate) fn private_sum(
        &mut self,
        operator: Reduction,
        variable: VariableId,
        target: LocalId,
        range: TextRange,
    ) -> Lowered<PrivateSum> {
        let of = self.unit.hir.variable(variable);
        let ty = self.unit.ty(&of.ty, range)?;
        if !has_atomics(ty) {
            let message = format!("`{}` is reduced, and is no number of 4 or 8 bytes", of.name);
            return unsupported(range, message, "write `int`, `long`, `float` or `double`");
        }
        let Some(identity) = identity(operator, ty) else {
            let message =
                format!("`{}` is a floating-point number, which this operator does not take", of.name);
            return unsupported(range, message, "use one of + * min max && ||");
        };
        let own = self.declare(variable, range)?;
        self.initialize(own, identity);
        Ok(PrivateSum { operator, own, ty, target, range })
    }

    /// Combines the partial results of all threads with the total.
    pub(crate) fn combine(&mut self, sum: &PrivateSum, thread: LocalId) -> Lowered<()> {
        let ty = sum.ty;
        let own = match sum.own {
            Storage::Local(local) => local_value(local, ty),
            Storage::Memory(id) => {
                let place = mir::Place::new(ty, mir::PlaceKind::Variable(id));
                self.temporary(Expr::new(ty, mir::ExprKind::Load(Box::new(place))))
            }
            Storage::Pointed(_) => return Ok(()),
        };
        let to_total = self.unit.program.types.pointer_to(ty, AddressSpace::Generic);
        let total = local_value(sum.target, to_total);
        let native = |name, operation| Some((name, operation));
        let of_blocks = match sum.operator {
            Reduction::Add => native("sum", AtomicOperation::Add),
            Reduction::Min => native("min", AtomicOperation::Min),
            Reduction::Max => native("max", AtomicOperation::Max),
            Reduction::BitAnd => native("and", AtomicOperation::And),
            Reduction::BitOr => native("or", AtomicOperation::Or),
            Reduction::BitXor => native("xor", AtomicOperation::Xor),
            Reduction::Multiply | Reduction::And | Reduction::Or => None,
        };
        if let Some((name, operation)) = of_blocks {
            let block = self.block_total(name, own);
            return self.by_first_thread(thread, |it| {
                it.push(mir::StmtKind::Expr(atomic(operation, total, ty, vec![block])));
                Ok(())
            });
        }
        if sum.operator == Reduction::Multiply {
            // Blocks have no tree of products: threads whose product is one have nothing to add.
            let one = if is_float(ty) { Expr::new(ty, mir::ExprKind::Float(1.0)) } else { int(ty, 1) };
            let (then, ()) = self.nested(|it| {
                let product = |_: &mut Self, before| Ok(binary(ty, Operation::Mul, before, own.clone()));
                it.compare_and_swap(total, ty, product).map(drop)
            })?;
            let condition = binary(Ty::Bool, Operation::Ne, own, one);
            self.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
            return Ok(());
        }
        let is_and = sum.operator == Reduction::And;
        let flag = operation(Ty::I32, Operation::Convert, vec![not_zero(own)]);
        let flag = self.temporary(flag);
        let block = self.block_total(if is_and { "min" } else { "max" }, flag);
        let range = sum.range;
        self.by_first_thread(thread, |it| {
            let combine = |it: &mut Self, before: Expr| {
                let (before, block) = (Box::new(not_zero(before)), Box::new(not_zero(block.clone())));
                let kind = match is_and {
                    true => mir::ExprKind::And(before, block),
                    false => mir::ExprKind::Or(before, block),
                };
                it.convert_to(Expr::new(Ty::Bool, kind), ty, range)
            };
            it.compare_and_swap(total, ty, combine).map(drop)
        })
    }

    /// The combined value of the threads of a block.
    fn block_total(&mut self, name: &str, value: Expr) -> Expr {
        let ty = value.ty;
        let total = self.local("total", ty);
        if let Some(operation) = CollectiveOp::from_name("block", name) {
            self.set(total, Expr::new(ty, mir::ExprKind::Collective { operation, args: vec![value] }));
        }
        local_value(total, ty)
    }

    fn by_first_thread(
        &mut self,
        thread: LocalId,
        lower: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let (then, ()): (Vec<Stmt>, ()) = self.nested(lower)?;
        let condition = binary(Ty::Bool, Operation::Eq, local_value(thread, Ty::I32), int(Ty::I32, 0));
        self.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
        Ok(())
    }
}

/// The value that changes nothing; `None` if the operator does not take numbers of the type.
pub(crate) fn identity(operator: Reduction, ty: Ty) -> Option<Expr> {
    let float = |value: f64| Expr::new(ty, mir::ExprKind::Float(value));
    if is_float(ty) {
        return Some(match operator {
            Reduction::Add | Reduction::Or => float(0.0),
            Reduction::Multiply | Reduction::And => float(1.0),
            Reduction::Min => float(f64::INFINITY),
            Reduction::Max => float(f64::NEG_INFINITY),
            Reduction::BitAnd | Reduction::BitOr | Reduction::BitXor => return None,
        });
    }
    let is_wide = matches!(ty, Ty::I64 | Ty::U64);
    let (least, greatest) = match (is_signed(ty), is_wide) {
        (true, false) => (i64::from(i32::MIN), i64::from(i32::MAX)),
        (true, true) => (i64::MIN, i64::MAX),
        (false, false) => (0, i64::from(u32::MAX)),
        // All bits of an unsigned number are one.
        (false, true) => (0, -1),
    };
    Some(int(
        ty,
        match operator {
            Reduction::Add | Reduction::BitOr | Reduction::BitXor | Reduction::Or => 0,
            Reduction::Multiply | Reduction::And => 1,
            Reduction::BitAnd if ty == Ty::U32 => i64::from(u32::MAX),
            Reduction::BitAnd => -1,
            Reduction::Min => greatest,
            Reduction::Max => least,
        },
    ))
}
