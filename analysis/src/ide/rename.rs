//! A new name for a symbol, everywhere; or why that cannot be.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, TextRange, TextSize};
use rustc_hash::FxHashSet;

use super::references::{references, tokens};
use super::symbol::{Symbol, declaration, is_anonymous, name_of, name_token, symbol_at, token_symbols};
use super::visible::visible_locals;
use crate::db::{Db, parse};
use crate::ids::{FileOrigin, SourceFile};
use crate::infer::owner_body;
use crate::item_tree::items::{own_field, own_member_class, own_methods};
use crate::item_tree::source::Item;
use crate::scope::packages::{source_root, type_in_package};
use crate::ty::Ty;
use crate::ty::context::Context;

/// What a rename changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// The names to replace.
    pub edits: Vec<(SourceFile, TextRange)>,
    /// The file that is named after the class, to be renamed with it.
    pub file: Option<SourceFile>,
}

/// The name at an offset, if it can be renamed.
///
/// # Errors
/// Why it cannot.
pub fn prepare_rename(
    db: &dyn Db,
    file: SourceFile,
    offset: TextSize,
) -> Result<(Symbol, TextRange), String> {
    let Some((symbol, range)) = symbol_at(db, file, offset) else {
        let token = name_token(&parse(db, file).syntax(), offset);
        return Err(match token {
            Some(token) => format!("it is not known what `{}` stands for here", token.text()),
            None => "there is no name here".to_owned(),
        });
    };
    let Some((declared, _)) = declaration(db, &symbol) else {
        return Err("it is not known where this is declared".to_owned());
    };
    let name = name_of(db, &symbol);
    if declared.origin(db) == FileOrigin::Library {
        return Err(format!("`{name}` belongs to the class library, which cannot be changed"));
    }
    match symbol {
        Symbol::Item(Item::Method(method)) if name == "this" => {
            let class = method.class(db);
            Ok((Symbol::Item(Item::Class(class)), range))
        }
        Symbol::Item(Item::Method(_)) if name.starts_with("operator") => {
            Err("an operator has no name that could be changed".to_owned())
        }
        Symbol::Item(Item::Class(class)) if is_anonymous(db, class) => {
            Err("an anonymous class has no name".to_owned())
        }
        symbol => Ok((symbol, range)),
    }
}

/// All edits that give the symbol at an offset the name `new` in `files`.
///
/// # Errors
/// Why it cannot have that name.
pub fn rename(
    db: &dyn Db,
    files: &[SourceFile],
    (file, offset): (SourceFile, TextSize),
    new: &str,
) -> Result<Rename, String> {
    let (symbol, _) = prepare_rename(db, file, offset)?;
    if !is_name(new) {
        return Err(match SyntaxKind::from_keyword(new) {
            Some(_) => format!("`{new}` is a keyword"),
            None => format!("`{new}` is not a name: letters, digits and `_`, not starting with a digit"),
        });
    }
    let old = name_of(db, &symbol);
    if old == new {
        return Ok(Rename { edits: Vec::new(), file: None });
    }
    taken(db, &symbol, new)?;
    let mut edits: Vec<(SourceFile, TextRange)> = Vec::new();
    let mut seen = FxHashSet::default();
    for found in references(db, files, &symbol) {
        if found.file.origin(db) == FileOrigin::Library {
            return Err(format!("`{old}` also names a member of the class library, which cannot be changed"));
        }
        captured(db, &symbol, found.file, found.range, new)?;
        if seen.insert((found.file, found.range)) && !is_this(db, found.file, found.range) {
            edits.push((found.file, found.range));
        }
    }
    unfollowed(db, files, &symbol, &old)?;
    Ok(Rename { edits, file: named_after(db, &symbol) })
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    let starts = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    starts && chars.all(|c| c.is_alphanumeric() || c == '_') && SyntaxKind::from_keyword(text).is_none()
}

/// A constructor is declared as `this`, whatever its class is called.
fn is_this(db: &dyn Db, file: SourceFile, range: TextRange) -> bool {
    &file.text(db)[range] == "this"
}

