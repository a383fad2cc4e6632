//! The keyword of a local's declaration, for fixes that replace it.

use apg_syntax::TextRange;
use apg_syntax::ast::{self, AstNode};

use crate::body::LocalId;
use crate::rules::render::RenderContext;

/// The keyword `val` or `var` of a local's declaration, if it declares this local alone.
pub(crate) fn declaration_keyword(cx: &RenderContext<'_>, local: LocalId) -> Option<TextRange> {
    let name = cx.body()?.local(local).range;
    let node = cx.syntax()?;
    if !node.text_range().contains_range(name) {
        return None;
    }
    let declaration = node.covering_element(name).ancestors().find_map(ast::LocalDecl::cast)?;
    let is_alone = declaration.declarators().count() == 1;
    let keyword = declaration.var_token().or_else(|| declaration.val_token());
    keyword.filter(|_| is_alone).map(|token| token.text_range())
}
