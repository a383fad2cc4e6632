//! Weighted reference counting of objects that other places refer to by a `GlobalRef` (Bevan, "Distributed
//! Garbage Collection Using Reference Counting", PARLE 1987; Watson and Watson, "An Efficient Garbage
//! Collection Scheme for Parallel Computer Architectures", PARLE 1987).
//!
//! All GlobalRefs to one object share one *token* (`x10.lang.GlobalObject`) per place. It holds the object's
//! home place, its number there and, at home, the object. A token is an ordinary object of the heap; this
//! table refers to it by a weak reference ([`crate::heap::mark::weak`]).
//!
//! # Weights
//!
//! Each message with a copy of a token carries a *weight*, which belongs to an *account*. Home keeps the
//! balance of each account: the weight given out minus the weight returned. While any balance is not zero,
//! the token at home, and so the object, is a root. This includes weights in messages, so no place has to
//! wait. A place adds a received weight to that of its token, gives a part of it with each copy that it
//! sends, and returns all of it when its token has died. A weight that comes home with a message is returned
//! thereby.
//!
//! A place never gives away its last unit of an account. When it has no more to give, it opens an account of
//! its own, and notifies home without waiting. Until home has received this notification, the balance of the
//! old account is not zero: the place keeps its last unit, messages arrive in order, and the place returns
//! the unit after the notification. A copy that may be received any number of times has no weight: it pins
//! the token forever at the place that makes it.
//!
//! A token is small, but it may keep a large object alive at another place. So a place also collects when
//! many tokens have arrived, and when another place that runs out of memory requests it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::base::place::{PlaceId, here};
use crate::heap::hooks;
use crate::heap::mark::weak;
use crate::heap::mark::weak::Slot;
use crate::heap::place_objects::place_objects;
use crate::layout::Ref;

/// Weight that home gives with each copy.
const HOME_WEIGHT: i128 = 1 << 40;
/// Other places give their weight divided by this.
const GIVE_DIVISOR: i128 = 1 << 10;
/// The account that home opens for every object.
const HOME_ACCOUNT: u64 = 0;

/// An object's home and its number there.
type Key = (PlaceId, u64);

/// A copy of a token in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Where the object lives.
    pub home: PlaceId,
    /// Its number there.
    pub number: u64,
    /// The account of the weight.
    pub account: u64,
    /// The weight, below 2^63; 0 for none.
    pub weight: u64,
}

/// How often a serialized token may be deserialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    /// Once, or never if the program ends before.
    One,
    /// Any number of times.
    Many,
}

/// A change of an account's balance, sent to home.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The object's number.
    pub number: u64,
    /// The account.
    pub account: u64,
    /// The change: negative for a returned weight.
    pub by: i128,
}

struct Entry {
    slot: Slot,
    /// The address of the object, at home.
    target: usize,
    /// By account: at home the balance, elsewhere the weight that this place holds.
    weights: Vec<(u64, i128)>,
    pinned: bool,
    /// Whether other places keep the object alive.
    kept: bool,
}

impl Entry {
    /// Whether this is an object of this place that was forgotten: its weights are not counted any more.
    fn is_forgotten(&self, home: PlaceId) -> bool {
        home == here() && self.target == 0
    }

    fn keep(&mut self, kept: bool) {
        if kept != self.kept {
            self.kept = kept;
            self.slot.keep(kept);
            let count = &references().kept;
            if kept {
                count.fetch_add(1, Ordering::Relaxed)
            } else {
                count.fetch_sub(1, Ordering::Relaxed)
            };
        }
    }

    fn add(&mut self, account: u64, by: i128) {
        match self.weights.iter_mut().find(|(other, _)| *other == account) {
            Some((_, weight)) => *weight = weight.wrapping_add(by),
            None => self.weights.push((account, by)),
        }
        self.weights.retain(|(_, weight)| *weight != 0);
    }
}

#[derive(Default)]
struct Table {
    entries: HashMap<Key, Entry, FxBuildHasher>,
    /// The numbers of this place's objects by address.
    numbers: HashMap<usize, u64, FxBuildHasher>,
    last_number: u64,
    last_account: u64,
    /// Tokens of other places' objects that have arrived since the last collection for them.
    arrived: usize,
    /// [`weak::deaths`] when tokens were last looked through.
    seen_deaths: u64,
    /// Changes to send to the homes of objects, in this order.
    outbox: Vec<(PlaceId, Change)>,
}

/// References between a place and others.
#[derive(Default)]
pub(super) struct References {
    /// Number of objects that other places keep alive.
    kept: AtomicUsize,
    table: Mutex<Table>,
}

/// Those of the place that the calling thread works for.
fn references() -> &'static References {
    &place_objects().references
}

/// The fields of a token.
struct Token(Ref);

impl Token {
    /// # Safety
    /// The object is a token, and the field of that type.
    unsafe fn field<T>(&self, index: usize) -> *mut T {
        self.0.at(self.0.ty().fields()[index].offset as usize).cast()
    }

