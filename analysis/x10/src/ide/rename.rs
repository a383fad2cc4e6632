//! Renaming of a symbol everywhere, with checks that refuse an invalid rename.

use apg_source::LineIndex;
use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, TextRange, TextSize};
use rustc_hash::FxHashSet;

use super::labels::label_uses;
use super::navigation_target::{
    Symbol, declaration, is_anonymous, name_of, name_token, symbol_at, token_symbols,
};
use super::references::{Family, references, references_to, tokens};
use crate::db::Db;
use crate::ids::{FileOrigin, SourceFile};
use crate::inputs::parse;
use crate::item_tree::items::{own_member_class, own_methods};
use crate::item_tree::source::Item;
use crate::relate::Context;
use crate::scope::packages::{source_root, type_in_package};
use crate::ty::Ty;

/// The edits of a rename.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// The ranges of the names to replace.
    pub edits: Vec<(SourceFile, TextRange)>,
    /// The file that is named after the class, to be renamed with it.
    pub file: Option<SourceFile>,
    /// The declaration that all renamed references must still refer to.
    pub declaration: Option<(SourceFile, TextRange)>,
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
            Some(token) if is_package(&token) => {
                "a package is called as its folder is: move the folder, and change the imports".to_owned()
            }
            Some(token) if token.kind() == SyntaxKind::IDENT => {
                format!("it is not known what `{}` stands for here", token.text())
            }
            _ => "there is no name here".to_owned(),
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
    well_formed(new)?;
    if let Some(uses) = label_uses(db, file, offset) {
        return rename_label(db, file, &uses, new);
    }
    let (symbol, _) = prepare_rename(db, file, offset)?;
    let old = name_of(db, &symbol);
    let declaration = declaration(db, &symbol);
    if old == new {
        return Ok(Rename { edits: Vec::new(), file: None, declaration });
    }
    taken(db, &symbol, new)?;
    let found = match symbol {
        Symbol::Item(Item::Method(method)) => {
            let family = Family::of_method(db, files, method);
            in_library(db, &family, &old)?;
            references_to(db, files, &family, &old, None)
        }
        symbol => references(db, files, &symbol),
    };
    let mut edits: Vec<(SourceFile, TextRange)> = Vec::new();
    let mut seen = FxHashSet::default();
    for found in found {
        if seen.insert((found.file, found.range)) && !is_this(db, found.file, found.range) {
            edits.push((found.file, found.range));
        }
    }
    unfollowed(db, files, &symbol, &old)?;
    Ok(Rename { edits, file: named_after(db, &symbol), declaration })
}

pub(super) fn well_formed(new: &str) -> Result<(), String> {
    if is_name(new) {
        return Ok(());
    }
    Err(match SyntaxKind::from_keyword(new) {
        Some(_) => format!("`{new}` is a keyword"),
        None => format!("`{new}` is not a name: letters, digits and `_`, not starting with a digit"),
    })
}

/// Renames a label and its uses. Refused if an enclosing or nested statement has the new label already.
fn rename_label(db: &dyn Db, file: SourceFile, uses: &[TextRange], new: &str) -> Result<Rename, String> {
    let root = parse(db, file).syntax();
    let Some(declared) = uses.first() else { return Err("there is no label here".to_owned()) };
    let own = root.covering_element(*declared).ancestors().find(|n| n.kind() == SyntaxKind::LABELED_STMT);
    let is_taken = own.into_iter().flat_map(|own| {
        let inside: Vec<_> = own.descendants().skip(1).collect();
        own.ancestors().skip(1).chain(inside)
    });
    let mut labels = is_taken.filter_map(ast::LabeledStmt::cast).filter_map(|l| ast::HasName::name(&l));
    if labels.any(|name| name.text() == new) {
        return Err(format!("there is already a label `{new}` around or inside"));
    }
    Ok(Rename { edits: uses.iter().map(|range| (file, *range)).collect(), file: None, declaration: None })
}

/// Refuses to rename a method that belongs to the class library, or overrides one of its methods.
fn in_library(db: &dyn Db, family: &Family, old: &str) -> Result<(), String> {
    let theirs = family.methods.iter().map(|method| method.class(db));
    match theirs.into_iter().find(|class| class.file(db).origin(db) == FileOrigin::Library) {
        Some(class) => Err(format!(
            "`{old}` overrides or implements that of `{}` in the class library, which cannot be changed",
            class.name(db)
        )),
        None => Ok(()),
    }
}

/// Whether a token is part of a package name: in a package declaration, or before the last segment of an
/// import.
fn is_package(token: &apg_syntax::SyntaxToken) -> bool {
    token.parent_ancestors().any(|n| matches!(n.kind(), SyntaxKind::PACKAGE_DECL | SyntaxKind::IMPORT_DECL))
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    let starts = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    starts && chars.all(|c| c.is_alphanumeric() || c == '_') && SyntaxKind::from_keyword(text).is_none()
}

/// Whether the declaration is `this` of a constructor.
fn is_this(db: &dyn Db, file: SourceFile, range: TextRange) -> bool {
    &file.text(db)[range] == "this"
}

/// Refuses a name that is declared already in the scope of the symbol.
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
                let signature = crate::signature::method_signature(db, m);
                signature.params.iter().map(|p| crate::relate::subtype::erase(db, p.ty)).collect::<Vec<_>>()
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
        // [`super::rename_check`] finds shadowing, by analysing the renamed program.
        Symbol::Local { .. } => Ok(()),
    }
}

/// Refuses the rename if an occurrence of the name in a constraint is unresolved: it might have to be renamed
/// too.
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
                let line = LineIndex::new(file.text(db)).line(token.text_range().start()) + 1;
                let path = file.path(db).display();
                return Err(format!(
                    "it is not known what `{old}` stands for in the condition at {path}:{line}"
                ));
            }
        }
    }
    Ok(())
}

/// The file named after a top-level class.
fn named_after(db: &dyn Db, symbol: &Symbol) -> Option<SourceFile> {
    let Symbol::Item(Item::Class(class)) = symbol else { return None };
    let file = class.file(db);
    let same =
        file.path(db).file_stem().is_some_and(|stem| stem.to_string_lossy() == class.name(db).as_str());
    (class.outer(db).is_none() && same).then_some(file)
}
