//! Completion of types: for `new`, for `extends` and `implements`, and for exceptions.

use super::CompletionKind;
use super::items::Items;
use crate::db::Db;
use crate::ide::navigation_target::Symbol;
use crate::ids::ClassId;
use crate::item_tree::Modifiers;
use crate::item_tree::items::{class_head, class_modifiers, fields, own_methods, type_param_ids};
use crate::item_tree::source::Item;
use crate::signature::supertypes::all_supertypes;

impl Items<'_> {
    /// The classes that can be extended, or the interfaces.
    pub(super) fn supertypes(&mut self, is_interface: bool) {
        self.types();
        let (db, own) = (self.db, self.context.class);
        self.change(|item| {
            let Some(Symbol::Item(Item::Class(class))) = item.symbol else {
                item.rank += 20;
                return matches!(item.kind, CompletionKind::TypeDef | CompletionKind::Package);
            };
            let is_final = || class_modifiers(db, class).has(Modifiers::FINAL);
            match item.kind {
                CompletionKind::Interface => is_interface && Some(class) != own,
                CompletionKind::Class => !is_interface && Some(class) != own && !is_final(),
                _ => false,
            }
        });
    }

    /// All types, exceptions first.
    pub(super) fn thrown(&mut self) {
        self.types();
        let db = self.db;
        self.change(|item| {
            if matches!(item.symbol, Some(Symbol::Item(Item::Class(class))) if can_be_thrown(db, class)) {
                item.rank = item.rank.saturating_sub(20);
            }
            item.label != "void"
        });
    }

    /// The types that can be instantiated, those that fit the expected type first. Interfaces and abstract
    /// classes, which need a body, come last.
    pub(super) fn constructible(&mut self, is_thrown: bool) {
        self.types();
        let db = self.db;
        let expected = self.expected;
        let called = self.text_follows('(') || self.text_follows('[');
        self.change(|item| {
            let Some(Symbol::Item(Item::Class(class))) = item.symbol else {
                // Packages, type definitions, type parameters.
                item.rank += 20;
                return item.kind != CompletionKind::Keyword;
            };
            let is_abstract =
                class_head(db, class).as_ref().is_some_and(|c| c.modifiers.has(Modifiers::ABSTRACT));
            let has_fit = expected.is_some_and(|ty| {
                let wanted = ty.base(db).as_class(db).map(|(class, _)| class);
                let supers = all_supertypes(db, class);
                supers.iter().any(|t| t.as_class(db).map(|(class, _)| class) == wanted)
            });
            if has_fit || is_thrown && can_be_thrown(db, class) {
                item.rank = item.rank.saturating_sub(20);
            }
            // Primitive values are written as literals.
            let is_written = item.kind == CompletionKind::Struct
                && own_methods(db, class, "this").is_empty()
                && fields(db, class).is_empty();
            if is_abstract || is_written || item.kind == CompletionKind::Interface {
                item.rank += 30;
            } else if !called {
                let types = if type_param_ids(db, class).is_empty() { "" } else { "[$1]" };
                let hole = if types.is_empty() { "$1" } else { "$2" };
                item.insert = format!("{}{types}({hole})$0", item.label);
                item.is_snippet = true;
            }
            true
        });
    }
}

/// Whether a class is a Throwable.
fn can_be_thrown(db: &dyn Db, class: ClassId) -> bool {
    let supers = all_supertypes(db, class).iter();
    supers.filter_map(|t| t.as_class(db)).any(|(c, _)| c.name(db) == "CheckedThrowable")
}
