//! Completion in constraints and guards: properties, `self`, and stable values.

use super::CompletionKind;
use super::items::{Items, rank};
use crate::ide::navigation_target::Symbol;
use crate::item_tree::items::{field_item, method_is_property};
use crate::item_tree::source::Item;
use crate::ty::Ty;

impl Items<'_> {
    /// The properties of a type, its only members that a constraint may name.
    pub(super) fn properties(&mut self, ty: Ty) {
        self.fields_of(ty, false);
        self.methods_of(ty, false);
        let db = self.db;
        self.change(|item| match item.symbol {
            Some(Symbol::Item(Item::Field(field))) => {
                field_item(db, field).is_some_and(|field| field.is_property)
            }
            Some(Symbol::Item(Item::Method(method))) => method_is_property(db, method),
            _ => false,
        });
    }

    /// The names that a term may begin with; members of the constrained type first.
    pub(super) fn terms(&mut self, about: Option<Ty>) {
        if let Some(ty) = about {
            self.properties(ty);
            self.change(|item| {
                item.rank = rank::LOCAL - 5;
                true
            });
            self.add("self", CompletionKind::Keyword, rank::LOCAL);
        }
        self.expression(false);
        let mut has_self = false;
        self.change(|item| {
            let is_again = item.label == "self" && std::mem::replace(&mut has_self, true);
            // A constraint constructs nothing and calls only property methods.
            let is_call =
                matches!(item.symbol, Some(Symbol::Item(Item::Method(_)))) && item.rank >= rank::LOCAL;
            !is_again && !is_call && !matches!(item.label.as_str(), "new" | "at" | "finish")
        });
    }
}
