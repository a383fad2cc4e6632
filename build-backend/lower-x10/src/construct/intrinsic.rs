//! Intrinsics: members of the class library that the compiler expands (`@Intrinsic("...")`).

use apg_analysis::program::ty::Ty;
use apg_syntax::TextRange;

use crate::LowerError;
use crate::builder::function::Builder;
use crate::builder::operands;
use crate::builder::operands::{expr, int, zero};
use crate::mono::types::is_reference;
use apg_mir::{self as mir, ExprKind, Operation};

impl Builder<'_, '_> {
    /// The intrinsic `name` with its operands, the receiver first.
    pub(crate) fn expand(
        &mut self,
        name: &str,
        args: Vec<mir::Expr>,
        result: Ty,
        range: TextRange,
    ) -> mir::Expr {
        let machine = self.lowerer.machine(result);
        match name.split_once('.') {
            Some(("op", operation)) => match Operation::from_name(operation) {
                Some(operation) => self.expand_operation(operation, args, machine),
                None => self.unknown(name, machine, range),
            },
            Some(("rt", entry)) => self.runtime(entry, args, machine),
            Some(("rail", member)) => self.expand_rail(member, args, result, range),
            Some(("atomic", operation)) => self.expand_atomic(operation, args, machine, range),
            Some((scope @ ("warp" | "block"), operation)) => {
                self.expand_collective(scope, operation, args, machine, range)
            }
            Some(("slot", call)) => self.expand_slot_call(call, args, machine, range),
            Some(("thread", number)) => self.expand_thread_index(number, machine, range),
            Some(("texture", "at")) => self.expand_texture(args, machine),
            Some(("any", "zero")) => zero(machine),
            Some(("any", member)) => self.expand_any(member, args, machine, range),
            Some(("kernel", "barrier")) if self.is_device_code() => {
                self.push(mir::StmtKind::Barrier);
                zero(mir::Ty::Void)
            }
            Some(("kernel", "barrier")) => self.runtime("clock_advance_all", args, machine),
            _ => self.unknown(name, machine, range),
        }
    }

    pub(crate) fn unknown(&mut self, name: &str, machine: mir::Ty, range: TextRange) -> mir::Expr {
        let error =
            LowerError::new("build/unknown-intrinsic", format!("the compiler knows no intrinsic {name:?}"));
        self.error(error.note("only the class library of this version of apg may use @Intrinsic"), range);
        zero(machine)
    }

    fn expand_operation(
        &mut self,
        operation: Operation,
        mut args: Vec<mir::Expr>,
        machine: mir::Ty,
    ) -> mir::Expr {
        if operation == Operation::Convert && args.len() == 1 && args[0].ty == machine {
            return args.remove(0);
        }
        if matches!(operation, Operation::Shl | Operation::Shr | Operation::UShr)
            && let [left, count] = args.as_mut_slice()
            && count.ty != left.ty
        {
            let value = std::mem::replace(count, operands::bool(false));
            *count = operands::operation(Operation::Convert, left.ty, vec![value]);
        }
        let mut value = operands::operation(operation, machine, args);
        if self.fast
            && self.is_device_code()
            && let ExprKind::Operation { operation, args } = &mut value.kind
            && args.iter().all(|it| it.ty == mir::Ty::F32)
        {
            *operation = operation.fast();
        }
        value
    }

    /// A call of a runtime entry. Entries take and return references to any object.
    pub(crate) fn runtime(&mut self, entry: &str, args: Vec<mir::Expr>, machine: mir::Ty) -> mir::Expr {
        let args = args.into_iter().map(|it| self.as_any(it)).collect();
        let raw = if is_reference(machine) { mir::Ty::Any } else { machine };
        let value = expr(raw, ExprKind::Runtime { entry: entry.into(), args });
        if is_reference(machine) { self.retype(value, machine) } else { value }
    }

    fn expand_rail(&mut self, member: &str, args: Vec<mir::Expr>, result: Ty, range: TextRange) -> mir::Expr {
        let machine = self.lowerer.machine(result);
        let mut args = args.into_iter();
        match (member, args.next(), args.next(), args.next()) {
            ("allocate" | "allocate_unwritten", Some(length), None, None) => {
                let class = self.lowerer.class_of(result);
                self.lowerer.instantiate(class);
                expr(
                    machine,
                    ExprKind::AllocateRail { class, length: Box::new(length), zeroed: member == "allocate" },
                )
            }
            ("size", Some(rail), None, None) => {
                expr(machine, ExprKind::Length { rail: Box::new(rail), checked: true })
            }
            ("get" | "get_unchecked", Some(rail), Some(index), None) => {
                let checked = member == "get";
                expr(machine, ExprKind::Element { rail: Box::new(rail), index: Box::new(index), checked })
            }
            ("set" | "set_unchecked", Some(rail), Some(index), Some(value)) => {
                self.store_element(rail, index, value, member == "set", machine)
            }
            ("clear_unchecked", Some(rail), Some(index), None) => {
                if let mir::Ty::Ref(class) = rail.ty
                    && let mir::ClassKind::Rail { element } = self.lowerer.program.classes[class.index()].kind
                    && matches!(element, mir::Ty::Struct(_) | mir::Ty::Ref(_) | mir::Ty::Any)
                {
                    let value = zero(element);
                    self.push(mir::StmtKind::SetElement { rail, element, index, value, checked: false });
                }
                zero(mir::Ty::Void)
            }
            _ => self.unknown(&format!("rail.{member}"), machine, range),
        }
    }

