//! Recording of accesses.

use apg_kernels::fork_join::{Access, Selector};

use super::values::Place;
use super::{Lowering, Origin};
use crate::hir::{ExprId, ExprKind, Type};
use crate::updates::is_same;

impl Lowering<'_> {
    /// Records a load or store of a place.
    pub(super) fn access(&mut self, place: &Place, is_write: bool, site: ExprId) {
        self.time += 1;
        if is_write {
            self.note_store(place);
        }
        let is_atomic = self.is_compared || self.atomic.is_some_and(|it| is_same(self.program, it, site));
        self.record(place, is_write, is_atomic, site);
        if self.region.is_some()
            && let Some((other, condition)) = self.in_other_row(place)
        {
            let count = self.constraints.len();
            self.constraints.push(condition);
            self.record(&other, is_write, is_atomic, site);
            self.constraints.truncate(count);
        }
    }

    /// Whether an expression names a member that is `_Atomic`, or an element of one.
    fn is_atomic_member(&self, site: ExprId) -> bool {
        match &self.program.expr(site).kind {
            ExprKind::Member { base, field, is_arrow } => {
                let base = &self.program.expr(*base).ty;
                let record = if *is_arrow { base.element() } else { Some(base) };
                let Some(Type::Record(record)) = record else { return false };
                let mut fields = self.program.record(*record).fields.iter().flatten();
                fields.any(|it| it.is_atomic && it.name.as_deref() == Some(field.as_str()))
            }
            ExprKind::Index(base, _) | ExprKind::Dereference(base) | ExprKind::Cast(base) => {
                self.is_atomic_member(*base)
            }
            _ => false,
        }
    }

    pub(super) fn record(&mut self, place: &Place, is_write: bool, is_atomic: bool, site: ExprId) {
        let Some(region) = self.region else { return };
        let object = &self.objects[place.object as usize];
        let is_reachable = place.selectors.contains(&Selector::Dereference);
        // Pointers of a thread's own that are not known may point anywhere.
        // What a task shares with its maker is made by the maker itself.
        let is_own = match self.has_tasks {
            true => object.depth > self.path.len(),
            false => object.depth >= self.path.len(),
        };
        let is_threadprivate = object.variable.is_some_and(|it| self.facts.threadprivate.contains(&it));
        if (is_reachable && object.depth > 0)
            || is_own
            || is_threadprivate
            || self.is_synchronised_by_hand
            || self.has_ended()
        {
            return;
        }
        if matches!(object.ty, Type::Function(_)) {
            return;
        }
        // Of a pointer, what it points to.
        let is_declared_atomic = object.variable.is_some_and(|it| {
            let of = self.program.variable(it);
            of.is_atomic && (is_reachable || !matches!(of.ty, Type::Pointer(_)))
        });
        let is_atomic = is_atomic || is_declared_atomic || self.is_atomic_member(site);
        self.accesses.push(Access {
            object: place.object,
            depth: object.depth,
            selectors: place.selectors.clone(),
            is_write,
            is_atomic,
            path: self.path.snapshot(),
            locks: self.locks.snapshot(),
            constraints: self.constraints.snapshot(),
            time: self.time,
            site,
        });
        self.origins.push(Origin { region, variable: object.variable });
    }
}
