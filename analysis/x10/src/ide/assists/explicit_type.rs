//! Assist: write the inferred type of a `val` or `var`.

use apg_syntax::TextRange;
use apg_syntax::ast::{self, AstNode};

use super::{Assist, AssistContext, AssistKind};
use crate::ide::navigation_target::{Symbol, declared_local};
use crate::infer::owner_body;

pub(super) fn explicit_type(ctx: &AssistContext<'_>) -> Option<Assist> {
    let token = apg_syntax::token_at_offset(&ctx.root, ctx.range.start()).right_biased()?;
    let declarator = token.parent_ancestors().take(3).find_map(ast::Declarator::cast)?;
    let name = declarator.name().filter(|n| n.range().contains_range(ctx.range))?;
    if declarator.ty().is_some() {
        return None;
    }
    let Symbol::Local { owner, local } = declared_local(ctx.db, ctx.file, name.range())? else {
        return None;
    };
    let ty = owner_body(ctx.db, owner).body.local(local).ty;
    let written = ctx.spelled(ty)?;
    Some(Assist {
        title: format!("Write the type `{written}`"),
        kind: AssistKind::Rewrite,
        edits: vec![ctx.edit(TextRange::empty(name.range().end()), format!(":{written}"))],
    })
}
