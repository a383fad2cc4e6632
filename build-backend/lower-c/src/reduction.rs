//! Reductions (OpenMP 5.2, section 5.5.5): each thread has a partial result, blocks combine them by a tree
//! (Harris, *Optimizing Parallel Reduction in CUDA*, 2007), and one thread of each block adds to the total.

use apg_c_analysis::hir::{ExprId, VariableId};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, AtomicOperation, CollectiveOp, Expr, LocalId, Operation, Stmt, Ty};

use crate::atomic::{atomic, has_atomics, is_part_of_word};
use crate::body::{Body, Storage, binary, int, local_value, operation};
use crate::conversion::{is_float, is_signed, not_zero};
use crate::initializer::element_of;
use crate::reduction_clause::{Reduction, section_of};
use crate::unsupported::{Lowered, unsupported};

/// An item of a `reduction` clause.
pub(crate) struct Reduced {
    pub variable: VariableId,
    pub operator: Reduction,
    /// The section of the array.
    pub section: Option<ExprId>,
    pub range: TextRange,
}

/// The partial results of a thread: a number, or an array of them.
pub(crate) struct PrivateSum {
    operator: Reduction,
    own: Storage,
    /// The type of the object or array.
    ty: Ty,
    /// The address of the total: of the object, or of the first element that is reduced.
    target: Expr,
    /// The elements of the array that are reduced.
    elements: Option<(Expr, Expr)>,
    range: TextRange,
}

/// The address of what is reduced, the array of the thread, its type, and which elements are reduced.
type PrivateArray = (Expr, Storage, Ty, Option<(Expr, Expr)>);

impl Body<'_, '_> {
    /// Declares the partial results of a thread.
    pub(crate) fn private_sum(&mut self, of: Reduced, outside: Storage) -> Lowered<PrivateSum> {
        let Reduced { variable, operator, range, .. } = of;
        let (outside, own, ty, elements) = match of.section {
            Some(section) => self.private_section(&of, section, outside)?,
            None => {
                let ty = self.unit.ty(&self.unit.hir.variable(variable).ty, range)?;
                let own = self.declare(variable, range)?;
                let all = self.unit.program.types.array(ty).map(|it| it.length);
                let all = all.map(|it| (int(Ty::I64, 0), int(Ty::I64, it as i64)));
                let Storage::Pointed(target) = outside else {
                    return unsupported(range, "this is no object of the device", "map it");
                };
                (local_value(target, self.locals[target.index()].ty), own, ty, all)
            }
        };
        let name = &self.unit.hir.variable(variable).name;
        let element = self.innermost(ty);
        if !has_atomics(element) && !is_part_of_word(element) {
            let message = format!("`{name}` is reduced, and is no number of up to 8 bytes");
            return unsupported(range, message, "write `int`, `long`, `float` or `double`");
        }
        let Some(identity) = identity(operator, element) else {
            let message = format!("`{name}` is a floating-point number, which this operator does not take");
            return unsupported(range, message, "use one of + * min max && ||");
        };
        match own {
            Storage::Memory(id) if elements.is_some() => {
                let place = mir::Place::new(ty, mir::PlaceKind::Variable(id));
                self.fill_all(&place, &identity);
            }
            own => self.initialize(own, identity),
        }
        Ok(PrivateSum { operator, own, ty, target: outside, elements, range })
    }

