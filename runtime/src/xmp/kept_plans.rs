//! Plans of assignments that are kept: a loop that assigns the same sections again computes them once (the
//! inspector of Saltz, Mirchandaney and Crowley, whose result is reused while nothing that it depends on
//! changes).

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::array::Declaration;
use super::exchange::Plan;
use super::gmove::{Of, Side};
use super::node_set::NodeSet;

/// How many plans are kept.
const MAX_PLANS: usize = 32;
/// How many boxes of memory all kept plans have together at most, of about 100 bytes each: those of cyclic
/// sections may have very many.
const MAX_BOXES: usize = 1 << 14;

/// What the plan of an assignment depends on. A declaration does not change, and is another one if it is made
/// again; a plan keeps its declarations in memory.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Assigned {
    /// The left side.
    pub(super) to: Side,
    /// The right side.
    pub(super) from: Side,
    /// The nodes that execute it.
    pub(super) executing: Arc<NodeSet>,
    /// Both sides are in the same memory.
    pub(super) overlaps: bool,
}

impl Assigned {
    /// The declarations of the global arrays of both sides.
    fn declarations(&self) -> impl Iterator<Item = &Arc<Declaration>> {
        [&self.to, &self.from].into_iter().filter_map(|side| match &side.of {
            Of::Global(declaration) => Some(declaration),
            Of::Local(..) => None,
        })
    }
}

/// Plans, the last used one first.
#[derive(Debug, Default)]
pub(super) struct KeptPlans {
    plans: VecDeque<(Assigned, Arc<Vec<Plan>>)>,
}

impl KeptPlans {
    /// The plan of an assignment.
    pub(super) fn find(&mut self, assigned: &Assigned) -> Option<Arc<Vec<Plan>>> {
        let at = self.plans.iter().position(|it| it.0 == *assigned)?;
        if at > 0 {
            let found = self.plans.remove(at)?;
            self.plans.push_front(found);
        }
        self.plans.front().map(|it| Arc::clone(&it.1))
    }

    /// Keeps a plan in place of the least recently used one.
    pub(super) fn keep(&mut self, assigned: Assigned, plan: &Arc<Vec<Plan>>) {
        self.forget_ended();
        let boxes = |plan: &[Plan]| plan.iter().map(Plan::boxes).sum::<usize>();
        let mut total = boxes(plan);
        if total > MAX_BOXES {
            return;
        }
        let mut count = 0;
        for (_, kept) in &self.plans {
            total += boxes(kept);
            if total > MAX_BOXES {
                break;
            }
            count += 1;
        }
        self.plans.truncate(count.min(MAX_PLANS - 1));
        self.plans.push_front((assigned, Arc::clone(plan)));
    }

    /// Forgets plans of declarations that nothing else refers to: those of functions that have returned.
    fn forget_ended(&mut self) {
        let mut held: FxHashMap<*const Declaration, usize> = FxHashMap::default();
        for declaration in self.plans.iter().flat_map(|it| it.0.declarations()) {
            *held.entry(Arc::as_ptr(declaration)).or_default() += 1;
        }
        let has_ended = |it: &Arc<Declaration>| Arc::strong_count(it) == held[&Arc::as_ptr(it)];
        self.plans.retain(|it| !it.0.declarations().any(has_ended));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xmp::strided::StridedBox;

    #[test]
    fn kept_plans_have_a_bounded_number_of_boxes() {
        let assigned = |extent: i64| {
            let side = Side::new(Of::Local(vec![extent], 4), None).expect("an array");
            let executing = Arc::new(NodeSet::entire(1));
            Assigned { to: side.clone(), from: side, executing, overlaps: false }
        };
        let mut half = Plan::default();
        half.add_send(1, vec![StridedBox::new(0, &[], 4); MAX_BOXES / 2]);
        let half = Arc::new(vec![half]);
        let mut kept = KeptPlans::default();
        (1..=3).for_each(|extent| kept.keep(assigned(extent), &half));
        assert!(kept.find(&assigned(1)).is_none());
        assert!(kept.find(&assigned(2)).is_some() && kept.find(&assigned(3)).is_some());
    }
}
