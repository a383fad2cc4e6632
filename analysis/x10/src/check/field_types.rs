//! Checks of field types: zero values of fields that may be unset, and recursive containment.

use super::problem::DeclarationProblem;
use crate::db::Db;
use crate::ids::{ClassId, FieldId};
use crate::item_tree::items::{class_kind, field_is_static, fields, own_field, properties};
use crate::item_tree::source::Item;
use crate::item_tree::{ClassItem, ClassKind, FieldItem, Modifiers, has_annotation};
use crate::relate::Context;
use crate::rules::flow::field_not_assigned::FieldNotAssigned;
use crate::rules::r#type::endless_property::EndlessProperty;
use crate::rules::r#type::endless_struct::EndlessStruct;
use crate::rules::r#type::generic_property::GenericProperty;
use crate::rules::r#type::static_var::StaticVar;
use crate::rules::r#type::transient_without_zero::TransientWithoutZero;
use crate::signature::{class_header, field_type};
use crate::ty::TyKind;

/// Adds the problems of the class's fields, each with its field.
pub(super) fn field_problems(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<DeclarationProblem>)>,
) {
    for field in item.fields.iter().filter(|field| !field.name.is_empty()) {
        let Some(id) = own_field(db, class, &field.name) else { continue };
        let found = [
            static_var(item, id, field),
            static_without_value(item, id, field),
            transient_without_zero(db, class, id, field),
            recursive_property(db, class, id, field),
            recursive_struct(db, class, item, id, field),
        ];
        let problems: Vec<DeclarationProblem> = found.into_iter().flatten().take(1).collect();
        if !problems.is_empty() {
            all.push((Item::Field(id), problems));
        }
    }
}

/// Each place has a copy of a static field, so that a change would be seen at one place only.
fn static_var(class: &ClassItem, id: FieldId, field: &FieldItem) -> Option<DeclarationProblem> {
    if field.mutable && class.kind == ClassKind::Interface && !field.is_property {
        return Some(DeclarationProblem::new(field.at, StaticVar::InInterface(id)));
    }
    if !field.mutable || !field.modifiers.has(Modifiers::STATIC) {
        return None;
    }
    Some(DeclarationProblem::new(field.at, StaticVar::InClass(id)))
}

/// Static fields need an initialiser: no constructor assigns them.
fn static_without_value(class: &ClassItem, id: FieldId, field: &FieldItem) -> Option<DeclarationProblem> {
    let is_static =
        field.modifiers.has(Modifiers::STATIC) || class.kind == ClassKind::Interface && !field.is_property;
    let is_native = field.modifiers.has(Modifiers::NATIVE) || has_annotation(&field.annotations, "Native");
    // A field without a type is a syntax error, too.
    if !is_static || field.mutable || field.has_initializer || is_native || field.ty.is_none() {
        return None;
    }
    Some(DeclarationProblem::new(field.at, FieldNotAssigned::Static(id)))
}

/// A transient field is not copied to other places, and is zero there.
fn transient_without_zero(
    db: &dyn Db,
    class: ClassId,
    id: FieldId,
    field: &FieldItem,
) -> Option<DeclarationProblem> {
    if !field.modifiers.has(Modifiers::TRANSIENT) || field.modifiers.has(Modifiers::STATIC) {
        return None;
    }
    // These annotations promise that the field is restored before it is read.
    if ["SuppressTransientError", "TransientInitExpr"].iter().any(|it| has_annotation(&field.annotations, it))
    {
        return None;
    }
    let ty = field_type(db, id);
    if ty.mentions_error(db) || Context::class(db, class).has_zero(ty) {
        return None;
    }
    Some(DeclarationProblem::new(field.at, TransientWithoutZero { field: id }))
}

/// Property types form a hierarchy: no property leads back to its class.
fn recursive_property(
    db: &dyn Db,
    class: ClassId,
    id: FieldId,
    field: &FieldItem,
) -> Option<DeclarationProblem> {
    if !field.is_property {
        return None;
    }
    let ty = field_type(db, id).base(db);
    if let TyKind::Param(_) = ty.kind(db) {
        return Some(DeclarationProblem::new(field.at, GenericProperty { property: id }));
    }
    let (start, _) = ty.as_class(db)?;
    if class_kind(db, start) == Some(ClassKind::Interface) || !reaches_class(db, start, class) {
        return None;
    }
    Some(DeclarationProblem::new(field.at, EndlessProperty { property: id }))
}

/// Whether `from` leads to `to` by superclasses and classes of properties.
fn reaches_class(db: &dyn Db, from: ClassId, to: ClassId) -> bool {
    let mut pending = vec![from];
    let mut seen = Vec::new();
    while let Some(class) = pending.pop() {
        if class == to {
            return true;
        }
        if seen.contains(&class) {
            continue;
        }
        seen.push(class);
        let header = class_header(db, class);
        let superclass = header.supers.first().filter(|_| header.has_superclass);
        let held = properties(db, class).into_iter().map(|property| field_type(db, property));
        let next = superclass.copied().into_iter().chain(held).filter_map(|ty| ty.as_class(db));
        pending.extend(next.map(|(c, _)| c).filter(|c| class_kind(db, *c) != Some(ClassKind::Interface)));
    }
    false
}

/// A struct cannot contain a value of its own type.
fn recursive_struct(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    id: FieldId,
    field: &FieldItem,
) -> Option<DeclarationProblem> {
    if item.kind != ClassKind::Struct || field_is_static(db, id) {
        return None;
    }
    let mut pending = vec![field_type(db, id)];
    let mut seen: Vec<ClassId> = Vec::new();
    while let Some(ty) = pending.pop() {
        let Some((contained, args)) = ty.as_class(db).filter(|_| ty.is_struct(db)) else { continue };
        if contained == class {
            return Some(DeclarationProblem::new(field.at, EndlessStruct { field: id }));
        }
        pending.extend(args.iter().copied());
        if !seen.contains(&contained) && ty.primitive(db).is_none() {
            seen.push(contained);
            let held = fields(db, contained).iter().filter(|f| !field_is_static(db, **f));
            pending.extend(held.map(|f| field_type(db, *f)));
        }
    }
    None
}
