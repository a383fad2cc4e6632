//! Elections: under a lock a thread finds that it is the first, and notes that in a variable of its own. What
//! it does where the variable says so has no race with what other threads do there, which the locks of the
//! accesses do not show:
//!
//! ```c
//! #pragma omp critical
//! if (!claimed) { claimed = 1; first = 1; }
//! if (first) result = 42;
//! ```
//!
//! Whether the flag has one winner is not judged: nothing is said of what depends on it.

use rustc_hash::FxHashSet;

use super::Lowering;
use super::values::{ObjectId, Place};
use crate::hir::visit::Node;
use crate::hir::{ExprId, ExprKind};

/// Elections of the threads that are being executed.
#[derive(Debug, Default)]
pub(super) struct Elections {
    /// Own variables that were assigned under the locks that are held.
    assigned: Vec<ObjectId>,
    /// What threads share was stored under them.
    has_store: bool,
    /// An atomic construct captures a value while it stores another one.
    pub(super) is_captured: bool,
    /// Variables that tell whether their thread was elected.
    elected: FxHashSet<ObjectId>,
}

impl Elections {
    /// The first lock is taken.
    pub(super) fn begin(&mut self) {
        self.assigned.clear();
        self.has_store = false;
    }

    /// The last lock is released.
    pub(super) fn end(&mut self) {
        if self.has_store {
            self.elected.extend(self.assigned.drain(..));
        }
        self.begin();
    }
}

impl Lowering<'_> {
    /// Notes a store.
    pub(super) fn note_store(&mut self, place: &Place) {
        if !self.is_parallel() {
            return;
        }
        let is_exclusive = !self.locks.is_empty() || self.elections.is_captured;
        let is_own =
            self.objects[place.object as usize].depth >= self.path.len() && place.selectors.is_empty();
        match (is_own, is_exclusive) {
            (true, true) => self.elections.assigned.push(place.object),
            (true, false) => {
                self.elections.elected.remove(&place.object);
            }
            (false, true) => self.elections.has_store = true,
            (false, false) => {}
        }
    }

    /// Whether a condition depends on an election.
    pub(super) fn is_election(&self, condition: ExprId) -> bool {
        let mut found = false;
        if self.elections.elected.is_empty() {
            return false;
        }
        self.program.walk_expr(condition, &mut |node| {
            if let Node::Expr(id) = node
                && let ExprKind::Variable(variable) = self.program.expr(id).kind
                && let Some(object) = self.scope.get(&variable)
            {
                found |= self.elections.elected.contains(object);
            }
            !found
        });
        found
    }
}
