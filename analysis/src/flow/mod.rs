//! Checks along the control flow of a typed body: definite assignment, unreachable code, missing results
//! (`assignment`), and which variables closures and activities may use (`capture`).

mod assignment;
mod capture;
mod state;

use apg_syntax::TextRange;

use crate::body::{Body, LocalId};
use crate::db::Db;
use crate::diagnostics::Diagnostic;
use crate::ids::FieldId;

/// What the checks need to know about the owner of a body.
pub struct Facts<'a> {
    /// The database.
    pub db: &'a dyn Db,
    /// In a constructor, the fields that it must assign: those without an initialiser, properties too.
    pub fields: &'a [FieldId],
    /// Whether every path has to return a value.
    pub needs_value: bool,
    /// Where the code ends: its closing brace.
    pub end: TextRange,
    /// The name of the owner.
    pub name: TextRange,
    /// Whether a field may be assigned only once.
    pub is_val: &'a dyn Fn(FieldId) -> bool,
    /// The keyword `var` of a local's declaration, if it is written for this local alone.
    pub var_keyword: &'a dyn Fn(LocalId) -> Option<TextRange>,
}

/// All findings in one body, ranges relative to its owner.
pub fn check(facts: &Facts<'_>, body: &Body) -> Vec<Diagnostic> {
    let mut assignment = assignment::Walker::new(facts, body);
    assignment.run();
    let mut capture = capture::Walker::new(facts, body);
    capture.run();
    let mut diagnostics = assignment.diagnostics;
    diagnostics.append(&mut capture.diagnostics);
    diagnostics
}
