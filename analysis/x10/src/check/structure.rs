//! Checks of class members: mutable fields of structs, redeclared properties, conversion operators,
//! constructor results.

use crate::db::Db;
use crate::ids::{ClassId, FieldId};
use crate::item_tree::items::{field_item, method_item, methods, own_field};
use crate::item_tree::source::Item;
use crate::item_tree::{ClassItem, ClassKind, MethodKind, Modifiers};
use crate::relate::Context;
use crate::rules::r#type as type_rules;
use crate::scope::problem::Problem;
use crate::signature::inferred::result_type;
use crate::signature::method_signature;
use crate::signature::supertypes::all_supertypes;
use crate::ty::Ty;
use crate::ty::known::{Known, known_class};

/// Adds the problems of the class's members, each with its item.
pub(super) fn structure_problems(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<Problem>)>,
) {
    if item.kind == ClassKind::Struct {
        let changing = |f: &&std::sync::Arc<crate::item_tree::FieldItem>| {
            f.mutable && !f.modifiers.has(Modifiers::STATIC)
        };
        for field in item.fields.iter().filter(changing) {
            let message =
                format!("`{}` is a struct, so its field `{}` cannot be a `var`", item.name, field.name);
            let problem = Problem::new(&type_rules::struct_var_field::RULE, field.at, message)
                .note("make it a `val`, and a new struct for a new value; or make this a class");
            all.push((Item::Field(FieldId::new(db, class, field.name.clone())), vec![problem]));
        }
    }
    redeclared_properties(db, class, item, all);
    generic_exceptions(db, class, item, all);
    invalid_conversions(db, class, all);
    invalid_constructor_results(db, class, all);
}

/// A constructor returns its own class.
fn invalid_constructor_results(db: &dyn Db, class: ClassId, all: &mut Vec<(Item, Vec<Problem>)>) {
    for method in methods(db, class) {
        let Some(item) = method_item(db, *method) else { continue };
        if item.kind != MethodKind::Constructor || item.result.is_none() {
            continue;
        }
        let Some(result) = method_signature(db, *method).result else { continue };
        let own = result.as_class(db).is_some_and(|(found, _)| found == class);
        if own || result.mentions_error(db) {
            continue;
        }
        let message = format!("a constructor of `{}` cannot make a `{}`", class.name(db), result.display(db));
        let problem = Problem::new(&type_rules::bad_constructor_result::RULE, item.at, message)
            .note("its result is its own class, perhaps with a constraint; or leave it out");
        all.push((Item::Method(*method), vec![problem]));
    }
}

/// A property that a superclass has already.
fn redeclared_properties(db: &dyn Db, class: ClassId, item: &ClassItem, all: &mut Vec<(Item, Vec<Problem>)>) {
    // An interface may repeat inherited properties.
    if item.kind == ClassKind::Interface {
        return;
    }
    for property in item.properties() {
        let inherited =
            all_supertypes(db, class).iter().skip(1).filter_map(|t| t.as_class(db)).find(|(c, _)| {
                own_field(db, *c, &property.name)
                    .is_some_and(|f| field_item(db, f).is_some_and(|f| f.is_property))
            });
        let Some((owner, _)) = inherited else { continue };
        let message =
            format!("`{}` inherits a property `{}` from `{}`", item.name, property.name, owner.name(db));
        let problem = Problem::new(&type_rules::duplicate_member::RULE, property.at, message)
            .note("a property of the same name would hide it from constraints: choose another name");
        all.push((Item::Field(FieldId::new(db, class, property.name.clone())), vec![problem]));
    }
}

fn generic_exceptions(db: &dyn Db, class: ClassId, item: &ClassItem, all: &mut Vec<(Item, Vec<Problem>)>) {
    let Some(throwable) = known_class(db, Known::CheckedThrowable) else { return };
    let context = Context::class(db, class);
    if !item.type_params.is_empty() && context.is_subclass(class, throwable) {
        let message = format!("`{}` is an exception and has type parameters", item.name);
        let problem = Problem::new(&type_rules::generic_exception::RULE, item.at, message)
            .note("`catch` cannot ask for type arguments: keep the value in a field of type `Any`");
        all.push((Item::Class(class), vec![problem]));
    }
}

/// A conversion operator converts from or to its class.
fn invalid_conversions(db: &dyn Db, class: ClassId, all: &mut Vec<(Item, Vec<Problem>)>) {
    let context = Context::class(db, class);
    let is_class =
        |ty: Ty| ty.as_class(db).is_some_and(|(c, _)| context.is_subclass(c, class)) || ty.mentions_error(db);
    for method in methods(db, class) {
        let Some(item) = method_item(db, *method) else { continue };
        if !matches!(item.kind, MethodKind::ImplicitConversion | MethodKind::ExplicitConversion) {
            continue;
        }
        let from = method_signature(db, *method).params.first().map(|p| p.ty);
        let to = result_type(db, *method);
        if is_class(to) || from.is_none_or(is_class) {
            continue;
        }
        let message = format!("this operator converts neither from nor to `{}`", class.name(db));
        let problem = Problem::new(&type_rules::bad_conversion::RULE, item.at, message)
            .note("declare it in the class that it converts to");
        all.push((Item::Method(*method), vec![problem]));
    }
}
