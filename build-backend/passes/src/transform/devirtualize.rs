//! Devirtualisation: indirect calls with one possible target become direct calls, and casts that always
//! succeed become unchecked.
//!
//! Targets come from exact types (Chambers and Ungar, 1989) and from class hierarchy analysis.

use apg_mir::*;

use crate::analysis::class_hierarchy::ClassHierarchy;
use crate::analysis::exact_types::ExactTypes;
use crate::values::{allocated_class, is_host_code};

/// Rewrites the indirect calls and redundant casts of a body.
pub(crate) fn devirtualize_calls(
    program: &Program,
    hierarchy: &ClassHierarchy,
    body: &mut [Stmt],
    exact: ExactTypes<'_>,
) {
    walk_mut::edit_exprs(body, &mut |expr| {
        if exact.is_redundant_cast(expr)
            && let ExprKind::Cast { checked, .. } = &mut expr.kind
        {
            *checked = false;
        }
        let Some(function) = unique_target(program, hierarchy, &expr.kind, exact) else { return };
        let (ExprKind::CallVirtual { args, .. }
        | ExprKind::CallInterface { args, .. }
        | ExprKind::CallClosure { args, .. }) = &mut expr.kind
        else {
            return;
        };
        let mut args = std::mem::take(args);
        debug_assert!(
            has_signature(&program.functions[function.index()], &args, expr.ty),
            "a call of another function"
        );
        if let Some(receiver) = args.first_mut()
            && !matches!(receiver.kind, ExprKind::NonNull(_))
            && allocated_class(receiver).is_none()
        {
            let ty = receiver.ty;
            let inner = std::mem::replace(receiver, Expr::new(ty, ExprKind::Null));
            *receiver = Expr::new(ty, ExprKind::NonNull(Box::new(inner)));
        }
        expr.kind = ExprKind::Call { function, args };
    });
}

/// The only target of an indirect call.
fn unique_target(
    program: &Program,
    hierarchy: &ClassHierarchy,
    call: &ExprKind,
    exact: ExactTypes<'_>,
) -> Option<FunctionId> {
    let of_interface = |class: ClassId, interface: InterfaceId, slot: u32| {
        let tables = &program.classes[class.index()].interfaces;
        let (_, table) = tables.iter().find(|it| it.0 == interface)?;
        *table.get(slot as usize)?
    };
    let found = match call {
        ExprKind::CallVirtual { class, slot, args } => {
            let receiver = args.first()?;
            match exact.class_of(receiver) {
                Some(class) => *program.classes[class.index()].vtable.get(*slot as usize)?,
                None => hierarchy.unique_in_class(*class, *slot, receiver),
            }
        }
        ExprKind::CallInterface { interface, slot, args } => {
            let receiver = args.first()?;
            match exact.class_of(receiver) {
                Some(class) => of_interface(class, *interface, *slot),
                None => hierarchy.unique_in_interface(*interface, *slot, receiver),
            }
        }
        ExprKind::CallClosure { interface, args } => {
            let class = exact.class_of(args.first()?)?;
            of_interface(class, *interface, 0)
        }
        _ => None,
    };
    found.filter(|it| is_host_code(&program.functions[it.index()]))
}

/// Whether a function has these parameters and this result; all references are alike.
fn has_signature(function: &Function, args: &[Expr], result: Ty) -> bool {
    let same = |a: Ty, b: Ty| a == b || matches!((a, b), (Ty::Ref(_) | Ty::Any, Ty::Ref(_) | Ty::Any));
    let params = &function.locals[..function.params as usize];
    params.len() == args.len()
        && params.iter().zip(args).all(|(param, arg)| same(param.ty, arg.ty))
        && same(function.result, result)
}
