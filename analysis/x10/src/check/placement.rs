//! Placement of declarations: structs and static classes in classes, type definitions beside classes.

use super::problem::DeclarationProblem;
use crate::db::Db;
use crate::ids::{ClassId, SourceFile, TypedefId};
use crate::item_tree::items::{class_head, class_kind, item_tree};
use crate::item_tree::nesting::is_static_class;
use crate::item_tree::source::Item;
use crate::item_tree::{ClassItem, ClassKind, ClassPlace, Modifiers, TypedefItem};
use crate::rules::r#type::duplicate_member::DuplicateMember;
use crate::rules::r#type::misplaced_class::MisplacedClass;

/// Adds the problems of the placement of a class and of its type definitions.
pub(super) fn placement_problems(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<DeclarationProblem>)>,
) {
    if let Some(problem) = misplaced_class(db, class, item) {
        all.push((Item::Class(class), vec![problem]));
    }
    for typedef in &item.typedefs {
        let same = item.member_class(&typedef.name).is_some_and(|class| class.type_params.is_empty());
        if is_plain(typedef) && typedef.body.is_none() && same {
            let id = TypedefId::new(db, class.file(db), Some(class), typedef.name.clone(), typedef.nth);
            all.push((Item::Typedef(id), vec![shadowed_typedef(id, typedef)]));
        }
    }
}

/// Top-level type definitions with the name of a class of their file.
pub(super) fn shadowed_typedefs(db: &dyn Db, file: SourceFile) -> Vec<(Item, Vec<DeclarationProblem>)> {
    let tree = item_tree(db, file);
    let same = |typedef: &TypedefItem| {
        tree.classes.iter().any(|class| class.name == typedef.name && class.type_params.is_empty())
    };
    let both = tree.typedefs.iter().filter(|typedef| is_plain(typedef) && same(typedef));
    both.map(|typedef| {
        let id = TypedefId::new(db, file, None, typedef.name.clone(), typedef.nth);
        (Item::Typedef(id), vec![shadowed_typedef(id, typedef)])
    })
    .collect()
}

fn is_plain(typedef: &TypedefItem) -> bool {
    typedef.type_params.is_empty() && typedef.params.is_empty()
}

fn shadowed_typedef(id: TypedefId, typedef: &TypedefItem) -> DeclarationProblem {
    DeclarationProblem::new(typedef.at, DuplicateMember::TypedefOfClassName(id))
}

fn misplaced_class(db: &dyn Db, class: ClassId, item: &ClassItem) -> Option<DeclarationProblem> {
    let outer = class.outer(db).filter(|_| item.place == ClassPlace::Member)?;
    let is_static = item.modifiers.has(Modifiers::STATIC);
    let in_interface = class_kind(db, outer) == Some(ClassKind::Interface);
    if item.kind == ClassKind::Struct && !is_static && !in_interface {
        return Some(DeclarationProblem::new(item.at, MisplacedClass::InnerStruct(class)));
    }
    let outer_is_member = class_head(db, outer).as_ref().is_some_and(|it| it.place == ClassPlace::Member);
    if is_static && item.kind == ClassKind::Class && outer_is_member && !is_static_class(db, outer) {
        return Some(DeclarationProblem::new(item.at, MisplacedClass::StaticInInner { class, outer }));
    }
    None
}
