//! Rematerialisation of locals (Briggs, Cooper and Torczon, PLDI 1992): values computed from indices and
//! uniform values are recomputed in each region instead of being kept in context arrays.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::constants::constant_value;
use crate::kernel_ir::Rematerialized;
use apg_mir::walk::visit_stmts;
use apg_mir::*;

/// Locals with one assignment of a cheap value that is the same wherever it is computed.
pub(super) fn find_rematerializable(
    kernel: &Kernel,
    uniform: &FxHashSet<LocalId>,
    sets: &FxHashMap<LocalId, usize>,
) -> Vec<Rematerialized> {
    let mut found: Vec<Rematerialized> = Vec::new();
    visit_stmts(&kernel.body, &mut |stmt| {
        if let StmtKind::Set { local, value } = &stmt.kind
            && sets.get(local) == Some(&1)
            && !uniform.contains(local)
            && local.index() >= kernel.captures.len()
            && matches!(value.ty, Ty::I32 | Ty::I64 | Ty::Bool)
            && is_rematerializable(value, kernel, uniform, sets, &found)
        {
            found.push(Rematerialized { local: *local, value: value.clone(), has_offset: false });
        }
    });
    found
}

/// Whether a value is cheap, free of effects, and the same at every use.
pub(super) fn is_rematerializable(
    expr: &Expr,
    kernel: &Kernel,
    uniform: &FxHashSet<LocalId>,
    sets: &FxHashMap<LocalId, usize>,
    derived: &[Rematerialized],
) -> bool {
    let all = |expr: &Expr| is_rematerializable(expr, kernel, uniform, sets, derived);
    let scalar = matches!(
        expr.ty,
        Ty::I32 | Ty::I64 | Ty::Bool | Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 | Ty::U32 | Ty::U64
    );
    match &expr.kind {
        ExprKind::Int(_) => true,
        ExprKind::Local(local) if scalar => {
            let assigned = sets.get(local).copied().unwrap_or(0);
            let captured = local.index() < kernel.captures.len();
            match assigned {
                0 => captured || kernel.thread_locals.contains(local) || kernel.block_locals.contains(local),
                1 => {
                    !captured && uniform.contains(local)
                        || derived.iter().any(|it| it.local == *local && !it.has_offset)
                }
                _ => false,
            }
        }
        // The size of a captured array.
        ExprKind::StructField { value, .. } => match value.kind {
            ExprKind::Local(local) => {
                scalar && local.index() < kernel.captures.len() && !sets.contains_key(&local)
            }
            _ => false,
        },
        ExprKind::Operation { operation, args } => {
            let cheap = matches!(
                operation,
                Operation::Add
                    | Operation::Sub
                    | Operation::Mul
                    | Operation::Neg
                    | Operation::Not
                    | Operation::Convert
                    | Operation::Shl
                    | Operation::Shr
                    | Operation::And
                    | Operation::Or
                    | Operation::Xor
                    | Operation::Eq
                    | Operation::Ne
                    | Operation::Lt
                    | Operation::Le
                    | Operation::Gt
                    | Operation::Ge
                    | Operation::Min
                    | Operation::Max
            );
            scalar && (cheap || is_power_of_two_division(*operation, args)) && args.iter().all(all)
        }
        ExprKind::And(a, b) | ExprKind::Or(a, b) => all(a) && all(b),
        _ => false,
    }
}

/// Division or remainder by a power of two, as for warps and lanes.
fn is_power_of_two_division(operation: Operation, args: &[Expr]) -> bool {
    let divides = matches!(operation, Operation::Div | Operation::Rem);
    divides && args.get(1).and_then(constant_value).is_some_and(|it| it > 0 && it & (it - 1) == 0)
}
