//! Lowering of a file's syntax tree to its item tree.

mod classes;
pub(crate) mod locate;
mod members;
pub(crate) mod types;

use std::sync::Arc;

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxNode, TextRange};

use self::classes::{ClassNode, lower_class};
use self::types::TypeLowering;
use super::{Import, ItemTree};
use crate::item_tree::cfg::is_left_out;

pub(crate) use self::classes::{local_class_nodes, local_typedef_nodes, lower_typedef};

/// The item tree of a file, from its skeleton.
pub(crate) fn lower_file(file: &ast::SourceFile) -> ItemTree {
    let mut tree = ItemTree::default();
    lower_header(file, &mut tree);
    for item in items(file) {
        match &item {
            ast::Item::TypeDef(typedef) => {
                let name = ast::HasName::name_text(typedef).unwrap_or_default();
                let nth = tree.typedefs.iter().filter(|t| t.name == name).count() as u32;
                let lowered = lower_typedef(typedef, nth, &mut TypeLowering::default());
                tree.typedefs.push(Arc::new(lowered));
            }
            _ => {
                let Some(node) = ClassNode::cast(item.syntax()) else { continue };
                lower_class(&node, None, &mut tree.classes);
            }
        }
    }
    tree
}

/// The items of a file, without those excluded by conditional compilation.
fn items(file: &ast::SourceFile) -> impl Iterator<Item = ast::Item> {
    file.items().filter(|item| !is_left_out(item))
}

fn lower_header(file: &ast::SourceFile, tree: &mut ItemTree) -> Vec<TextRange> {
    let mut lowering = TypeLowering::default();
    if let Some(package) = file.package_decl() {
        let name = package.qualified_name();
        lowering.mark(name.as_ref().map_or(package.syntax().text_range(), |n| n.syntax().text_range()));
        tree.package = name.map(|n| n.text()).unwrap_or_default();
    }
    for import in file.import_decls() {
        let name = import.qualified_name();
        let at =
            lowering.mark(name.as_ref().map_or(import.syntax().text_range(), |n| n.syntax().text_range()));
        let path = name.map(|n| n.text()).unwrap_or_default();
        tree.imports.push(Import { path, on_demand: import.is_on_demand(), at });
    }
    lowering.ranges
}

/// The ranges of the package and the imports, by their indices.
pub(crate) fn header_ranges(file: &ast::SourceFile) -> Vec<TextRange> {
    lower_header(file, &mut ItemTree::default())
}

/// The ranges of the item declared by `node`, by their indices.
pub(crate) fn item_ranges(node: &SyntaxNode) -> Vec<TextRange> {
    let mut lowering = TypeLowering::default();
    if let Some(class) = ClassNode::cast(node) {
        classes::lower_class_header(&class, &mut lowering);
    } else if let Some(typedef) = ast::TypeDef::cast(node.clone()) {
        lower_typedef(&typedef, 0, &mut lowering);
    } else {
        members::lower_member_node(node, &mut lowering);
    }
    lowering.ranges
}
