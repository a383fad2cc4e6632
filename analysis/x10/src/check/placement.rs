//! Placement of declarations: structs and static classes in classes, type definitions beside classes.

use crate::db::Db;
use crate::ids::{ClassId, SourceFile, TypedefId};
use crate::item_tree::items::{class_head, class_kind, item_tree};
use crate::item_tree::nesting::is_static_class;
use crate::item_tree::source::Item;
use crate::item_tree::{ClassItem, ClassKind, ClassPlace, Modifiers, TypedefItem};
use crate::rules::r#type as type_rules;
use crate::scope::problem::Problem;

/// Adds the problems of the placement of a class and of its type definitions.
pub(super) fn placement_problems(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<Problem>)>,
) {
    if let Some(problem) = misplaced_class(db, class, item) {
        all.push((Item::Class(class), vec![problem]));
    }
    for typedef in &item.typedefs {
        let same = item.member_class(&typedef.name).is_some_and(|class| class.type_params.is_empty());
        if is_plain(typedef) && typedef.body.is_none() && same {
            let id = TypedefId::new(db, class.file(db), Some(class), typedef.name.clone(), typedef.nth);
            all.push((Item::Typedef(id), vec![shadowed_typedef(typedef)]));
        }
    }
}

/// Top-level type definitions with the name of a class of their file.
pub(super) fn shadowed_typedefs(db: &dyn Db, file: SourceFile) -> Vec<(Item, Vec<Problem>)> {
    let tree = item_tree(db, file);
    let same = |typedef: &TypedefItem| {
        tree.classes.iter().any(|class| class.name == typedef.name && class.type_params.is_empty())
    };
    let both = tree.typedefs.iter().filter(|typedef| is_plain(typedef) && same(typedef));
    both.map(|typedef| {
        let id = TypedefId::new(db, file, None, typedef.name.clone(), typedef.nth);
        (Item::Typedef(id), vec![shadowed_typedef(typedef)])
    })
    .collect()
}

fn is_plain(typedef: &TypedefItem) -> bool {
    typedef.type_params.is_empty() && typedef.params.is_empty()
}

fn shadowed_typedef(typedef: &TypedefItem) -> Problem {
    let message = format!("`{}` is already the name of a class here", typedef.name);
    Problem::new(&type_rules::duplicate_member::RULE, typedef.at, message).note(
        "a type definition without parameters could not be distinguished from the class: choose another name",
    )
}

fn misplaced_class(db: &dyn Db, class: ClassId, item: &ClassItem) -> Option<Problem> {
    let outer = class.outer(db).filter(|_| item.place == ClassPlace::Member)?;
    let is_static = item.modifiers.has(Modifiers::STATIC);
    let in_interface = class_kind(db, outer) == Some(ClassKind::Interface);
    if item.kind == ClassKind::Struct && !is_static && !in_interface {
        let message = format!("the struct `{}` inside a class must be `static`", item.name);
        return Some(
            Problem::new(&type_rules::misplaced_class::RULE, item.at, message)
                .note("a struct holds its fields and nothing else, so it cannot belong to an object: write `static struct`"),
        );
    }
    let outer_is_member = class_head(db, outer).as_ref().is_some_and(|it| it.place == ClassPlace::Member);
    if is_static && item.kind == ClassKind::Class && outer_is_member && !is_static_class(db, outer) {
        let message = format!("`{}` is static, but `{}` around it is not", item.name, outer.name(db));
        return Some(
            Problem::new(&type_rules::misplaced_class::RULE, item.at, message)
                .note("an inner class belongs to an object, and has no static member classes: move it out, or make the class around it `static`"),
        );
    }
    None
}
