//! Queries from identities to items and back. They read item trees only, never bodies or positions.

use std::sync::Arc;

use apg_syntax::ast::{self, AstNode};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::lower::lower_file;
use super::{
    ClassHead, ClassItem, ClassKind, ClassPlace, FieldItem, Import, ItemTree, MethodItem, Modifiers,
    TypedefItem,
};
use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId, SourceFile, TypeParamId, TypedefId};
use crate::inputs::split_inputs;

/// The items of `file`.
#[salsa::tracked]
pub fn item_tree(db: &dyn Db, file: SourceFile) -> Arc<ItemTree> {
    let outline = super::source::outline(db, file).syntax();
    Arc::new(ast::SourceFile::cast(outline).map_or_else(ItemTree::default, |file| lower_file(&file)))
}

/// The imports of `file`, in source order.
#[salsa::tracked]
pub fn imports(db: &dyn Db, file: SourceFile) -> Vec<Import> {
    item_tree(db, file).imports.clone()
}

/// The top-level type definitions of `file`.
#[salsa::tracked]
pub fn file_typedefs(db: &dyn Db, file: SourceFile) -> Vec<Arc<TypedefItem>> {
    item_tree(db, file).typedefs.clone()
}

/// The package of `file`; empty if it declares none. For a file that is not edited only the header is parsed,
/// since this is asked of every file that may belong to a package.
#[salsa::tracked]
pub fn package(db: &dyn Db, file: SourceFile) -> SmolStr {
    let unread = split_inputs(db, file).is_none().then(|| file.text(db));
    match unread.and_then(|text| package_of_header(text)) {
        Some(package) => package,
        None => item_tree(db, file).package.clone(),
    }
}

/// The package declared at the start of a text; `None` if the text may declare one elsewhere.
fn package_of_header(text: &str) -> Option<SmolStr> {
    match apg_syntax::parse_header(text).tree().package_decl() {
        Some(package) => Some(package.qualified_name().map(|name| name.text()).unwrap_or_default()),
        None => (!text.contains("package")).then(SmolStr::default),
    }
}

/// The item that declares `class`, with all its members; `None` only for an identity from before an edit. A
/// query that reads it is recomputed after a change of any member's signature; prefer [`class_head`],
/// [`method_item`] and [`field_item`].
#[salsa::tracked]
pub fn class_item(db: &dyn Db, class: ClassId) -> Option<Arc<ClassItem>> {
    let siblings: &[Arc<ClassItem>] = match class.outer(db) {
        Some(outer) => &class_item(db, outer).as_ref()?.classes,
        None => &item_tree(db, class.file(db)).classes,
    };
    siblings.iter().find(|c| c.name == *class.name(db) && c.nth == class.nth(db)).cloned()
}

/// The declaration of `class` without its fields and methods.
#[salsa::tracked]
pub fn class_head(db: &dyn Db, class: ClassId) -> Option<Arc<ClassHead>> {
    class_item(db, class).as_ref().map(|class| class.head.clone())
}

/// Class, struct or interface.
#[salsa::tracked(returns(copy))]
pub fn class_kind(db: &dyn Db, class: ClassId) -> Option<ClassKind> {
    class_head(db, class).as_ref().map(|c| c.kind)
}

/// The modifiers of a class.
pub fn class_modifiers(db: &dyn Db, class: ClassId) -> Modifiers {
    class_head(db, class).as_ref().map_or_else(Modifiers::default, |c| c.modifiers)
}

/// Whether a class is a member, local or anonymous.
pub(crate) fn class_place(db: &dyn Db, class: ClassId) -> ClassPlace {
    class_head(db, class).as_ref().map_or(ClassPlace::Member, |c| c.place)
}

/// `a.b.Outer.Inner`.
pub fn qualified_name(db: &dyn Db, class: ClassId) -> SmolStr {
    let prefix = match class.outer(db) {
        Some(outer) => qualified_name(db, outer),
        None => package(db, class.file(db)).clone(),
    };
    if prefix.is_empty() {
        class.name(db).clone()
    } else {
        SmolStr::new(format!("{prefix}.{}", class.name(db)))
    }
}

/// The top-level classes of `file`, in source order.
#[salsa::tracked]
pub fn top_level_classes(db: &dyn Db, file: SourceFile) -> Vec<ClassId> {
    let classes = item_tree(db, file).classes.iter();
    classes.map(|c| ClassId::new(db, file, None, c.name.clone(), c.nth)).collect()
}