    /// `rail(index) = value`, and the value.
    pub(crate) fn store_element(
        &mut self,
        rail: mir::Expr,
        index: mir::Expr,
        value: mir::Expr,
        checked: bool,
        machine: mir::Ty,
    ) -> mir::Expr {
        let (rail, index) = if self.is_constant(&value) {
            (rail, index)
        } else {
            // The value is used twice: saves it and the operands before it.
            (self.save(rail), self.save(index))
        };
        let value = self.save(value);
        let element = value.ty;
        self.push(mir::StmtKind::SetElement { rail, element, index, value: value.clone(), checked });
        if machine == mir::Ty::Void { zero(machine) } else { value }
    }

    /// An atomic operation on an element of a rail, the first argument.
    fn expand_atomic(
        &mut self,
        name: &str,
        args: Vec<mir::Expr>,
        machine: mir::Ty,
        range: TextRange,
    ) -> mir::Expr {
        let found = mir::AtomicOperation::ALL.iter().find(|it| it.1 == name);
        let (Some((operation, _)), true) = (found, args.len() > 2) else {
            return self.unknown(&format!("atomic.{name}"), machine, range);
        };
        // Saved, so that they are evaluated once and in order.
        let mut args = args.into_iter().map(|it| if self.is_constant(&it) { it } else { self.save(it) });
        let (Some(rail), Some(index)) = (args.next(), args.next()) else { return zero(machine) };
        let values = args.collect();
        let kind =
            ExprKind::Atomic { operation: *operation, rail: Box::new(rail), index: Box::new(index), values };
        let value = expr(machine, kind);
        self.save(value)
    }

    /// A texture read; the texture is the first argument. The launch has checked the place of a kernel's
    /// textures.
    fn expand_texture(&mut self, args: Vec<mir::Expr>, machine: mir::Ty) -> mir::Expr {
        if self.is_device_code() {
            return operands::operation(Operation::Texture, machine, args);
        }
        let args: Vec<_> =
            args.into_iter().map(|it| if self.is_constant(&it) { it } else { self.save(it) }).collect();
        if let Some(texture) = args.first() {
            let check = self.texture_check(texture.clone());
            self.push(mir::StmtKind::Expr(check));
        }
        let value = operands::operation(Operation::Texture, machine, args);
        // The contents of textures can change.
        self.save(value)
    }

    fn texture_check(&mut self, texture: mir::Expr) -> mir::Expr {
        let mir::Ty::Struct(id) = texture.ty else { return zero(mir::Ty::Void) };
        let fields = self.lowerer.program.structs[id.index()].fields.clone();
        let member = |name: &str| {
            let number = fields.iter().position(|it| it.name == name)?;
            let value = Box::new(texture.clone());
            Some(expr(fields[number].ty, ExprKind::StructField { value, field: number as u32 }))
        };
        let (Some(home), Some(object)) = (member("homeId"), member("object")) else {
            return zero(mir::Ty::Void);
        };
        self.runtime("texture_check", vec![home, object], mir::Ty::Void)
    }

    fn expand_any(
        &mut self,
        member: &str,
        args: Vec<mir::Expr>,
        machine: mir::Ty,
        range: TextRange,
    ) -> mir::Expr {
        match (member, args.len()) {
            ("identity_equals", 2) => {
                let args = args.into_iter().map(|it| self.as_any(it)).collect();
                operands::operation(Operation::Eq, machine, args)
            }
            ("identity_hash", 1) => self.runtime("identity_hash", args, machine),
            _ => self.unknown(&format!("any.{member}"), machine, range),
        }
    }
}

/// Folds integer constants, which keeps ranges and extents of kernels readable.
pub(crate) fn fold(operation: Operation, args: &[mir::Expr], machine: mir::Ty) -> Option<mir::Expr> {
    let value = |it: &mir::Expr| match it.kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    };
    if let (Operation::Add, [sum, one]) = (operation, args)
        && let ExprKind::Operation { operation: Operation::Sub, args: inner } = &sum.kind
        && let [left, right] = inner.as_slice()
        && sum.ty == machine
        && value(right)? == value(one)?
    {
        return Some(left.clone());
    }
    let result = match (operation, args) {
        (Operation::Add, [a, b]) => value(a)?.wrapping_add(value(b)?),
        (Operation::Sub, [a, b]) => value(a)?.wrapping_sub(value(b)?),
        (Operation::Mul, [a, b]) => value(a)?.wrapping_mul(value(b)?),
        (Operation::Neg, [a]) => value(a)?.wrapping_neg(),
        (Operation::Convert, [a]) if !matches!(a.ty, mir::Ty::Bool) => value(a)?,
        _ => return None,
    };
    Some(int(machine, truncate(machine, result)?))
}

/// The value as the bits of a machine type, sign- or zero-extended.
fn truncate(machine: mir::Ty, value: i64) -> Option<i64> {
    Some(match machine {
        mir::Ty::I8 => i64::from(value as i8),
        mir::Ty::I16 => i64::from(value as i16),
        mir::Ty::I32 => i64::from(value as i32),
        mir::Ty::U8 => i64::from(value as u8),
        mir::Ty::U16 => i64::from(value as u16),
        mir::Ty::U32 => i64::from(value as u32),
        mir::Ty::I64 | mir::Ty::U64 => value,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_wrap_to_their_width() {
        let folded =
            |operation, ty, a, b| match fold(operation, &[int(ty, a), int(ty, b)], ty).map(|it| it.kind) {
                Some(ExprKind::Int(value)) => Some(value),
                _ => None,
            };
        assert_eq!(folded(Operation::Add, mir::Ty::I32, i64::from(i32::MAX), 1), Some(i64::from(i32::MIN)));
        assert_eq!(folded(Operation::Mul, mir::Ty::U8, 200, 2), Some(144));
        assert_eq!(folded(Operation::Div, mir::Ty::I32, 1, 0), None);
    }
}
