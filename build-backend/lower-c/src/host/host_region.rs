//! Regions that have no device form: the host runs them on the values that the device has (OpenMP 5.2,
//! section 13.8).

use apg_c_analysis::hir::{Directive, DirectiveId, Length, Type, VariableId};

use super::Host;
use super::edits;
use crate::literal::quoted;
use crate::unsupported::{Lowered, unsupported};

impl Host<'_> {
    /// Puts calls around a region that give the host the values of mapped objects, and give them back.
    pub(super) fn host_region(&mut self, id: DirectiveId) -> Lowered<()> {
        let of = self.parsed.program.directive(id);
        let Some(body) = of.body else { return Ok(()) };
        let at = self.spelled(of.range)?;
        let maps = self.maps(of, "tofrom", true)?;
        let mut captured = self.device_pointers(of);
        captured.extend(self.reached_objects(id));
        let count = captured.len();
        captured.push("{0, 0, 0, 0}".to_owned());
        let line = format!(
            "{{ {wait} {site} {table} const struct apg_captured apg_c_[] = {{{captured}}}; \
             void *const apg_h_ = apg_target_lend(&apg_s_, {device}, apg_m_, {maps}, apg_c_, {count}); {{",
            wait = self.dependences(of),
            site = self.site(of, at.start),
            table = Self::table(&maps),
            captured = captured.join(", "),
            device = self.device(of)?,
            maps = maps.len(),
        );
        // The host is done with the values when the directive is passed.
        for clause in of.clauses_named("nowait").filter(|it| it.items.is_empty()) {
            let range: std::ops::Range<usize> = self.parsed.spelled(clause.range).unwrap_or_default().into();
            if self.parsed.text().get(range.clone()).map(str::trim) != Some("nowait") {
                let message = "a macro contains this clause";
                return unsupported(clause.range, message, "write the clause itself");
            }
            let comma = edits::neighbouring_comma(self.parsed.text(), &range);
            self.edits.remove(range);
            comma.into_iter().for_each(|it| self.edits.remove(it..it + 1));
        }
        self.edits.insert_line(self.parsed.text(), at.start, &line);
        self.share_globals(id);
        let statement = self.statement(body);
        self.edits.insert_behind(at.start..statement.end, " } apg_target_take_back(&apg_s_, apg_h_); }");
        self.is_changed = true;
        Ok(())
    }

    /// Rows of a table of captures for what a clause says to be memory of the device.
    fn device_pointers(&self, of: &Directive) -> Vec<String> {
        let hir = &self.parsed.program;
        let is_device = |name: &str| matches!(name, "is_device_ptr" | "has_device_addr");
        let items = of.clauses.iter().filter(|it| is_device(&it.name)).flat_map(|it| &it.items);
        let variables = items.filter_map(|it| it.variable(hir)).map(|it| hir.variable(it));
        let pointers = variables.filter(|it| matches!(it.ty, Type::Pointer(_) | Type::Array(..)));
        pointers
            .map(|it| format!("{{{}, (const void *){}, APG_USED_POINTER, -1}}", quoted(&it.name), it.name))
            .collect()
    }

    /// Rows for the objects of the device that a region names: arrays, structs and numbers that are no copies
    /// by their addresses, and pointers for what they point to.
    fn reached_objects(&self, id: DirectiveId) -> Vec<String> {
        let hir = &self.parsed.program;
        let mut rows = Vec::new();
        let clauses = hir.directive(id).clauses_named("private").flat_map(|it| &it.items);
        let private: Vec<VariableId> = clauses.filter_map(|it| it.variable(hir)).collect();
        for (variable, _) in hir.captured(id) {
            if private.contains(&variable) {
                continue;
            }
            let of = hir.variable(variable);
            let (by_address, kind) = match of.ty {
                Type::Pointer(_) => ("", "POINTER"),
                Type::Array(_, Length::Variable(_) | Length::Unknown) => ("", "OBJECT"),
                Type::Array(..) | Type::Record(_) => ("&", "OBJECT"),
                _ if self.keeps_result(id, variable) => ("&", "OBJECT"),
                _ => continue,
            };
            let name = &of.name;
            rows.push(format!("{{{}, (const void *){by_address}{name}, APG_{kind}, -1}}", quoted(name)));
        }
        rows
    }

    /// Whether a number has the results of a region though no `map` names it.
    fn keeps_result(&self, id: DirectiveId, variable: VariableId) -> bool {
        let hir = &self.parsed.program;
        let names = |of: &Directive| {
            let clauses = of.clauses_named("reduction").chain(of.clauses_named("lastprivate"));
            clauses.flat_map(|it| &it.items).any(|it| it.variable(hir) == Some(variable))
        };
        hir.directive(id).clause("defaultmap").is_some()
            || hir.directive_ids().any(|it| names(hir.directive(it)))
    }
}
