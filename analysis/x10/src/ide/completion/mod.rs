//! Completion at the cursor.
//!
//! The syntax around the cursor gives the context (`context`): members, types, names or declarations, each in
//! a file of its own. Incomplete code does not parse, but the expression before a dot still has a type.

mod condition;
mod constructors;
mod context;
mod items;
mod names;
mod overrides;
mod package;
mod postfix;
mod snippets;

use apg_syntax::{TextRange, TextSize};

use self::context::{Wanted, wanted};
use self::items::{Items, rank};
use super::navigation_target::Symbol;
use super::receiver::Receiver;
use crate::db::Db;
use crate::diagnostics::TextEdit;
use crate::ids::SourceFile;

/// A completion item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The displayed label, also used to filter.
    pub label: String,
    /// The kind of item.
    pub kind: CompletionKind,
    /// Its signature or type.
    pub detail: Option<String>,
    /// The text to insert; a snippet has `$1`, `${2:name}` and `$0`.
    pub insert: String,
    /// Whether `insert` is a snippet.
    pub is_snippet: bool,
    /// The replaced range: the typed word, and with a `filter` also the text before it.
    pub replace: TextRange,
    /// The text to filter by instead of the label: the whole replaced text.
    pub filter: Option<String>,
    /// Further edits, such as an import.
    pub also: Vec<TextEdit>,
    /// The rank; likely items have low ranks.
    pub rank: u32,
    /// The symbol with the documentation.
    pub symbol: Option<Symbol>,
}

/// The kind of a completion item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after X10's constructs")]
pub enum CompletionKind {
    Local,
    Field,
    Method,
    Class,
    Struct,
    Interface,
    TypeDef,
    TypeParam,
    Package,
    Keyword,
    Snippet,
}

/// The completions at an offset, unsorted: `rank` gives the order.
pub fn completions(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<Completion> {
    let Some((wanted, word)) = wanted(db, file, offset) else { return Vec::new() };
    let mut items = Items::new(db, file, offset, word);
    match wanted {
        Wanted::Members(receiver, e) => {
            receiver.iter().for_each(|receiver| items.members(receiver));
            match receiver {
                Some(Receiver::Value(ty)) => items.postfix(&e, Some(ty)),
                None => items.postfix(&e, None),
                Some(_) => {}
            }
        }
        Wanted::Property(ty) => items.properties(ty),
        Wanted::Term(ty) => items.terms(ty),
        Wanted::Package(package) => {
            items.package(&package);
            items.member_types(&package);
        }
        Wanted::Import(package) => items.import(&package),
        Wanted::Declared(before) => items.declared_package(&before),
        Wanted::Annotation => items.annotations(),
        Wanted::Type => items.types(),
        Wanted::Thrown => items.thrown(),
        Wanted::New(is_thrown) => items.constructible(is_thrown),
        Wanted::Super(is_interface) => items.supertypes(is_interface),
        Wanted::Member(class) => items.declarations(class),
        Wanted::Override(class, start) => items.overrides(class, Some(start)),
        Wanted::Words(words) => {
            for word in words {
                items.add(*word, CompletionKind::Keyword, rank::KEYWORD);
            }
        }
        Wanted::Expression => items.expression(false),
        Wanted::Statement => items.expression(true),
    }
    items.finish()
}
