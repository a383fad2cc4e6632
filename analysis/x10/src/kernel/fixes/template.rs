//! Templates of text edits, relative to the owning item and independent of its text. [`super::render`]
//! instantiates them.

use apg_syntax::{TextRange, TextSize};

use crate::ids::MethodId;

/// A template of a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixTemplate {
    /// Edits in the owning item.
    Edits {
        /// Imperative title, with source fragments to be filled in.
        title: Vec<Fragment>,
        /// The edits, in source order, without overlap.
        edits: Vec<EditTemplate>,
        /// A class to import: an annotation of `x10.compiler`, or a qualified name.
        import: Option<&'static str>,
    },
    /// Annotates a method with `@CUDA`, and imports that in its file.
    Annotate(MethodId),
}

/// Replaces `range` by `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditTemplate {
    /// Relative to the owning item.
    pub range: TextRange,
    /// The replacement.
    pub text: Vec<Fragment>,
}

/// A fragment of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// Literal text.
    Text(String),
    /// Source text of the item in this range.
    Source(TextRange),
    /// A line break with the indentation of the line at this offset.
    NewLine(TextSize),
}

impl FixTemplate {
    /// A fix with one replacement.
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

    /// A fix with several edits.
    pub fn edits(title: Vec<Fragment>, mut edits: Vec<EditTemplate>) -> FixTemplate {
        edits.sort_by_key(|edit| edit.range.start());
        FixTemplate::Edits { title, edits, import: None }
    }

    /// Adds a class to import: an annotation of `x10.compiler`, or a qualified name.
    pub fn with_import(self, name: &'static str) -> FixTemplate {
        match self {
            FixTemplate::Edits { title, edits, .. } => {
                FixTemplate::Edits { title, edits, import: Some(name) }
            }
            FixTemplate::Annotate(_) => self,
        }
    }
}

/// A fragment of literal text.
pub(crate) fn text(text: impl Into<String>) -> Fragment {
    Fragment::Text(text.into())
}
