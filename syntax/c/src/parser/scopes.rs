//! Scopes of names (C17 6.2.1), as far as the grammar needs them: which names are typedef names.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::symbol::Symbol;

/// The typedef names at the end of a text.
pub(crate) type TypedefNames = Arc<FxHashMap<Symbol, bool>>;

/// Open scopes.
pub(crate) struct Scopes {
    /// Names of the preamble.
    base: TypedefNames,
    names: FxHashMap<Symbol, bool>,
    /// What names meant before, for the scopes that are open.
    undo: Vec<(Symbol, Option<bool>)>,
    starts: Vec<usize>,
}

impl Scopes {
    pub(super) fn new(base: TypedefNames) -> Scopes {
        Scopes { base, names: FxHashMap::default(), undo: Vec::new(), starts: Vec::new() }
    }

    pub(super) fn open(&mut self) {
        self.starts.push(self.undo.len());
    }

    pub(super) fn close(&mut self) {
        let start = self.starts.pop().unwrap_or(0);
        for (name, before) in self.undo.drain(start..).rev() {
            match before {
                Some(before) => self.names.insert(name, before),
                None => self.names.remove(&name),
            };
        }
    }

    pub(super) fn declare(&mut self, name: Symbol, is_typedef: bool) {
        if !is_typedef && !self.is_typedef(name) {
            return;
        }
        let before = self.names.insert(name, is_typedef);
        if !self.starts.is_empty() {
            self.undo.push((name, before));
        }
    }

    pub(super) fn is_typedef(&self, name: Symbol) -> bool {
        let found = self.names.get(&name).or_else(|| self.base.get(&name));
        found.copied().unwrap_or(false)
    }

    /// The names at file scope.
    pub(super) fn into_names(mut self) -> TypedefNames {
        while !self.starts.is_empty() {
            self.close();
        }
        if self.base.is_empty() {
            return Arc::new(self.names);
        }
        let mut all = (*self.base).clone();
        all.extend(self.names);
        Arc::new(all)
    }
}
