//! Inlining across translation units: small functions of the class library are copied into the units that
//! call them, so that the C++ compiler can inline `array(i, j)`.
//!
//! Only library functions are copied: an edit of a user's file must change the unit of that file only.

use super::code::Code;
use super::native;
use apg_mir::*;

/// Upper limit of statements and expressions of a small function.
const MAX_INLINE_SIZE: usize = 60;

/// Prints the small library functions that a unit calls and does not contain, transitively.
pub(crate) fn print_copies(code: &mut Code<'_>, mine: &[FunctionId]) -> String {
    let saved = code.out.take();
    let mut done: Vec<FunctionId> = Vec::new();
    loop {
        let program = code.program;
        let wanted = |id: &FunctionId| {
            mine.binary_search(id).is_err() && !done.contains(id) && is_small_library_function(program, *id)
        };
        let next: Vec<FunctionId> = code.used.functions.iter().copied().filter(wanted).collect();
        if next.is_empty() {
            break;
        }
        for id in &next {
            // Calls that are not inlined go to the other unit's function.
            code.function(*id, "extern inline __attribute__((gnu_inline)) ");
        }
        done.extend(next);
    }
    let text = code.out.take();
    code.out.append(&saved);
    text
}

/// Whether a function is a small library function.
pub(crate) fn is_small_library_function(program: &Program, id: FunctionId) -> bool {
    let function = &program.functions[id.index()];
    let mut plain = true;
    walk::visit_stmts(&function.body, &mut |stmt| plain &= !matches!(stmt.kind, StmtKind::Loop { .. }));
    plain && is_inlinable(program, id) && program.library.contains(&function.span.file)
}

/// Whether a function is worth an `inline`, without which compilers inline functions of half the size only.
pub(crate) fn is_inlinable(program: &Program, id: FunctionId) -> bool {
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
    host && plain && size <= MAX_INLINE_SIZE
}
