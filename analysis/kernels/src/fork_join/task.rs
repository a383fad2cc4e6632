//! Tasks: when they run, and which of their siblings they wait for (OpenMP 5.2, sections 12.5 and 15.9).

use apg_symbolic::dependence::Answer;

use super::model::{Selector, Symbol};
use super::overlap::{Side, equal_elements};

/// A task, or all tasks of one construct that is executed repeatedly.
#[derive(Clone, Debug)]
pub struct Task {
    /// The task that made it; `None` is the thread itself.
    pub parent: Option<u32>,
    /// The position at which it is made.
    pub start: u32,
    /// The position at which its own statements end.
    pub last: u32,
    /// The position up to which it has ended: that of a wait.
    pub end: u32,
    /// The loops around the construct inside of its parent: their counters, where known.
    pub counters: Vec<Symbol>,
    /// It is made again in a loop before it is waited for.
    pub is_repeated: bool,
    /// The position at which the outermost of those loops begins.
    pub loop_start: u32,
    /// What it depends on.
    pub dependences: Vec<Dependence>,
}

/// An object that tasks are ordered by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// How.
    pub kind: DependenceKind,
    /// The object.
    pub object: u32,
    /// The part of it.
    pub selectors: Vec<Selector>,
}

/// How a task uses an object that tasks are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependenceKind {
    /// It reads.
    In,
    /// It writes.
    Out,
    /// It excludes others of this kind, in any order.
    MutexInOutSet,
    /// Others of this kind may run at the same time.
    InOutSet,
}

/// The object of a dependence on any memory.
pub const ALL_MEMORY: u32 = u32::MAX;

/// Whether two dependences order or exclude their tasks.
pub fn conflicts(a: &Dependence, b: &Dependence) -> bool {
    let is_compatible = matches!(
        (a.kind, b.kind),
        (DependenceKind::In, DependenceKind::In) | (DependenceKind::InOutSet, DependenceKind::InOutSet)
    );
    if a.object == ALL_MEMORY || b.object == ALL_MEMORY {
        return !is_compatible;
    }
    // Only equal places are compared by the runtime, and only places that are certainly equal count.
    !is_compatible && a.object == b.object && is_certainly_equal(&a.selectors, &b.selectors)
}

fn is_certainly_equal(a: &[Selector], b: &[Selector]) -> bool {
    a == b
        || match equal_elements(a, b, &|symbol| (symbol, Side::Both)) {
            Answer::Yes(equations) => equations.iter().all(|it| it.as_constant() == Some(&0)),
            _ => false,
        }
}

/// Whether a task waits for another, directly or through others. `tasks` are siblings, in the order in which
/// they are made.
pub fn is_ordered(tasks: &[Task], first: u32, second: u32) -> bool {
    let (first, second) = (first.min(second), first.max(second));
    let parent = tasks[first as usize].parent;
    let waits =
        |a: &Task, b: &Task| a.dependences.iter().any(|x| b.dependences.iter().any(|y| conflicts(x, y)));
    let mut reached = vec![first];
    for next in first + 1..=second {
        let task = &tasks[next as usize];
        if task.parent == parent && reached.iter().any(|it| waits(&tasks[*it as usize], task)) {
            reached.push(next);
        }
    }
    reached.contains(&second)
}
