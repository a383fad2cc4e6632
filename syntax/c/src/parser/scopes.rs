//! Scopes of names (C17 6.2.1), as far as the grammar needs them: which names are typedef names.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::symbol::Symbol;

/// The typedef names at the end of a text.
pub(crate) type TypedefNames = Arc<FxHashMap<Symbol, bool>>;

/// A name of file scope that has become, or is no longer, a typedef name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Redeclaration {
    /// The first token of the external declaration that declares it.
    declaration: usize,
    name: Symbol,
    before: Option<bool>,
    is_typedef: bool,
}

/// The typedef names that a text declares at file scope, and how they came to be.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileScope {
    names: FxHashMap<Symbol, bool>,
    history: Vec<Redeclaration>,
}

impl FileScope {
    /// All names, with those of the text before.
    pub(crate) fn over(&self, base: &TypedefNames) -> TypedefNames {
        let mut all = (**base).clone();
        all.extend(&self.names);
        Arc::new(all)
    }

    /// The scope with other tokens of one declaration, which ends at the token `end`. `after` is the scope
    /// behind it. `None` if the declaration does not make the same typedef names as before.
    pub(crate) fn with_declaration(
        &self,
        after: FileScope,
        old: Range<usize>,
        end: usize,
    ) -> Option<FileScope> {
        let count = self.history.partition_point(|it| it.declaration < old.end);
        if after.history != self.history[..count] {
            return None;
        }
        let mut scope = self.clone();
        for it in &mut scope.history[count..] {
            it.declaration = it.declaration - old.end + end;
        }
        Some(scope)
    }

    /// The scope as it is in front of the declaration that begins with a token.
    pub(crate) fn before(&self, token: usize) -> FileScope {
        let mut scope = self.clone();
        while let Some(last) = scope.history.pop_if(|it| it.declaration >= token) {
            match last.before {
                Some(before) => scope.names.insert(last.name, before),
                None => scope.names.remove(&last.name),
            };
        }
        scope
    }
}

/// Open scopes.
pub(crate) struct Scopes {
    /// Names of the preamble.
    base: TypedefNames,
    file: FileScope,
    /// The first token of the external declaration that is being parsed.
    pub(super) declaration: usize,
    /// What names meant before, for the scopes that are open.
    undo: Vec<(Symbol, Option<bool>)>,
    starts: Vec<usize>,
}

impl Scopes {
    pub(super) fn new(base: TypedefNames, file: FileScope) -> Scopes {
        Scopes { base, file, declaration: 0, undo: Vec::new(), starts: Vec::new() }
    }

    pub(super) fn open(&mut self) {
        self.starts.push(self.undo.len());
    }

    pub(super) fn close(&mut self) {
        let start = self.starts.pop().unwrap_or(0);
        for (name, before) in self.undo.drain(start..).rev() {
            match before {
                Some(before) => self.file.names.insert(name, before),
                None => self.file.names.remove(&name),
            };
        }
    }

    pub(super) fn declare(&mut self, name: Symbol, is_typedef: bool) {
        if !is_typedef && !self.is_typedef(name) {
            return;
        }
        let before = self.file.names.insert(name, is_typedef);
        match self.starts.is_empty() {
            false => self.undo.push((name, before)),
            true => {
                let declaration = self.declaration;
                self.file.history.push(Redeclaration { declaration, name, before, is_typedef });
            }
        }
    }

    pub(super) fn is_typedef(&self, name: Symbol) -> bool {
        let found = self.file.names.get(&name).or_else(|| self.base.get(&name));
        found.copied().unwrap_or(false)
    }

    /// The names at file scope.
    pub(super) fn into_file_scope(mut self) -> FileScope {
        while !self.starts.is_empty() {
            self.close();
        }
        self.file
    }
}
