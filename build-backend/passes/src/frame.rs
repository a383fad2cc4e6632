//! Objects that nothing refers to when their function ends, in its frame: also what the activities of a finish share, and their closures.

use super::escape::{Escapes, Uses, escapes};
use super::inline::{Straight, has_checks};
use super::{bare, bare_mut, front, is_host_code};
use apg_mir::*;

/// No larger objects, and not more in one function, in bytes: activities have small stacks.
const MOST: u64 = 256;
const ALL: u64 = 2048;
/// How many functions deep an object may be made.
const DEPTH: usize = 8;

/// Moves objects of all functions from the heap to frames.
pub(super) fn place(program: &mut Program) {
    let escapes = escapes(program);
    // A function with objects in its frame is not put into others: they are made from what it was.
    let before = program.clone();
    for index in 0..program.functions.len() {
        if !is_host_code(&program.functions[index]) {
            continue;
        }
        let mut function = program.functions[index].clone();
        front::bring(&before, &mut function, &escapes);
        expand_makers(&before, &mut function, &escapes);
        let mut places = Places { program, frame: Vec::new(), bytes: 0 };
        places.of_locals(&mut function, &escapes);
        places.of_arguments(&mut function, &escapes);
        places.of_activities(&mut function.body, false);
        function.stack_objects = places.frame;
        program.functions[index] = function;
    }
}

/// Puts the functions that make what a local holds in place of their calls, where that local does not escape.
fn expand_makers(program: &Program, function: &mut Function, escapes: &Escapes) {
    let mut locals = std::mem::take(&mut function.locals);
    let mut body = std::mem::take(&mut function.body);
    for _ in 0..DEPTH {
        function.locals = locals;
        let uses = Uses::of(function, &body, escapes);
        locals = std::mem::take(&mut function.locals);
        let params = function.params;
        let keeps = |local: LocalId| {
            let index = local.index();
            local.0 >= params && uses.sets[index] == 1 && !uses.escaped[index] && !uses.aliased[index]
        };
        let mut changed = false;
        let count = uses.sets.len();
        walk_mut::edit_bodies(&mut body, &mut |stmts| {
            let mut index = 0;
            while index < stmts.len() {
                let stmt = &stmts[index];
                if let StmtKind::Set { local, value } = &stmt.kind
                    && local.index() < count
                    && matches!(value.ty, Ty::Ref(_) | Ty::Any)
                    && keeps(*local)
                    && let ExprKind::Call { function, args } = &bare(value).kind
                    && let Some(straight) = maker(program, *function)
                {
                    let mut expanded = straight.expand(*local, args, stmt.position, &mut locals);
                    if has_checks(value) {
                        let mut checks = value.clone();
                        bare_mut(&mut checks).kind = ExprKind::Local(*local);
                        expanded.push(Stmt { position: stmt.position, kind: StmtKind::Expr(checks) });
                    }
                    let length = expanded.len();
                    stmts.splice(index..=index, expanded);
                    index += length;
                    changed = true;
                } else {
                    index += 1;
                }
            }
        });
        if !changed {
            break;
        }
    }
    function.locals = locals;
    function.body = body;
}

/// A function that does no more than make an object.
pub(super) fn maker(program: &Program, function: FunctionId) -> Option<Straight<'_>> {
    let function = &program.functions[function.index()];
    let straight = Straight::of(function).filter(|_| is_host_code(function))?;
    let mut makes = false;
    walk::visit_exprs(&function.body, &mut |expr, _| {
        makes |= match &expr.kind {
            ExprKind::Allocate(class) | ExprKind::MakeObject { class, .. } => fits(program, *class),
            ExprKind::Call { function: inner, .. } => {
                let inner = &program.functions[inner.index()];
                matches!(inner.result, Ty::Ref(_) | Ty::Any) && Straight::of(inner).is_some()
            }
            _ => false,
        };
    });
    makes.then_some(straight)
}

