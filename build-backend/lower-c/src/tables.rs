//! Tables that code of teams and the program in C share: addresses of objects, locks and strings, and the
//! functions that stay on the host.

use apg_c_analysis::hir::VariableId;
use rustc_hash::FxHashMap;

/// What device code names by an index, in expressions and definitions of C at the end of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    /// Expressions of C whose values are addresses.
    pub objects: Vec<String>,
    /// Definitions in front of the table.
    pub definitions: Vec<String>,
    /// Threadprivate objects, each with the name of its descriptor.
    pub private: Vec<(VariableId, String)>,
    indices: FxHashMap<String, usize>,
}

impl Tables {
    /// The index of an address.
    pub(crate) fn object(&mut self, expression: String) -> i64 {
        let next = self.objects.len();
        let index = *self.indices.entry(expression.clone()).or_insert(next);
        if index == next {
            self.objects.push(expression);
        }
        index as i64
    }

    /// The index of the address of something that is defined once.
    pub(crate) fn defined(&mut self, name: &str, definition: impl FnOnce() -> String) -> i64 {
        let expression = format!("(void *)&{name}");
        if !self.indices.contains_key(&expression) {
            self.definitions.push(definition());
        }
        self.object(expression)
    }
}
