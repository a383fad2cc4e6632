//! Calls of slots (`x10.util.Slot`): in a kernel a collective operation of the block, elsewhere a call of the
//! runtime, for which the activity waits.

use apg_syntax::TextRange;

use crate::builder::function::Builder;
use crate::builder::operands::{expr, int};
use apg_mir::{self as mir, CollectiveOp, ExprKind};

/// Operands of the runtime's entry for each buffer: a rail, an index and a number of elements.
const BUFFER_OPERANDS: usize = 3;
/// Buffers of the runtime's entry.
const BUFFERS: usize = 2;

impl Builder<'_, '_> {
    /// A call of a slot with its numbers and buffers.
    pub(crate) fn expand_slot_call(
        &mut self,
        name: &str,
        args: Vec<mir::Expr>,
        machine: mir::Ty,
        range: TextRange,
    ) -> mir::Expr {
        let operation = CollectiveOp::from_name("slot", name);
        let Some((operation, call)) = operation.and_then(|it| Some((it, it.slot_call()?))) else {
            return self.unknown(&format!("slot.{name}"), machine, range);
        };
        let save = |it: &mut Self, arg: mir::Expr| {
            let is_simple = matches!(arg.kind, ExprKind::Local(_)) || it.is_constant(&arg);
            if is_simple { arg } else { it.save(arg) }
        };
        if self.is_device_code() {
            let args = args.into_iter().map(|it| save(self, it)).collect();
            let value = expr(machine, ExprKind::Collective { operation, args });
            return self.save(value);
        }
        let mut operands = vec![int(mir::Ty::I32, call as i64)];
        for arg in args {
            let arg = if matches!(arg.ty, mir::Ty::Struct(_)) { self.global_rail_object(arg) } else { arg };
            operands.push(save(self, arg));
        }
        // A call with one buffer sends from it or receives into it: the entry knows which.
        let numbers = 1 + CollectiveOp::SLOT_NUMBERS;
        match (operands.len() - numbers) / BUFFER_OPERANDS {
            0 => {
                for _ in 0..BUFFERS {
                    operands.push(expr(mir::Ty::Any, ExprKind::Null));
                    operands.extend([int(mir::Ty::I64, 0), int(mir::Ty::I64, 0)]);
                }
            }
            1 => operands.extend_from_within(numbers..),
            _ => {}
        }
        let value = self.runtime("slot_call", operands, machine);
        self.save(value)
    }

    /// The rail of this place that a `GlobalRail` names.
    fn global_rail_object(&mut self, rail: mir::Expr) -> mir::Expr {
        let rail = if matches!(rail.kind, ExprKind::Local(_)) { rail } else { self.save(rail) };
        let field = |it: u32, ty: mir::Ty| {
            expr(ty, ExprKind::StructField { value: Box::new(rail.clone()), field: it })
        };
        let mir::Ty::Struct(id) = rail.ty else { return rail };
        let fields = self.lowerer.program.structs[id.index()].fields.clone();
        let number = |name: &str| fields.iter().position(|it| it.name == name);
        let (Some(place), Some(handle)) = (number("place"), number("handle")) else { return rail };
        let home = match fields[place].ty {
            mir::Ty::Struct(_) => {
                let value = Box::new(field(place as u32, fields[place].ty));
                expr(mir::Ty::I64, ExprKind::StructField { value, field: 0 })
            }
            ty => field(place as u32, ty),
        };
        let handle = field(handle as u32, fields[handle].ty);
        self.runtime("slot_rail", vec![home, handle], mir::Ty::Any)
    }
}
