//! Who may use what.

use crate::db::Db;
use crate::ids::ClassId;
use crate::item_tree::items::{class_kind, package};
use crate::item_tree::{ClassKind, Modifiers};
use crate::relate::Context;

/// How far a member can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Everywhere.
    Public,
    /// In the package, and in subclasses.
    Protected,
    /// In the package: what nothing says.
    Package,
    /// In the outermost class around the declaration.
    Private,
}

impl Visibility {
    /// To be read before the name of the class that declares the member.
    pub fn text(self) -> &'static str {
        match self {
            Visibility::Public => "it is public in",
            Visibility::Protected => "it is `protected` in",
            Visibility::Package => "without `public`, only its own package sees what is in",
            Visibility::Private => "it is `private` in",
        }
    }
}

/// How far a member of `class` with these modifiers can be seen.
pub fn visibility(db: &dyn Db, class: ClassId, modifiers: Modifiers) -> Visibility {
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
    /// Whether a member of `class` with these modifiers may be used here.
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
