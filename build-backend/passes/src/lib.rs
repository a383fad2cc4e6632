//! MIR to MIR that runs faster, for optimised builds: what the C++ compiler cannot find out by itself, since the calls go through
//! tables and the objects come from the collector.
//!
//! 1. [`exact`]: where the class of an object is known, calls on it are calls of known functions.
//! 2. [`specialise`]: a function that gets a closure made by its caller has a version for that closure, which calls its code; so
//!    has a closure (the code of an activity, say) that captures it.
//! 3. [`frame`]: objects that are not seen any more when their function ends (iterators, closures that are only called) lie in the
//!    function's frame, and so mostly in registers. [`escape`] tells which; [`inline`] brings them into the function
//!    that uses them, [`front`] out of the expressions that do.
//! 4. [`grow`]: texts that a loop appends to grow where they lie.
//!
//! Functions that kernels call stay as they are.

mod device;
mod escape;
mod exact;
mod frame;
mod front;
mod grow;
mod inline;
mod outline;
mod recompute;
mod skip;
mod specialise;
mod targets;
mod unroll;

pub use device::inline_into_kernels;
pub use outline::outline;
pub use recompute::recompute_in_kernels;
pub use skip::skip_by_branches;
pub use unroll::limit_unrolling;

use apg_mir::only::Only;
use apg_mir::{ClassId, Expr, ExprKind, Function, LocalId, Program, Stmt, StmtKind, walk, walk_mut};

/// Improves a program; it means the same afterwards.
pub fn optimise(program: &mut Program) {
    let natives = take_natives(program);
    let mut known = vec![exact::Known::default(); program.functions.len()];
    let only = Only::new(program);
    let mut ancestry = exact::Ancestry::of(program);
    let mut versions = specialise::Versions::default();
    // What is known of a result helps the callers, and what those find helps theirs.
    for _ in 0..3 {
        let results = exact::results(program, &ancestry, &known);
        let mut index = 0;
        while index < program.functions.len() {
            if is_host_code(&program.functions[index]) {
                let mut body = std::mem::take(&mut program.functions[index].body);
                let own = known[index].clone();
                let locals = exact::locals(&program.functions[index], &ancestry, &body, &own, &results);
                let (results, captures) = (&results, &own.captures);
                let exact = exact::Exact { locals: &locals, results, captures, ancestry: &ancestry };
                exact::resolve(program, &only, &mut body, exact);
                specialise::captures(program, &mut known, &mut versions, &mut body, exact);
                // Closures that became versions.
                ancestry.follow(program);
                let locals = exact::locals(&program.functions[index], &ancestry, &body, &own, results);
                let exact = exact::Exact { locals: &locals, results, captures, ancestry: &ancestry };
                specialise::specialise(program, &mut known, &mut versions, &mut body, exact);
                program.functions[index].body = body;
            }
            index += 1;
        }
    }
    trust_declarations(program);
    frame::place(program);
    grow::grow(program);
    for (index, body) in natives {
        program.functions[index].body = body;
    }
}

/// Takes away the tests for null of what the class library declares never to be null: in a loop they would keep the C++ compiler from
/// reading what lies behind the reference once, in front of the loop.
fn trust_declarations(program: &mut Program) {
    let classes = &program.classes;
    for function in program.functions.iter_mut().filter(|it| is_host_code(it)) {
        walk_mut::edit_exprs(&mut function.body, &mut |expr| {
            if let ExprKind::NonNull(value) = &mut expr.kind
                && let ExprKind::Field { class, field, .. } = bare(value).kind
                && classes[class.index()].fields.get(field as usize).is_some_and(|it| it.non_null)
            {
                expr.kind = std::mem::replace(&mut value.kind, ExprKind::Null);
            }
        });
    }
}

/// Takes the bodies with C++ code of the program away, for nobody knows what that does: functions without a body stay as they are.
fn take_natives(program: &mut Program) -> Vec<(usize, Vec<Stmt>)> {
    let mut natives = Vec::new();
    for (index, function) in program.functions.iter_mut().enumerate() {
        let mut found = false;
        walk::visit_stmts(&function.body, &mut |stmt| found |= matches!(stmt.kind, StmtKind::Native(_)));
        if found {
            natives.push((index, std::mem::take(&mut function.body)));
        }
    }
    natives
}

/// Whether a function runs on hosts only.
fn is_host_code(function: &Function) -> bool {
    !function.device && !function.kernel_only
}

/// The expression whose value this is, seen through checks.
fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::NonNull(value) | ExprKind::Cast { value, .. } => bare(value),
        _ => expr,
    }
}

/// The first parameter: in the code of a closure, the closure.
fn is_first(expr: &Expr) -> bool {
    matches!(bare(expr).kind, ExprKind::Local(LocalId(0)))
}

/// The same, to be changed.
fn bare_mut(expr: &mut Expr) -> &mut Expr {
    match expr.kind {
        ExprKind::NonNull(_) | ExprKind::Cast { .. } => match &mut expr.kind {
            ExprKind::NonNull(value) | ExprKind::Cast { value, .. } => bare_mut(value),
            _ => unreachable!("matched just before"),
        },
        _ => expr,
    }
}

/// The same, seen through what does nothing when the program runs. What stands in its place needs no checks.
fn unchecked(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast { value, checked: false, .. } => unchecked(value),
        _ => expr,
    }
}

/// The class of a new object.
fn made(expr: &Expr) -> Option<ClassId> {
    match &expr.kind {
        ExprKind::Allocate(class)
        | ExprKind::MakeObject { class, .. }
        | ExprKind::AllocateRail { class, .. }
        | ExprKind::TableRail { class, .. } => Some(*class),
        _ => None,
    }
}
