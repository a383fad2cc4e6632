//! Problems: diagnostics of signatures. Signatures are position-independent, so a problem carries the index
//! of a range among the ranges of its item, and [`placed`] converts it to a diagnostic.

use crate::db::Db;
use crate::ids::ClassId;
use crate::item_tree::items::{class_head, qualified_name};
use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule};
use crate::ty::guard::Guard;

/// A diagnostic whose range is given by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Index of its range among those of its item.
    pub at: u32,
    /// The diagnostic, without its range.
    pub diagnostic: Diagnostic,
    /// Suppresses the problem where this condition holds.
    pub unless: Option<Box<Guard>>,
}

impl Problem {
    /// A problem of this rule.
    pub fn new(rule: &Rule, at: u32, message: impl Into<String>) -> Problem {
        Problem { at, diagnostic: rule.at(TextRange::default(), message), unless: None }
    }

    /// Suppresses the problem where `condition` holds.
    pub fn unless(mut self, condition: Guard) -> Problem {
        self.unless = Some(Box::new(condition));
        self
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Problem {
        self.diagnostic = self.diagnostic.note(note);
        self
    }

    /// For a position that requires a class: removes the fixes that suggest `Any` or a primitive type.
    pub fn for_a_class(&mut self) {
        const NO_CLASSES: [&str; 13] = [
            "Any", "Boolean", "Byte", "Char", "Double", "Float", "Int", "Long", "Short", "UByte", "UInt",
            "ULong", "UShort",
        ];
        let fixes = &mut self.diagnostic.fixes;
        fixes.retain(|fix| !fix.edits.iter().any(|edit| NO_CLASSES.contains(&edit.text.as_str())));
    }

    /// Adds a fix that replaces the range of the problem by `text`.
    pub fn replace_by(mut self, title: impl Into<String>, text: impl Into<String>) -> Problem {
        let edit =
            crate::diagnostics::TextEdit { file: None, range: TextRange::default(), text: text.into() };
        self.diagnostic =
            self.diagnostic.fix(crate::diagnostics::Fix { title: title.into(), edits: vec![edit] });
        self
    }
}

/// The problems as diagnostics. An edit with an empty default range replaces the range of its problem.
pub(crate) fn placed(problems: &[Problem], ranges: &[TextRange]) -> Vec<Diagnostic> {
    let place = |problem: &Problem| {
        let mut diagnostic = problem.diagnostic.clone();
        diagnostic.range = ranges.get(problem.at as usize).copied().unwrap_or_default();
        for edit in diagnostic.fixes.iter_mut().flat_map(|f| &mut f.edits) {
            if edit.range == TextRange::default() && edit.file.is_none() {
                edit.range = diagnostic.range;
            }
        }
        diagnostic
    };
    problems.iter().map(place).collect()
}

/// "one property", "2 properties"
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        0 => format!("no {many}"),
        1 => format!("one {one}"),
        _ => format!("{count} {many}"),
    }
}

/// The kind and qualified name of a class, for messages.
pub(crate) fn describe_class(db: &dyn Db, class: ClassId) -> String {
    let keyword = class_head(db, class).as_ref().map_or("class", |c| c.kind.keyword());
    format!("{keyword} `{}`", qualified_name(db, class))
}

/// The problem of an unknown type name.
pub(crate) fn unknown_type(at: u32, name: &str) -> Problem {
    Problem::new(&crate::rules::name::unknown_type::RULE, at, format!("there is no type `{name}` here"))
}
