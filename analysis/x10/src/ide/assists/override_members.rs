//! Assist: override an inherited method.

use super::stub_insertion::StubInsertion;
use super::{Assist, AssistContext, AssistKind};
use crate::ide::members::overridable;
use crate::ide::spans::enclosing_class;
use crate::ide::stubs::stub;
use crate::item_tree::ClassKind;
use crate::item_tree::items::{class_kind, method_item};
use crate::item_tree::source::{Item, name_range};
use crate::relate::Context;
use crate::ty::Ty;

/// Methods of `Any` that are offered. Methods of the user's own superclasses are offered too.
const COMMON: &[&str] = &["toString", "equals", "hashCode"];

/// Offered at the name of a class: `toString`, `equals`, `hashCode`, and the methods of the user's
/// superclasses.
pub(super) fn override_members(ctx: &AssistContext<'_>) -> Vec<Assist> {
    generated(ctx).unwrap_or_default()
}

fn generated(ctx: &AssistContext<'_>) -> Option<Vec<Assist>> {
    let (db, file) = (ctx.db, ctx.file);
    let class = enclosing_class(db, file, ctx.range)?;
    if !name_range(db, Item::Class(class)).contains_range(ctx.range)
        || class_kind(db, class) != Some(ClassKind::Class)
    {
        return None;
    }
    let insertion = StubInsertion::of(ctx, class)?;
    let context = Context::class(db, class);
    let has_body = |m| method_item(db, m).is_some_and(|m| m.has_body);
    let wanted = overridable(&context, Ty::this_type(db, class)).into_iter().filter(|found| {
        let is_common = COMMON.contains(&found.member.name(db).as_str());
        let is_theirs = found.member.class(db).file(db).origin(db) == crate::ids::FileOrigin::User;
        is_common || is_theirs && has_body(found.member)
    });
    let all = wanted.filter_map(|found| {
        // A call of a superclass's operator has another syntax.
        let stub = stub(db, found.member, found.owner).filter(|stub| !stub.keyword.is_empty())?;
        let item = method_item(db, found.member)?;
        let arguments: Vec<&str> = item.params.iter().filter_map(|p| p.name.as_deref()).collect();
        if arguments.len() != item.params.len() {
            return None;
        }
        let name = found.member.name(db);
        let is_void = crate::signature::inferred::result_type(db, found.member).is_void(db);
        let keyword = if is_void { "" } else { "return " };
        // An inherited method without code cannot be called by `super`.
        let code = match found.owner.as_class(db).and_then(|(c, _)| class_kind(db, c)) {
            Some(ClassKind::Interface) if name == "toString" => "return \"\";".to_owned(),
            Some(ClassKind::Interface) => "throw new UnsupportedOperationException();".to_owned(),
            _ => format!("{keyword}super.{name}({});", arguments.join(", ")),
        };
        let (range, text) = insertion.insert(&insertion.method(&stub.declaration(), &code));
        Some(Assist {
            title: format!("Override `{name}`"),
            kind: AssistKind::Rewrite,
            edits: vec![ctx.edit(range, text)],
        })
    });
    Some(all.collect())
}
