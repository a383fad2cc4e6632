//! Editor features as plain data with byte offsets. Only the server knows the language server protocol.

mod assists;
mod calls;
mod completion;
mod definition;
mod doc_text;
mod expected;
mod hover;
mod hover_literal;
mod implementations;
mod inlay;
mod keywords;
mod labels;
mod lens;
mod members;
mod navigation_target;
mod prime_caches;
mod receiver;
mod references;
mod rename;
mod rename_check;
mod rename_file;
mod rename_package;
mod signature;
mod spans;
mod stubs;
#[cfg(test)]
mod tests;
mod tokens;
mod visible;
mod workspace;

pub use assists::{Assist, AssistKind, assists, organized_imports};
pub use calls::{Calls, incoming_calls, outgoing_calls};
pub use completion::{Completion, CompletionKind, completions};
pub use definition::defined_at;
pub use hover::{Hover, hover};
pub use implementations::{files_below, implementations, subtypes, supertypes};
pub use inlay::{Inlay, InlayKind, inlays};
pub use labels::label_uses;
pub use lens::{Lens, LensKind, launches, lenses};
pub use navigation_target::{Symbol, declaration, documentation, full_range, name_of, symbol_at, type_of};
pub use prime_caches::{prime_bodies, prime_supertypes};
pub use references::{Access, Reference, Wanted, files_naming, references};
pub use rename::{Rename, prepare_rename, rename};
pub use rename_check::RenameCheck;
pub use rename_file::{move_files, move_folder};
pub use rename_package::{Package, PackageRename, package_at, rename_package};
pub use signature::{Signature, SignatureHelp, signature_help};
pub use tokens::{Token, semantic_tokens};
pub use visible::{VisibleLocal, visible_locals};
pub use workspace::{Listed, workspace_symbols};

use crate::body::Owner;
use crate::db::Db;
pub use crate::diagnostics::TextEdit;
use crate::ids::{ClassId, MethodId, SourceFile};
use crate::item_tree::MethodKind;
use crate::item_tree::items::{all_classes, class_head, fields, method_item, methods, own_typedefs};
use crate::item_tree::source::Item;
use crate::ty::Ty;

/// The owners of all bodies of a file: methods, operators, constructors and field initialisers.
fn owners(db: &dyn Db, file: SourceFile) -> impl Iterator<Item = Owner> {
    let classes = all_classes(db, file).clone();
    classes.into_iter().flat_map(move |class| {
        let own = methods(db, class).iter().copied().map(Owner::Method).collect::<Vec<_>>().into_iter();
        own.chain(fields(db, class).iter().copied().map(Owner::Field).collect::<Vec<_>>())
    })
}

/// The fields, methods and type definitions of a class.
fn members_of(db: &dyn Db, class: ClassId) -> Vec<Item> {
    let mut all: Vec<Item> = fields(db, class).iter().copied().map(Item::Field).collect();
    let written =
        |method: &MethodId| method_item(db, *method).is_some_and(|item| item.kind != MethodKind::Restorer);
    all.extend(methods(db, class).iter().copied().filter(written).map(Item::Method));
    let typedefs = class_head(db, class).as_ref().map_or(&[][..], |c| &c.typedefs);
    let first = typedefs.iter().filter(|t| t.nth == 0);
    all.extend(first.flat_map(|t| own_typedefs(db, class, &t.name)).map(Item::Typedef));
    all
}

/// A type as shown to users: without constraints on values that have no name.
fn shown(db: &dyn Db, ty: Ty) -> String {
    let text = ty.display(db).to_string();
    if text.contains('$') { ty.base(db).display(db).to_string() } else { text }
}
