//! The functions of a file as entities of the database: queries about one function depend on its text and on
//! the declarations of file scope.
#![allow(missing_docs, reason = "salsa generates undocumented items; everything written here is documented")]

use std::sync::Arc;

use crate::db::{Db, Parsed, SourceFile, parsed};
use crate::hir::FunctionId;

/// A function with a body.
#[salsa::tracked(debug)]
pub(crate) struct DefinedFunction<'db> {
    /// The file that defines it.
    #[returns(copy)]
    pub file: SourceFile,
    /// Its number in the program of the file.
    #[returns(copy)]
    pub number: usize,
    /// Another value if its text or a declaration of file scope is another.
    #[tracked]
    #[returns(copy)]
    pub version: u64,
    /// The file has `declare reduction` directives, in any of its functions.
    #[tracked]
    #[returns(copy)]
    pub declares_reductions: bool,
}

impl<'db> DefinedFunction<'db> {
    pub(crate) fn id(self, db: &'db dyn Db) -> FunctionId {
        FunctionId::new(self.number(db))
    }

    /// The file as it is parsed in this revision. Reading it by way of [`parsed`] would make a query of a
    /// function depend on every edit; the caller reads the versions of what it depends on.
    pub(crate) fn parsed(self, db: &'db dyn Db) -> Arc<Parsed> {
        let file = self.file(db);
        let current = db.preambles().last(file.path(db));
        current.unwrap_or_else(|| parsed(db, file).clone())
    }
}

/// The functions of a file that have bodies, in the order of their first declarations.
#[salsa::tracked(returns(ref))]
pub(crate) fn defined_functions(db: &dyn Db, file: SourceFile) -> Vec<DefinedFunction<'_>> {
    let parsed = parsed(db, file);
    let declares_reductions = parsed.program.declares_reductions();
    let defined = |it: FunctionId| {
        DefinedFunction::new(db, file, it.index(), parsed.version_of(it), declares_reductions)
    };
    parsed.program.defined_functions().map(|it| defined(it.0)).collect()
}
