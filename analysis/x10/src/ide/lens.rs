//! Code lenses: commands shown above a line.

use apg_syntax::TextRange;

use super::navigation_target::is_anonymous;
use super::owners;
use crate::body::Owner;
use crate::db::Db;
use crate::ids::{MethodId, SourceFile};
use crate::item_tree::Modifiers;
use crate::item_tree::items::{all_classes, method_item, methods};
use crate::item_tree::source::{Item, item_ptr, name_range};
use crate::kernel::{LaunchSummary, launch_summaries};
use crate::signature::inferred::result_type;
use crate::signature::method_signature;
use crate::ty::Ty;

/// A code lens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The range that it belongs to.
    pub range: TextRange,
    /// The command.
    pub kind: LensKind,
}

/// The command of a code lens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LensKind {
    /// Run the program with this `main`.
    Run,
    /// Show the generated CUDA code of a kernel.
    ShowCuda,
    /// Show the number of references to a class, method or field.
    References,
}

/// The lenses of a file, in source order; with reference counts if `counts_references`.
pub fn lenses(db: &dyn Db, file: SourceFile, counts_references: bool) -> Vec<Lens> {
    let mut lenses = Vec::new();
    for owner in owners(db, file) {
        if let Owner::Method(method) = owner
            && is_main(db, method)
        {
            lenses.push(Lens { range: name_range(db, Item::Method(method)), kind: LensKind::Run });
        }
        let kernels = launch_summaries(db, owner).into_iter();
        lenses.extend(kernels.map(|kernel| Lens { range: kernel.head, kind: LensKind::ShowCuda }));
    }
    if counts_references {
        for class in all_classes(db, file).iter().filter(|class| !is_anonymous(db, **class)) {
            let methods = methods(db, *class).iter().copied().map(Item::Method);
            let written = methods.filter(|method| item_ptr(db, *method).is_some());
            let ranges = std::iter::once(Item::Class(*class)).chain(written).map(|item| name_range(db, item));
            lenses.extend(ranges.map(|range| Lens { range, kind: LensKind::References }));
        }
    }
    lenses.sort_by_key(|lens| lens.range.start());
    lenses
}

/// The launch of each valid kernel of a file.
pub fn launches(db: &dyn Db, file: SourceFile) -> Vec<LaunchSummary> {
    owners(db, file).flat_map(|owner| launch_summaries(db, owner)).collect()
}

/// Whether a method is the entry point of a program: `public static def main` of a class or struct, with a
/// rail of strings or no parameter, and without a result.
fn is_main(db: &dyn Db, method: MethodId) -> bool {
    let is_declared = method.name(db) == "main"
        && method_item(db, method).is_some_and(|item| {
            item.modifiers.has(Modifiers::STATIC) && item.modifiers.has(Modifiers::PUBLIC)
        });
    if !is_declared || !result_type(db, method).is_void(db) {
        return false;
    }
    match &*method_signature(db, method).params {
        [] => true,
        [only] => only.ty.base(db) == Ty::rail(db, Ty::string(db)),
        _ => false,
    }
}
