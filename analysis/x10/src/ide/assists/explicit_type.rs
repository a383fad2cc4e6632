//! The inferred type of a `val` or `var` is written down.

use apg_syntax::TextRange;
use apg_syntax::ast::{self, AstNode};

use super::{Assist, AssistKind, Place};
use crate::ide::symbol::{Symbol, declared_local};
use crate::infer::owner_body;

pub(super) fn explicit_type(place: &Place<'_>) -> Option<Assist> {
    let token = apg_syntax::token_at_offset(&place.root, place.range.start()).right_biased()?;
    let declarator = token.parent_ancestors().take(3).find_map(ast::Declarator::cast)?;
    let name = declarator.name().filter(|n| n.range().contains_range(place.range))?;
    if declarator.ty().is_some() {
        return None;
    }
    let Symbol::Local { owner, local } = declared_local(place.db, place.file, name.range())? else {
        return None;
    };
    let ty = owner_body(place.db, owner).body.local(local).ty;
    let written = place.spelled(ty)?;
    Some(Assist {
        title: format!("Write the type `{written}`"),
        kind: AssistKind::Rewrite,
        edits: vec![place.edit(TextRange::empty(name.range().end()), format!(":{written}"))],
    })
}
