//! Tables of constants as static data, and the arrays that are made from them.

use std::sync::Arc;

use super::code::Code;
use super::names::hash;
use apg_mir::*;

/// The string constants of a table.
pub(crate) fn strings(table: &Table) -> impl Iterator<Item = String> + '_ {
    table.elements.iter().filter_map(|it| match &it.kind {
        ExprKind::String(text) => Some(text.to_string()),
        _ => None,
    })
}

impl Code<'_> {
    /// An expression for a new array with the elements of a table.
    pub(crate) fn table_rail(&mut self, table: &Arc<Table>) -> String {
        let classes: Vec<String> = table.classes.iter().map(|it| self.descriptor(*it)).collect();
        let text = format!("{classes:?} {:?} {}", table.lengths, self.initializer(table));
        let name = format!("D_{:016x}", hash(&text));
        self.used.tables.insert(name.clone(), table.clone());
        format!("apg_table_rail(&{name})")
    }

    /// Prints the static data of a table.
    pub(crate) fn table_definition(&mut self, name: &str, table: &Table) {
        let element = self.ty(table.element);
        let elements = self.initializer(table);
        let classes: Vec<String> = table.classes.iter().map(|it| self.descriptor(*it)).collect();
        self.out.line(format!("static {element} const elements_{name}[] = {{{elements}}};"));
        self.out.line(format!("static const apg_type *const types_{name}[] = {{{}}};", classes.join(", ")));
        let mut levels = Vec::new();
        for (level, lengths) in table.lengths.iter().enumerate() {
            let lengths: Vec<String> = lengths.iter().map(i64::to_string).collect();
            self.out
                .line(format!("static const apg_i64 lengths{level}_{name}[] = {{{}}};", lengths.join(", ")));
            levels.push(format!("lengths{level}_{name}"));
        }
        self.out.line(format!("static const apg_i64 *const lengths_{name}[] = {{{}}};", levels.join(", ")));
        self.out.line(format!(
            "extern const apg_table {name}; const apg_table {name} = {{{}, sizeof({element}), types_{name}, lengths_{name}, elements_{name}}};",
            table.classes.len()
        ));
    }

    /// The elements of a table as a C++ initializer list.
    fn initializer(&mut self, table: &Table) -> String {
        let strings = std::mem::take(&mut self.used.strings);
        let elements: Vec<String> = table.elements.iter().map(|it| self.expr(it)).collect();
        // Only the unit of metadata names them.
        self.used.strings = strings;
        elements.join(", ")
    }
}
