//! Assists: refactorings at a cursor or selection, one a file. Unlike fixes they need no diagnostic.

mod create;
mod explicit_type;
mod extract_method;
mod extract_variable;
mod hoist_out_of_kernel;
mod implement_missing;
mod imports;
mod lines;
mod override_members;
mod selection;
mod stub_insertion;
mod wrap;

use apg_syntax::{SyntaxNode, TextRange};

use crate::db::Db;
use crate::diagnostics::TextEdit;
use crate::ide::navigation_target::{is_anonymous, scope_at};
use crate::ids::SourceFile;
use crate::inputs::parse;
use crate::item_tree::items::{qualified_name, type_param_ids};
use crate::scope::lookup::Found;
use crate::signature::supertypes::direct_supertypes;
use crate::ty::{Ty, TyKind};

pub use imports::organized_imports;

/// A refactoring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assist {
    /// The title in a menu.
    pub title: String,
    /// The group in the menu.
    pub kind: AssistKind,
    /// Its edits.
    pub edits: Vec<TextEdit>,
}

/// Kinds of assists, by which menus group them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssistKind {
    /// Extracts code into a new declaration.
    Extract,
    /// Rewrites code without changing its meaning.
    Rewrite,
    /// Completes or corrects code.
    QuickFix,
}

/// The input of an assist: the file and the selection.
struct AssistContext<'db> {
    db: &'db dyn Db,
    file: SourceFile,
    root: SyntaxNode,
    /// The selection; empty for a cursor.
    range: TextRange,
}

impl AssistContext<'_> {
    fn text(&self) -> &str {
        self.file.text(self.db)
    }

    /// A type as source text without constraints; classes that are not in scope are qualified. `None` for a
    /// type that cannot be written.
    fn spelled(&self, ty: Ty) -> Option<String> {
        if ty.mentions_error(self.db) {
            return None;
        }
        let ty = ty.base(self.db);
        let spelled = |all: &[Ty]| all.iter().map(|ty| self.spelled(*ty)).collect::<Option<Vec<_>>>();
        let (class, args) = match ty.kind(self.db) {
            TyKind::Class { class, args } => (*class, args),
            TyKind::Function { params, result, guard } if guard.terms.is_empty() => {
                return Some(format!("({})=>{}", spelled(params)?.join(", "), self.spelled(*result)?));
            }
            _ => return Some(ty.display(self.db).to_string()),
        };
        // An anonymous class is written as its supertype.
        if is_anonymous(self.db, class) {
            return self.spelled(*direct_supertypes(self.db, class).first()?);
        }
        let scope = scope_at(self.db, self.file, TextRange::empty(self.range.start()));
        let own = type_param_ids(self.db, class).len().min(args.len());
        let (args, around) = args.split_at(own);
        let outer = class.outer(self.db).filter(|_| !around.is_empty());
        let outer = outer.map(|outer| (outer, Ty::class(self.db, outer, around.to_vec())));
        let name = match (scope.find_type(class.name(self.db)), outer) {
            // An inner class of another generic class than the enclosing one is qualified by it.
            (_, Some((outer, ty))) if ty != Ty::this_type(self.db, outer) => {
                format!("{}.{}", self.spelled(ty)?, class.name(self.db))
            }
            (Some(Found::Class(found)), _) if found == class => class.name(self.db).to_string(),
            _ => qualified_name(self.db, class).to_string(),
        };
        Some(match args.is_empty() {
            true => name,
            false => format!("{name}[{}]", spelled(args)?.join(", ")),
        })
    }

    /// The name of a library type at a place, qualified if needed.
    fn library_type(&self, package: &str, name: &str, at: TextRange) -> String {
        let scope = scope_at(self.db, self.file, TextRange::empty(at.start()));
        let whole = format!("{package}.{name}");
        match scope.find_type(name) {
            Some(Found::Class(class)) if qualified_name(self.db, class) == whole => name.to_owned(),
            _ => whole,
        }
    }

    fn edit(&self, range: TextRange, text: impl Into<String>) -> TextEdit {
        TextEdit { file: Some(self.file), range, text: text.into() }
    }
}

/// The refactorings that apply to a selection.
pub fn assists(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<Assist> {
    let root = parse(db, file).syntax();
    if range.end() > root.text_range().end() {
        return Vec::new();
    }
    let ctx = AssistContext { db, file, root, range };
    let mut all = Vec::new();
    all.extend(implement_missing::missing_methods(&ctx));
    all.extend(create::create(&ctx));
    all.extend(hoist_out_of_kernel::hoist(&ctx));
    all.extend(hoist_out_of_kernel::keep_on_device(&ctx));
    all.extend(extract_variable::extract_variable(&ctx));
    all.extend(extract_method::extract_method(&ctx));
    all.extend(explicit_type::explicit_type(&ctx));
    all.extend(wrap::wrap(&ctx));
    all.extend(override_members::override_members(&ctx));
    all
}
