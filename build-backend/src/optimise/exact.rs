//! Objects whose class is known exactly, and calls on them.

use super::{bare, is_host_code, made};
use crate::mir::only::Only;
use crate::mir::*;

/// What is known in a function.
#[derive(Clone, Copy)]
pub(super) struct Exact<'a> {
    /// The classes of its locals.
    pub locals: &'a [Option<ClassId>],
    /// The classes of the results of all functions.
    pub results: &'a [Option<ClassId>],
}

impl Exact<'_> {
    /// The class of a value, if it is not null.
    pub fn of(self, expr: &Expr) -> Option<ClassId> {
        let expr = bare(expr);
        match &expr.kind {
            ExprKind::Local(local) => self.locals.get(local.index()).copied().flatten(),
            ExprKind::Call { function, .. } => self.results.get(function.index()).copied().flatten(),
            ExprKind::Select { then, otherwise, .. } => {
                self.of(then).filter(|it| self.of(otherwise) == Some(*it))
            }
            _ => made(expr),
        }
    }
}

/// The classes of what functions result in.
pub(super) fn results(program: &Program, known: &[Vec<Option<ClassId>>]) -> Vec<Option<ClassId>> {
    let mut results = vec![None; program.functions.len()];
    // A function that results in what another one makes: a few rounds follow such chains.
    for _ in 0..4 {
        let before = results.clone();
        for (index, function) in program.functions.iter().enumerate() {
            if results[index].is_none()
                && is_host_code(function)
                && matches!(function.result, Ty::Ref(_) | Ty::Any)
            {
                results[index] = result(function, &known[index], &before);
            }
        }
        if results == before {
            break;
        }
    }
    results
}

fn result(function: &Function, known: &[Option<ClassId>], results: &[Option<ClassId>]) -> Option<ClassId> {
    let locals = locals(function, &function.body, known, results);
    let exact = Exact { locals: &locals, results };
    let mut all = Agreed::default();
    walk::visit_stmts(&function.body, &mut |stmt| {
        if let StmtKind::Return(Some(value)) = &stmt.kind {
            all.add(value, exact);
        }
    });
    all.class()
}

/// The classes of a function's locals: those that all their values have.
pub(super) fn locals(
    function: &Function,
    body: &[Stmt],
    known: &[Option<ClassId>],
    results: &[Option<ClassId>],
) -> Vec<Option<ClassId>> {
    let params = function.params as usize;
    let mut classes = vec![None; function.locals.len()];
    for (class, known) in classes.iter_mut().zip(known) {
        *class = *known;
    }
    // A local may be set to another one.
    for _ in 0..3 {
        let mut found = vec![Agreed::default(); classes.len()];
        let exact = Exact { locals: &classes, results };
        walk::visit_stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::Set { local, value } => found[local.index()].add(value, exact),
            StmtKind::Try { catches, .. } => {
                catches.iter().for_each(|it| found[it.local.index()] = Agreed::Differ);
            }
            _ => {}
        });
        let before = classes.clone();
        for (index, found) in found.into_iter().enumerate() {
            match found {
                // A parameter that is set: what the caller gives is another value.
                _ if index < params => {
                    if !matches!(found, Agreed::Nothing) {
                        classes[index] = None;
                    }
                }
                found => classes[index] = found.class(),
            }
        }
        if classes == before {
            break;
        }
    }
    classes
}

/// What several values have in common.
#[derive(Clone, Copy, Default)]
enum Agreed {
    #[default]
    Nothing,
    On(ClassId),
    Differ,
}

impl Agreed {
    fn add(&mut self, value: &Expr, exact: Exact<'_>) {
        if matches!(bare(value).kind, ExprKind::Null) {
            return;
        }
        *self = match (*self, exact.of(value)) {
            (Agreed::Nothing, Some(class)) => Agreed::On(class),
            (Agreed::On(known), Some(class)) if known == class => Agreed::On(class),
            _ => Agreed::Differ,
        };
    }

    fn class(self) -> Option<ClassId> {
        match self {
            Agreed::On(class) => Some(class),
            _ => None,
        }
    }
}

/// Makes calls through tables calls of functions where only one can be meant.
pub(super) fn resolve(program: &Program, only: &Only, body: &mut [Stmt], exact: Exact<'_>) {
    walk_mut::edit_exprs(body, &mut |expr| {
        let Some(function) = target(program, only, &expr.kind, exact) else { return };
        let (ExprKind::CallVirtual { args, .. }
        | ExprKind::CallInterface { args, .. }
        | ExprKind::CallClosure { args, .. }) = &mut expr.kind
        else {
            return;
        };
        let mut args = std::mem::take(args);
        if let Some(receiver) = args.first_mut()
            && !matches!(receiver.kind, ExprKind::NonNull(_))
            && made(receiver).is_none()
        {
            let ty = receiver.ty;
            let inner = std::mem::replace(receiver, Expr { ty, kind: ExprKind::Null });
            *receiver = Expr { ty, kind: ExprKind::NonNull(Box::new(inner)) };
        }
        expr.kind = ExprKind::Call { function, args };
    });
}

/// The function that a call through a table means, if there is but one.
fn target(program: &Program, only: &Only, call: &ExprKind, exact: Exact<'_>) -> Option<FunctionId> {
    let of_interface = |class: ClassId, interface: InterfaceId, slot: u32| {
        let tables = &program.classes[class.index()].interfaces;
        let (_, table) = tables.iter().find(|it| it.0 == interface)?;
        *table.get(slot as usize)?
    };
    let found = match call {
        ExprKind::CallVirtual { class, slot, args } => {
            let receiver = args.first()?;
            match exact.of(receiver) {
                Some(class) => *program.classes[class.index()].vtable.get(*slot as usize)?,
                None => only.in_class(*class, *slot, receiver),
            }
        }
        ExprKind::CallInterface { interface, slot, args } => {
            let receiver = args.first()?;
            match exact.of(receiver) {
                Some(class) => of_interface(class, *interface, *slot),
                None => only.in_interface(*interface, *slot, receiver),
            }
        }
        ExprKind::CallClosure { interface, args } => {
            let class = exact.of(args.first()?)?;
            match program.classes[class.index()].kind {
                ClassKind::Closure => {
                    *program.classes[class.index()].vtable.get(slot::CLOSURE_APPLY as usize)?
                }
                _ => of_interface(class, *interface, 0),
            }
        }
        _ => None,
    };
    found.filter(|it| is_host_code(&program.functions[it.index()]))
}
