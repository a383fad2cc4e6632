//! Missing casts after `instanceof`: the test does not change the type of the variable in X10.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, TextRange};

use crate::diagnostics::Diagnostic;
use crate::infer::context::{Infer, range_of};
use crate::item_tree::source::{Item, item_source};
use crate::suggest::conversion::replaced;

impl Infer<'_> {
    /// Suggests a cast for `x.name` inside of `if (x instanceof T)`.
    pub(crate) fn member_of_tested(&self, diagnostic: &Diagnostic, at: TextRange) -> Option<Diagnostic> {
        let item = item_source(self.db, Item::from(self.owner));
        let root = item.as_ref()?.syntax();
        let name = apg_syntax::token_at_offset(&root, at.start()).right_biased()?;
        let field = name.parent_ancestors().find_map(ast::FieldExpr::cast)?;
        let receiver = field.receiver().filter(|it| matches!(it, ast::Expr::NameExpr(_)))?;
        let value = receiver.syntax().text().to_string();
        let ty = field.syntax().ancestors().find_map(|around| tested(&around, &value, at))?;
        let cast = format!("({value} as {ty})");
        let note = format!("the test changes no type, which a cast does: `{cast}`");
        Some(replaced(diagnostic.clone().note(note), range_of(&receiver), cast))
    }
}

/// The type that the condition of `around` tests the variable `value` for, if the code at `at` depends on it.
fn tested(around: &SyntaxNode, value: &str, at: TextRange) -> Option<String> {
    use SyntaxKind::{BIN_EXPR, CONDITIONAL_EXPR, IF_STMT, WHILE_STMT};
    if !matches!(around.kind(), IF_STMT | CONDITIONAL_EXPR | WHILE_STMT | BIN_EXPR) {
        return None;
    }
    let condition = around.children().find(|it| ast::Expr::can_cast(it.kind()))?;
    if condition.text_range().end() > at.start() {
        return None;
    }
    let test = condition.descendants().filter_map(ast::InstanceOfExpr::cast).find(|it| {
        it.expr().is_some_and(|it| it.syntax().text() == value)
            && !it
                .syntax()
                .ancestors()
                .take_while(|it| *it != condition)
                .any(|it| it.kind() == SyntaxKind::PREFIX_EXPR)
    })?;
    Some(test.ty()?.syntax().text().to_string())
}
