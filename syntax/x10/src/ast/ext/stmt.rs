//! Additions to statements.

use crate::ast::generated::enums::*;
use crate::ast::generated::nodes::*;
use crate::ast::node::AstNode;
use crate::ast::support::{AstChildren, children};
use crate::syntax_node::{SyntaxElement, SyntaxToken};

impl KeywordCallStmt {
    /// The keyword after the dot, which names the operator.
    pub fn keyword_token(&self) -> Option<SyntaxToken> {
        let tokens = self.syntax().children_with_tokens().filter_map(SyntaxElement::into_token);
        tokens.skip_while(|it| it.kind() != T![.]).find(|it| it.kind().is_keyword())
    }
}

impl ConstructorCallStmt {
    /// `super(...)`, not `this(...)`.
    pub fn is_super(&self) -> bool {
        self.super_token().is_some()
    }
    /// The arguments.
    pub fn args(&self) -> impl Iterator<Item = Expr> {
        self.arg_list().into_iter().flat_map(|it| it.exprs())
    }
}

impl SwitchLabel {
    /// `default:`, not `case e:`.
    pub fn is_default(&self) -> bool {
        self.default_token().is_some()
    }
}

impl AsyncStmt {
    /// The clocks of `async clocked (c, d)`; none for `clocked async`.
    pub fn clocks(&self) -> impl Iterator<Item = Expr> {
        self.clocked_clause().and_then(|it| it.arg_list()).into_iter().flat_map(|it| it.exprs())
    }
}

impl ForInit {
    /// The expressions, if it is not a declaration.
    pub fn initializers(&self) -> AstChildren<Expr> {
        children(self.syntax())
    }
}

impl Stmt {
    /// The loops, which a label may name and `break` and `continue` leave.
    pub fn is_loop(&self) -> bool {
        matches!(
            self,
            Stmt::ForStmt(_)
                | Stmt::ForInStmt(_)
                | Stmt::WhileStmt(_)
                | Stmt::DoStmt(_)
                | Stmt::AtEachStmt(_)
        )
    }
}