/// Whether something of the new name is declared where the symbol is.
fn taken(db: &dyn Db, symbol: &Symbol, new: &str) -> Result<(), String> {
    let clash = |what: &str, of: &str| Err(format!("there is already {what} `{new}` in `{of}`"));
    match symbol {
        Symbol::Item(Item::Field(field)) => {
            let this = Ty::this_type(db, field.class(db));
            match Context::class(db, field.class(db)).find_field(this, new) {
                Some((_, owner)) => clash("a field", &owner.display(db).to_string()),
                None => Ok(()),
            }
        }
        Symbol::Item(Item::Method(method)) => {
            let class = method.class(db);
            let formals = |m| {
                let signature = crate::scope::signature::method_signature(db, m);
                signature.params.iter().map(|p| crate::ty::relate::erase(db, p.ty)).collect::<Vec<_>>()
            };
            match own_methods(db, class, new).iter().any(|m| formals(*m) == formals(*method)) {
                true => clash("a method with these formals,", class.name(db)),
                false => Ok(()),
            }
        }
        Symbol::Item(Item::Class(class)) => match class.outer(db) {
            Some(outer) if own_member_class(db, outer, new).is_some() => clash("a class", outer.name(db)),
            Some(_) => Ok(()),
            None => {
                let package = crate::item_tree::items::package(db, class.file(db));
                match type_in_package(db, source_root(db, class.file(db)), package, new) {
                    Some(_) => Err(format!("there is already a type `{new}` in this package")),
                    None => Ok(()),
                }
            }
        },
        Symbol::Item(Item::Typedef(_)) | Symbol::TypeParam(_) => Ok(()),
        Symbol::Local { owner, .. } => {
            let body = &owner_body(db, *owner).body;
            match body.locals.iter().any(|l| l.name == new) {
                true => Err(format!("there is already a variable `{new}` in this code")),
                false => Ok(()),
            }
        }
    }
}

/// Whether the new name would stand for something else at a place that uses the symbol.
fn captured(
    db: &dyn Db,
    symbol: &Symbol,
    file: SourceFile,
    range: TextRange,
    new: &str,
) -> Result<(), String> {
    let root = parse(db, file).syntax();
    let node = root.covering_element(range);
    let unqualified = node.ancestors().any(|n| n.kind() == SyntaxKind::NAME_EXPR && n.text_range() == range);
    if !unqualified {
        return Ok(());
    }
    let line = || file.text(db)[..usize::from(range.start())].matches('\n').count() + 1;
    let hidden = visible_locals(db, file, range.start()).into_iter().any(|l| l.name == new);
    let is_member = matches!(symbol, Symbol::Item(Item::Field(_) | Item::Method(_)));
    if hidden && is_member {
        return Err(format!("at line {} `{new}` is a local variable, which would hide it", line()));
    }
    if let Symbol::Local { .. } = symbol {
        let class = super::spans::enclosing_class(db, file, range);
        let classes = std::iter::successors(class, |c| c.outer(db));
        let field = |c| own_field(db, c, new).is_some();
        let names_field = || {
            let text = tokens(db, file, new);
            text.iter().any(|t| {
                let around = t.parent().and_then(|n| n.parent());
                around.is_some_and(|n| n.kind() == SyntaxKind::NAME_EXPR)
            })
        };
        if classes.into_iter().any(field) && names_field() {
            return Err(format!(
                "`{new}` is a field that code of this file names without `this.`: the variable would hide it"
            ));
        }
    }
    Ok(())
}

/// Names in conditions that could not be followed: an edit that leaves them would break the program.
fn unfollowed(db: &dyn Db, files: &[SourceFile], symbol: &Symbol, old: &str) -> Result<(), String> {
    if !matches!(symbol, Symbol::Item(Item::Field(_) | Item::Method(_))) {
        return Ok(());
    }
    for file in files {
        for token in tokens(db, *file, old) {
            let in_condition = token
                .parent_ancestors()
                .take_while(|n| !ast::Stmt::can_cast(n.kind()))
                .any(|n| matches!(n.kind(), SyntaxKind::CONSTRAINT | SyntaxKind::GUARD));
            if in_condition && token_symbols(db, *file, &token).is_empty() {
                let at = usize::from(token.text_range().start());
                let line = file.text(db)[..at].matches('\n').count() + 1;
                let path = file.path(db).display();
                return Err(format!(
                    "it is not known what `{old}` stands for in the condition at {path}:{line}"
                ));
            }
        }
    }
    Ok(())
}

/// The file that bears the name of a top-level class.
fn named_after(db: &dyn Db, symbol: &Symbol) -> Option<SourceFile> {
    let Symbol::Item(Item::Class(class)) = symbol else { return None };
    let file = class.file(db);
    let same =
        file.path(db).file_stem().is_some_and(|stem| stem.to_string_lossy() == class.name(db).as_str());
    (class.outer(db).is_none() && same).then_some(file)
}
