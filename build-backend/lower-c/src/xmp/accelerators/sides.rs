//! Sides of a `gmove` that are in the memory of the device: those that `acc` names, or both.

use apg_c_analysis::hir::{Directive, ExprId, ExprKind, Type};

use super::super::Unit;
use crate::literal::quoted;
use crate::unsupported::{Lowered, unsupported};

impl Unit<'_> {
    /// Whether a side that is a section or a variable is in the memory of the device. Without names those are
    /// arrays, and what pointers point to.
    pub(in super::super) fn is_on_device(&self, of: &Directive, side: ExprId) -> bool {
        let (base, chain) = self.chain(side);
        let ExprKind::Variable(variable) = self.hir.expr(base).kind else { return false };
        if !self.is_about_device(of) || self.part(side).is_none() {
            return false;
        }
        match self.is_named(of, base) {
            Some(is_named) => is_named,
            None => match self.hir.variable(variable).ty {
                Type::Array(..) => true,
                Type::Pointer(_) if !chain.is_empty() => true,
                _ => self.model.array(variable).is_some(),
            },
        }
    }

    /// Whether `acc` names the variable that a side is of; `None` if it names none at all.
    fn is_named(&self, of: &Directive, side: ExprId) -> Option<bool> {
        let mut items = of.clauses_named("acc").flat_map(|it| &it.items).peekable();
        items.peek()?;
        let name = self.hir.base_variable(side).map(|it| &self.hir.variable(it).name);
        Some(items.any(|it| name.is_some_and(|name| self.text[Self::range(it.range)].trim() == *name)))
    }

    /// Refuses names of `acc` that are those of no side.
    pub(in super::super) fn check_sides_on_device(
        &self,
        of: &Directive,
        target: ExprId,
        value: ExprId,
    ) -> Lowered<()> {
        let sides = [target, value].map(|it| self.hir.base_variable(it));
        for item in of.clauses_named("acc").flat_map(|it| &it.items) {
            let name = self.text[Self::range(item.range)].trim();
            let is_side = |it: &apg_c_analysis::hir::VariableId| self.hir.variable(*it).name == name;
            if self.has_devices && !sides.iter().flatten().any(is_side) {
                let message = format!("`{name}` is no array of this assignment");
                return unsupported(
                    item.range,
                    message,
                    "name an array of a side without subscripts: `acc(a)`",
                );
            }
        }
        Ok(())
    }

    /// Copies a value that is no section, as `c[1].x`, from the device, if its array is there.
    pub(in super::super) fn value_on_device(&self, of: &Directive, mut value: ExprId) -> Lowered<String> {
        while let ExprKind::Cast(inner) = self.hir.expr(value).kind {
            value = inner;
        }
        let Some(variable) = self.hir.base_variable(value).filter(|_| self.is_about_device(of)) else {
            return Ok(String::new());
        };
        let is_array = matches!(self.hir.variable(variable).ty, Type::Array(..));
        if !self.is_named(of, value).unwrap_or(is_array) {
            return Ok(String::new());
        }
        let mut inner = value;
        while let ExprKind::Index(base, _) | ExprKind::Member { base, .. } = self.hir.expr(inner).kind {
            inner = base;
        }
        let range = self.hir.expr(value).range;
        if self.model.array(variable).is_some() || !matches!(self.hir.expr(inner).kind, ExprKind::Variable(_))
        {
            let name = &self.hir.variable(variable).name;
            let message = format!("one value of `{name}` is moved here, which the host does not have");
            return unsupported(range, message, format!("write a section of it: `{name}[0:1]`"));
        }
        let (site, text) = (self.site(of), self.edited(range));
        Ok(format!(
            "apg_xmp_present({site}, {}, (void *)&({text}), sizeof({text})); \n#pragma omp target update from({text})\n",
            quoted(&text)
        ))
    }
}