    /// The partial results for a section: the address of the first element of the total, the array of the
    /// thread, its type, and which of its elements are reduced.
    fn private_section(&mut self, of: &Reduced, section: ExprId, outside: Storage) -> Lowered<PrivateArray> {
        let hir = self.unit.hir;
        let variable = hir.variable(of.variable);
        let known = section_of(hir, section).and_then(|it| Some((it.low, it.count?)));
        let Some((low, count)) = known else {
            let message =
                format!("the section of `{}` has no constant length of one dimension", variable.name);
            return unsupported(of.range, message, "write `name[first:count]` with a constant count");
        };
        let low = match low {
            Some(low) => {
                let value = self.value(low)?;
                let value = self.convert_to(value, Ty::I64, of.range)?;
                self.temporary(value)
            }
            None => int(Ty::I64, 0),
        };
        match outside {
            Storage::Pointed(target) => {
                let ty = self.unit.ty(&variable.ty, of.range)?;
                let own = self.declare(of.variable, of.range)?;
                let row = self.unit.program.types.array(ty).map_or(1, |it| self.elements_of(it.element));
                let end = binary(Ty::I64, Operation::Add, low.clone(), int(Ty::I64, (count / row) as i64));
                Ok((local_value(target, self.locals[target.index()].ty), own, ty, Some((low, end))))
            }
            Storage::Local(pointer) => {
                let pointer = local_value(pointer, self.locals[pointer.index()].ty);
                let element = self.pointed(pointer.clone(), of.range)?.ty;
                let length = count / self.elements_of(element);
                let ty = self.unit.program.types.array_of(element, length);
                let memory = self.memory(&variable.name, ty);
                let all = mir::Place::new(ty, mir::PlaceKind::Variable(memory));
                // What the pointer of the thread points to has the indices of the section.
                let first = self.address_of(element_of(&all, element, int(Ty::I64, 0)));
                let back = operation(Ty::I64, Operation::Neg, vec![low.clone()]);
                let moved = operation(pointer.ty, Operation::Offset, vec![first, back]);
                let own = self.local(&variable.name, pointer.ty);
                self.set(own, moved);
                self.objects.insert(of.variable, Storage::Local(own));
                let target = self.temporary(operation(pointer.ty, Operation::Offset, vec![pointer, low]));
                let whole = (int(Ty::I64, 0), int(Ty::I64, length as i64));
                Ok((target, Storage::Memory(memory), ty, Some(whole)))
            }
            Storage::Memory(_) => {
                unsupported(of.range, "this array belongs to one thread", "leave `reduction` out")
            }
        }
    }

    /// The type of the elements of an array of any dimensions, or the type itself.
    fn innermost(&self, ty: Ty) -> Ty {
        self.unit.program.types.array(ty).map_or(ty, |it| self.innermost(it.element))
    }

    /// The number of elements that are no arrays.
    fn elements_of(&self, ty: Ty) -> u64 {
        self.unit.program.types.array(ty).map_or(1, |it| it.length * self.elements_of(it.element)).max(1)
    }

    /// Stores a value in all elements.
    fn fill_all(&mut self, place: &mir::Place, value: &Expr) {
        match self.unit.program.types.array(place.ty).map(|it| (it.element, it.length)) {
            Some((element, length)) => self.count(0, length as i64, |it, index| {
                it.fill_all(&element_of(place, element, index), value);
            }),
            None => self.store(place.clone(), value.clone()),
        }
    }

    /// Combines the partial results of all threads with the total.
    pub(crate) fn combine(&mut self, sum: &PrivateSum, thread: LocalId) -> Lowered<()> {
        let own = match sum.own {
            Storage::Local(local) => {
                let own = local_value(local, sum.ty);
                return self.combine_number(sum, own, sum.target.clone(), thread);
            }
            Storage::Memory(id) => mir::Place::new(sum.ty, mir::PlaceKind::Variable(id)),
            Storage::Pointed(_) => return Ok(()),
        };
        let Some((first, end)) = sum.elements.clone() else {
            let own = self.temporary(Expr::new(sum.ty, mir::ExprKind::Load(Box::new(own))));
            return self.combine_number(sum, own, sum.target.clone(), thread);
        };
        let Some(element) = self.unit.program.types.array(sum.ty).map(|it| it.element) else { return Ok(()) };
        let mut result = Ok(());
        self.count_between(first, end, |it, index| {
            let own = element_of(&own, element, index.clone());
            let target = it.pointed(sum.target.clone(), sum.range);
            result = target.and_then(|target| {
                let target = match it.unit.program.types.array(target.ty).is_some_and(|_| target.ty == sum.ty)
                {
                    true => element_of(&target, element, index),
                    false => {
                        let kind = sum.target.ty;
                        let moved = operation(kind, Operation::Offset, vec![sum.target.clone(), index]);
                        it.pointed(moved, sum.range)?
                    }
                };
                it.combine_place(sum, &own, &target, thread)
            });
        });
        result
    }

