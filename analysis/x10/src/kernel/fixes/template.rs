//! Recipes for text edits, relative to the owning item and free of its text: the diagnostics layer
//! turns them into edits when someone asks (see `report`).

use apg_syntax::{TextRange, TextSize};

use crate::ids::MethodId;

/// A recipe for a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixTemplate {
    /// Edits in the owning item.
    Edits {
        /// Imperative, with the source text of its pieces filled in.
        title: Vec<Fragment>,
        /// The edits, in source order, not overlapping.
        edits: Vec<EditTemplate>,
        /// A class that the file must import: an annotation of `x10.compiler`, or a qualified name.
        import: Option<&'static str>,
    },
    /// Put `@CUDA` before this method, and import it in its file if need be.
    Annotate(MethodId),
}

/// Replace `range` by `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditTemplate {
    /// Relative to the owning item.
    pub range: TextRange,
    /// What comes.
    pub text: Vec<Fragment>,
}

/// A part of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// This.
    Text(String),
    /// The item's text in this range.
    Source(TextRange),
    /// A line break and the indentation of the line of this offset.
    NewLine(TextSize),
}

impl FixTemplate {
    /// A fix of one replacement.
    pub fn replace(title: impl Into<String>, range: TextRange, text: impl Into<String>) -> FixTemplate {
        FixTemplate::Edits {
            title: vec![Fragment::Text(title.into())],
            edits: vec![EditTemplate { range, text: vec![Fragment::Text(text.into())] }],
            import: None,
        }
    }

    /// A fix that inserts `text` at `offset`.
    pub fn insert(title: impl Into<String>, offset: TextSize, text: impl Into<String>) -> FixTemplate {
        FixTemplate::replace(title, TextRange::empty(offset), text)
    }

    /// A fix of several edits.
    pub fn edits(title: Vec<Fragment>, mut edits: Vec<EditTemplate>) -> FixTemplate {
        edits.sort_by_key(|edit| edit.range.start());
        FixTemplate::Edits { title, edits, import: None }
    }

    /// The same, with a class that the file must import: an annotation of `x10.compiler`, or a qualified name.
    pub fn importing(self, name: &'static str) -> FixTemplate {
        match self {
            FixTemplate::Edits { title, edits, .. } => {
                FixTemplate::Edits { title, edits, import: Some(name) }
            }
            FixTemplate::Annotate(_) => self,
        }
    }
}

/// A piece of fixed text.
pub fn text(text: impl Into<String>) -> Fragment {
    Fragment::Text(text.into())
}
