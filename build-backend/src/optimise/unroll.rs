//! `@Unroll(n)` is a wish: loops in loops that are all unrolled multiply, and so may a hundred characters of a program become millions of
//! instructions, which no compiler of C++ or CUDA ends with.

use crate::mir::walk::visit_expr;
use crate::mir::walk_mut::{bodies, operands};
use crate::mir::{Program, Stmt, StmtKind};

/// The most expressions that come of one loop. (A thousand turns of a loop of one statement, `sum += a(i) * b(i)`, are 12,000.)
const MOST_EXPRESSIONS: usize = 32_768;

/// Makes the wishes of loops smaller, outer ones first, where more would come of them.
pub fn limit_unrolling(program: &mut Program) {
    for function in &mut program.functions {
        limit(&mut function.body);
    }
    for kernel in &mut program.kernels {
        limit(&mut kernel.body);
    }
}

/// How many expressions come of these statements.
fn limit(body: &mut [Stmt]) -> usize {
    let mut all = 0;
    for stmt in body {
        let mut size = 1;
        for operand in operands(&mut stmt.kind) {
            visit_expr(operand, None, &mut |_, _| size += 1);
        }
        size += bodies(&mut stmt.kind).into_iter().map(|it| limit(it)).sum::<usize>();
        if let StmtKind::Loop { unroll: Some(times), .. } = &mut stmt.kind {
            // Compilers take 1 for "not at all", and not all of them know 0.
            *times = (*times as usize).clamp(1, (MOST_EXPRESSIONS / size).max(1)) as u32;
            size *= *times as usize;
        }
        all += size;
    }
    all
}
