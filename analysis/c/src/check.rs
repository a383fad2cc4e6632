//! The diagnostics of a file.
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

use crate::db::{Db, SourceFile, parsed};
use crate::{Diagnostic, rules};

/// The diagnostics of a file, in the order of the source.
#[salsa::tracked(returns(ref))]
pub fn file_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    rules::diagnostics(parsed(db, file))
}
