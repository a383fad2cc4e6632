//! Stack allocation after escape analysis (Choi and others, *Escape Analysis for Java*, OOPSLA 1999).
//!
//! An object that does not escape its function is allocated in the function's stack frame. So are objects
//! that the activities of a `finish` share, and the closures of these activities.

use apg_mir::*;

use super::hoist_allocations::hoist_allocating_calls;
use super::straight_line::StraightLineBody;
use crate::analysis::escape::{EscapeSummary, LocalUses, analyze_escapes};
use crate::values::{has_checks, is_host_code, strip_checks, strip_checks_mut};

/// Size of the largest object on the stack. Activities have small stacks.
const MAX_OBJECT_BYTES: u64 = 256;
/// Size of all objects in one stack frame.
const MAX_FRAME_BYTES: u64 = 2048;
/// Depth of nested constructor calls that are expanded.
const MAX_EXPANSION_DEPTH: usize = 8;

/// Moves objects of all functions from the heap to stack frames.
pub(crate) fn allocate_on_stack(program: &mut Program) {
    let escapes = analyze_escapes(program);
    // Callees are expanded from their bodies before this pass: a function with stack objects is never
    // expanded.
    let before = program.clone();
    for index in 0..program.functions.len() {
        if !is_host_code(&program.functions[index]) {
            continue;
        }
        let mut function = program.functions[index].clone();
        hoist_allocating_calls(&before, &mut function, &escapes);
        expand_constructors(&before, &mut function, &escapes);
        let mut frame = StackFrame { program, objects: Vec::new(), bytes: 0 };
        frame.move_locals(&mut function, &escapes);
        frame.move_arguments(&mut function, &escapes);
        frame.move_activity_closures(&mut function.body, false);
        function.stack_objects = frame.objects;
        program.functions[index] = function;
    }
}

/// Expands calls that construct the value of a local that does not escape.
fn expand_constructors(program: &Program, function: &mut Function, escapes: &EscapeSummary) {
    let mut locals = std::mem::take(&mut function.locals);
    let mut body = std::mem::take(&mut function.body);
    for _ in 0..MAX_EXPANSION_DEPTH {
        function.locals = locals;
        let uses = LocalUses::of(function, &body, escapes);
        locals = std::mem::take(&mut function.locals);
        let params = function.params;
        let is_movable = |local: LocalId| {
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
                    && is_movable(*local)
                    && let ExprKind::Call { function, args } = &strip_checks(value).kind
                    && let Some(straight) = constructor_body(program, *function)
                {
                    let mut expanded = straight.expand(*local, args, stmt.span, &mut locals);
                    if has_checks(value) {
                        let mut checks = value.clone();
                        strip_checks_mut(&mut checks).kind = ExprKind::Local(*local);
                        expanded.push(Stmt::new(stmt.span, StmtKind::Expr(checks)));
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

/// The body of a function that only constructs an object.
pub(super) fn constructor_body(program: &Program, function: FunctionId) -> Option<StraightLineBody<'_>> {
    let function = &program.functions[function.index()];
    let straight = StraightLineBody::of(function).filter(|_| is_host_code(function))?;
    let mut constructs = false;
    walk::visit_exprs(&function.body, &mut |expr, _| {
        constructs |= match &expr.kind {
            ExprKind::Allocate(class) | ExprKind::MakeObject { class, .. } => {
                is_stack_allocatable(program, *class)
            }
            ExprKind::Call { function: inner, .. } => {
                let inner = &program.functions[inner.index()];
                matches!(inner.result, Ty::Ref(_) | Ty::Any) && StraightLineBody::of(inner).is_some()
            }
            _ => false,
        };
    });
    constructs.then_some(straight)
}

/// The stack objects of a function.
struct StackFrame<'p> {
    program: &'p Program,
    objects: Vec<ClassId>,
    bytes: u64,
}

impl StackFrame<'_> {
    /// Moves objects that only one local refers to.
    fn move_locals(&mut self, function: &mut Function, escapes: &EscapeSummary) {
        let mut body = std::mem::take(&mut function.body);
        let uses = LocalUses::of(function, &body, escapes);
        walk_mut::edit_stmts(&mut body, &mut |stmt| {
            if let StmtKind::Set { local, value } = &mut stmt.kind
                && local.0 >= function.params
                && uses.sets[local.index()] == 1
                && !uses.escaped[local.index()]
                && !uses.aliased[local.index()]
            {
                self.move_to_stack(value);
            }
        });
        function.body = body;
    }

    /// Moves objects that are arguments of functions that do not keep them.
    fn move_arguments(&mut self, function: &mut Function, escapes: &EscapeSummary) {
        walk_mut::edit_exprs(&mut function.body, &mut |expr| {
            let Some(escapes) = escapes.escaping_arguments(expr) else { return };
            let (ExprKind::Call { args, .. }
            | ExprKind::CallVirtual { args, .. }
            | ExprKind::CallInterface { args, .. }
            | ExprKind::CallClosure { args, .. }) = &mut expr.kind
            else {
                return;
            };
            for (arg, escapes) in args.iter_mut().zip(escapes) {
                if !escapes {
                    self.move_to_stack(arg);
                }
            }
        });
    }

    /// Moves closures of activities whose `finish` is in `body`. `awaited`: a `finish` around the statements
    /// waits for the activities and is not in a loop inside it.
    fn move_activity_closures(&mut self, body: &mut [Stmt], awaited: bool) {
        for stmt in body {
            let awaited = match &mut stmt.kind {
                StmtKind::Async { closure, clocks: Clocks::None } if awaited => {
                    self.move_to_stack(closure);
                    continue;
                }
                StmtKind::Finish { .. } => true,
                StmtKind::Loop { .. } => false,
                _ => awaited,
            };
            walk_mut::bodies(&mut stmt.kind)
                .into_iter()
                .for_each(|it| self.move_activity_closures(it, awaited));
        }
    }

    /// Converts an allocation into a stack object if the frame has room.
    fn move_to_stack(&mut self, value: &mut Expr) {
        let (class, fields) = match &mut value.kind {
            ExprKind::NonNull(value) | ExprKind::Cast { value, checked: false, .. } => {
                return self.move_to_stack(value);
            }
            ExprKind::Allocate(class) => (*class, Vec::new()),
            ExprKind::MakeObject { class, fields } => (*class, fields.clone()),
            _ => return,
        };
        let size = object_size(self.program, class);
        if !is_stack_allocatable(self.program, class) || self.bytes + size > MAX_FRAME_BYTES {
            return;
        }
        self.bytes += size;
        value.kind = ExprKind::StackAllocate { slot: self.objects.len() as u32, class, fields };
        self.objects.push(class);
    }
}

/// Whether objects of a class may be on the stack: none that record the stack trace where they are
/// constructed.
fn is_stack_allocatable(program: &Program, class: ClassId) -> bool {
    let has_variable_size =
        matches!(program.classes[class.index()].kind, ClassKind::Rail { .. } | ClassKind::String);
    let chain = std::iter::successors(Some(class), |it| program.classes[it.index()].superclass);
    let records_stack_trace =
        chain.into_iter().any(|it| program.classes[it.index()].attributes.records_stack_trace);
    !has_variable_size && !records_stack_trace && object_size(program, class) <= MAX_OBJECT_BYTES
}

/// Approximate size of an object in bytes.
fn object_size(program: &Program, class: ClassId) -> u64 {
    let mut bytes = 8;
    let mut next = Some(class);
    while let Some(id) = next {
        let class = &program.classes[id.index()];
        bytes += class.fields.iter().map(|it| value_size(program, it.ty)).sum::<u64>();
        next = class.superclass;
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