    /// Combines partial results with those at another place, element by element.
    fn combine_place(
        &mut self,
        sum: &PrivateSum,
        own: &mir::Place,
        target: &mir::Place,
        thread: LocalId,
    ) -> Lowered<()> {
        let Some((element, length)) = self.unit.program.types.array(own.ty).map(|it| (it.element, it.length))
        else {
            let value = self.temporary(Expr::new(own.ty, mir::ExprKind::Load(Box::new(own.clone()))));
            let address = self.address_of(target.clone());
            return self.combine_number(sum, value, address, thread);
        };
        let mut result = Ok(());
        self.count(0, length as i64, |it, index| {
            let (own, target) = (element_of(own, element, index.clone()), element_of(target, element, index));
            result = it.combine_place(sum, &own, &target, thread);
        });
        result
    }

    /// Combines the numbers of all threads with the total at an address.
    fn combine_number(&mut self, sum: &PrivateSum, own: Expr, total: Expr, thread: LocalId) -> Lowered<()> {
        let ty = own.ty;
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
        if let Some((name, native)) = of_blocks
            && is_part_of_word(ty)
        {
            let wide = operation(Ty::I32, Operation::Convert, vec![own]);
            let wide = self.temporary(wide);
            let block = self.block_total(name, wide);
            let range = sum.range;
            return self.by_first_thread(thread, |it| {
                let combine = |it: &mut Self, before: Expr| {
                    let before = it.convert_to(before, Ty::I32, range)?;
                    let both = binary(Ty::I32, combined_by(native), before, block.clone());
                    it.convert_to(both, ty, range)
                };
                it.compare_and_swap(total, ty, combine).map(drop)
            });
        }
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
                let wide = if is_part_of_word(ty) { Ty::I32 } else { ty };
                let range = sum.range;
                let product = |it: &mut Self, before| {
                    let (before, own) =
                        (it.convert_to(before, wide, range)?, it.convert_to(own.clone(), wide, range)?);
                    it.convert_to(binary(wide, Operation::Mul, before, own), ty, range)
                };
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

/// The operation on two values that an atomic one does.
fn combined_by(operation: AtomicOperation) -> Operation {
    match operation {
        AtomicOperation::Min => Operation::Min,
        AtomicOperation::Max => Operation::Max,
        AtomicOperation::And => Operation::And,
        AtomicOperation::Or => Operation::Or,
        AtomicOperation::Xor => Operation::Xor,
        _ => Operation::Add,
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
    let (least, greatest) = match ty {
        Ty::Bool => (0, 1),
        Ty::I8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        Ty::U8 => (0, i64::from(u8::MAX)),
        Ty::I16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Ty::U16 => (0, i64::from(u16::MAX)),
        Ty::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Ty::U32 => (0, i64::from(u32::MAX)),
        Ty::I64 => (i64::MIN, i64::MAX),
        // All bits of an unsigned number are one.
        _ => (0, -1),
    };
    Some(int(
        ty,
        match operator {
            Reduction::Add | Reduction::BitOr | Reduction::BitXor | Reduction::Or => 0,
            Reduction::Multiply | Reduction::And => 1,
            Reduction::BitAnd if is_signed(ty) => -1,
            Reduction::BitAnd => greatest,
            Reduction::Min => greatest,
            Reduction::Max => least,
        },
    ))
}
