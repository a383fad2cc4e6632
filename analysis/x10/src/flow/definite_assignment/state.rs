//! State of definite assignment at one point of a body: a lattice of bit sets.

/// A bit set of slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::flow) struct SlotSet {
    words: Vec<u64>,
}

impl SlotSet {
    pub(in crate::flow) fn insert(&mut self, slot: usize) {
        let word = slot / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (slot % 64);
    }

    pub(in crate::flow) fn contains(&self, slot: usize) -> bool {
        self.words.get(slot / 64).is_some_and(|word| word & (1 << (slot % 64)) != 0)
    }

    pub(in crate::flow) fn remove(&mut self, slot: usize) {
        if let Some(word) = self.words.get_mut(slot / 64) {
            *word &= !(1 << (slot % 64));
        }
    }

    pub(in crate::flow) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(in crate::flow) fn insert_all(&mut self, other: &SlotSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    pub(in crate::flow) fn retain_all(&mut self, other: &SlotSet) {
        self.words.truncate(other.words.len());
        for (word, keep) in self.words.iter_mut().zip(&other.words) {
            *word &= keep;
        }
    }
}

/// Assignment state of all slots at one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::flow) struct AssignmentState {
    /// Whether the point is reachable.
    pub(in crate::flow) live: bool,
    /// Assigned on every path to here.
    pub(in crate::flow) definite: SlotSet,
    /// Assigned on every path to here once the activities of the enclosing `finish` have ended; includes
    /// `definite`.
    pub(in crate::flow) after_finish: SlotSet,
    /// Assigned on some path to here, or by an activity that may be running.
    pub(in crate::flow) possible: SlotSet,
}

impl AssignmentState {
    pub(in crate::flow) fn start() -> AssignmentState {
        AssignmentState {
            live: true,
            definite: SlotSet::default(),
            after_finish: SlotSet::default(),
            possible: SlotSet::default(),
        }
    }

    /// The state in which `count` slots are assigned.
    pub(in crate::flow) fn all_assigned(count: usize) -> AssignmentState {
        let mut state = AssignmentState::start();
        (0..count).for_each(|slot| state.assign(slot));
        state
    }

    /// The state of an unreachable point; the neutral element of [`AssignmentState::join`].
    pub(in crate::flow) fn dead() -> AssignmentState {
        AssignmentState { live: false, ..AssignmentState::start() }
    }

    pub(in crate::flow) fn assign(&mut self, slot: usize) {
        self.definite.insert(slot);
        self.after_finish.insert(slot);
        self.possible.insert(slot);
    }

    /// A declaration is reached (again, in a loop): the slot is unassigned.
    pub(in crate::flow) fn unassign(&mut self, slot: usize) {
        self.definite.remove(slot);
        self.after_finish.remove(slot);
        self.possible.remove(slot);
    }

    /// Joins the states of two paths.
    pub(in crate::flow) fn join(&mut self, other: &AssignmentState) {
        if !other.live {
            return;
        }
        if !self.live {
            *self = other.clone();
            return;
        }
        self.definite.retain_all(&other.definite);
        self.after_finish.retain_all(&other.after_finish);
        self.possible.insert_all(&other.possible);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_intersects_definite_and_unites_possible() {
        let mut left = AssignmentState::start();
        left.assign(3);
        left.assign(70);
        let mut right = AssignmentState::start();
        right.assign(3);
        left.join(&right);
        assert!(left.definite.contains(3) && !left.definite.contains(70));
        assert!(left.possible.contains(70) && !left.possible.contains(4));
        let before = left.clone();
        left.join(&AssignmentState::dead());
        assert_eq!(left, before);
        let mut dead = AssignmentState::dead();
        dead.join(&before);
        assert_eq!(dead, before);
    }
}
