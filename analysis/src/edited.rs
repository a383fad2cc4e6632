//! Files that someone types in. Their parts are inputs of their own, set only where they change: an edit inside a body sets the
//! text of that body's member and nothing that other members' results depend on.
//!
//! Durability does the rest. What is typed in is LOW, all else MEDIUM, so that after an edit the results of all other members are
//! known to hold without a look at what they were computed from.
#![allow(missing_docs)] // of what salsa makes: everything written here is documented

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use apg_syntax::{GreenNode, Outline, Parse};
use rustc_hash::{FxHashMap, FxHasher};
use salsa::{Durability, Setter};

use crate::db::{Db, RootDatabase};
use crate::ids::SourceFile;
use crate::item_tree::lower::locate::{FileSources, Located, locate_file};
use crate::item_tree::source::ItemSource;

/// The parts of a file that was edited.
#[salsa::input(debug)]
pub struct EditedFile {
    /// The tree, errors included.
    #[returns(ref)]
    pub parse: Parse,
    /// Where its items stand.
    #[returns(ref)]
    pub sources: Arc<FileSources>,
    /// What its declarations say.
    #[returns(ref)]
    pub outline: Outline,
    /// Their texts.
    #[returns(ref)]
    pub members: Arc<FileSources<MemberText>>,
}

/// A declaration's text.
#[salsa::input(debug)]
pub struct MemberText {
    /// The declaration as a tree of its own.
    #[returns(ref)]
    pub source: ItemSource,
}

/// What is known of a text by itself.
pub(crate) struct Parts {
    parse: Parse,
    sources: Arc<FileSources>,
    outline: Outline,
}

impl Parts {
    /// The parts of a text.
    pub(crate) fn of(parse: Parse) -> Parts {
        let sources = Arc::new(locate_file(&parse.tree()));
        let outline = Outline::new(parse.green());
        Parts { parse, sources, outline }
    }
}

/// Takes the new parse of a file; whether its declarations may be others. `spare` are the parts that it had when it was edited
/// before: the database never forgets an input, so they serve again.
pub(crate) fn update(
    db: &mut RootDatabase,
    file: SourceFile,
    parts: Parts,
    spare: Option<EditedFile>,
) -> bool {
    let Parts { parse, sources, outline } = parts;
    let Some(edited) = *file.edited(db) else {
        if let Some(edited) = spare {
            revive(db, edited, parse, sources, outline);
            file.set_edited(db).with_durability(Durability::MEDIUM).to(Some(edited));
            return true;
        }
        let members = Arc::new(texts(db, &sources, &FileSources::default()));
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
    let is_same = *edited.outline(db) == outline;
    if is_same {
        for (text, located) in before.all().into_iter().zip(sources.all()) {
            set(db, *text, &located.green);
        }
    } else {
        edited.set_outline(db).to(outline);
        let members = texts(db, &sources, &before);
        edited.set_members(db).to(Arc::new(members));
    }
    edited.set_sources(db).to(sources);
    !is_same
}

/// Sets parts that are not in use to those of a text that nobody has typed in yet.
fn revive(
    db: &mut RootDatabase,
    edited: EditedFile,
    parse: Parse,
    sources: Arc<FileSources>,
    outline: Outline,
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

/// The texts of all declarations: those of `before` that are the same pieces of memory or have the same content, and the others of
/// `before` with new texts as long as there are some. A text that is not set concerns nobody, however often its neighbours change.
fn texts(
    db: &mut RootDatabase,
    sources: &FileSources,
    before: &FileSources<MemberText>,
) -> FileSources<MemberText> {
    let mut known: FxHashMap<*const (), MemberText> = FxHashMap::default();
    // Some declarations share their text: a file may have many empty ones.
    let mut unused: Vec<MemberText> = Vec::new();
    for text in before.all() {
        unused.extend(known.insert(address(text.source(db).green()), *text));
    }
    let mut kept: Vec<Option<MemberText>> =
        sources.all().into_iter().map(|located| known.remove(&address(&located.green))).collect();
    unused.extend(known.into_values());
    let mut alike: FxHashMap<u64, Vec<MemberText>> = FxHashMap::default();
    for text in unused {
        alike.entry(content(text.source(db).green())).or_default().push(text);
    }
    for (kept, located) in kept.iter_mut().zip(sources.all()).filter(|(kept, _)| kept.is_none()) {
        let Some(texts) = alike.get_mut(&content(&located.green)) else { continue };
        let same = |text: &MemberText| apg_syntax::same_tree(text.source(db).green(), &located.green);
        *kept = texts.iter().position(same).map(|at| texts.swap_remove(at));
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

/// A number that trees of the same content have in common.
fn content(green: &GreenNode) -> u64 {
    let mut hasher = FxHasher::default();
    green.to_string().hash(&mut hasher);
    hasher.finish()
}

fn address(green: &GreenNode) -> *const () {
    std::ptr::from_ref(&**green).cast()
}

/// Sets a text if it is another one. It is typed in, and will change again.
fn set(db: &mut RootDatabase, text: MemberText, green: &GreenNode) {
    let source = ItemSource::new(green.clone());
    if *text.source(db) != source {
        text.set_source(db).with_durability(Durability::LOW).to(source);
    }
}

/// The parts of a file, if it was edited.
pub(crate) fn edited(db: &dyn Db, file: SourceFile) -> Option<EditedFile> {
    *file.edited(db)
}
