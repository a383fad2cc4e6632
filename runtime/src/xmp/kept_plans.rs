//! Plans of assignments that are kept: a loop that assigns the same sections again computes them once (the
//! inspector of Saltz, Mirchandaney and Crowley, whose result is reused while nothing that it depends on
//! changes).

use std::collections::VecDeque;
use std::sync::Arc;

use super::exchange::Plan;
use super::gmove::Side;
use super::node_set::NodeSet;

/// How many plans are kept.
const MAX_PLANS: usize = 32;
/// How many boxes of memory a kept plan has at most: those of cyclic sections may have very many.
const MAX_BOXES: usize = 1 << 14;

/// What the plan of an assignment depends on. Declarations do not change, and are alive as long as it.
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
        if plan.iter().map(Plan::boxes).sum::<usize>() > MAX_BOXES {
            return;
        }
        self.plans.truncate(MAX_PLANS - 1);
        self.plans.push_front((assigned, Arc::clone(plan)));
    }
}
