//! Sources of items: from an item's identity to its syntax tree, with and without its position.

use crate::item_tree::item_source::ItemSource;
use std::sync::Arc;

use apg_syntax::{Skeleton, SyntaxNode, SyntaxNodePtr, TextRange, TextSize};

use super::BodyPosition;
use super::lower::locate::{ClassSources, FileSources, Located, locate_file};
use super::lower::{header_ranges, item_ranges, local_class_nodes, local_typedef_nodes};
use crate::db::{Db, RootDatabase};
use crate::diagnostics::Diagnostic;
use crate::ids::{ClassId, FieldId, MethodId, SourceFile, TypedefId};
use crate::inputs::parse;
use crate::inputs::split_inputs;
use crate::item_tree::items::{
    body_typedefs, class_head, field_item, field_position, item_tree, method_item, method_position,
    nested_classes, typedef_item,
};

/// Any declared item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, salsa::Supertype)]
pub enum Item {
    /// A class, struct or interface.
    Class(ClassId),
    /// A method, operator or constructor.
    Method(MethodId),
    /// A field or property.
    Field(FieldId),
    /// A type definition.
    Typedef(TypedefId),
}

impl Item {
    /// The file that declares it.
    pub fn file(self, db: &dyn Db) -> SourceFile {
        match self {
            Item::Class(class) => class.file(db),
            Item::Method(method) => method.class(db).file(db),
            Item::Field(field) => field.class(db).file(db),
            Item::Typedef(typedef) => typedef.file(db),
        }
    }
}

/// Limits the number of memoised sources of files and items.
pub(crate) fn keep_sources(db: &mut RootDatabase, count: usize) {
    outline::set_lru_capacity(db, count);
    locations::set_lru_capacity(db, count);
    item_source::set_lru_capacity(db, count);
}

/// The file's skeleton: its declarations without their bodies. An edit inside a body leaves it equal.
#[salsa::tracked(lru = 0)]
pub fn outline(db: &dyn Db, file: SourceFile) -> Skeleton {
    match split_inputs(db, file) {
        Some(edited) => edited.outline(db).clone(),
        None => Skeleton::new(parse(db, file).green()),
    }
}

/// The positions and trees of the items of a file.
#[salsa::tracked(no_eq, lru = 0)]
pub fn locations(db: &dyn Db, file: SourceFile) -> Arc<FileSources> {
    match split_inputs(db, file) {
        Some(edited) => edited.sources(db).clone(),
        None => Arc::new(locate_file(&parse(db, file).tree())),
    }
}

/// The source of a declaration, from which its body is typed; `None` for an automatic constructor.
#[salsa::tracked(lru = 0)]
pub fn item_source(db: &dyn Db, item: Item) -> Option<ItemSource> {
    match split_inputs(db, item.file(db)) {
        Some(edited) => Some(find(db, item, edited.members(db))?.source(db).clone()),
        None => Some(ItemSource::new(located(db, item)?.green.clone())),
    }
}

/// The node of a declaration in the tree of its file.
pub(crate) fn item_node(db: &dyn Db, item: Item) -> Option<SyntaxNode> {
    item_ptr(db, item)?.to_node(&parse(db, item.file(db)).syntax())
}

/// The start of a declaration in its file, the base of the ranges that are relative to the item.
pub fn item_offset(db: &dyn Db, item: Item) -> TextSize {
    item_ptr(db, item).map_or(TextSize::from(0), |ptr| ptr.range().start())
}

/// The range for diagnostics of an automatic constructor, which has no source: the name of its class.
pub(crate) fn unwritten(db: &dyn Db, item: Item) -> Option<TextRange> {
    match item {
        Item::Method(method) if item_ptr(db, item).is_none() => {
            Some(name_range(db, Item::Class(method.class(db))))
        }
        _ => None,
    }
}

/// Converts ranges of diagnostics from relative to the item to absolute.
pub(crate) fn place_diagnostics(db: &dyn Db, item: Item, diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    if diagnostics.is_empty() {
        return Vec::new();
    }
    let offset = item_offset(db, item);
    let file = item.file(db);
    let mut placed = diagnostics.to_vec();
    let automatic = unwritten(db, item);
    for diagnostic in &mut placed {
        diagnostic.range = automatic.unwrap_or(diagnostic.range + offset);
        for related in diagnostic.related.iter_mut().filter(|r| r.file == file) {
            related.range += offset;
        }
        for edit in diagnostic.fixes.iter_mut().flat_map(|f| &mut f.edits) {
            // An edit that names its file (an import) has an absolute range already.
            if edit.file.is_none() {
                edit.range += offset;
            }
        }
    }
    placed
}

/// The ranges of an item in its file, by the indices `at` of its item tree.
pub fn ranges(db: &dyn Db, item: Item) -> Vec<TextRange> {
    match item_node(db, item) {
        Some(node) => item_ranges(&node),
        // An automatic constructor has the ranges of its class.
        None => match item {
            Item::Method(method) => ranges(db, Item::Class(method.class(db))),
            _ => Vec::new(),
        },
    }
}

