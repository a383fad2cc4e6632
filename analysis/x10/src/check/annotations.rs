//! Placement of annotations as their interfaces allow it (X10 2.6, "Annotations on Program Elements").

use smol_str::SmolStr;

use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::source::Item;
use crate::item_tree::{AnnotationItem, ClassItem};
use crate::relate::Context;
use crate::rules::{name as name_rules, r#type as type_rules};
use crate::scope::problem::Problem;
use crate::scope::type_scope::TypeScope;
use crate::suggest::foreign_vocabulary::{CUDA_ANNOTATION_NOTE, is_device_annotation};
use crate::ty::known::{Known, known_class};

/// Adds the problems of annotations of a class and its members.
pub(super) fn annotation_problems(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<Problem>)>,
) {
    let mut check = |annotations: &[AnnotationItem], wanted: Known, what: &str, of: Item, at: u32| {
        let problems: Vec<Problem> =
            annotations.iter().filter_map(|it| misplaced(db, class, it, wanted, what, at)).collect();
        if !problems.is_empty() {
            all.push((of, problems));
        }
    };
    let keyword = item.kind.keyword();
    check(&item.annotations, Known::ClassAnnotation, keyword, Item::Class(class), item.at);
    for field in item.fields.iter().filter(|field| !field.annotations.is_empty()) {
        let id = FieldId::new(db, class, field.name.clone());
        let what = if field.is_property { "property" } else { "field" };
        check(&field.annotations, Known::FieldAnnotation, what, Item::Field(id), field.at);
    }
    for method in item.methods.iter().filter(|method| !method.annotations.is_empty()) {
        let id = MethodId::new(db, class, method.name.clone(), method.nth);
        let what = if method.kind.is_constructor() { "constructor" } else { "method" };
        check(&method.annotations, Known::MethodAnnotation, what, Item::Method(id), method.at);
    }
}

fn misplaced(
    db: &dyn Db,
    class: ClassId,
    annotation: &AnnotationItem,
    wanted: Known,
    what: &str,
    at: u32,
) -> Option<Problem> {
    let names: Vec<SmolStr> = annotation.name.split('.').map(SmolStr::new).collect();
    let scope = TypeScope::class(db, class);
    let Some(found) = scope.find_class(&names) else {
        let problem = scope.missing_class(&names, annotation.at)?;
        let message = format!("there is no annotation `@{}` here", annotation.name);
        let unknown = Problem::new(&name_rules::unknown_type::RULE, annotation.at, message);
        // A keyword without `@`, which the parser has reported.
        if annotation.name.starts_with("__") {
            return None;
        }
        return Some(match annotation.name.as_str() {
            "Override" | "override" => unknown.note("whether a method overrides one is checked without any: leave it out"),
            name if is_device_annotation(name) => unknown.note(CUDA_ANNOTATION_NOTE).replace_by("Replace by `CUDA`".to_owned(), "CUDA"),
            // A similar name, or one to be imported.
            _ if !problem.diagnostic.fixes.is_empty() => problem,
            _ => unknown.note("an annotation is an interface: import it, or declare an interface that extends one of `x10.lang.annotations`"),
        });
    };
    let wanted_class = known_class(db, wanted)?;
    if Context::class(db, class).is_subclass(found, wanted_class) {
        return None;
    }
    let name = annotation.simple_name();
    let message = format!("`@{name}` cannot stand on a {what}");
    let note = format!("its interface does not extend `x10.lang.annotations.{}`", wanted.names().1);
    Some(Problem::new(&type_rules::misplaced_annotation::RULE, at, message).note(note))
}
