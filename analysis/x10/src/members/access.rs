//! Access control: the visibility of members.

use crate::db::Db;
use crate::ids::ClassId;
use crate::item_tree::items::{class_kind, package};
use crate::item_tree::{ClassKind, Modifiers};
use crate::relate::Context;

/// The visibility of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Everywhere.
    Public,
    /// In the package and in subclasses.
    Protected,
    /// In the package: the default without a modifier.
    Package,
    /// In the outermost class around the declaration.
    Private,
}

impl Visibility {
    /// A description for messages, followed by the name of the declaring class.
    pub fn text(self) -> &'static str {
        match self {
            Visibility::Public => "it is public in",
            Visibility::Protected => "it is `protected` in",
            Visibility::Package => "without `public`, only its own package sees what is in",
            Visibility::Private => "it is `private` in",
        }
    }
}

/// The visibility of a member of `class` with these modifiers.
pub(crate) fn visibility(db: &dyn Db, class: ClassId, modifiers: Modifiers) -> Visibility {
    if modifiers.has(Modifiers::PRIVATE) {
        Visibility::Private
    } else if modifiers.has(Modifiers::PUBLIC) || class_kind(db, class) == Some(ClassKind::Interface) {
        Visibility::Public
    } else if modifiers.has(Modifiers::PROTECTED) {
        Visibility::Protected
    } else {
        Visibility::Package
    }
}

impl Context<'_> {
    /// Whether a member of `class` with these modifiers is accessible here.
    pub fn can_access(&self, class: ClassId, modifiers: Modifiers) -> bool {
        let db = self.db;
        let visibility = visibility(db, class, modifiers);
        if visibility == Visibility::Public {
            return true;
        }
        let Some(here) = self.class else { return false };
        let same_package = || package(db, here.file(db)) == package(db, class.file(db));
        match visibility {
            Visibility::Public => true,
            Visibility::Private => outermost(db, here) == outermost(db, class),
            Visibility::Package => same_package(),
            Visibility::Protected => {
                let around = std::iter::successors(Some(here), |c| c.outer(db));
                same_package() || around.into_iter().any(|c| self.is_subclass(c, class))
            }
        }
    }
}

fn outermost(db: &dyn Db, class: ClassId) -> ClassId {
    std::iter::successors(Some(class), |c| c.outer(db)).last().unwrap_or(class)
}
