//! `local_alias x => a`: a pointer to the block that a node has of a global array (specification 1.4, section
//! 4.6).

use apg_c_analysis::hir::{Directive, Mapping, Type};
use apg_c_analysis::xmp;

use super::Unit;
use crate::unsupported::{Lowered, unsupported};

impl Unit<'_> {
    /// Sets the pointer where the directive stands; at file scope in front of `main`, behind the arrays.
    pub(super) fn local_alias(&mut self, of: &Directive) -> Lowered<()> {
        let names: Vec<&Mapping> = xmp::mappings(of).collect();
        let [alias, array] = names[..] else {
            return unsupported(of.range, "two names belong here", "write `local_alias POINTER => ARRAY`");
        };
        let Some(pointer) = alias.variable else {
            let message = format!("`{}` is not declared", alias.name);
            return unsupported(alias.name_range, message, "declare a pointer in front of the directive");
        };
        if !matches!(self.hir.variable(pointer).ty, Type::Pointer(_)) {
            let message = format!("`{}` is no pointer", alias.name);
            return unsupported(alias.name_range, message, "declare it as a pointer to the array's elements");
        }
        if array.variable.and_then(|it| self.model.array(it)).is_none() {
            let message = format!("`{}` is no global array", array.name);
            return unsupported(array.name_range, message, "`align` it in front of this directive");
        }
        let statement = format!("{} = (void *){};", alias.name, array.name);
        match of.function {
            Some(_) => self.replace(of, statement),
            None => self.declare(of, "", &statement),
        }
    }
}
