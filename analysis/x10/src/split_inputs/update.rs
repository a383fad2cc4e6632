//! Incremental update of edited files. The parts of such a file are separate inputs, set only where they
//! change: an edit inside a body sets the text of that member and no input of other members' results.
//!
//! This relies on salsa's durability: the edited text is LOW, all other inputs are MEDIUM, so that after an
//! edit the results of all other members are known to be valid without a check of their dependencies.
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

use super::{EditedFile, MemberText};
use std::sync::Arc;

use apg_syntax::{GreenNode, Parse, Skeleton};
use rustc_hash::FxHashMap;
use salsa::{Durability, Setter};

use crate::db::RootDatabase;
use crate::ids::SourceFile;
use crate::item_tree::item_source::ItemSource;
use crate::item_tree::lower::locate::{FileSources, Located, locate_file};

/// The parts of a text.
pub(crate) struct Parts {
    parse: Parse,
    sources: Arc<FileSources>,
    /// `None` if it is known to be unchanged.
    outline: Option<Skeleton>,
}

impl Parts {
    /// The parts of a parsed text; `before` are those of the text before the edit.
    pub(crate) fn of(parse: Parse, before: Option<(&Parse, &FileSources, &Skeleton)>) -> Parts {
        before
            .and_then(|(before, sources, outline)| Parts::after(&parse, before, sources, outline))
            .unwrap_or_else(|| {
                let sources = Arc::new(locate_file(&parse.tree()));
                let outline = Some(Skeleton::new(parse.green()));
                Parts { parse, sources, outline }
            })
    }

    /// The parts after an edit inside a single piece of code, derived from those before it.
    fn after(parse: &Parse, before: &Parse, sources: &FileSources, outline: &Skeleton) -> Option<Parts> {
        let change = apg_syntax::code_change(before.green(), parse.green())?;
        let outline = match change.is_body {
            true => None,
            false => Some(outline.after(before.green(), parse.green())?),
        };
        let sources = Arc::new(sources.after(change, &parse.syntax())?);
        Some(Parts { parse: parse.clone(), sources, outline })
    }
}

/// Sets the new parse of a file; returns whether its declarations may have changed. `spare` are the inputs
/// from an earlier edit of the file: the database never frees an input, so they are reused.
pub(crate) fn update(
    db: &mut RootDatabase,
    file: SourceFile,
    parts: Parts,
    spare: Option<EditedFile>,
) -> bool {
    let Parts { parse, sources, outline } = parts;
    let Some(edited) = *file.edited(db) else {
        let outline = outline.unwrap_or_else(|| Skeleton::new(parse.green()));
        if let Some(edited) = spare {
            revive(db, edited, parse, sources, outline);
            file.set_edited(db).with_durability(Durability::MEDIUM).to(Some(edited));
            return true;
        }
        let members = Arc::new(member_sources(db, &sources, &FileSources::default()));
        let edited = EditedFile::builder(parse, sources, outline, members)
            .durability(Durability::MEDIUM)
            .parse_durability(Durability::LOW)
            .sources_durability(Durability::LOW)
            .new(db);
        file.set_edited(db).with_durability(Durability::MEDIUM).to(Some(edited));
        return true;
    };
    edited.set_parse(db).to(parse);
    let before = edited.members(db).clone();
    let changed = outline.filter(|outline| *edited.outline(db) != *outline);
    let is_same = changed.is_none();
    match changed {
        None => {
            for (text, located) in before.all().into_iter().zip(sources.all()) {
                set(db, *text, &located.green);
            }
        }
        Some(outline) => {
            edited.set_outline(db).to(outline);
            let members = member_sources(db, &sources, &before);
            edited.set_members(db).to(Arc::new(members));
        }
    }
    edited.set_sources(db).to(sources);
    !is_same
}

/// Sets spare inputs to the parts of a text, with the durability of a text that has not been edited yet.
fn revive(
    db: &mut RootDatabase,
    edited: EditedFile,
    parse: Parse,
    sources: Arc<FileSources>,
    outline: Skeleton,
) {
    let before = edited.members(db).clone();
    let mut unused = before.all().into_iter().copied();
    let members = sources.map(&mut |located: &Located| {
        let source = ItemSource::new(located.green.clone());
        match unused.next() {
            Some(text) => {
                text.set_source(db).with_durability(Durability::MEDIUM).to(source);
                text
            }
            None => MemberText::builder(source).durability(Durability::MEDIUM).new(db),
        }
    });
    edited.set_parse(db).to(parse);
    edited.set_sources(db).to(sources);
    edited.set_outline(db).with_durability(Durability::MEDIUM).to(outline);
    edited.set_members(db).with_durability(Durability::MEDIUM).to(Arc::new(members));
}

/// The sources of all declarations. Inputs of `before` with the same content are kept, and its other inputs
/// are reused for changed declarations. An input that is not set invalidates nothing, however often its
/// neighbours change.
fn member_sources(
    db: &mut RootDatabase,
    sources: &FileSources,
    before: &FileSources<MemberText>,
) -> FileSources<MemberText> {
    let (old, new) = (before.all(), sources.all());
    let mut unused: Vec<Option<MemberText>> = old.into_iter().copied().map(Some).collect();
    let mut kept: Vec<Option<MemberText>> = vec![None; new.len()];
    // Most declarations keep their index, counted from the start or from the end.
    for shift in [0, unused.len().cast_signed() - new.len().cast_signed()] {
        for (nth, (kept, located)) in kept.iter_mut().zip(&new).enumerate() {
            let same = |text: &mut MemberText| apg_syntax::same_tree(text.source(db).green(), &located.green);
            if kept.is_none()
                && let Some(text) = nth.checked_add_signed(shift).and_then(|nth| unused.get_mut(nth))
            {
                *kept = text.take_if(same);
            }
        }
    }
    let mut alike: FxHashMap<u64, Vec<MemberText>> = FxHashMap::default();
    for text in unused.into_iter().flatten() {
        alike.entry(apg_syntax::label(text.source(db).green())).or_default().push(text);
    }
    for (kept, located) in kept.iter_mut().zip(&new).filter(|(kept, _)| kept.is_none()) {
        let Some(member_sources) = alike.get_mut(&apg_syntax::label(&located.green)) else { continue };
        let same = |text: &MemberText| apg_syntax::same_tree(text.source(db).green(), &located.green);
        *kept = member_sources.iter().position(same).map(|at| member_sources.swap_remove(at));
    }
    let mut free: Vec<MemberText> = alike.into_values().flatten().collect();
    let mut kept = kept.into_iter();
    sources.map(&mut |located: &Located| match kept.next().flatten() {
        Some(text) => text,
        None => match free.pop() {
            Some(text) => {
                set(db, text, &located.green);
                text
            }
            None => {
                let source = ItemSource::new(located.green.clone());
                MemberText::builder(source).durability(Durability::MEDIUM).new(db)
            }
        },
    })
}

/// Sets a text if it differs. Its durability is LOW, since it is being edited and will change again.
fn set(db: &mut RootDatabase, text: MemberText, green: &GreenNode) {
    if !apg_syntax::same_tree(text.source(db).green(), green) {
        text.set_source(db).with_durability(Durability::LOW).to(ItemSource::new(green.clone()));
    }
}
