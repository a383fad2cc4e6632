//! Numbering: identities of statements and expressions, the keys of side tables.
//!
//! Identities are unique within a function or kernel and dense, in the order of the walk, so that a side
//! table can be a vector. Passes build and copy nodes freely; [`Program::assign_ids`] numbers all of them
//! afterwards. A node that is built later, inside an analysis or a printer, has no identity and is in no
//! side table.

use super::walk_mut::{bodies, children, operands};
use super::*;

impl Program {
    /// Numbers all statements and expressions of each function and kernel.
    pub fn assign_ids(&mut self) {
        for function in &mut self.functions {
            Numbering::default().body(&mut function.body);
        }
        for kernel in &mut self.kernels {
            kernel.assign_ids();
        }
    }
}

impl Kernel {
    /// Numbers all statements and expressions: body, launch configuration, shared memory and captures.
    pub fn assign_ids(&mut self) {
        let mut numbering = Numbering::default();
        numbering.body(&mut self.body);
        let LaunchConfiguration { blocks, threads, shared_lengths } = &mut self.host;
        for expr in blocks.iter_mut().chain(threads).chain(shared_lengths) {
            numbering.expr(expr);
        }
        for shared in &mut self.shared {
            match &mut shared.init {
                SharedInit::Value(value) => numbering.expr(value),
                SharedInit::Function { setup, value, .. } => {
                    numbering.body(setup);
                    numbering.expr(value);
                }
                SharedInit::Zero | SharedInit::Copy(_) => {}
            }
        }
        for value in self.captures.iter_mut().filter_map(|it| it.derived_from.as_mut()) {
            numbering.expr(value);
        }
    }
}

/// The next identities.
#[derive(Default)]
struct Numbering {
    stmts: u32,
    exprs: u32,
}

impl Numbering {
    fn body(&mut self, body: &mut [Stmt]) {
        for stmt in body {
            stmt.id = StmtId(self.stmts);
            self.stmts += 1;
            for expr in operands(&mut stmt.kind) {
                self.expr(expr);
            }
            for inner in bodies(&mut stmt.kind) {
                self.body(inner);
            }
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        expr.id = ExprId(self.exprs);
        self.exprs += 1;
        for inner in children(&mut expr.kind) {
            self.expr(inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_dense_and_unique_in_a_body() {
        let int = |value| Expr::new(Ty::I64, ExprKind::Int(value));
        let span = Span::of_line(FileId(0), 1);
        let sum =
            Expr::new(Ty::I64, ExprKind::Operation { operation: Operation::Add, args: vec![int(1), int(2)] });
        let inner = Stmt::new(span, StmtKind::Expr(sum.clone()));
        let mut body = vec![
            Stmt::new(span, StmtKind::Block(vec![inner.clone(), inner])),
            Stmt::new(span, StmtKind::Expr(sum)),
        ];
        assert!(!body[0].id.is_assigned());
        Numbering::default().body(&mut body);
        let (mut stmts, mut exprs) = (Vec::new(), Vec::new());
        walk::visit_stmts(&body, &mut |it| stmts.push(it.id.0));
        walk::visit_exprs(&body, &mut |it, _| exprs.push(it.id.0));
        assert_eq!(stmts, [0, 1, 2, 3]);
        assert_eq!(exprs, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
