//! `if (c) return;` in an activity, which has no `return`: what follows is put under the opposite condition.

use apg_syntax::TextRange;
use apg_syntax::ast::{self, AstNode};

use crate::diagnostics::{Fix, TextEdit};

/// The fix for a `return` that is all of an `if` without `else`, straight in the block of an `async`.
pub(super) fn opposite(returns: &ast::ReturnStmt) -> Option<Fix> {
    if returns.expr().is_some() {
        return None;
    }
    let mut branch = returns.range();
    let mut around = returns.syntax().parent()?;
    if let Some(block) = ast::Block::cast(around.clone()) {
        if block.stmts().count() != 1 {
            return None;
        }
        branch = block.range();
        around = around.parent()?;
    }
    let condition = ast::IfStmt::cast(around.clone()).filter(|it| it.else_branch().is_none())?;
    let asked = condition.condition()?.range();
    let block = ast::Block::cast(around.parent()?)?;
    ast::AsyncStmt::cast(block.syntax().parent()?)?;
    let last = block.stmts().last()?.range();
    if last.end() <= condition.range().end() {
        return None;
    }
    let edit = |range, text: &str| TextEdit { file: None, range, text: text.to_owned() };
    let edits = vec![
        edit(TextRange::empty(asked.start()), "!("),
        edit(TextRange::empty(asked.end()), ")"),
        edit(branch, "{"),
        edit(TextRange::empty(last.end()), " }"),
    ];
    Some(Fix { title: "Put what follows under the opposite condition".to_owned(), edits })
}
