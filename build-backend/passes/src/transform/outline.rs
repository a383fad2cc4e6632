//! Function outlining: long runs of simple statements become functions.
//!
//! The time of C++ compilers grows with the square of a function's length, and generated source code (tables,
//! initialisers) has functions of many thousand statements.

use apg_mir::walk_mut::bodies;
use apg_mir::*;

/// Length of the shortest run that is outlined.
const MIN_RUN_STATEMENTS: usize = 1024;

/// Length of an outlined function.
const OUTLINED_STATEMENTS: usize = 256;

/// Outlines long runs in host code.
pub(crate) fn outline_long_runs(program: &mut Program) {
    for function in program.functions.iter_mut().filter(|it| !it.kernel_only) {
        outline_body(&mut function.body);
    }
}

fn outline_body(body: &mut Vec<Stmt>) {
    for stmt in body.iter_mut() {
        bodies(&mut stmt.kind).into_iter().for_each(outline_body);
    }
    if body.len() < MIN_RUN_STATEMENTS {
        return;
    }
    let mut run = Vec::new();
    for stmt in std::mem::take(body) {
        if is_simple(&stmt) {
            run.push(stmt);
        } else {
            append_run(&mut run, body);
            body.push(stmt);
        }
    }
    append_run(&mut run, body);
}

/// Appends a run to the statements before it, outlined if it is long.
fn append_run(run: &mut Vec<Stmt>, body: &mut Vec<Stmt>) {
    if run.len() < MIN_RUN_STATEMENTS {
        body.append(run);
        return;
    }
    while let Some(first) = run.first() {
        let span = first.span;
        let stmts = run.drain(..run.len().min(OUTLINED_STATEMENTS)).collect();
        body.push(Stmt::new(span, StmtKind::Outlined(stmts)));
    }
}

/// Whether a statement has neither loops, which gain nothing from outlining, nor jumps.
fn is_simple(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Set { .. }
        | StmtKind::SetField { .. }
        | StmtKind::SetStructField { .. }
        | StmtKind::SetElement { .. }
        | StmtKind::Expr(_) => true,
        StmtKind::Block(body) => body.iter().all(is_simple),
        StmtKind::If { then, otherwise, .. } => then.iter().chain(otherwise).all(is_simple),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stmt(kind: StmtKind) -> Stmt {
        Stmt::new(Span::of_line(FileId(0), 1), kind)
    }

    fn simple(count: usize) -> Vec<Stmt> {
        let zero = Expr::new(Ty::I64, ExprKind::Zero);
        (0..count).map(|_| stmt(StmtKind::Expr(zero.clone()))).collect()
    }

    /// The lengths of outlined functions, and 0 for each statement between them.
    fn lengths(body: &[Stmt]) -> Vec<usize> {
        let length = |it: &Stmt| match &it.kind {
            StmtKind::Outlined(body) => body.len(),
            _ => 0,
        };
        body.iter().map(length).collect()
    }

    #[test]
    fn long_runs_are_cut_at_statements_that_jump() {
        let mut body = simple(600);
        outline_body(&mut body);
        assert_eq!(body.len(), 600);
        let mut body = simple(1100);
        body.push(stmt(StmtKind::Break(LabelId(0))));
        body.extend(simple(3));
        body.push(stmt(StmtKind::Block(simple(1024))));
        outline_body(&mut body);
        assert_eq!(lengths(&body), [256, 256, 256, 256, 76, 0, 0, 0, 0, 0]);
        let StmtKind::Block(inner) = &body[9].kind else { panic!("a block") };
        assert_eq!(lengths(inner), [256; 4]);
    }
}
