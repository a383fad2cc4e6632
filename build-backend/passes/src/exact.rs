//! Objects whose class is known exactly, and calls on them.

use super::{bare, is_first, is_host_code, made};
use apg_mir::only::Only;
use apg_mir::*;

/// What is known of a function before it is looked at.
#[derive(Clone, Default)]
pub(super) struct Known {
    /// The classes of its parameters.
    pub params: Vec<Option<ClassId>>,
    /// Of what the closure captures whose code it is.
    pub captures: Vec<Option<ClassId>>,
}

/// What is known in a function.
#[derive(Clone, Copy)]
pub(super) struct Exact<'a> {
    /// The classes of its locals.
    pub locals: &'a [Option<ClassId>],
    /// The classes of the results of all functions.
    pub results: &'a [Option<ClassId>],
    /// The classes of what the closure captures whose code it is.
    pub captures: &'a [Option<ClassId>],
    /// What the classes are instances of.
    pub ancestry: &'a Ancestry,
}

/// What the classes of a program are instances of.
pub(super) struct Ancestry {
    superclasses: Vec<Option<ClassId>>,
    interfaces: Vec<Vec<InterfaceId>>,
    /// Which are boxes of values.
    boxes: Vec<bool>,
}

impl Ancestry {
    /// That of all classes.
    pub fn of(program: &Program) -> Ancestry {
        let interfaces = |class: &Class| class.interfaces.iter().map(|it| it.0).collect();
        Ancestry {
            superclasses: program.classes.iter().map(|it| it.superclass).collect(),
            interfaces: program.classes.iter().map(interfaces).collect(),
            boxes: program.classes.iter().map(|it| matches!(it.kind, ClassKind::Boxed { .. })).collect(),
        }
    }

    /// Adds the classes that are new.
    pub fn follow(&mut self, program: &Program) {
        if program.classes.len() > self.boxes.len() {
            *self = Ancestry::of(program);
        }
    }

    /// Whether a checked cast lets objects of a class through.
    fn satisfies(&self, class: ClassId, target: CastTarget) -> bool {
        match target {
            CastTarget::Interface(interface) => {
                self.interfaces.get(class.index()).is_some_and(|it| it.contains(&interface))
            }
            // The first class is the root of all.
            CastTarget::Class(target) => {
                target.index() == 0
                    || std::iter::successors(Some(class), |it| {
                        self.superclasses.get(it.index()).copied().flatten()
                    })
                    .any(|it| it == target)
            }
        }
    }
}

impl Exact<'_> {
    /// The class of a value, if it is not null.
    pub fn of(self, expr: &Expr) -> Option<ClassId> {
        match &expr.kind {
            ExprKind::NonNull(value) | ExprKind::Cast { value, checked: false, .. } => self.of(value),
            // What a cast lets through is of its class: where one of another class is cast, after an `instanceof` say, nothing is.
            ExprKind::Cast { value, target, .. } => {
                self.of(value).filter(|it| self.ancestry.satisfies(*it, *target))
            }
            ExprKind::Local(local) => self.locals.get(local.index()).copied().flatten(),
            ExprKind::Call { function, .. } => self.results.get(function.index()).copied().flatten(),
            ExprKind::Field { object, field, .. } if is_first(object) => {
                self.captures.get(*field as usize).copied().flatten()
            }
            ExprKind::Select { then, otherwise, .. } => {
                self.of(then).filter(|it| self.of(otherwise) == Some(*it))
            }
            _ => made(expr),
        }
    }

    /// Whether this is a cast that always succeeds. One out of a box lets no null through, which is no object of the class either.
    fn passes(self, expr: &Expr) -> bool {
        let ExprKind::Cast { value, target, checked: true } = &expr.kind else { return false };
        self.of(value).is_some_and(|it| {
            !self.ancestry.boxes.get(it.index()).is_none_or(|it| *it) && self.ancestry.satisfies(it, *target)
        })
    }
}

/// The classes of what functions result in.
pub(super) fn results(program: &Program, ancestry: &Ancestry, known: &[Known]) -> Vec<Option<ClassId>> {
    let mut results = vec![None; program.functions.len()];
    // A function that results in what another one makes: a few rounds follow such chains.
    for _ in 0..4 {
        let before = results.clone();
        for (index, function) in program.functions.iter().enumerate() {
            if results[index].is_none()
                && is_host_code(function)
                && matches!(function.result, Ty::Ref(_) | Ty::Any)
            {
                results[index] = result(function, ancestry, &known[index], &before);
            }
        }
        if results == before {
            break;
        }
    }
    results
}

fn result(
    function: &Function,
    ancestry: &Ancestry,
    known: &Known,
    results: &[Option<ClassId>],
) -> Option<ClassId> {
    let locals = locals(function, ancestry, &function.body, known, results);
    let exact = Exact { locals: &locals, results, captures: &known.captures, ancestry };
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
    ancestry: &Ancestry,
    body: &[Stmt],
    known: &Known,
    results: &[Option<ClassId>],
) -> Vec<Option<ClassId>> {
    let params = function.params as usize;
    let mut classes = vec![None; function.locals.len()];
    for (class, known) in classes.iter_mut().zip(&known.params) {
        *class = *known;
    }
    // A local may be set to another one.
    for _ in 0..3 {
        let mut found = vec![Agreed::default(); classes.len()];
        let exact = Exact { locals: &classes, results, captures: &known.captures, ancestry };
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

/// Makes calls through tables calls of functions where only one can be meant, and drops checks that cannot fail.
pub(super) fn resolve(program: &Program, only: &Only, body: &mut [Stmt], exact: Exact<'_>) {
    walk_mut::edit_exprs(body, &mut |expr| {
        if exact.passes(expr)
            && let ExprKind::Cast { checked, .. } = &mut expr.kind
        {
            *checked = false;
        }
        let Some(function) = target(program, only, &expr.kind, exact) else { return };
        let (ExprKind::CallVirtual { args, .. }
        | ExprKind::CallInterface { args, .. }
        | ExprKind::CallClosure { args, .. }) = &mut expr.kind
        else {
            return;
        };
        let mut args = std::mem::take(args);
        debug_assert!(
            fits(&program.functions[function.index()], &args, expr.ty),
            "a call of another function"
        );
        if let Some(receiver) = args.first_mut()
            && !matches!(receiver.kind, ExprKind::NonNull(_))
            && made(receiver).is_none()
        {
            let ty = receiver.ty;
            let inner = std::mem::replace(receiver, Expr { ty, kind: ExprKind::Null, position: None });
            *receiver = Expr { ty, kind: ExprKind::NonNull(Box::new(inner)), position: None };
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
            of_interface(class, *interface, 0)
        }
        _ => None,
    };
    found.filter(|it| is_host_code(&program.functions[it.index()]))
}

/// Whether a function takes these arguments and has this result, references being alike.
fn fits(function: &Function, args: &[Expr], result: Ty) -> bool {
    let same = |a: Ty, b: Ty| a == b || matches!((a, b), (Ty::Ref(_) | Ty::Any, Ty::Ref(_) | Ty::Any));
    let params = &function.locals[..function.params as usize];
    params.len() == args.len()
        && params.iter().zip(args).all(|(param, arg)| same(param.ty, arg.ty))
        && same(function.result, result)
}