/// The classes declared directly in `class`: member classes, and local and anonymous classes of its members.
#[salsa::tracked]
pub fn nested_classes(db: &dyn Db, class: ClassId) -> Vec<ClassId> {
    let Some(head) = class_head(db, class) else { return Vec::new() };
    let nested = head.nested.iter();
    nested.map(|c| ClassId::new(db, class.file(db), Some(class), c.name.clone(), c.nth)).collect()
}

/// All classes of `file`, outer ones first.
#[salsa::tracked]
pub fn all_classes(db: &dyn Db, file: SourceFile) -> Vec<ClassId> {
    fn add(db: &dyn Db, classes: &[ClassId], all: &mut Vec<ClassId>) {
        for class in classes {
            all.push(*class);
            add(db, nested_classes(db, *class), all);
        }
    }
    let mut all = Vec::new();
    add(db, top_level_classes(db, file), &mut all);
    all
}

/// The member class `name` declared in `class` itself.
pub(crate) fn own_member_class(db: &dyn Db, class: ClassId, name: &str) -> Option<ClassId> {
    let item = class_head(db, class).as_ref()?.member_class(name)?;
    Some(ClassId::new(db, class.file(db), Some(class), item.name.clone(), item.nth))
}

/// The top-level type definitions `name` of `file`.
pub(crate) fn top_level_typedefs(db: &dyn Db, file: SourceFile, name: &str) -> Vec<TypedefId> {
    let named = file_typedefs(db, file).iter().filter(|t| t.name == name);
    named.map(|t| TypedefId::new(db, file, None, t.name.clone(), t.nth)).collect()
}

/// The member type definitions `name` declared in `class` itself.
pub(crate) fn own_typedefs(db: &dyn Db, class: ClassId, name: &str) -> Vec<TypedefId> {
    let Some(item) = class_head(db, class) else { return Vec::new() };
    let named = item.typedefs.iter().filter(|t| t.name == name && t.body.is_none());
    named.map(|t| TypedefId::new(db, class.file(db), Some(class), t.name.clone(), t.nth)).collect()
}

/// The type definitions declared in one body of `class`, in source order.
pub(crate) fn body_typedefs(db: &dyn Db, class: ClassId, owner: &str, nth: u32) -> Vec<TypedefId> {
    let Some(item) = class_head(db, class) else { return Vec::new() };
    let within = |t: &&Arc<TypedefItem>| t.body.as_ref().is_some_and(|b| b.owner == owner && b.nth == nth);
    let found = item.typedefs.iter().filter(within);
    found.map(|t| TypedefId::new(db, class.file(db), Some(class), t.name.clone(), t.nth)).collect()
}

/// The item that declares a type definition.
#[salsa::tracked]
pub fn typedef_item(db: &dyn Db, typedef: TypedefId) -> Option<Arc<TypedefItem>> {
    let siblings: &[Arc<TypedefItem>] = match typedef.outer(db) {
        Some(outer) => &class_head(db, outer).as_ref()?.typedefs,
        None => file_typedefs(db, typedef.file(db)),
    };
    siblings.iter().find(|t| t.name == *typedef.name(db) && t.nth == typedef.nth(db)).cloned()
}

/// An index from the members of a class to their positions in the lists of its item.
#[derive(Debug, PartialEq, Eq, Default)]
struct MemberIndex {
    methods: FxHashMap<SmolStr, Vec<MethodId>>,
    positions: FxHashMap<MethodId, usize>,
    fields: FxHashMap<SmolStr, (FieldId, usize)>,
}

#[salsa::tracked]
fn member_index(db: &dyn Db, class: ClassId) -> MemberIndex {
    let mut index = MemberIndex::default();
    let Some(item) = class_item(db, class) else { return index };
    for (i, method) in item.methods.iter().enumerate() {
        let id = MethodId::new(db, class, method.name.clone(), method.nth);
        index.methods.entry(method.name.clone()).or_default().push(id);
        index.positions.insert(id, i);
    }
    for (i, field) in item.fields.iter().enumerate() {
        let id = FieldId::new(db, class, field.name.clone());
        index.fields.entry(field.name.clone()).or_insert((id, i));
    }
    index
}

/// The methods `name` declared in `class` itself, in source order.
pub fn own_methods<'db>(db: &'db dyn Db, class: ClassId, name: &str) -> &'db [MethodId] {
    member_index(db, class).methods.get(name).map_or(&[], |m| m)
}