    fn key(&self) -> Key {
        // SAFETY: the first fields of the class.
        unsafe { (PlaceId(self.field::<i64>(0).read() as u32), self.field::<i64>(1).read() as u64) }
    }

    fn set_key(&self, key: Key) {
        // SAFETY: the first fields of the class.
        unsafe {
            self.field::<i64>(0).write(i64::from(key.0));
            self.field::<i64>(1).write(key.1 as i64);
        }
    }
}

impl Table {
    fn with<R>(work: impl FnOnce(&mut Table) -> R) -> R {
        work(&mut references().table.lock())
    }

    /// Enters a token under its key; the weights of the key are unchanged.
    fn enter(&mut self, key: Key, token: Ref, target: usize) {
        Token(token).set_key(key);
        match self.entries.get_mut(&key) {
            Some(entry) => entry.slot.set(token),
            None => {
                let entry =
                    Entry { slot: Slot::new(token), target, weights: Vec::new(), pinned: false, kept: false };
                self.entries.insert(key, entry);
            }
        }
        if target != 0 {
            self.numbers.insert(target, key.1);
        }
    }

    fn known(&self, target: Ref) -> Option<Ref> {
        let number = self.numbers.get(&target.address())?;
        self.entries.get(&(here(), *number))?.slot.get()
    }

    /// Makes a token strong or weak after a change of its weights.
    fn settle(&mut self, key: Key) {
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.keep(entry.pinned || (key.0 == here() && !entry.weights.is_empty()));
        }
    }

    fn give(&mut self, key: Key, copies: Copies) -> Sent {
        let Table { entries, last_account, outbox, .. } = self;
        let none = Sent { home: key.0, number: key.1, account: HOME_ACCOUNT, weight: 0 };
        let Some(entry) = entries.get_mut(&key).filter(|entry| !entry.is_forgotten(key.0)) else {
            return none;
        };
        let sent = match copies {
            Copies::Many => {
                entry.pinned = true;
                none
            }
            Copies::One if key.0 == here() => {
                entry.add(HOME_ACCOUNT, HOME_WEIGHT);
                Sent { weight: HOME_WEIGHT as u64, ..none }
            }
            // A token without weights is pinned by another place.
            Copies::One if entry.weights.is_empty() => none,
            Copies::One => {
                if entry.weights.iter().all(|(_, weight)| *weight < 2) {
                    *last_account += 1;
                    let account = u64::from(here()) << 40 | *last_account;
                    entry.add(account, HOME_WEIGHT);
                    outbox.push((key.0, Change { number: key.1, account, by: HOME_WEIGHT }));
                }
                let most = entry.weights.iter().max_by_key(|(_, weight)| *weight);
                let (account, held) = most.copied().unwrap_or((HOME_ACCOUNT, 0));
                let weight = (held / GIVE_DIVISOR).clamp(1, i128::from(i64::MAX));
                entry.add(account, -weight);
                Sent { account, weight: weight as u64, ..none }
            }
        };
        self.settle(key);
        sent
    }

    /// Takes the weight of a copy: reduces the balance at home, and adds to the weight held elsewhere.
    fn take(&mut self, sent: Sent) {
        self.take_weight(sent, 1);
    }

    fn take_weight(&mut self, sent: Sent, times: i128) {
        let key = (sent.home, sent.number);
        let counts = |entry: &&mut Entry| sent.weight != 0 && !entry.is_forgotten(key.0);
        if let Some(entry) = self.entries.get_mut(&key).filter(counts) {
            let weight = i128::from(sent.weight) * times;
            entry.add(sent.account, if sent.home == here() { -weight } else { weight });
            self.settle(key);
        }
    }

    /// Removes the entries of dead tokens, and returns their weights to the homes.
    fn tidy(&mut self) {
        let Table { entries, numbers, outbox, .. } = self;
        entries.retain(|&(home, number), entry| {
            if !entry.slot.is_dead() {
                return true;
            }
            if numbers.get(&entry.target) == Some(&number) && home == here() {
                numbers.remove(&entry.target);
            }
            if home != here() {
                let back = |&(account, weight): &(u64, i128)| (home, Change { number, account, by: -weight });
                outbox.extend(entry.weights.iter().map(back));
            }
            entry.slot.free();
            false
        });
    }
}

/// The token of an object of this place, if it has one.
pub fn find(target: Ref) -> Option<Ref> {
    Table::with(|table| table.known(target))
}

/// Enters a new token of an object of this place under a new number, unless the object has a token by now.
/// Returns the object's token.
pub fn enter(token: Ref, target: Ref) -> Ref {
    if let Some(pressure) = hooks::pressure() {
        pressure.begin();
    }
    Table::with(|table| {
        table.known(target).unwrap_or_else(|| {
            table.last_number += 1;
            table.enter((here(), table.last_number), token, target.address());
            token
        })
    })
}

