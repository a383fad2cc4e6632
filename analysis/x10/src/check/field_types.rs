//! Checks of field types: zero values of fields that may be unset, and recursive containment.

use crate::db::Db;
use crate::ids::{ClassId, FieldId};
use crate::item_tree::items::{class_kind, field_is_static, fields, own_field, properties};
use crate::item_tree::source::Item;
use crate::item_tree::{ClassItem, ClassKind, FieldItem, Modifiers, has_annotation};
use crate::relate::Context;
use crate::rules::{flow as flow_rules, r#type as type_rules};
use crate::scope::problem::Problem;
use crate::signature::{class_header, field_type};
use crate::ty::TyKind;

/// Adds the problems of the class's fields, each with its field.
pub(super) fn field_problems(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<Problem>)>,
) {
    for field in item.fields.iter().filter(|field| !field.name.is_empty()) {
        let Some(id) = own_field(db, class, &field.name) else { continue };
        let found = [
            static_var(item, field),
            static_without_value(item, field),
            transient_without_zero(db, class, id, field),
            recursive_property(db, class, id, field),
            recursive_struct(db, class, item, id, field),
        ];
        let problems: Vec<Problem> = found.into_iter().flatten().take(1).collect();
        if !problems.is_empty() {
            all.push((Item::Field(id), problems));
        }
    }
}

/// Each place has a copy of a static field, so that a change would be seen at one place only.
fn static_var(class: &ClassItem, field: &FieldItem) -> Option<Problem> {
    if field.mutable && class.kind == ClassKind::Interface && !field.is_property {
        let message = format!("the field `{}` of an interface cannot be a `var`", field.name);
        return Some(Problem::new(&type_rules::static_var::RULE, field.at, message).note(
            "the fields of interfaces are static `val`s: declare methods that read and set it, or a property",
        ));
    }
    if !field.mutable || !field.modifiers.has(Modifiers::STATIC) {
        return None;
    }
    let message = format!("the static field `{}` cannot be a `var`", field.name);
    Some(
        Problem::new(&type_rules::static_var::RULE, field.at, message)
            .note("make it a `val`, perhaps of a `Cell`; or a field of an object that is handed around"),
    )
}

/// Static fields need an initialiser: no constructor assigns them.
fn static_without_value(class: &ClassItem, field: &FieldItem) -> Option<Problem> {
    let is_static =
        field.modifiers.has(Modifiers::STATIC) || class.kind == ClassKind::Interface && !field.is_property;
    let is_native = field.modifiers.has(Modifiers::NATIVE) || has_annotation(&field.annotations, "Native");
    // A field without a type is a syntax error, too.
    if !is_static || field.mutable || field.has_initializer || is_native || field.ty.is_none() {
        return None;
    }
    let message = format!("nothing assigns the static field `{}`", field.name);
    Some(
        Problem::new(&flow_rules::field_not_assigned::RULE, field.at, message)
            .note("static fields are set once, by an initialiser: write `= value`"),
    )
}

/// A transient field is not copied to other places, and is zero there.
fn transient_without_zero(db: &dyn Db, class: ClassId, id: FieldId, field: &FieldItem) -> Option<Problem> {
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
    let message = format!("`{}` is transient, and `{}` has no zero", field.name, ty.display(db));
    Some(Problem::new(&type_rules::transient_without_zero::RULE, field.at, message).note(
        "a transient field is zero or `null` in a copy at another place: give it a type that has that value, or say with `@TransientInitExpr(value)` what it holds there",
    ))
}

/// Property types form a hierarchy: no property leads back to its class.
fn recursive_property(db: &dyn Db, class: ClassId, id: FieldId, field: &FieldItem) -> Option<Problem> {
    if !field.is_property {
        return None;
    }
    let ty = field_type(db, id).base(db);
    if let TyKind::Param(_) = ty.kind(db) {
        let message = format!("the type of the property `{}` is a type parameter", field.name);
        return Some(Problem::new(&type_rules::generic_property::RULE, field.at, message).note(
            "constraints speak of properties, and know nothing of such a value: make it a `val` field",
        ));
    }
    let (start, _) = ty.as_class(db)?;
    if class_kind(db, start) == Some(ClassKind::Interface) || !reaches_class(db, start, class) {
        return None;
    }
    let message = format!("the property `{}` leads back to `{}`", field.name, class.name(db));
    Some(Problem::new(&type_rules::endless_property::RULE, field.at, message).note(
        "an object could only be made after another one of its class: make it a field, which may be `null`",
    ))
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
) -> Option<Problem> {
    if item.kind != ClassKind::Struct || field_is_static(db, id) {
        return None;
    }
    let mut pending = vec![field_type(db, id)];
    let mut seen: Vec<ClassId> = Vec::new();
    while let Some(ty) = pending.pop() {
        let Some((contained, args)) = ty.as_class(db).filter(|_| ty.is_struct(db)) else { continue };
        if contained == class {
            let message = format!("`{}` would contain itself through `{}`", item.name, field.name);
            return Some(Problem::new(&type_rules::endless_struct::RULE, field.at, message).note(
                "a struct holds its fields, not references to them: use a class, or keep the value in a `Rail` or `Cell`",
            ));
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
