//! Fix for jumps out of an activity: `if (c) return;` becomes a condition around the following statements.
//! Where none follow, the jump is removed. A `continue` of the loop that starts the activities means the
//! same.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, TextRange, TextSize};

use crate::diagnostics::{Fix, TextEdit};

/// The `return`, `break` or `continue` at `range`.
pub(crate) fn jump_at(root: &SyntaxNode, range: TextRange) -> Option<SyntaxNode> {
    let token = apg_syntax::token_at_offset(root, range.start()).right_biased()?;
    token.parent_ancestors().find(|it| {
        matches!(it.kind(), SyntaxKind::RETURN_STMT | SyntaxKind::BREAK_STMT | SyntaxKind::CONTINUE_STMT)
    })
}

/// The fix for a `return` or `continue` in the block of an `async`, or in an `if` there.
pub(crate) fn fix(jump: &SyntaxNode) -> Option<Fix> {
    if is_last(jump) { removed(jump) } else { opposite(jump).or_else(|| otherwise(jump)) }
}

/// What to write in an activity instead of the jump.
pub(crate) fn advice(jump: &SyntaxNode) -> &'static str {
    let inside = jump.ancestors().skip(1).take_while(|it| ast::AsyncStmt::cast(it.clone()).is_none());
    let is_loop = |it: &SyntaxNode| {
        use SyntaxKind::{DO_STMT, FOR_IN_STMT, FOR_STMT, WHILE_STMT};
        matches!(it.kind(), FOR_STMT | FOR_IN_STMT | WHILE_STMT | DO_STMT)
    };
    if inside.into_iter().any(|it| is_loop(&it)) {
        "leave the loop by `break`, and write what follows it under a condition"
    } else if is_last(jump) {
        "nothing follows here, so leave it out"
    } else {
        "write what follows under the opposite condition"
    }
}

/// Whether nothing follows in the activity.
fn is_last(jump: &SyntaxNode) -> bool {
    let mut last = jump.clone();
    while let Some(around) = last.parent() {
        match ast::Block::cast(around.clone()) {
            Some(block) if block.stmts().last().is_none_or(|it| it.syntax() != &last) => return false,
            Some(block) if block.syntax().parent().and_then(ast::AsyncStmt::cast).is_some() => return true,
            None if ast::IfStmt::cast(around.clone()).is_none() => return false,
            _ => last = around,
        }
    }
    false
}

/// Removes the jump, and with it a branch that has nothing else, if it is not the only one.
fn removed(jump: &SyntaxNode) -> Option<Fix> {
    let around = jump.parent()?;
    let start = match ast::IfStmt::cast(around) {
        Some(condition) if condition.else_branch()?.syntax() == jump => {
            condition.then_branch()?.range().end()
        }
        Some(_) => return None,
        None => start_with_space(jump),
    };
    let word = jump.first_token()?.text().to_owned();
    let edits = vec![edit(TextRange::new(start, jump.text_range().end()), "")];
    Some(Fix { title: format!("Remove the `{word}`"), edits })
}

/// The fix for a jump that is the only statement of an `if` without `else`.
fn opposite(jump: &SyntaxNode) -> Option<Fix> {
    let mut branch = jump.text_range();
    let mut around = jump.parent()?;
    if let Some(block) = ast::Block::cast(around.clone()) {
        if block.stmts().count() != 1 {
            return None;
        }
        branch = block.range();
        around = around.parent()?;
    }
    let (condition, last) = guard(around)?;
    let asked = condition.condition()?.range();
    let edits = vec![
        edit(TextRange::empty(asked.start()), "!("),
        edit(TextRange::empty(asked.end()), ")"),
        edit(branch, "{"),
        edit(TextRange::empty(last.end()), " }"),
    ];
    Some(Fix { title: "Put what follows under the opposite condition".to_owned(), edits })
}

/// The fix for a jump that is the last statement of an `if` without `else`.
fn otherwise(jump: &SyntaxNode) -> Option<Fix> {
    let block = ast::Block::cast(jump.parent()?)?;
    if block.stmts().last()?.syntax() != jump {
        return None;
    }
    let (condition, last) = guard(block.syntax().parent()?)?;
    let edits = vec![
        edit(TextRange::new(start_with_space(jump), jump.text_range().end()), ""),
        edit(TextRange::empty(condition.range().end()), " else {"),
        edit(TextRange::empty(last.end()), " }"),
    ];
    Some(Fix { title: "Put what follows under `else`".to_owned(), edits })
}

fn start_with_space(stmt: &SyntaxNode) -> TextSize {
    let before = stmt.prev_sibling_or_token().filter(|it| it.kind() == SyntaxKind::WHITESPACE);
    before.map_or(stmt.text_range().start(), |it| it.text_range().start())
}

/// An `if` without `else` in a block that ends the activity, and the last statement of the block.
fn guard(stmt: SyntaxNode) -> Option<(ast::IfStmt, TextRange)> {
    let condition = ast::IfStmt::cast(stmt).filter(|it| it.else_branch().is_none())?;
    let block = ast::Block::cast(condition.syntax().parent()?)?;
    let around = block.syntax().parent()?;
    if ast::AsyncStmt::cast(around.clone()).is_none()
        && !(ast::IfStmt::cast(around.clone()).is_some() && is_last(&around))
    {
        return None;
    }
    let last = block.stmts().last()?.range();
    (last.end() > condition.range().end()).then_some((condition, last))
}

fn edit(range: TextRange, text: &str) -> TextEdit {
    TextEdit { file: None, range, text: text.to_owned() }
}