/// Forgets an object: from now on, only GlobalRefs at home keep it alive.
pub fn forget(token: Ref) {
    Table::with(|table| {
        let key = Token(token).key();
        if let Some(entry) = table.entries.get_mut(&key) {
            table.numbers.remove(&entry.target);
            (entry.target, entry.pinned) = (0, false);
            entry.weights.clear();
            entry.keep(false);
        }
    });
}

/// Makes a copy of a token for a message, with a weight.
pub fn give(token: Ref, copies: Copies) -> Sent {
    let sent = Table::with(|table| table.give(Token(token).key(), copies));
    if sent.account != HOME_ACCOUNT
        && let Some(pressure) = hooks::pressure()
    {
        pressure.references_changed();
    }
    sent
}

/// Takes back the weight of a message that was not sent.
pub fn undo(sent: Sent) {
    Table::with(|table| table.take(sent));
}

/// The token of a received reference: the known one, or a new one from `make`. The caller holds off the
/// collector.
pub fn receive<E>(sent: Sent, make: impl FnOnce() -> Result<Ref, E>) -> Result<Ref, E> {
    let key = (sent.home, sent.number);
    let known = |table: &mut Table| table.entries.get(&key).and_then(|entry| entry.slot.get());
    let found = Table::with(|table| {
        let token = known(table)?;
        table.take(sent);
        Some(token)
    });
    if let Some(token) = found {
        return Ok(token);
    }
    let new = make()?;
    if let Some(pressure) = hooks::pressure() {
        pressure.begin();
    }
    Ok(Table::with(|table| {
        let token = known(table).unwrap_or_else(|| {
            table.enter(key, new, 0);
            table.arrived += 1;
            if table.arrived > MIN_ARRIVED_TOKENS.max(table.entries.len() / 2) {
                table.arrived = 0;
                if let Some(pressure) = hooks::pressure() {
                    pressure.many_tokens_arrived();
                }
            }
            new
        });
        table.take(sent);
        token
    }))
}

/// Undoes [`receive`]: the message could not be used.
pub fn undo_receive(sent: Sent) {
    Table::with(|table| table.take_weight(sent, -1));
}

/// Applies the changes of another place.
pub fn apply(changes: &[Change]) {
    Table::with(|table| {
        for change in changes {
            let key = (here(), change.number);
            if let Some(entry) = table.entries.get_mut(&key).filter(|entry| !entry.is_forgotten(key.0)) {
                entry.add(change.account, change.by);
                table.settle(key);
            }
        }
    });
}

/// Number of objects that other places keep alive.
pub(crate) fn kept() -> usize {
    references().kept.load(Ordering::Relaxed)
}

/// Removes tokens that have died. Returns the changes to send to homes.
pub(crate) fn tidy() -> Vec<(PlaceId, Change)> {
    Table::with(|table| {
        let deaths = weak::deaths();
        if std::mem::replace(&mut table.seen_deaths, deaths) != deaths {
            table.tidy();
        }
        std::mem::take(&mut table.outbox)
    })
}

/// Minimum number of arrived tokens before a collection is requested.
const MIN_ARRIVED_TOKENS: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(weights: &[(u64, i128)]) -> Table {
        let slot = Slot::empty();
        let entry = Entry { slot, target: 0, weights: weights.to_vec(), pinned: false, kept: false };
        let mut table = Table::default();
        table.entries.insert((PlaceId(7), 1), entry);
        table
    }

    #[test]
    fn weight_is_conserved_by_giving() {
        let mut table = entry(&[(HOME_ACCOUNT, HOME_WEIGHT)]);
        let mut given = HashMap::<u64, i128>::new();
        for _ in 0..100_000 {
            let sent = table.give((PlaceId(7), 1), Copies::One);
            assert!(sent.weight > 0);
            *given.entry(sent.account).or_default() += i128::from(sent.weight);
        }
        let opened = table.outbox.iter().map(|(_, change)| (change.account, change.by));
        let mut balances: HashMap<u64, i128> = opened.chain([(HOME_ACCOUNT, HOME_WEIGHT)]).collect();
        for (account, weight) in table.entries[&(PlaceId(7), 1)].weights.iter().copied().chain(given) {
            *balances.get_mut(&account).expect("an account that was opened") -= weight;
        }
        assert!(balances.values().all(|balance| *balance == 0));
        assert!(table.outbox.len() < 100);
        assert!(
            table.entries[&(PlaceId(7), 1)]
                .weights
                .iter()
                .any(|(account, weight)| *account == HOME_ACCOUNT && *weight > 0)
        );
    }

    #[test]
    fn undo_returns_the_weight() {
        let mut table = entry(&[(HOME_ACCOUNT, 5)]);
        let sent = table.give((PlaceId(7), 1), Copies::One);
        table.take(sent);
        assert_eq!(table.entries[&(PlaceId(7), 1)].weights, [(HOME_ACCOUNT, 5)]);
        assert_eq!(table.give((PlaceId(7), 2), Copies::One).weight, 0);
    }
}
