//! Small functions of the class library that other units call: those units have their code, too, so that the C++ compiler puts
//! `array(i, j)` where it stands instead of calling another unit.
//!
//! Only the library's: a unit changes with all that is in it, and an edit of one of the user's files shall change one unit.

use super::code::Code;
use super::native;
use apg_mir::*;

/// Statements and expressions of a function that is still small.
const MOST: usize = 60;

/// The code of all small functions of the library that a unit calls but does not have, and of those that these call.
pub fn copies(code: &mut Code<'_>, mine: &[FunctionId]) -> String {
    let saved = code.out.take();
    let mut done: Vec<FunctionId> = Vec::new();
    loop {
        let program = code.program;
        let wanted =
            |id: &FunctionId| mine.binary_search(id).is_err() && !done.contains(id) && is_small(program, *id);
        let next: Vec<FunctionId> = code.used.functions.iter().copied().filter(wanted).collect();
        if next.is_empty() {
            break;
        }
        for id in &next {
            // Where it is not put into its caller the other unit's is called.
            code.function(*id, "extern inline __attribute__((gnu_inline)) ");
        }
        done.extend(next);
    }
    let text = code.out.take();
    code.out.append(&saved);
    text
}

/// Whether a function is one of the library's that is worth to be put into its callers of other units.
pub fn is_small(program: &Program, id: FunctionId) -> bool {
    let function = &program.functions[id.index()];
    let mut plain = true;
    walk::visit_stmts(&function.body, &mut |stmt| plain &= !matches!(stmt.kind, StmtKind::Loop { .. }));
    plain && is_short(program, id) && program.library.contains(&function.position.file)
}

/// Whether a function is worth to be put into its callers, as one that C++ defines within its class: without being told so, compilers put
/// only half as much into callers.
pub fn is_short(program: &Program, id: FunctionId) -> bool {
    let function = &program.functions[id.index()];
    let host = function.inlining == Inlining::Free
        && !function.kernel_only
        && function.recursion.cycle == 0
        && !native::is_native(function);
    let mut size = 0;
    let mut plain = true;
    walk::visit_stmts(&function.body, &mut |stmt| {
        size += 1;
        plain &= !matches!(
            stmt.kind,
            StmtKind::Try { .. }
                | StmtKind::Async { .. }
                | StmtKind::AsyncAt { .. }
                | StmtKind::At { .. }
                | StmtKind::Finish { .. }
                | StmtKind::Atomic(_)
                | StmtKind::When(_)
                | StmtKind::Launch { .. }
                | StmtKind::SetStatic { .. }
        );
    });
    walk::visit_exprs(&function.body, &mut |_, _| size += 1);
    host && plain && size <= MOST
}
