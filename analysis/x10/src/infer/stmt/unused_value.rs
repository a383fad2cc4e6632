//! Expression statements without effect: `flow/unused-value`.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxToken, TextRange};

use crate::body::{ExprId, ExprKind};
use crate::diagnostics::Severity;
use crate::infer::context::{Infer, range_of};
use crate::rules::Problem;
use crate::rules::flow::unused_value::{self, UnusedValue};

/// Whether the expression has no effect by itself, apart from operators of classes.
pub(crate) fn has_no_effect(e: &ast::Expr) -> bool {
    use ast::Expr::*;
    matches!(
        e,
        BinExpr(_)
            | NameExpr(_)
            | FieldExpr(_)
            | Literal(_)
            | ConditionalExpr(_)
            | PrefixExpr(_)
            | CastExpr(_)
            | ThisExpr(_)
    )
}

/// Whether it is a step, or an operator that only classes define, which may have an effect.
fn may_have_effect(kind: SyntaxKind) -> bool {
    use SyntaxKind::*;
    !matches!(
        kind,
        PLUS | MINUS
            | STAR
            | SLASH
            | PERCENT
            | EQ2
            | NEQ
            | LT
            | GT
            | LTEQ
            | GTEQ
            | AMP2
            | PIPE2
            | AMP
            | PIPE
            | CARET
    )
}

/// The operator of a binary or prefix expression.
fn operator(e: &ast::Expr) -> Option<SyntaxToken> {
    match e {
        ast::Expr::BinExpr(e) => e.op_token(),
        ast::Expr::PrefixExpr(e) => e.op_token(),
        _ => None,
    }
}

/// Whether the expression has no effect.
fn is_pure(e: &ast::Expr) -> bool {
    has_no_effect(e) && !operator(e).is_some_and(|it| may_have_effect(it.kind()))
}

impl Infer<'_> {
    /// Whether `stmt` is the last of a method that says it gives a value, and computes one: `return` is
    /// missing.
    pub(crate) fn lacks_return(&self, stmt: &ast::ExprStmt, e: &ast::Expr) -> bool {
        let Some(block) = stmt.syntax().parent() else { return false };
        let is_body = block.parent().is_some_and(|it| it.kind() == SyntaxKind::METHOD_DECL);
        let result = self.scopes.returns.last().and_then(|returns| returns.result);
        is_body
            && stmt.syntax().next_sibling().is_none()
            && is_pure(e)
            && result.is_some_and(|ty| !ty.is_void(self.db))
    }

    /// Makes errors of the warnings about unused values in `range`, which is a closure that has to return
    /// one. Whether there are any.
    pub(crate) fn refuse_unused_values(&mut self, range: TextRange) -> bool {
        let of_closure = |it: &&mut Problem| it.breaks(&unused_value::RULE) && range.contains_range(it.range);
        let unused = self.problems.iter_mut().filter(of_closure);
        unused.map(|it| it.severity = Severity::Error).count() > 0
    }

    /// Reports the value as the result that the method does not return.
    pub(crate) fn report_missing_return(&mut self, e: &ast::Expr) {
        let problem = Problem::new(range_of(e), UnusedValue::LastOfMethod);
        self.push_problem(problem.with_severity(Severity::Error));
    }

    /// An expression as a statement.
    pub(crate) fn statement_expr(&mut self, e: &ast::Expr) -> ExprId {
        let reported = self.problems.len();
        let id = self.effect(e);
        // What is wrong with it otherwise comes first.
        if is_pure(e)
            && self.problems.len() == reported
            && !matches!(self.body.expr(id).kind, ExprKind::Error)
        {
            let comparison = operator(e).filter(|it| it.kind() == SyntaxKind::EQ2);
            let problem = match comparison {
                Some(token) => UnusedValue::Comparison { operator: token.text_range() },
                None => UnusedValue::Statement,
            };
            self.report_at(range_of(e), problem);
        }
        id
    }
}
