//! Lenses: commands that belong to a line.

use apg_syntax::TextRange;

use super::owners;
use crate::db::Db;
use crate::ids::SourceFile;
use crate::infer::Owner;
use crate::item_tree::Modifiers;
use crate::item_tree::items::method_item;
use crate::item_tree::source::{Item, name_range};
use crate::kernel::launch_summaries;

/// A command above a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// Where.
    pub range: TextRange,
    /// What.
    pub kind: LensKind,
}

/// What a lens offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LensKind {
    /// Run the program whose `main` this is.
    Run,
    /// Show the CUDA of a kernel.
    ShowCuda,
}

/// The lenses of a file, in source order.
pub fn lenses(db: &dyn Db, file: SourceFile) -> Vec<Lens> {
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
    lenses.sort_by_key(|lens| lens.range.start());
    lenses
}

/// `public static def main` with one parameter.
fn is_main(db: &dyn Db, method: crate::ids::MethodId) -> bool {
    method.name(db) == "main"
        && method_item(db, method)
            .is_some_and(|item| item.modifiers.has(Modifiers::STATIC) && item.params.len() == 1)
}
