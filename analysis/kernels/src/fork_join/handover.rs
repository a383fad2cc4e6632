//! Locks that order threads: one thread holds a lock since before a barrier and releases it after its store;
//! another acquires it before its own, or passes the order on by a second lock (happens-before by locks:
//! Lamport, CACM 1978; Adve and Boehm, CACM 2010).

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::model::{Access, Constraint, Step};

/// A lock is acquired, or released by a thread that holds it since before the last barrier.
#[derive(Clone, Debug)]
pub struct LockEvent {
    /// The lock.
    pub lock: u32,
    /// The number of the team's region, and how many barriers the team has passed.
    pub team: (u32, u32),
    /// It is released.
    pub is_release: bool,
    /// The position in the sequential order of the program.
    pub time: u32,
    /// Conditions under which it is executed.
    pub constraints: Arc<Vec<Constraint>>,
}

/// Whether a lock that is handed over orders two accesses.
pub(super) fn is_handed_over<S>(a: &Access<S>, b: &Access<S>, events: &[LockEvent]) -> bool {
    !events.is_empty() && (precedes(a, b, events) || precedes(b, a, events))
}

/// Whether the thread of an access releases a lock after it, which that of another has to acquire before; or
/// a thread between them, which acquires the one and releases another, and so on.
fn precedes<S>(a: &Access<S>, b: &Access<S>, events: &[LockEvent]) -> bool {
    let Some(team) = team_of(a).filter(|it| team_of(b) == Some(*it)) else { return false };
    let (releases, acquisitions): (Vec<_>, Vec<_>) =
        events.iter().filter(|it| it.team == team).partition(|it| it.is_release);
    let released_after = |time: u32, constraints: &[Constraint]| {
        let is_behind = |it: &&&LockEvent| time < it.time && may_hold_together(&it.constraints, constraints);
        releases.iter().filter(is_behind).map(|it| it.lock).collect::<Vec<_>>()
    };
    let mut open = released_after(a.time, &a.constraints);
    let mut seen = FxHashSet::default();
    while let Some(lock) = open.pop() {
        if !seen.insert(lock) {
            continue;
        }
        for acquired in acquisitions.iter().filter(|it| it.lock == lock) {
            if acquired.time < b.time && may_hold_together(&acquired.constraints, &b.constraints) {
                return true;
            }
            open.extend(released_after(acquired.time, &acquired.constraints));
        }
    }
    false
}

/// The region of the innermost team that executes an access, and its phase.
fn team_of<S>(access: &Access<S>) -> Option<(u32, u32)> {
    access.path.iter().rev().find_map(|it| match it {
        Step::Team { region, phase, synchronises: true, .. } => Some((*region, *phase)),
        _ => None,
    })
}

/// False if one thread cannot meet the conditions of both: `thread == 0` and `thread == 1`.
fn may_hold_together(a: &[Constraint], b: &[Constraint]) -> bool {
    let is_contradiction = |pair: (&Constraint, &Constraint)| {
        let (x, y, is_equal) = match pair {
            (Constraint::Zero(x), Constraint::Zero(y)) => (x, y, true),
            (Constraint::Zero(x), Constraint::NonZero(y)) | (Constraint::NonZero(x), Constraint::Zero(y)) => {
                (x, y, false)
            }
            _ => return false,
        };
        let gap = x.checked_sub(y).and_then(|it| it.as_constant().copied());
        gap.is_some_and(|it| (it != 0) == is_equal)
    };
    !a.iter().any(|x| b.iter().any(|y| is_contradiction((x, y))))
}
