//! What stands under the cursor.

use apg_syntax::ast::{self, AstNode, HasDocComments};
use apg_syntax::{SyntaxNode, SyntaxToken, TextRange, TextSize};

use super::owners;
use crate::body::{ExprKind, LocalId};
use crate::db::{Db, parse};
use crate::ids::SourceFile;
use crate::infer::{Owner, owner_body};
use crate::item_tree::TypeRefKind;
use crate::item_tree::items::all_classes;
use crate::item_tree::lower::types::TypeLowering;
use crate::item_tree::source::{Item, item_node, item_offset, item_ptr, name_range};
use crate::scope::lookup::Found;
use crate::scope::resolve::TypeScope;
use crate::ty::Ty;

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A class, method, field or type definition.
    Item(Item),
    /// A local variable or formal.
    Local {
        /// Whose code it is in.
        owner: Owner,
        /// The variable.
        local: LocalId,
    },
    /// A type parameter.
    TypeParam(Ty),
}

/// The symbol under the cursor, and the range of its name.
pub fn symbol_at(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<(Symbol, TextRange)> {
    let token = name_token(&parse(db, file).syntax(), offset)?;
    let range = token.text_range();
    let symbol = declared(db, file, range)
        .or_else(|| in_type(db, file, &token))
        .or_else(|| in_code(db, file, range))?;
    Some((symbol, range))
}

/// The word at the offset, or the one that ends there.
fn name_token(root: &SyntaxNode, offset: TextSize) -> Option<SyntaxToken> {
    let at = root.token_at_offset(offset);
    let is_name = |t: &SyntaxToken| {
        let first = t.text().chars().next();
        !t.kind().is_trivia()
            && !t.kind().is_literal()
            && first.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '`')
    };
    at.clone().right_biased().filter(is_name).or_else(|| at.left_biased().filter(is_name))
}

/// The item whose name this is in its declaration.
fn declared(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<Symbol> {
    for class in all_classes(db, file) {
        let items = std::iter::once(Item::Class(*class)).chain(super::members_of(db, *class));
        for item in items {
            let inside = item_ptr(db, item).is_some_and(|ptr| ptr.range().contains_range(range));
            if inside && name_range(db, item) == range {
                return Some(Symbol::Item(item));
            }
        }
    }
    None
}

/// The type that a name in a written type stands for.
fn in_type(db: &dyn Db, file: SourceFile, token: &SyntaxToken) -> Option<Symbol> {
    let name = token.parent()?;
    let named = ast::NamedType::cast(name.parent()?)?;
    if named.name_ref()?.syntax().text_range() != token.text_range() {
        return None;
    }
    // Only this part of the name and what qualifies it.
    let mut reference = TypeLowering::default().named(&named);
    if let TypeRefKind::Constrained { base, .. } = reference.kind {
        reference = *base;
    }
    let TypeRefKind::Named { segments, .. } = &reference.kind else { return None };
    let names: Vec<_> = segments.iter().map(|s| s.name.clone()).collect();
    let scope = scope_at(db, file, token.text_range());
    if let [name] = names.as_slice() {
        match scope.find_type(name)? {
            Found::Param(ty) => return Some(Symbol::TypeParam(ty)),
            Found::Typedefs(all) => return all.first().map(|t| Symbol::Item(Item::Typedef(*t))),
            Found::Class(class) => return Some(Symbol::Item(Item::Class(class))),
        }
    }
    scope.find_class(&names).map(|class| Symbol::Item(Item::Class(class)))
}

/// The names of types that are known at a place.
fn scope_at(db: &dyn Db, file: SourceFile, range: TextRange) -> TypeScope<'_> {
    let inside = |item: Item| item_ptr(db, item).is_some_and(|ptr| ptr.range().contains_range(range));
    let innermost = all_classes(db, file).iter().rev().find(|c| inside(Item::Class(**c)));
    let Some(class) = innermost else { return TypeScope::file(db, file) };
    let method = crate::item_tree::items::methods(db, *class).iter().find(|m| inside(Item::Method(**m)));
    match method {
        Some(method) => TypeScope::method(db, *method),
        None => TypeScope::class(db, *class),
    }
}

/// What a name in code stands for: the innermost expression or declared local there.
fn in_code(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<Symbol> {
    let inside =
        |owner: &Owner| item_ptr(db, (*owner).into()).is_some_and(|ptr| ptr.range().contains_range(range));
    // A class in a method's code has owners of its own; the shortest is the innermost.
    let owner =
        owners(db, file).filter(inside).min_by_key(|o| item_ptr(db, (*o).into()).map(|p| p.range().len()))?;
    let offset = item_offset(db, owner.into());
    let range = range.checked_sub(offset)?;
    let body = &owner_body(db, owner).body;
    if let Some(local) = body.locals.iter().position(|l| l.range == range && !l.name.starts_with('$')) {
        return Some(Symbol::Local { owner, local: LocalId(local as u32) });
    }
    let around = body.exprs.iter().filter(|e| e.range.contains_range(range) && is_named(&e.kind));
    let expr = around.min_by_key(|e| e.range.len())?;
    named(owner, &expr.kind)
}

fn is_named(kind: &ExprKind) -> bool {
    use ExprKind::*;
    matches!(kind, Local(_) | Field { .. } | StaticField(_) | Call { .. } | New { .. })
}

fn named(owner: Owner, kind: &ExprKind) -> Option<Symbol> {
    Some(match kind {
        ExprKind::Local(local) => Symbol::Local { owner, local: *local },
        ExprKind::Field { field, .. } | ExprKind::StaticField(field) => Symbol::Item(Item::Field(*field)),
        ExprKind::Call { method, .. } => Symbol::Item(Item::Method(*method)),
        ExprKind::New { constructor, .. } => Symbol::Item(Item::Method(*constructor)),
        _ => return None,
    })
}

/// Where a symbol is declared: the file and the range of its name.
pub fn declaration(db: &dyn Db, symbol: &Symbol) -> Option<(SourceFile, TextRange)> {
    match symbol {
        Symbol::Item(item) => Some((item.file(db), name_range(db, *item))),
        Symbol::Local { owner, local } => {
            let item: Item = (*owner).into();
            let range = owner_body(db, *owner).body.local(*local).range;
            Some((item.file(db), range + item_offset(db, item)))
        }
        Symbol::TypeParam(ty) => {
            let param = ty.as_param(db)?;
            let item = param.method(db).map_or(Item::Class(param.class(db)), Item::Method);
            Some((item.file(db), name_range(db, item)))
        }
    }
}

/// The documentation comment of an item.
pub fn documentation(db: &dyn Db, item: Item) -> Option<String> {
    let mut node = item_node(db, item)?;
    if ast::Declarator::can_cast(node.kind()) {
        node = node.parent()?;
    }
    ast::Member::cast(node.clone()).and_then(|m| m.doc_text()).or_else(|| ast::Item::cast(node)?.doc_text())
}
