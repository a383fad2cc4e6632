//! Matching of sends and receives of one destination by source and tag (MPI standard, "Semantics of
//! Point-to-Point Communication"): in order for each pair of a source and a tag; a receive from any source
//! takes the send that has arrived first.
//!
//! A pure state machine: it neither copies nor waits.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;

/// Numbered entries in order of arrival, by source and tag.
type Queues<K, T> = FxHashMap<K, VecDeque<(u64, T)>>;

/// Queues of which empty ones are kept.
const MAX_KEPT_QUEUES: usize = 64;

/// Sends that no receive has taken, and receives that wait for a send, of one destination.
#[derive(Debug)]
pub struct Matcher<S, R> {
    /// Number of the next entry: the order of arrival.
    next: u64,
    sends: Queues<(u32, i32), S>,
    /// The source of each waiting send, by tag and order of arrival.
    sources: BTreeMap<(i32, u64), u32>,
    receives: Queues<(Option<u32>, i32), R>,
    /// Number of receives that wait.
    waiting_receives: usize,
}

impl<S, R> Default for Matcher<S, R> {
    fn default() -> Matcher<S, R> {
        Matcher {
            next: 0,
            sends: FxHashMap::default(),
            sources: BTreeMap::new(),
            receives: FxHashMap::default(),
            waiting_receives: 0,
        }
    }
}

impl<S, R> Matcher<S, R> {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// A send arrives. Gives it back with the receive that takes it, or keeps it.
    pub fn send(&mut self, source: u32, tag: i32, send: S) -> Option<(S, R)> {
        if let Some(receive) = self.take_receive(source, tag, |_| true) {
            return Some((send, receive));
        }
        let number = self.number();
        self.sends.entry((source, tag)).or_default().push_back((number, send));
        self.sources.insert((tag, number), source);
        None
    }

    /// The receive that a send of that source and tag would take, if there is a receive and it is accepted.
    pub fn take_receive(&mut self, source: u32, tag: i32, accepts: impl FnOnce(&R) -> bool) -> Option<R> {
        let oldest = |of: Option<u32>| self.receives.get(&(of, tag)).and_then(|all| all.front());
        let (key, found) = match (oldest(Some(source)), oldest(None)) {
            (Some(named), Some(any)) if any.0 < named.0 => (None, any),
            (Some(named), _) => (Some(source), named),
            (None, any) => (None, any?),
        };
        if !accepts(&found.1) {
            return None;
        }
        let taken = take_first(&mut self.receives, (key, tag)).map(|it| it.1);
        self.waiting_receives -= usize::from(taken.is_some());
        taken
    }

    /// A receive from a source, or from any, is posted. Gives it back with the send that it takes and the
    /// source of that, or keeps it.
    pub fn receive(&mut self, source: Option<u32>, tag: i32, receive: R) -> Option<(u32, S, R)> {
        if let Some((from, send)) = self.take_send(source, tag, |_, _| true) {
            return Some((from, send, receive));
        }
        let number = self.number();
        self.receives.entry((source, tag)).or_default().push_back((number, receive));
        self.waiting_receives += 1;
        None
    }

    /// The send that a receive from a source, or from any, would take, with its source, if there is a send
    /// and it is accepted.
    pub fn take_send(
        &mut self,
        source: Option<u32>,
        tag: i32,
        accepts: impl FnOnce(u32, &S) -> bool,
    ) -> Option<(u32, S)> {
        let from = match source {
            Some(source) => source,
            None => self.sources.range((tag, 0)..=(tag, u64::MAX)).next().map(|(_, source)| *source)?,
        };
        let first = self.sends.get(&(from, tag))?.front()?;
        if !accepts(from, &first.1) {
            return None;
        }
        let (number, send) = take_first(&mut self.sends, (from, tag))?;
        self.sources.remove(&(tag, number));
        Some((from, send))
    }

    /// Takes out everything that waits.
    pub fn drain(&mut self) -> (Vec<S>, Vec<R>) {
        self.sources.clear();
        self.waiting_receives = 0;
        let sends = self.sends.drain().flat_map(|it| it.1).map(|it| it.1).collect();
        let receives = self.receives.drain().flat_map(|it| it.1).map(|it| it.1).collect();
        (sends, receives)
    }

    /// Number of sends that wait.
    pub fn waiting_sends(&self) -> usize {
        self.sources.len()
    }

    /// Whether nothing waits: a send that comes now would be the first, for whatever receive comes next.
    pub fn is_idle(&self) -> bool {
        self.waiting_receives == 0 && self.sources.is_empty()
    }
}

/// Takes the first entry of a queue. An empty queue is kept for later entries if there are few queues.
fn take_first<K: std::hash::Hash + Eq, T>(queues: &mut FxHashMap<K, VecDeque<T>>, key: K) -> Option<T> {
    let is_kept = queues.len() <= MAX_KEPT_QUEUES;
    let queue = queues.get_mut(&key)?;
    let first = queue.pop_front();
    if queue.is_empty() && !is_kept {
        queues.remove(&key);
    }
    first
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, by linear search over all entries in order of arrival.
    #[derive(Default)]
    struct Model {
        sends: Vec<(u32, i32, usize)>,
        receives: Vec<(Option<u32>, i32, usize)>,
    }

    impl Model {
        fn send(&mut self, source: u32, tag: i32, id: usize) -> Option<(usize, usize)> {
            let takes =
                |it: &(Option<u32>, i32, usize)| it.0.is_none_or(|from| from == source) && it.1 == tag;
            match self.receives.iter().position(takes) {
                Some(at) => Some((id, self.receives.remove(at).2)),
                None => {
                    self.sends.push((source, tag, id));
                    None
                }
            }
        }

        fn receive(&mut self, source: Option<u32>, tag: i32, id: usize) -> Option<(u32, usize, usize)> {
            let fits = |it: &(u32, i32, usize)| source.is_none_or(|from| from == it.0) && it.1 == tag;
            match self.sends.iter().position(fits) {
                Some(at) => {
                    let (from, _, send) = self.sends.remove(at);
                    Some((from, send, id))
                }
                None => {
                    self.receives.push((source, tag, id));
                    None
                }
            }
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Send(u32, i32),
        Receive(Option<u32>, i32),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let send = (0_u32..4, 0_i32..3).prop_map(|(source, tag)| Step::Send(source, tag));
        let receive =
            (proptest::option::of(0_u32..4), 0_i32..3).prop_map(|(source, tag)| Step::Receive(source, tag));
        proptest::collection::vec(prop_oneof![send, receive], 0..200)
    }

    proptest! {
        #[test]
        fn pairs_are_those_of_the_definition(steps in steps()) {
            let (mut matcher, mut model) = (Matcher::default(), Model::default());
            for (id, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Send(source, tag) => {
                        prop_assert_eq!(matcher.send(source, tag, id), model.send(source, tag, id));
                    }
                    Step::Receive(source, tag) => {
                        prop_assert_eq!(matcher.receive(source, tag, id), model.receive(source, tag, id));
                    }
                }
                prop_assert_eq!(matcher.waiting_sends(), model.sends.len());
                let is_idle = model.sends.is_empty() && model.receives.is_empty();
                prop_assert_eq!(matcher.is_idle(), is_idle);
            }
            let (mut sends, mut receives) = matcher.drain();
            prop_assert!(matcher.is_idle());
            sends.sort_unstable();
            receives.sort_unstable();
            prop_assert_eq!(sends, model.sends.iter().map(|it| it.2).collect::<Vec<_>>());
            prop_assert_eq!(receives, model.receives.iter().map(|it| it.2).collect::<Vec<_>>());
        }
    }
}
