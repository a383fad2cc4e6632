//! Semantic tokens: syntax highlighting refined by name resolution.

use apg_syntax::services::{HighlightKind, highlight};
use apg_syntax::{TextRange, TextSize};
use rustc_hash::FxHashMap;

use super::navigation_target::scope_at;
use super::owners;
use crate::body::{Body, ExprKind, LocalKind};
use crate::db::Db;
use crate::ids::{FieldId, SourceFile};
use crate::infer::owner_body;
use crate::inputs::parse;
use crate::item_tree::ClassKind;
use crate::item_tree::items::{class_kind, field_is_mutable, field_is_static};
use crate::item_tree::source::{Item, item_offset, item_ptr};
use crate::scope::lookup::Found;

/// A semantic token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The range.
    pub range: TextRange,
    /// The kind of highlighting.
    pub kind: HighlightKind,
    /// Whether it is the name of a declaration.
    pub is_declaration: bool,
    /// Whether it is a mutable variable or field.
    pub is_mutable: bool,
    /// Whether it is a static member.
    pub is_static: bool,
}

/// The tokens in a range of a file, in order.
pub fn semantic_tokens(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<Token> {
    let values = values(db, file, range);
    let mut types: FxHashMap<&str, Option<HighlightKind>> = FxHashMap::default();
    let text = file.text(db);
    let root = parse(db, file).syntax();
    let mut tokens = Vec::new();
    for found in highlight(&root) {
        if found.range.intersect(range).is_none() {
            continue;
        }
        let plain = Token {
            range: found.range,
            kind: found.kind,
            is_declaration: found.is_declaration,
            is_mutable: false,
            is_static: false,
        };
        let token = match found.kind {
            HighlightKind::Variable | HighlightKind::Property | HighlightKind::Parameter => {
                match values.get(&found.range) {
                    Some(value) => Token { is_declaration: found.is_declaration, ..*value },
                    None => Token {
                        kind: name_of_type(db, file, &text[found.range]).unwrap_or(found.kind),
                        ..plain
                    },
                }
            }
            HighlightKind::Type => {
                let name = &text[found.range];
                // A type parameter depends on the scope; all other type names mean the same in the whole
                // file.
                let kind = types.entry(name).or_insert_with(|| name_of_type(db, file, name));
                let kind = kind.or_else(|| type_kind(scope_at(db, file, found.range).find_type(name)?, db));
                Token { kind: kind.unwrap_or(found.kind), ..plain }
            }
            _ => plain,
        };
        tokens.push(token);
    }
    tokens
}

/// The kind of a type name at the top level of the file.
fn name_of_type(db: &dyn Db, file: SourceFile, name: &str) -> Option<HighlightKind> {
    let first = name.chars().next()?;
    if !first.is_uppercase() {
        return None;
    }
    type_kind(crate::scope::type_scope::TypeScope::file(db, file).find_type(name)?, db)
}

fn type_kind(found: Found, db: &dyn Db) -> Option<HighlightKind> {
    Some(match found {
        Found::Param(_) => HighlightKind::TypeParameter,
        Found::Typedefs(_) => HighlightKind::Type,
        Found::Class(class) => match class_kind(db, class)? {
            ClassKind::Class => HighlightKind::Class,
            ClassKind::Struct => HighlightKind::Struct,
            ClassKind::Interface => HighlightKind::Interface,
        },
    })
}

/// The tokens of locals and fields in the bodies of a range.
fn values(db: &dyn Db, file: SourceFile, range: TextRange) -> FxHashMap<TextRange, Token> {
    let mut found = FxHashMap::default();
    for owner in owners(db, file) {
        let item: Item = owner.into();
        if item_ptr(db, item).is_some_and(|ptr| ptr.range().intersect(range).is_some()) {
            values_of(db, &owner_body(db, owner).body, item_offset(db, item), &mut found);
        }
    }
    found
}

fn values_of(db: &dyn Db, body: &Body, offset: TextSize, found: &mut FxHashMap<TextRange, Token>) {
    let local = |range: TextRange, local: &crate::body::Local| Token {
        range,
        kind: match local.kind {
            LocalKind::Param | LocalKind::ClosureParam => HighlightKind::Parameter,
            _ => HighlightKind::Variable,
        },
        is_declaration: false,
        is_mutable: local.mutable,
        is_static: false,
    };
    for declared in body.locals.iter().filter(|l| !l.range.is_empty()) {
        let range = declared.range + offset;
        found.insert(range, local(range, declared));
    }
    for e in &body.exprs {
        match &e.kind {
            ExprKind::Local(id) => {
                let range = e.range + offset;
                found.insert(range, local(range, body.local(*id)));
            }
            ExprKind::Field { field, .. } | ExprKind::StaticField(field) => {
                if let Some(range) = last_name(db, e.range, *field) {
                    let range = range + offset;
                    let token = Token {
                        range,
                        kind: HighlightKind::Property,
                        is_declaration: false,
                        is_mutable: field_is_mutable(db, *field),
                        is_static: field_is_static(db, *field),
                    };
                    found.insert(range, token);
                }
            }
            _ => {}
        }
    }
}

/// The range of the last name of `a.b.field`.
fn last_name(db: &dyn Db, range: TextRange, field: FieldId) -> Option<TextRange> {
    let length = TextSize::of(field.name(db).as_str());
    (range.len() >= length).then(|| TextRange::new(range.end() - length, range.end()))
}
