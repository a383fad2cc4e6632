//! Where a symbol is used.

use apg_syntax::{SyntaxKind, SyntaxToken, TextRange, TextSize};

use super::symbol::{Symbol, declaration, name_of, token_symbols};
use crate::check::overridden;
use crate::db::{Db, parse};
use crate::ids::{MethodId, SourceFile};
use crate::item_tree::source::Item;

/// A use of a symbol, or its declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The file.
    pub file: SourceFile,
    /// The name.
    pub range: TextRange,
    /// What happens there.
    pub access: Access,
}

/// What happens to a symbol where it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is declared.
    Declaration,
    /// Its value is used.
    Read,
    /// It is assigned to.
    Write,
}

/// All places in `files` that name `symbol`. A method's include those of the methods it overrides or is overridden by:
/// they are one method to those who call it.
pub fn references(db: &dyn Db, files: &[SourceFile], symbol: &Symbol) -> Vec<Reference> {
    let name = match symbol {
        // Constructors are named as their class is.
        Symbol::Item(Item::Method(method)) if method.name(db) == "this" => method.class(db).name(db).clone(),
        symbol => name_of(db, symbol),
    };
    let local = match symbol {
        Symbol::Local { .. } | Symbol::TypeParam(_) => declaration(db, symbol).map(|(file, _)| file),
        Symbol::Item(_) => None,
    };
    let family = Family::of(db, symbol);
    let mut found = Vec::new();
    for file in files.iter().filter(|f| local.is_none_or(|local| local == **f)) {
        for token in tokens(db, *file, &name) {
            let symbols = token_symbols(db, *file, &token);
            if symbols.iter().any(|s| family.contains(db, s)) {
                let range = token.text_range();
                found.push(Reference { file: *file, range, access: access(&token) });
            }
        }
    }
    found
}

/// The names with this text in a file.
pub(super) fn tokens(db: &dyn Db, file: SourceFile, name: &str) -> Vec<SyntaxToken> {
    let text = file.text(db);
    let mut found: Vec<SyntaxToken> = Vec::new();
    if name.is_empty() || !text.contains(name) {
        return found;
    }
    let root = parse(db, file).syntax();
    for (at, _) in text.match_indices(name) {
        let Ok(at) = u32::try_from(at) else { break };
        let token = root.token_at_offset(TextSize::new(at)).right_biased();
        let named = |t: &SyntaxToken| t.text().trim_matches('`') == name && !t.kind().is_trivia();
        if let Some(token) = token.filter(named)
            && found.last() != Some(&token)
        {
            found.push(token);
        }
    }
    found
}

/// What counts as the same symbol.
struct Family {
    symbol: Symbol,
    /// The methods that it overrides, and itself.
    methods: Vec<MethodId>,
}

impl Family {
    fn of(db: &dyn Db, symbol: &Symbol) -> Family {
        let methods = match symbol {
            Symbol::Item(Item::Method(method)) => with_overridden(db, *method),
            _ => Vec::new(),
        };
        Family { symbol: *symbol, methods }
    }

    fn contains(&self, db: &dyn Db, other: &Symbol) -> bool {
        if *other == self.symbol {
            return true;
        }
        match other {
            Symbol::Item(Item::Method(other)) if !self.methods.is_empty() && other.name(db) != "this" => {
                with_overridden(db, *other).iter().any(|m| self.methods.contains(m))
            }
            _ => false,
        }
    }
}

/// A method and those it overrides.
pub(super) fn with_overridden(db: &dyn Db, method: MethodId) -> Vec<MethodId> {
    let mut all = vec![method];
    all.extend(overridden(db, method.class(db), method).into_iter().map(|(other, _)| other));
    all
}

fn access(token: &SyntaxToken) -> Access {
    let Some(name) = token.parent() else { return Access::Read };
    if name.kind() == SyntaxKind::NAME || token.kind() != SyntaxKind::IDENT {
        return Access::Declaration;
    }
    let Some(e) = name.parent() else { return Access::Read };
    let written = e.parent().is_some_and(|around| match around.kind() {
        SyntaxKind::ASSIGN_EXPR => around.first_child().as_ref() == Some(&e),
        SyntaxKind::POSTFIX_EXPR => true,
        SyntaxKind::PREFIX_EXPR => around.first_token().is_some_and(|t| matches!(t.text(), "++" | "--")),
        _ => false,
    });
    if written { Access::Write } else { Access::Read }
}
