//! The `ordered` construct (OpenMP 2.5, section 2.6.6): a counter of the loop says whose iteration is next.

use apg_c_analysis::hir::Directive;

use crate::body::Body;
use crate::unsupported::{Lowered, unsupported};

impl Body<'_, '_> {
    pub(super) fn ordered(&mut self, directive: &Directive) -> Lowered<()> {
        let Some(body) = directive.body.filter(|_| directive.clauses.is_empty()) else {
            let message = "this form of `ordered` has no device form";
            return unsupported(directive.range, message, "write `ordered` without clauses, on a statement");
        };
        self.call_entry("team_ordered_enter", Vec::new());
        self.stmt(body);
        self.call_entry("team_ordered_leave", Vec::new());
        Ok(())
    }
}