/// All methods, operators and constructors declared in `class` itself, in source order.
#[salsa::tracked]
pub fn methods(db: &dyn Db, class: ClassId) -> Vec<MethodId> {
    let Some(item) = class_item(db, class) else { return Vec::new() };
    item.methods.iter().map(|m| MethodId::new(db, class, m.name.clone(), m.nth)).collect()
}

/// All properties and fields declared in `class` itself, properties first.
#[salsa::tracked]
pub fn fields(db: &dyn Db, class: ClassId) -> Vec<FieldId> {
    let Some(item) = class_item(db, class) else { return Vec::new() };
    item.fields.iter().map(|f| FieldId::new(db, class, f.name.clone())).collect()
}

/// The properties declared in `class` itself, in order.
#[salsa::tracked(returns(clone))]
pub fn properties(db: &dyn Db, class: ClassId) -> Vec<FieldId> {
    let Some(item) = class_item(db, class) else { return Vec::new() };
    item.properties().map(|f| FieldId::new(db, class, f.name.clone())).collect()
}

/// The field or property `name` declared in `class` itself.
pub fn own_field(db: &dyn Db, class: ClassId, name: &str) -> Option<FieldId> {
    Some(member_index(db, class).fields.get(name)?.0)
}

/// The index of a method among the methods of its class.
pub(crate) fn method_position(db: &dyn Db, method: MethodId) -> Option<usize> {
    member_index(db, method.class(db)).positions.get(&method).copied()
}

/// The index of a field or property among the fields of its class.
pub(crate) fn field_position(db: &dyn Db, field: FieldId) -> Option<usize> {
    Some(member_index(db, field.class(db)).fields.get(field.name(db))?.1)
}

/// The item that declares a method; `None` only for an identity from before an edit.
pub fn method_item(db: &dyn Db, method: MethodId) -> Option<&MethodItem> {
    own_method_item(db, method).as_deref()
}

/// A separate query, so that a change of another member does not invalidate its readers.
#[salsa::tracked]
fn own_method_item(db: &dyn Db, method: MethodId) -> Option<Arc<MethodItem>> {
    class_item(db, method.class(db)).as_ref()?.methods.get(method_position(db, method)?).cloned()
}

/// The item that declares a field or property; `None` only for an identity from before an edit.
pub fn field_item(db: &dyn Db, field: FieldId) -> Option<&FieldItem> {
    own_field_item(db, field).as_deref()
}

#[salsa::tracked]
fn own_field_item(db: &dyn Db, field: FieldId) -> Option<Arc<FieldItem>> {
    class_item(db, field.class(db)).as_ref()?.fields.get(field_position(db, field)?).cloned()
}

/// Whether a field is static. All fields of an interface are, except its properties.
pub fn field_is_static(db: &dyn Db, field: FieldId) -> bool {
    field_item(db, field).is_some_and(|f| {
        f.modifiers.has(Modifiers::STATIC)
            || (!f.is_property && class_kind(db, field.class(db)) == Some(ClassKind::Interface))
    })
}

/// Whether a method takes no receiver. Constructors are not static.
pub fn method_is_static(db: &dyn Db, method: MethodId) -> bool {
    method_item(db, method).is_some_and(|m| m.modifiers.has(Modifiers::STATIC))
}

/// The type parameters of a class.
#[salsa::tracked]
pub fn type_param_ids(db: &dyn Db, class: ClassId) -> Vec<TypeParamId> {
    let Some(item) = class_head(db, class) else { return Vec::new() };
    let numbered = item.type_params.iter().enumerate();
    numbered.map(|(i, p)| TypeParamId::new(db, class, None, i as u32, p.name.clone())).collect()
}

/// The type parameters of a method.
#[salsa::tracked]
pub fn method_type_param_ids(db: &dyn Db, method: MethodId) -> Vec<TypeParamId> {
    let Some(item) = method_item(db, method) else { return Vec::new() };
    let numbered = item.type_params.iter().enumerate();
    numbered
        .map(|(i, p)| TypeParamId::new(db, method.class(db), Some(method), i as u32, p.name.clone()))
        .collect()
}

/// Whether a method is a property method: usable in constraints, and without parentheses.
pub(crate) fn method_is_property(db: &dyn Db, method: MethodId) -> bool {
    method_item(db, method).is_some_and(|m| m.kind == super::MethodKind::Property)
}

/// Whether a field may be assigned again: a `var`.
pub fn field_is_mutable(db: &dyn Db, field: FieldId) -> bool {
    field_item(db, field).is_some_and(|f| f.mutable)
}