/// What a function's frame holds so far.
struct Places<'p> {
    program: &'p Program,
    frame: Vec<ClassId>,
    bytes: u64,
}

impl Places<'_> {
    /// Objects that a local holds, and nothing else.
    fn of_locals(&mut self, function: &mut Function, escapes: &Escapes) {
        let mut body = std::mem::take(&mut function.body);
        let uses = Uses::of(function, &body, escapes);
        walk_mut::edit_stmts(&mut body, &mut |stmt| {
            if let StmtKind::Set { local, value } = &mut stmt.kind
                && local.0 >= function.params
                && uses.sets[local.index()] == 1
                && !uses.escaped[local.index()]
                && !uses.aliased[local.index()]
            {
                self.take(value);
            }
        });
        function.body = body;
    }

    /// Objects that are arguments of functions that do not keep them.
    fn of_arguments(&mut self, function: &mut Function, escapes: &Escapes) {
        walk_mut::edit_exprs(&mut function.body, &mut |expr| {
            let Some(escapes) = escapes.of_call(expr) else { return };
            let (ExprKind::Call { args, .. }
            | ExprKind::CallVirtual { args, .. }
            | ExprKind::CallInterface { args, .. }
            | ExprKind::CallClosure { args, .. }) = &mut expr.kind
            else {
                return;
            };
            for (arg, escapes) in args.iter_mut().zip(escapes) {
                if !escapes {
                    self.take(arg);
                }
            }
        });
    }

    /// Closures of activities that have ended before the statements go on: those of a finish that starts them once (`held`).
    fn of_activities(&mut self, body: &mut [Stmt], held: bool) {
        for stmt in body {
            let held = match &mut stmt.kind {
                StmtKind::Async { closure, clocks: Clocks::None } if held => {
                    self.take(closure);
                    continue;
                }
                StmtKind::Finish { .. } => true,
                StmtKind::Loop { .. } => false,
                _ => held,
            };
            walk_mut::bodies(&mut stmt.kind).into_iter().for_each(|it| self.of_activities(it, held));
        }
    }

    /// Gives a new object a place in the frame, if there is room.
    fn take(&mut self, value: &mut Expr) {
        let (class, fields) = match &mut value.kind {
            ExprKind::NonNull(value) | ExprKind::Cast { value, checked: false, .. } => {
                return self.take(value);
            }
            ExprKind::Allocate(class) => (*class, Vec::new()),
            ExprKind::MakeObject { class, fields } => (*class, fields.clone()),
            _ => return,
        };
        let size = size(self.program, class);
        if !fits(self.program, class) || self.bytes + size > ALL {
            return;
        }
        self.bytes += size;
        value.kind = ExprKind::StackAllocate { slot: self.frame.len() as u32, class, fields };
        self.frame.push(class);
    }
}

/// Whether objects of a class may lie in a frame. Exceptions stay where they were made, as their traces tell.
fn fits(program: &Program, class: ClassId) -> bool {
    let counted = matches!(program.classes[class.index()].kind, ClassKind::Rail { .. } | ClassKind::String);
    let chain = std::iter::successors(Some(class), |it| program.classes[it.index()].superclass);
    let thrown = chain.into_iter().any(|it| program.classes[it.index()].name == "x10.lang.CheckedThrowable");
    !counted && !thrown && size(program, class) <= MOST
}

/// About how many bytes an object has.
fn size(program: &Program, class: ClassId) -> u64 {
    let mut bytes = 8;
    let mut at = Some(class);
    while let Some(id) = at {
        let class = &program.classes[id.index()];
        bytes += class.fields.iter().map(|it| value_size(program, it.ty)).sum::<u64>();
        at = class.superclass;
    }
    bytes
}

fn value_size(program: &Program, ty: Ty) -> u64 {
    match ty {
        Ty::Struct(id) => {
            program.structs[id.index()].fields.iter().map(|it| value_size(program, it.ty)).sum()
        }
        _ => 8,
    }
}
