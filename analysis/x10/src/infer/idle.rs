//! Expressions that do nothing: where one is a statement, something else was meant.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxToken, TextRange};

use super::ctx::{Infer, range_of};
use crate::body::{ExprId, ExprKind};
use crate::diagnostics::{Diagnostic, Fix, Severity, TextEdit, flow};

/// Whether computing it changes nothing by itself, however its operators are defined.
pub(super) fn is_idle(e: &ast::Expr) -> bool {
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

/// Whether it is an operator that only classes give a meaning, which may be to do something, or a step.
fn may_act(kind: SyntaxKind) -> bool {
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

/// The operator of an expression that computes something.
fn operator(e: &ast::Expr) -> Option<SyntaxToken> {
    match e {
        ast::Expr::BinExpr(e) => e.op_token(),
        ast::Expr::PrefixExpr(e) => e.op_token(),
        _ => None,
    }
}

/// Whether it only computes a value.
fn only_computes(e: &ast::Expr) -> bool {
    is_idle(e) && !operator(e).is_some_and(|it| may_act(it.kind()))
}

impl Infer<'_> {
    /// Whether `stmt` is the last of a method that says it gives a value, and computes one: `return` is missing.
    pub(super) fn lacks_return(&self, stmt: &ast::ExprStmt, e: &ast::Expr) -> bool {
        let Some(block) = stmt.syntax().parent() else { return false };
        let is_body = block.parent().is_some_and(|it| it.kind() == SyntaxKind::METHOD_DECL);
        let result = self.scopes.returns.last().and_then(|returns| returns.result);
        is_body
            && stmt.syntax().next_sibling().is_none()
            && only_computes(e)
            && result.is_some_and(|ty| !ty.is_void(self.db))
    }

    /// Makes errors of the warnings about unused values in `range`, which is a closure that has to return one.
    /// Whether there are any.
    pub(super) fn refuse_unused_values(&mut self, range: TextRange) -> bool {
        let code = flow::unused_value::RULE.code;
        let of_closure = |it: &&mut Diagnostic| it.code == code && range.contains_range(it.range);
        let unused = self.diagnostics.iter_mut().filter(of_closure);
        unused.map(|it| it.severity = Severity::Error).count() > 0
    }

    /// Says so.
    pub(super) fn report_missing_return(&mut self, e: &ast::Expr) {
        let range = range_of(e);
        let edits =
            vec![TextEdit { file: None, range: TextRange::empty(range.start()), text: "return ".into() }];
        let diagnostic = flow::unused_value::RULE
            .at(range, "nothing is done with this value")
            .with_severity(Severity::Error)
            .note("a value is returned by `return`");
        self.report(diagnostic.fix(Fix { title: "Write `return`".into(), edits }));
    }

    /// An expression as a statement.
    pub(super) fn statement_expr(&mut self, e: &ast::Expr) -> ExprId {
        let said = self.diagnostics.len();
        let id = self.effect(e);
        // What is wrong with it otherwise comes first.
        if only_computes(e)
            && self.diagnostics.len() == said
            && !matches!(self.body.expr(id).kind, ExprKind::Error)
        {
            let diagnostic = flow::unused_value::RULE.at(range_of(e), "nothing is done with this value");
            let meant = operator(e).filter(|it| it.kind() == SyntaxKind::EQ2);
            self.report(match meant {
                Some(token) => with_assignment(diagnostic, token.text_range()),
                None => diagnostic
                    .note("assign it, return it, pass it on or remove it: by itself it changes nothing"),
            });
        }
        id
    }
}

fn with_assignment(diagnostic: Diagnostic, range: TextRange) -> Diagnostic {
    let edits = vec![TextEdit { file: None, range, text: "=".into() }];
    diagnostic.note("`==` compares, `=` assigns").fix(Fix { title: "Write `=`".into(), edits })
}
