//! Tables that code of teams and the program in C share: addresses of objects, locks and strings, and the
//! functions that stay on the host.

use apg_c_analysis::hir::VariableId;
use rustc_hash::FxHashMap;

use crate::moved::{Moved, pointer_name};

/// Placeholder in definitions of the string with the name of the file.
pub(crate) const FILE_NAME: &str = "apg_file_name_";

/// What device code names by an index, in expressions and definitions of C at the end of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    /// Expressions of C whose values are addresses.
    pub objects: Vec<String>,
    /// Definitions in front of the table.
    pub definitions: Vec<String>,
    /// Threadprivate objects, each with the name of its descriptor.
    pub private: Vec<(VariableId, String)>,
    /// The indices of locks that only code of teams takes.
    pub locks: Vec<usize>,
    /// Static objects of functions, each with its name in assembler code.
    pub statics: Vec<(VariableId, String)>,
    /// Arrays that the program uses by pointers.
    pub moved: Vec<Moved>,
    /// The indices of these pointers.
    pub pointers: Vec<usize>,
    /// The indices of objects with pointers, and how many of their first words may be some.
    pub words: Vec<(usize, u64)>,
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

    /// The index of an object at file scope, whose first `words` may be pointers.
    pub(crate) fn file_object(&mut self, variable: VariableId, name: &str, words: u64) -> i64 {
        if !self.moved.iter().any(|it| it.variable == variable) {
            let index = self.object(format!("(void *)&{name}"));
            if words > 0 && !self.words.iter().any(|it| it.0 == index as usize) {
                self.words.push((index as usize, words));
            }
            return index;
        }
        let index = self.object(format!("(void *)&{}", pointer_name(name)));
        if !self.pointers.contains(&(index as usize)) {
            self.pointers.push(index as usize);
        }
        index
    }

    /// The index of a static object of a function, whose first `words` may be pointers. What stands at the
    /// end of the file names it by its name in assembler code (GCC manual, "Asm Labels").
    pub(crate) fn static_object(&mut self, variable: VariableId, words: u64) -> i64 {
        let name = format!("apg_static{}_", variable.index());
        let index = self.defined(&name, || {
            format!("extern char {name}[] __asm__(\"{name}\") __attribute__((visibility(\"hidden\")));")
        });
        if !self.statics.iter().any(|it| it.0 == variable) {
            self.statics.push((variable, name));
            if words > 0 {
                self.words.push((index as usize, words));
            }
        }
        index
    }

    /// The index of a lock.
    pub(crate) fn lock(&mut self, name: &str) -> i64 {
        let definition = || format!("__attribute__((weak, visibility(\"hidden\"))) unsigned {name}[32];");
        let index = self.defined(name, definition);
        if !self.locks.contains(&(index as usize)) {
            self.locks.push(index as usize);
        }
        index
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