/// The ranges of the package and the imports of a file, by index; the package declaration, if any, is 0.
pub(crate) fn file_header_ranges(db: &dyn Db, file: SourceFile) -> Vec<TextRange> {
    header_ranges(&parse(db, file).tree())
}

/// The range of an item's name in its file.
pub fn name_range(db: &dyn Db, item: Item) -> TextRange {
    let at = match item {
        Item::Class(class) => class_head(db, class).as_ref().map_or(0, |c| c.at),
        Item::Method(method) => method_item(db, method).map_or(0, |m| m.at),
        Item::Field(field) => field_item(db, field).map_or(0, |f| f.at),
        Item::Typedef(typedef) => typedef_item(db, typedef).as_ref().map_or(0, |t| t.at),
    };
    ranges(db, item).get(at as usize).copied().unwrap_or_default()
}

/// The syntax pointer of a declaration.
pub(crate) fn item_ptr(db: &dyn Db, item: Item) -> Option<SyntaxNodePtr> {
    located(db, item).map(|it| it.ptr)
}

fn located(db: &dyn Db, item: Item) -> Option<&Located> {
    find(db, item, locations(db, item.file(db)))
}

/// The value for an item in lists parallel to those of its item tree.
fn find<'a, T>(db: &dyn Db, item: Item, sources: &'a FileSources<T>) -> Option<&'a T> {
    match item {
        Item::Class(class) => Some(&find_class(db, class, sources)?.node),
        Item::Method(method) => {
            find_class(db, method.class(db), sources)?.methods.get(method_position(db, method)?)
        }
        Item::Field(field) => {
            find_class(db, field.class(db), sources)?.fields.get(field_position(db, field)?)
        }
        Item::Typedef(typedef) => {
            let same = |t: &Arc<super::TypedefItem>| t.name == *typedef.name(db) && t.nth == typedef.nth(db);
            match typedef.outer(db) {
                Some(class) => {
                    let position = class_head(db, class).as_ref()?.typedefs.iter().position(same)?;
                    find_class(db, class, sources)?.typedefs.get(position)
                }
                None => {
                    let position = item_tree(db, typedef.file(db)).typedefs.iter().position(same)?;
                    sources.typedefs.get(position)
                }
            }
        }
    }
}

fn find_class<'a, T>(
    db: &dyn Db,
    class: ClassId,
    sources: &'a FileSources<T>,
) -> Option<&'a ClassSources<T>> {
    let same = |c: &super::ClassHead| c.name == *class.name(db) && c.nth == class.nth(db);
    match class.outer(db) {
        Some(outer) => {
            let position = class_head(db, outer).as_ref()?.nested.iter().position(|c| same(c))?;
            find_class(db, outer, sources)?.classes.get(position)
        }
        None => {
            let position = item_tree(db, class.file(db)).classes.iter().position(|c| same(c))?;
            sources.classes.get(position)
        }
    }
}

/// The local and anonymous classes in the body of a method or field, in source order, parallel to the list
/// [`local_class_nodes`] of its source.
pub(crate) fn body_classes(db: &dyn Db, owner: Item) -> Vec<ClassId> {
    let (class, name, nth) = match owner {
        Item::Method(method) => (method.class(db), method.name(db), method.nth(db)),
        Item::Field(field) => (field.class(db), field.name(db), 0),
        Item::Class(_) | Item::Typedef(_) => return Vec::new(),
    };
    let mut classes: Vec<(u32, ClassId)> = Vec::new();
    for nested in nested_classes(db, class) {
        let item = class_head(db, *nested).as_ref();
        if let Some(BodyPosition { owner, nth: n, index }) = item.and_then(|c| c.body.as_ref())
            && owner == name
            && *n == nth
        {
            classes.push((*index, *nested));
        }
    }
    classes.sort_by_key(|(index, _)| *index);
    classes.into_iter().map(|(_, class)| class).collect()
}

/// The type definition that `node`, a node of the source of `owner`, declares.
pub(crate) fn typedef_of_node(db: &dyn Db, owner: Item, node: &SyntaxNode) -> Option<TypedefId> {
    let (class, name, nth) = match owner {
        Item::Method(method) => (method.class(db), method.name(db), method.nth(db)),
        Item::Field(field) => (field.class(db), field.name(db), 0),
        Item::Class(_) | Item::Typedef(_) => return None,
    };
    let source = item_source(db, owner).as_ref()?.syntax();
    let range = node.text_range();
    let index = local_typedef_nodes(&source).iter().position(|n| n.text_range() == range)?;
    body_typedefs(db, class, name, nth).get(index).copied()
}

/// The class that `node`, a node of the source of `owner`, declares.
pub(crate) fn class_of_node(db: &dyn Db, owner: Item, node: &SyntaxNode) -> Option<ClassId> {
    let source = item_source(db, owner).as_ref()?.syntax();
    let range = node.text_range();
    let index =
        local_class_nodes(&source).iter().position(|n| n.text_range() == range && n.kind() == node.kind())?;
    body_classes(db, owner).get(index).copied()
}
