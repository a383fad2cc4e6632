//! Placement of annotations as their interfaces allow it (X10 2.6, "Annotations on Program Elements").

use smol_str::SmolStr;

use super::problem::DeclarationProblem;
use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::source::Item;
use crate::item_tree::{AnnotationItem, ClassItem};
use crate::relate::Context;
use crate::rules::name::unknown_type::UnknownAnnotation;
use crate::rules::r#type::misplaced_annotation::MisplacedAnnotation;
use crate::scope::type_scope::TypeScope;
use crate::suggest::foreign_vocabulary::is_device_annotation;
use crate::ty::known::{Known, known_class};

/// Adds the problems of annotations of a class and its members.
pub(super) fn annotation_problems(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<DeclarationProblem>)>,
) {
    let mut check = |annotations: &[AnnotationItem], wanted: Known, of: Item, at: u32| {
        let problems: Vec<DeclarationProblem> =
            annotations.iter().filter_map(|it| misplaced(db, class, it, wanted, at)).collect();
        if !problems.is_empty() {
            all.push((of, problems));
        }
    };
    check(&item.annotations, Known::ClassAnnotation, Item::Class(class), item.at);
    for field in item.fields.iter().filter(|field| !field.annotations.is_empty()) {
        let id = FieldId::new(db, class, field.name.clone());
        check(&field.annotations, Known::FieldAnnotation, Item::Field(id), field.at);
    }
    for method in item.methods.iter().filter(|method| !method.annotations.is_empty()) {
        let id = MethodId::new(db, class, method.name.clone(), method.nth);
        check(&method.annotations, Known::MethodAnnotation, Item::Method(id), method.at);
    }
}

fn misplaced(
    db: &dyn Db,
    class: ClassId,
    annotation: &AnnotationItem,
    wanted: Known,
    at: u32,
) -> Option<DeclarationProblem> {
    let names: Vec<SmolStr> = annotation.name.split('.').map(SmolStr::new).collect();
    let scope = TypeScope::class(db, class);
    let Some(found) = scope.find_class(&names) else {
        let problem = scope.missing_class(&names, annotation.at)?;
        // A keyword without `@`, which the parser has reported.
        if annotation.name.starts_with("__") {
            return None;
        }
        let has_note = |name: &str| matches!(name, "Override" | "override") || is_device_annotation(name);
        // A similar name, or one to be imported.
        if !has_note(&annotation.name) && !problem.diagnostic.fixes.is_empty() {
            return Some(problem.into());
        }
        let data = UnknownAnnotation { name: annotation.name.clone() };
        return Some(DeclarationProblem::new(annotation.at, data));
    };
    let wanted_class = known_class(db, wanted)?;
    if Context::class(db, class).is_subclass(found, wanted_class) {
        return None;
    }
    let name = annotation.simple_name().into();
    Some(DeclarationProblem::new(at, MisplacedAnnotation::Declaration { name }))
}
