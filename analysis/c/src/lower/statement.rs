//! Statements (C17 6.8).

use apg_c_syntax::ast;
use smol_str::SmolStr;

use super::{Lowerer, MAX_DEPTH, range};
use crate::hir::{CaseLabel, StmtId, StmtKind};

impl Lowerer {
    pub(super) fn block(&mut self, block: &ast::CompoundStmt) -> StmtId {
        let range = range(block);
        let stmts = self.in_scope(|this| {
            let mut stmts = Vec::new();
            for item in block.block_items() {
                match item {
                    ast::BlockItem::Declaration(it) => {
                        let variables = this.declaration(&it);
                        stmts.push(this.add_stmt(StmtKind::Declaration(variables), super::range(&it)));
                    }
                    ast::BlockItem::Stmt(it) => stmts.push(this.stmt(Some(it), range)),
                    ast::BlockItem::FunctionDef(it) => this.nested_function(&it),
                    ast::BlockItem::StaticAssert(_) | ast::BlockItem::LocalLabels(_) => {}
                }
            }
            stmts
        });
        self.add_stmt(StmtKind::Block(stmts), range)
    }

    /// A statement; an empty one in `around` if it is missing.
    pub(super) fn stmt(&mut self, stmt: Option<ast::Stmt>, around: apg_c_syntax::TextRange) -> StmtId {
        let Some(stmt) = stmt else { return self.add_stmt(StmtKind::Empty, around) };
        let range = range(&stmt);
        if self.depth >= MAX_DEPTH {
            return self.add_stmt(StmtKind::Empty, range);
        }
        self.depth += 1;
        let kind = self.stmt_kind(stmt, range);
        self.depth -= 1;
        match kind {
            StmtKind::Block(stmts) if stmts.len() == 1 && self.program.stmt(stmts[0]).range == range => {
                stmts[0]
            }
            kind => self.add_stmt(kind, range),
        }
    }

    fn stmt_kind(&mut self, stmt: ast::Stmt, range: apg_c_syntax::TextRange) -> StmtKind {
        match stmt {
            ast::Stmt::CompoundStmt(it) => StmtKind::Block(vec![self.block(&it)]),
            ast::Stmt::ExprStmt(it) => match it.expr() {
                Some(expr) => StmtKind::Expr(self.expr(Some(expr))),
                None => StmtKind::Empty,
            },
            ast::Stmt::IfStmt(it) => {
                let condition = self.expr(it.condition());
                let then = self.scoped_stmt(it.then_branch(), range);
                let otherwise = it.else_branch().map(|it| self.scoped_stmt(Some(it), range));
                StmtKind::If(condition, then, otherwise)
            }
            ast::Stmt::SwitchStmt(it) => {
                let condition = self.expr(it.condition());
                StmtKind::Switch(condition, self.scoped_stmt(it.body(), range))
            }
            ast::Stmt::WhileStmt(it) => {
                let condition = self.expr(it.condition());
                StmtKind::While(condition, self.scoped_stmt(it.body(), range))
            }
            ast::Stmt::DoStmt(it) => {
                let body = self.scoped_stmt(it.body(), range);
                StmtKind::DoWhile(body, self.expr(it.condition()))
            }
            ast::Stmt::ForStmt(it) => self.in_scope(|this| this.for_stmt(&it, range)),
            ast::Stmt::GotoStmt(it) => StmtKind::Goto(it.name_ref().map(|it| SmolStr::new(it.text()))),
            ast::Stmt::ContinueStmt(_) => StmtKind::Continue,
            ast::Stmt::BreakStmt(_) => StmtKind::Break,
            ast::Stmt::ReturnStmt(it) => StmtKind::Return(it.expr().map(|it| self.expr(Some(it)))),
            ast::Stmt::LabeledStmt(it) => {
                let name = it.name().map(|it| SmolStr::new(it.text())).unwrap_or_default();
                StmtKind::Label(name, it.stmt().map(|it| self.stmt(Some(it), range)))
            }
            ast::Stmt::CaseStmt(it) => {
                let label = match (it.from(), it.to()) {
                    (Some(value), None) => CaseLabel::Value(self.expr(Some(value))),
                    (Some(first), Some(last)) => {
                        CaseLabel::Range(self.expr(Some(first)), self.expr(Some(last)))
                    }
                    _ => CaseLabel::Missing,
                };
                StmtKind::Case(label, it.stmt().map(|it| self.stmt(Some(it), range)))
            }
            ast::Stmt::DefaultStmt(it) => {
                StmtKind::Case(CaseLabel::Default, it.stmt().map(|it| self.stmt(Some(it), range)))
            }
            ast::Stmt::AsmStmt(it) => {
                let mut operands = Vec::new();
                for operand in it.asm_operandses().flat_map(|it| it.asm_operands().collect::<Vec<_>>()) {
                    if let Some(expr) = operand.expr() {
                        operands.push(self.expr(Some(expr)));
                    }
                }
                StmtKind::Asm(operands)
            }
            ast::Stmt::DirectiveStmt(it) => match it.directive() {
                Some(directive) => StmtKind::Directive(self.directive(&directive, it.stmt())),
                None => StmtKind::Empty,
            },
        }
    }

    /// A statement in a scope of its own (C17 6.8.4, paragraph 3).
    fn scoped_stmt(&mut self, stmt: Option<ast::Stmt>, around: apg_c_syntax::TextRange) -> StmtId {
        self.in_scope(|this| this.stmt(stmt, around))
    }

    fn for_stmt(&mut self, stmt: &ast::ForStmt, range: apg_c_syntax::TextRange) -> StmtKind {
        let init = stmt.for_init().and_then(|init| {
            let range = super::range(&init);
            if let Some(declaration) = init.declaration() {
                let variables = self.declaration(&declaration);
                return Some(self.add_stmt(StmtKind::Declaration(variables), range));
            }
            let expr = self.expr(Some(init.expr()?));
            Some(self.add_stmt(StmtKind::Expr(expr), range))
        });
        let condition = stmt.for_condition().and_then(|it| it.expr()).map(|it| self.expr(Some(it)));
        let step = stmt.for_step().and_then(|it| it.expr()).map(|it| self.expr(Some(it)));
        let body = self.scoped_stmt(stmt.body(), range);
        StmtKind::For { init, condition, step, body }
    }
}
