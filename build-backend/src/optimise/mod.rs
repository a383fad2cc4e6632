//! MIR to MIR that runs faster, for optimised builds: what the C++ compiler cannot find out by itself, since the calls go through
//! tables and the objects come from the collector.
//!
//! 1. [`exact`]: where the class of an object is known, calls on it are calls of known functions.
//! 2. [`specialise`]: a function that gets a closure made by its caller has a version for that closure, which calls its code.
//! 3. [`frame`]: objects that are not seen any more when their function ends (iterators, closures that are only called) lie in the
//!    function's frame, and so mostly in registers. [`escape`] tells which; [`inline`] brings them into the function
//!    that uses them, [`front`] out of the expressions that do.
//!
//! Functions that kernels call stay as they are.

mod device;
mod escape;
mod exact;
mod frame;
mod front;
mod inline;
mod specialise;

pub use device::inline_into_kernels;

use crate::mir::only::Only;
use crate::mir::{ClassId, Expr, ExprKind, Function, Program, Stmt, StmtKind, walk};

/// Improves a program; it means the same afterwards.
pub fn optimise(program: &mut Program) {
    let natives = take_natives(program);
    let mut known = vec![Vec::new(); program.functions.len()];
    let only = Only::new(program);
    let mut versions = specialise::Versions::default();
    // What is known of a result helps the callers, and what those find helps theirs.
    for _ in 0..3 {
        let results = exact::results(program, &known);
        let mut index = 0;
        while index < program.functions.len() {
            if is_host_code(&program.functions[index]) {
                let mut body = std::mem::take(&mut program.functions[index].body);
                let locals = exact::locals(&program.functions[index], &body, &known[index], &results);
                let exact = exact::Exact { locals: &locals, results: &results };
                exact::resolve(program, &only, &mut body, exact);
                specialise::specialise(program, &mut known, &mut versions, &mut body, exact);
                program.functions[index].body = body;
            }
            index += 1;
        }
    }
    frame::place(program);
    for (index, body) in natives {
        program.functions[index].body = body;
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
    !function.device && !function.for_kernels
}

/// The expression whose value this is, seen through checks.
fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::NonNull(value) | ExprKind::Cast { value, .. } => bare(value),
        _ => expr,
    }
}

/// The class of a new object.
fn made(expr: &Expr) -> Option<ClassId> {
    match &expr.kind {
        ExprKind::Allocate(class)
        | ExprKind::MakeObject { class, .. }
        | ExprKind::AllocateRail { class, .. } => Some(*class),
        _ => None,
    }
}
