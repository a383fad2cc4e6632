//! What is known about the variables at one point of a body.

/// A small set of variable numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    words: Vec<u64>,
}

impl Set {
    pub(super) fn insert(&mut self, slot: usize) {
        let word = slot / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (slot % 64);
    }

    pub(super) fn contains(&self, slot: usize) -> bool {
        self.words.get(slot / 64).is_some_and(|word| word & (1 << (slot % 64)) != 0)
    }

    pub(super) fn remove(&mut self, slot: usize) {
        if let Some(word) = self.words.get_mut(slot / 64) {
            *word &= !(1 << (slot % 64));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(super) fn add_all(&mut self, other: &Set) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    pub(super) fn keep_common(&mut self, other: &Set) {
        self.words.truncate(other.words.len());
        for (word, keep) in self.words.iter_mut().zip(&other.words) {
            *word &= keep;
        }
    }
}

/// The state of all variables at one point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Whether execution can reach the point at all.
    pub(super) live: bool,
    /// Assigned on every path to here.
    pub(super) definite: Set,
    /// Assigned on every path to here once the activities started since the enclosing `finish` have
    /// ended; includes `definite`.
    pub(super) after_finish: Set,
    /// Assigned on some path to here, or by some activity that may be running.
    pub(super) possible: Set,
}

impl State {
    pub(super) fn start() -> State {
        State { live: true, definite: Set::default(), after_finish: Set::default(), possible: Set::default() }
    }

    /// All of so many variables are assigned.
    pub(super) fn with_all(count: usize) -> State {
        let mut state = State::start();
        (0..count).for_each(|slot| state.assign(slot));
        state
    }

    /// The state of a point that nothing reaches; the neutral element of [`State::join`].
    pub(super) fn dead() -> State {
        State { live: false, ..State::start() }
    }

    pub(super) fn assign(&mut self, slot: usize) {
        self.definite.insert(slot);
        self.after_finish.insert(slot);
        self.possible.insert(slot);
    }

    /// The variable's declaration is reached (again, in a loop): nothing is assigned yet.
    pub(super) fn declare(&mut self, slot: usize) {
        self.definite.remove(slot);
        self.after_finish.remove(slot);
        self.possible.remove(slot);
    }

    /// Two paths meet.
    pub(super) fn join(&mut self, other: &State) {
        if !other.live {
            return;
        }
        if !self.live {
            *self = other.clone();
            return;
        }
        self.definite.keep_common(&other.definite);
        self.after_finish.keep_common(&other.after_finish);
        self.possible.add_all(&other.possible);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_meet() {
        let mut left = State::start();
        left.assign(3);
        left.assign(70);
        let mut right = State::start();
        right.assign(3);
        left.join(&right);
        assert!(left.definite.contains(3) && !left.definite.contains(70));
        assert!(left.possible.contains(70) && !left.possible.contains(4));
        let before = left.clone();
        left.join(&State::dead());
        assert_eq!(left, before);
        let mut dead = State::dead();
        dead.join(&before);
        assert_eq!(dead, before);
    }
}
