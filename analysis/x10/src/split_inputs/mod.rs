//! Per-member inputs of files that are edited, see [`update`].
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

pub(crate) mod update;

use std::sync::Arc;

use apg_syntax::{Parse, Skeleton};

use crate::item_tree::item_source::ItemSource;
use crate::item_tree::lower::locate::FileSources;

/// The parts of a file that was edited.
#[salsa::input(debug)]
pub struct EditedFile {
    /// The tree, errors included.
    #[returns(ref)]
    pub parse: Parse,
    /// The positions of its items.
    #[returns(ref)]
    pub sources: Arc<FileSources>,
    /// Its declarations without their bodies.
    #[returns(ref)]
    pub outline: Skeleton,
    /// The sources of its declarations.
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
