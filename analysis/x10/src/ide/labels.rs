//! Labels. A label is only named by `break` and `continue` inside the labelled statement.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, TextRange, TextSize};

use super::navigation_target::{name_token, plain_name};
use crate::db::Db;
use crate::ids::SourceFile;
use crate::inputs::parse;

/// The label at an offset: the range of its declaration, then those of its uses.
pub fn label_uses(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<Vec<TextRange>> {
    let token = name_token(&parse(db, file).syntax(), offset)?;
    let name = plain_name(&token);
    let around = token.parent()?.parent()?;
    let is_label = matches!(
        around.kind(),
        SyntaxKind::LABELED_STMT | SyntaxKind::BREAK_STMT | SyntaxKind::CONTINUE_STMT
    );
    if !is_label {
        return None;
    }
    let labelled = around.ancestors().find(|n| is_labelled(n, &name))?;
    let declared = ast::LabeledStmt::cast(labelled.clone())?.name()?.range();
    let jumps = labelled
        .descendants()
        .filter(|n| matches!(n.kind(), SyntaxKind::BREAK_STMT | SyntaxKind::CONTINUE_STMT))
        // A nested labelled statement may redeclare the label.
        .filter(|n| n.ancestors().find(|around| is_labelled(around, &name)).as_ref() == Some(&labelled));
    let named = jumps.filter_map(|jump| {
        let mut tokens = jump.descendants_with_tokens().filter_map(|e| e.into_token());
        tokens.find(|t| t.kind() == SyntaxKind::IDENT && plain_name(t) == name).map(|t| t.text_range())
    });
    Some(std::iter::once(declared).chain(named).collect())
}

fn is_labelled(node: &SyntaxNode, name: &str) -> bool {
    ast::LabeledStmt::cast(node.clone())
        .and_then(|labelled| labelled.name())
        .is_some_and(|found| found.text() == name)
}
