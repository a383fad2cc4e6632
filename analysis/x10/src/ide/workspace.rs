//! Workspace symbols: search for symbols by name over many files.

use super::members_of;
use super::navigation_target::{Symbol, is_anonymous};
use crate::db::Db;
use crate::ids::{FileOrigin, SourceFile};
use crate::item_tree::items::{all_classes, item_tree, qualified_name, top_level_typedefs};
use crate::item_tree::source::Item;

/// A symbol and its container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The symbol.
    pub symbol: Symbol,
    /// Its name.
    pub name: String,
    /// The name of the enclosing class or package.
    pub container: String,
}

/// Maximum number of listed symbols.
const MAX_WORKSPACE_SYMBOLS: usize = 500;

/// The classes, members and type definitions whose names contain the letters of `query` in this order. Best
/// match first: equal names, then prefixes, then substrings; user code before the library.
pub fn workspace_symbols(db: &dyn Db, files: &[SourceFile], query: &str) -> Vec<Listed> {
    let query = query.to_lowercase();
    let mut found: Vec<(Rank, Listed)> = Vec::new();
    for file in files {
        let query = Query { text: &query, in_library: file.origin(db) == FileOrigin::Library };
        for class in all_classes(db, *file).iter().filter(|c| !is_anonymous(db, **c)) {
            let name = qualified_name(db, *class).to_string();
            let around = name.rsplit_once('.').map_or("", |(around, _)| around).to_owned();
            add(&mut found, &query, Symbol::Item(Item::Class(*class)), class.name(db), &around);
            for member in members_of(db, *class) {
                let own = match member {
                    Item::Method(m) if m.name(db) == "this" => continue,
                    Item::Method(m) => m.name(db).clone(),
                    Item::Field(f) => f.name(db).clone(),
                    Item::Typedef(t) => t.name(db).clone(),
                    Item::Class(c) => c.name(db).clone(),
                };
                add(&mut found, &query, Symbol::Item(member), &own, &name);
            }
        }
        let tree = item_tree(db, *file);
        for typedef in tree.typedefs.iter().filter(|t| t.nth == 0) {
            for id in top_level_typedefs(db, *file, &typedef.name) {
                add(&mut found, &query, Symbol::Item(Item::Typedef(id)), &typedef.name, &tree.package);
            }
        }
    }
    found.sort_by(|(a, x), (b, y)| (a, x.name.len(), &x.name).cmp(&(b, y.name.len(), &y.name)));
    found.into_iter().map(|(_, listed)| listed).take(MAX_WORKSPACE_SYMBOLS).collect()
}

/// The quality of a match (smaller is better), and whether the symbol is of the library.
type Rank = (u8, bool);

struct Query<'a> {
    text: &'a str,
    in_library: bool,
}

fn add(found: &mut Vec<(Rank, Listed)>, query: &Query<'_>, symbol: Symbol, name: &str, container: &str) {
    if let Some(rank) = rank(&name.to_lowercase(), query.text) {
        let listed = Listed { symbol, name: name.to_owned(), container: container.to_owned() };
        found.push(((rank, query.in_library), listed));
    }
}

fn rank(name: &str, query: &str) -> Option<u8> {
    if name == query {
        return Some(0);
    }
    if name.starts_with(query) {
        return Some(1);
    }
    if name.contains(query) {
        return Some(2);
    }
    let mut letters = name.chars();
    query.chars().all(|wanted| letters.any(|c| c == wanted)).then_some(3)
}
