//! Checks of class members: mutable fields of structs, redeclared properties, conversion operators,
//! constructor results.

use super::problem::DeclarationProblem;
use crate::db::Db;
use crate::ids::{ClassId, FieldId};
use crate::item_tree::items::{field_item, method_item, methods, own_field};
use crate::item_tree::source::Item;
use crate::item_tree::{ClassItem, ClassKind, MethodKind, Modifiers};
use crate::relate::Context;
use crate::rules::r#type::bad_constructor_result::BadConstructorResult;
use crate::rules::r#type::bad_conversion::BadConversion;
use crate::rules::r#type::duplicate_member::DuplicateMember;
use crate::rules::r#type::generic_exception::GenericException;
use crate::rules::r#type::struct_var_field::StructVarField;
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
    all: &mut Vec<(Item, Vec<DeclarationProblem>)>,
) {
    if item.kind == ClassKind::Struct {
        let changing = |f: &&std::sync::Arc<crate::item_tree::FieldItem>| {
            f.mutable && !f.modifiers.has(Modifiers::STATIC)
        };
        for field in item.fields.iter().filter(changing) {
            let id = FieldId::new(db, class, field.name.clone());
            let problem = DeclarationProblem::new(field.at, StructVarField { field: id });
            all.push((Item::Field(id), vec![problem]));
        }
    }
    redeclared_properties(db, class, item, all);
    generic_exceptions(db, class, item, all);
    invalid_conversions(db, class, all);
    invalid_constructor_results(db, class, all);
}

/// A constructor returns its own class.
fn invalid_constructor_results(db: &dyn Db, class: ClassId, all: &mut Vec<(Item, Vec<DeclarationProblem>)>) {
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
        let problem = DeclarationProblem::new(item.at, BadConstructorResult { class, result });
        all.push((Item::Method(*method), vec![problem]));
    }
}

/// A property that a superclass has already.
fn redeclared_properties(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<DeclarationProblem>)>,
) {
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
        let id = FieldId::new(db, class, property.name.clone());
        let data = DuplicateMember::InheritedProperty { property: id, owner };
        all.push((Item::Field(id), vec![DeclarationProblem::new(property.at, data)]));
    }
}

fn generic_exceptions(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<DeclarationProblem>)>,
) {
    let Some(throwable) = known_class(db, Known::CheckedThrowable) else { return };
    let context = Context::class(db, class);
    if !item.type_params.is_empty() && context.is_subclass(class, throwable) {
        all.push((Item::Class(class), vec![DeclarationProblem::new(item.at, GenericException { class })]));
    }
}

/// A conversion operator converts from or to its class.
fn invalid_conversions(db: &dyn Db, class: ClassId, all: &mut Vec<(Item, Vec<DeclarationProblem>)>) {
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
        all.push((Item::Method(*method), vec![DeclarationProblem::new(item.at, BadConversion { class })]));
    }
}
