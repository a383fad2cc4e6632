//! Data environments: the objects that clauses make.

use apg_kernels::fork_join::Step;

use super::Lowering;
use super::values::{ObjectId, Place};
use crate::hir::{Construct, Directive, DirectiveId, ExprId, VariableId};
use crate::sharing::Attribute;

/// The variables whose objects a region replaces, with those from before.
pub(super) type Replaced = Vec<(VariableId, Option<ObjectId>)>;

impl Lowering<'_> {
    /// Makes the objects of a region that are not shared.
    pub(super) fn enter_environment(&mut self, id: DirectiveId) -> Replaced {
        let mut replaced = Vec::new();
        for (variable, attribute) in self.facts.environment(self.program, id).iter().copied() {
            if attribute.is_shared() || attribute == Attribute::Threadprivate {
                continue;
            }
            let before = self.scope.get(&variable).copied();
            let original = self.object(variable);
            let value = match attribute {
                Attribute::Firstprivate | Attribute::FirstAndLastprivate => self.value_of(original),
                _ => None,
            };
            let object = self.make_object(variable);
            match value {
                Some(value) => self.values.insert(object, value),
                None => self.values.remove(object),
            };
            replaced.push((variable, before));
        }
        replaced
    }

    pub(super) fn leave_environment(&mut self, replaced: Replaced) {
        for (variable, before) in replaced {
            match before {
                Some(object) => self.scope.insert(variable, object),
                None => self.scope.remove(&variable),
            };
        }
    }

    /// What a region inside of a team does with the originals of its private variables: `firstprivate` loads
    /// them at the start, `lastprivate` and `reduction` store to them before the barrier at the end.
    pub(super) fn touch_originals(&mut self, directive: &Directive, at_start: bool) {
        if directive.has(Construct::Parallel) || directive.has(Construct::Teams) || !self.is_parallel() {
            return;
        }
        let names: &[&str] = if at_start { &["firstprivate"] } else { &["lastprivate", "reduction"] };
        let is_lastprivate = |variable| {
            let mut items = directive.clauses_named("lastprivate").flat_map(|it| &it.items);
            items.any(|it| it.variable(self.program) == Some(variable))
        };
        let mut touched = Vec::new();
        for clause in directive.clauses.iter().filter(|it| names.contains(&it.name.as_str())) {
            for item in &clause.items {
                let Some((variable, site)) = item.variable(self.program).zip(item.expr) else { continue };
                // All threads have copied it before the last iteration is stored (OpenMP 5.2, section 5.4.4).
                let is_copied_first = at_start && is_lastprivate(variable);
                if is_copied_first || self.facts.threadprivate.contains(&variable) {
                    continue;
                }
                touched.push((variable, &clause.name, site));
            }
        }
        for (variable, clause, site) in touched {
            let place = Place::whole(self.object(variable));
            self.touch_original(&place, clause, site);
        }
    }

    fn touch_original(&mut self, place: &Place, clause: &str, site: ExprId) {
        self.time += 1;
        match clause {
            "firstprivate" => self.record(place, false, false, site),
            "lastprivate" => {
                let region = self.fresh_region();
                self.path.push(Step::Single { region });
                self.record(place, true, false, site);
                self.path.pop();
            }
            _ => self.record(place, true, true, site),
        }
    }
}
