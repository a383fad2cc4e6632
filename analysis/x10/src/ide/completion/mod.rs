//! What could be written at the cursor.
//!
//! The syntax around the cursor gives the context (`context`): members, types, names or declarations; each
//! has its file. Code that is being typed does not parse; what stands before a dot has a type all the same.

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

/// Something that could be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What a person sees and filters by.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// Its signature or type.
    pub detail: Option<String>,
    /// The text to insert; a snippet has `$1`, `${2:name}` and `$0`.
    pub insert: String,
    /// Whether `insert` is a snippet.
    pub is_snippet: bool,
    /// What it replaces: the word that is being typed, and with a `filter` what stands before it too.
    pub replace: TextRange,
    /// What is typed to find it, if not the label: all of what it replaces.
    pub filter: Option<String>,
    /// Further edits: an import.
    pub also: Vec<TextEdit>,
    /// The most likely have the lowest.
    pub rank: u32,
    /// Where its documentation is.
    pub symbol: Option<Symbol>,
}

/// What a completion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // named after X10's constructs
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

/// What could be written at an offset, in no order but by `rank`.
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
