//! Traversal of statements and expressions.

use apg_c_syntax::TextRange;

use super::{
    DirectiveId, ExprId, ExprKind, Item, Length, Program, StmtId, StmtKind, Subscript, Type, VariableId,
};

impl ExprKind {
    /// Calls `visit` for the operands, in the order of the source.
    pub fn for_each_operand(&self, visit: &mut dyn FnMut(ExprId)) {
        match self {
            ExprKind::Other(all) | ExprKind::List(all) => all.iter().for_each(|it| visit(*it)),
            ExprKind::Designated(all) => all.iter().for_each(|it| visit(it.1)),
            ExprKind::Unary(_, it)
            | ExprKind::AddressOf(it)
            | ExprKind::Dereference(it)
            | ExprKind::Cast(it)
            | ExprKind::Increment { target: it, .. }
            | ExprKind::Member { base: it, .. } => visit(*it),
            ExprKind::Binary(_, a, b)
            | ExprKind::Assign(_, a, b)
            | ExprKind::Index(a, b)
            | ExprKind::Coindexed(a, b)
            | ExprKind::Comma(a, b) => [a, b].into_iter().for_each(|it| visit(*it)),
            ExprKind::Section(base, low, length) => {
                visit(*base);
                low.iter().chain(length).for_each(|it| visit(*it));
            }
            ExprKind::Call(callee, arguments) => {
                visit(*callee);
                arguments.iter().for_each(|it| visit(*it));
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                visit(*condition);
                then.iter().for_each(|it| visit(*it));
                visit(*otherwise);
            }
            ExprKind::Variable(_)
            | ExprKind::Function(_)
            | ExprKind::Unresolved(_)
            | ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::String
            | ExprKind::Unevaluated
            | ExprKind::Block(_) => {}
        }
    }
}

/// What a traversal meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// An expression, before its operands.
    Expr(ExprId),
    /// A statement, before its parts.
    Stmt(StmtId),
    /// A directive, before its clauses and its statement.
    Directive(DirectiveId),
}

impl Program {
    /// Calls `visit` for a statement and all in it, in the order of the source. The parts of a node for which
    /// `visit` gives false are left out.
    pub fn walk_stmt(&self, stmt: StmtId, visit: &mut dyn FnMut(Node) -> bool) {
        if !visit(Node::Stmt(stmt)) {
            return;
        }
        match &self.stmt(stmt).kind {
            StmtKind::Empty | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Block(stmts) => stmts.iter().for_each(|it| self.walk_stmt(*it, visit)),
            StmtKind::Expr(it) => self.walk_expr(*it, visit),
            StmtKind::Declaration(variables) => {
                for variable in variables {
                    self.walk_lengths(&self.variable(*variable).ty, self.stmt(stmt).range, visit);
                    let initializer = self.variable(*variable).initializer;
                    initializer.iter().for_each(|it| self.walk_expr(*it, visit));
                }
            }
            StmtKind::If(condition, then, otherwise) => {
                self.walk_expr(*condition, visit);
                self.walk_stmt(*then, visit);
                otherwise.iter().for_each(|it| self.walk_stmt(*it, visit));
            }
            StmtKind::While(condition, body) | StmtKind::Switch(condition, body) => {
                self.walk_expr(*condition, visit);
                self.walk_stmt(*body, visit);
            }
            StmtKind::DoWhile(body, condition) => {
                self.walk_stmt(*body, visit);
                self.walk_expr(*condition, visit);
            }
            StmtKind::For { init, condition, step, body } => {
                init.iter().for_each(|it| self.walk_stmt(*it, visit));
                condition.iter().chain(step).for_each(|it| self.walk_expr(*it, visit));
                self.walk_stmt(*body, visit);
            }
            StmtKind::Label(_, body) | StmtKind::Case(_, body) => {
                body.iter().for_each(|it| self.walk_stmt(*it, visit));
            }
            StmtKind::Return(value) => value.iter().for_each(|it| self.walk_expr(*it, visit)),
            StmtKind::Asm(operands) => operands.iter().for_each(|it| self.walk_expr(*it, visit)),
            StmtKind::Directive(directive) => {
                if visit(Node::Directive(*directive)) {
                    self.directive(*directive).body.iter().for_each(|it| self.walk_stmt(*it, visit));
                }
            }
        }
    }

    /// All objects in an item of a directive, those in its subscripts too.
    pub fn variables_in(&self, item: &Item) -> Vec<VariableId> {
        let mut found: Vec<_> = item.mapping.iter().filter_map(|it| it.variable).collect();
        let subscripts = item.mapping.iter().flat_map(|it| &it.subscripts);
        for expr in item.expr.into_iter().chain(subscripts.flat_map(Subscript::values)) {
            self.walk_expr(expr, &mut |node| {
                if let Node::Expr(it) = node
                    && let ExprKind::Variable(variable) = self.expr(it).kind
                {
                    found.push(variable);
                }
                true
            });
        }
        found
    }

    /// Calls `visit` for the lengths of arrays in a type, as far as they are evaluated in a declaration: not
    /// for those of a type with a name.
    fn walk_lengths(&self, ty: &Type, declaration: TextRange, visit: &mut dyn FnMut(Node) -> bool) {
        let mut inner = Some(ty);
        while let Some(ty) = inner {
            if let Type::Array(_, Length::Variable(length)) = ty
                && declaration.contains_range(self.expr(*length).range)
            {
                self.walk_expr(*length, visit);
            }
            inner = ty.element();
        }
    }

    /// Calls `visit` for an expression and all in it.
    pub fn walk_expr(&self, expr: ExprId, visit: &mut dyn FnMut(Node) -> bool) {
        if !visit(Node::Expr(expr)) {
            return;
        }
        match &self.expr(expr).kind {
            ExprKind::Block(stmt) => self.walk_stmt(*stmt, visit),
            kind => kind.for_each_operand(&mut |it| self.walk_expr(it, visit)),
        }
    }
}
