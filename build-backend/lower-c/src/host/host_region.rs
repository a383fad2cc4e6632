//! Regions that have no device form: the host runs them on the values that the device has (OpenMP 5.2,
//! section 13.8).

use apg_c_analysis::hir::{Directive, DirectiveId, Type};

use super::Host;
use super::edits::{self, quoted};
use crate::unsupported::{Lowered, unsupported};

impl Host<'_> {
    /// Puts calls around a region that give the host the values of mapped objects, and give them back.
    pub(super) fn host_region(&mut self, id: DirectiveId) -> Lowered<()> {
        let of = self.parsed.program.directive(id);
        let Some(body) = of.body else { return Ok(()) };
        let at = self.spelled(of.range)?;
        let maps = self.maps(of, "tofrom", true)?;
        let mut pointers = self.device_pointers(of);
        let count = pointers.len();
        pointers.push("{0, 0, 0, 0}".to_owned());
        let line = format!(
            "{{ {wait} {site} {table} const struct apg_captured apg_c_[] = {{{pointers}}}; \
             void *const apg_h_ = apg_target_lend(&apg_s_, {device}, apg_m_, {maps}, apg_c_, {count}); {{",
            wait = self.dependences(of),
            site = self.site(of, at.start),
            table = Self::table(&maps),
            pointers = pointers.join(", "),
            device = self.device(of)?,
            maps = maps.len(),
        );
        // The host is done with the values when the directive is passed.
        for clause in of.clauses_named("nowait") {
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
}
