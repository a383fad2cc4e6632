//! Teams: collective operations over host places, as with the communicators of MPI. Each member calls the
//! same operations in the same order. They consist of messages: a dissemination barrier (Hensgen, Finkel and
//! Manber, "Two Algorithms for Barrier Synchronization", 1988); broadcast and reduction along binomial trees;
//! scatter, gather and exchange by direct messages. Reductions combine in a fixed order, so that sums of
//! floating-point numbers do not vary from run to run.
//!
//! A team is a unique number and a list of places, so that its creation needs no messages.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

use crate::apgas::engine::Waiter;
use crate::apgas::failure::Undelivered;
use crate::apgas::marshal;
use crate::apgas::message::{Message, TeamStep};
use crate::apgas::system::system;
use crate::base::place::{PlaceId, here};
use crate::base::sanitizer;
use crate::heap::Ref;
use crate::layout::slot;
use crate::layout::{ExceptionKind, Outcome, Raised};
use crate::serialize::read::Input;
use crate::serialize::{Error, visit};
use crate::slots::reduction;
pub use crate::slots::reduction::Operation;

/// Most bytes of a [`Message::Team`] without its payload.
const MAX_STEP_SIZE: usize = 26;

/// Identifies a message of a collective operation: the step and the sender.
pub(super) type Key = (TeamStep, PlaceId);

/// Messages that have arrived early, activities that wait for messages, and the number of operations that
/// each team has begun here.
#[derive(Default)]
pub(crate) struct Mailbox {
    state: Mutex<MailboxState>,
    /// How many teams this place has made.
    teams: AtomicU32,
}

#[derive(Default)]
struct MailboxState {
    begun: HashMap<i64, u64>,
    arrived: HashMap<Key, Vec<u8>>,
    waiting: HashMap<Key, Arc<dyn Waiter>>,
}

fn own_mailbox() -> &'static Mutex<MailboxState> {
    &system().state.mailbox.state
}

/// Chooses the number of a new team, which no other place chooses.
pub fn new_number() -> i32 {
    let own = system().state.mailbox.teams.fetch_add(1, Ordering::Relaxed);
    (1 + here().0 + own * system().hosts()) as i32
}

/// Releases the state of a team, which is not used any more.
pub fn forget(team: i64) {
    own_mailbox().lock().begun.remove(&team);
}

/// A team as one of its members sees it.
#[derive(Clone, Copy, Debug)]
pub struct Team<'a> {
    number: i64,
    /// Numbers of the member places by rank; `None` for all host places.
    members: Option<&'a [i64]>,
    rank: u32,
}

impl<'a> Team<'a> {
    /// The team with this number and these members, a `Rail[Long]`; null for all host places.
    pub fn new(number: i64, members: Ref) -> Outcome<Team<'a>> {
        if members.is_null() {
            return Ok(Team { number, members: None, rank: here().0 });
        }
        // SAFETY: a rail that the caller holds and nobody changes.
        let members =
            unsafe { std::slice::from_raw_parts(members.elements().cast::<i64>(), members.length()) };
        let rank = members.iter().position(|member| *member == i64::from(here()));
        match rank {
            Some(rank) => Ok(Team { number, members: Some(members), rank: rank as u32 }),
            None => Err(not_a_member(number, i64::from(here()))),
        }
    }

    fn size(&self) -> u32 {
        self.members.map_or(system().hosts(), |members| members.len() as u32)
    }

    /// The place with a rank.
    fn place(&self, rank: u32) -> PlaceId {
        PlaceId(self.members.map_or(rank, |members| members[rank as usize] as u32))
    }

    fn rank_of(&self, place: i64) -> Outcome<u32> {
        let found = match self.members {
            Some(members) => members.iter().position(|member| *member == place),
            None => usize::try_from(place).ok().filter(|place| *place < system().hosts() as usize),
        };
        found.map(|rank| rank as u32).ok_or_else(|| not_a_member(self.number, place))
    }

    /// The place whose rank is `distance` after this one's.
    fn after(&self, distance: u32) -> PlaceId {
        self.place((self.rank + distance) % self.size())
    }

    /// The place whose rank is `distance` before this one's.
    fn before(&self, distance: u32) -> PlaceId {
        self.place((self.rank + self.size() - distance) % self.size())
    }

    fn begin(&self) -> Round {
        let mut mailbox = own_mailbox().lock();
        let begun = mailbox.begun.entry(self.number).or_insert(0);
        *begun += 1;
        Round { team: self.number, number: *begun }
    }
}

fn not_a_member(team: i64, place: i64) -> Raised {
    let message = format!("Place({place}) is not in Team({team})");
    Raised(system().engine().exception(ExceptionKind::BadPlace, &message))
}

/// One collective operation of this place.
struct Round {
    team: i64,
    number: u64,
}

impl Round {
    fn send(&self, to: PlaceId, step: u32, data: &[u8]) {
        let mut body = Vec::with_capacity(data.len() + MAX_STEP_SIZE);
        Message::Team(self.step(step)).encode(&mut body);
        body.extend_from_slice(data);
        let sent = system().send_encoded(to, &body, &[]);
        sent.unwrap_or_else(|ended| system().undelivered(ended, Undelivered::Collective));
    }

    fn step(&self, step: u32) -> TeamStep {
        TeamStep { team: self.team, number: self.number, step }
    }

    fn receive(&self, from: PlaceId, step: u32) -> Vec<u8> {
        let key = (self.step(step), from);
        let waiter = {
            let mut mailbox = own_mailbox().lock();
            if let Some(data) = mailbox.arrived.remove(&key) {
                sanitizer::acquire(std::ptr::from_ref(own_mailbox()));
                return data;
            }
            let waiter = system().engine().waiter();
            mailbox.waiting.insert(key, Arc::clone(&waiter));
            waiter
        };
        waiter.wait();
        own_mailbox().lock().arrived.remove(&key).unwrap_or_default()
    }
}

/// Handles a message of a collective operation.
pub(super) fn arrived(key: Key, data: &[u8]) -> Result<(), Error> {
    let mut mailbox = own_mailbox().lock();
    if mailbox.arrived.contains_key(&key) {
        return Err(Error::Malformed { expected: "each step of a team once", offset: 0 });
    }
    mailbox.arrived.insert(key, data.to_vec());
    sanitizer::release(std::ptr::from_ref(own_mailbox()));
    if let Some(waiter) = mailbox.waiting.remove(&key) {
        waiter.wake();
    }
    Ok(())
}

/// A range of elements of a rail.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    rail: Ref,
    from: i64,
    count: i64,
}

impl Part {
    /// `count` elements from `from` on.
    pub fn new(rail: Ref, from: i64, count: i64) -> Part {
        Part { rail, from, count }
    }

    /// The memory of the elements.
    fn memory(&self) -> Outcome<&'static mut [u8]> {
        let Part { rail, from, count } = *self;
        let engine = system().engine();
        if !rail.is_rail() {
            let message = "a rail of a collective operation is null";
            return Err(Raised(engine.exception(ExceptionKind::NullPointer, message)));
        }
        let length = rail.length() as i64;
        if from < 0 || count < 0 || from.checked_add(count).is_none_or(|end| end > length) {
            let message = format!("{count} elements from index {from} are not in a rail of {length}");
            return Err(Raised(engine.exception(ExceptionKind::ArrayIndexOutOfBounds, &message)));
        }
        let size = rail.ty().element_bytes();
        // SAFETY: inside the rail, which the caller holds; no other activity uses it meanwhile.
        Ok(unsafe {
            std::slice::from_raw_parts_mut(rail.elements().add(from as usize * size), count as usize * size)
        })
    }

    /// Whether the elements are sent as they lie in memory.
    fn is_flat(&self) -> bool {
        visit::is_flat_rail(self.rail.ty())
    }

    /// Encodes the elements.
    pub(crate) fn pack(&self) -> Outcome<Vec<u8>> {
        let memory = self.memory()?;
        if self.is_flat() {
            return Ok(memory.to_vec());
        }
        let own = crate::program::allocate_rail(self.rail.ty(), self.count)?;
        Part::new(own, 0, self.count).memory()?.copy_from_slice(memory);
        marshal::encode_for_many(own).map_err(Raised)
    }

    /// Decodes the elements.
    pub(crate) fn unpack(&self, bytes: &[u8]) -> Outcome<()> {
        let memory = self.memory()?;
        if self.is_flat() {
            if memory.len() != bytes.len() {
                return Err(wrong_length());
            }
            memory.copy_from_slice(bytes);
            return Ok(());
        }
        let received = marshal::decode(&mut Input::new(bytes)).map_err(Raised)?;
        let same = received.is_rail() && std::ptr::eq(received.ty(), self.rail.ty());
        if !same || received.length() as i64 != self.count {
            return Err(wrong_length());
        }
        memory.copy_from_slice(Part::new(received, 0, self.count).memory()?);
        Ok(())
    }

    /// Copies elements of this place; both ranges may overlap.
    fn copy_from(&self, source: &Part) -> Outcome<()> {
        let (from, to) = (source.memory()?, self.memory()?);
        if from.len() != to.len() {
            return Err(wrong_length());
        }
        // SAFETY: the same length; they may overlap.
        unsafe { std::ptr::copy(from.as_ptr(), to.as_mut_ptr(), to.len()) };
        Ok(())
    }
}

fn wrong_length() -> Raised {
    let message = "the places of a collective operation do not agree on the elements";
    Raised(system().engine().exception(ExceptionKind::IllegalArgument, message))
}

/// Waits for all members.
pub fn barrier(team: &Team<'_>) {
    let round = team.begin();
    let mut distance = 1;
    while distance < team.size() {
        round.send(team.after(distance), distance, &[]);
        round.receive(team.before(distance), distance);
        distance *= 2;
    }
}

/// Copies the elements of the root's source to each member's target.
pub fn broadcast(team: &Team<'_>, root: i64, source: Part, target: Part) -> Outcome<()> {
    let root = team.rank_of(root)?;
    target.memory()?;
    let round = team.begin();
    if team.rank != root {
        return target.unpack(&spread(&round, team, root, Vec::new()));
    }
    target.copy_from(&source)?;
    if team.size() > 1 {
        spread(&round, team, root, source.pack()?);
    }
    Ok(())
}

/// Sends the root's data down the tree, and returns it.
fn spread(round: &Round, team: &Team<'_>, root: u32, mut data: Vec<u8>) -> Vec<u8> {
    const DOWN: u32 = 1 << 31;
    let size = team.size();
    let member = |rank: u32| team.place((rank + root) % size);
    let rank = (team.rank + size - root) % size;
    let mut bit = size.next_power_of_two();
    if rank != 0 {
        bit = 1 << rank.trailing_zeros();
        data = round.receive(member(rank - bit), DOWN);
    }
    while bit > 1 {
        bit /= 2;
        if rank + bit < size {
            round.send(member(rank + bit), DOWN, &data);
        }
    }
    data
}

/// Combines elements up the tree. Returns the result of all members at the root, of a subtree elsewhere.
fn collect(
    round: &Round,
    team: &Team<'_>,
    root: u32,
    mut data: Vec<u8>,
    how: Combination,
) -> Outcome<Vec<u8>> {
    let size = team.size();
    let member = |rank: u32| team.place((rank + root) % size);
    let rank = (team.rank + size - root) % size;
    let mut bit = 1;
    while bit < size {
        if rank & bit != 0 {
            round.send(member(rank - bit), bit, &data);
            break;
        }
        if rank + bit < size {
            let other = round.receive(member(rank + bit), bit);
            if other.len() != data.len() {
                return Err(wrong_length());
            }
            how.apply(&mut data, &other)?;
        }
        bit *= 2;
    }
    Ok(data)
}

/// The elements of each member of a rail of the root, one part after the other. `counts` says how many each
/// has (a Rail[Int]); without it each has as many as `own`.
fn parts(team: &Team<'_>, whole: (Ref, i64), counts: Ref, own: i64) -> Outcome<Vec<Part>> {
    let counts: Vec<i64> = match counts {
        Ref::NULL => vec![own; team.size() as usize],
        // SAFETY: a rail that the caller holds.
        rail => unsafe { std::slice::from_raw_parts(rail.elements().cast::<i32>(), rail.length()) }
            .iter()
            .map(|count| i64::from(*count))
            .collect(),
    };
    if counts.len() != team.size() as usize {
        return Err(wrong_length());
    }
    let mut at = whole.1;
    let part = |count: i64| {
        let part = Part::new(whole.0, at, count);
        at = at.saturating_add(count);
        part
    };
    Ok(counts.into_iter().map(part).collect())
}

/// How many elements this place has: its part of `counts`, or `count` without them.
fn own_count(team: &Team<'_>, counts: Ref, count: i64) -> Outcome<i64> {
    if counts.is_null() {
        return Ok(count);
    }
    if team.rank as usize >= counts.length() {
        return Err(wrong_length());
    }
    // SAFETY: an element of a Rail[Int].
    Ok(i64::from(unsafe { counts.elements().cast::<i32>().add(team.rank as usize).read() }))
}

/// Sends each member its part of the root's source.
pub fn scatter(
    team: &Team<'_>,
    root: i64,
    source: (Ref, i64),
    target: (Ref, i64),
    count: i64,
    counts: Ref,
) -> Outcome<()> {
    let root = team.rank_of(root)?;
    let target = Part::new(target.0, target.1, own_count(team, counts, count)?);
    target.memory()?;
    let round = team.begin();
    if team.rank != root {
        return target.unpack(&round.receive(team.place(root), 0));
    }
    let parts = parts(team, source, counts, count)?;
    parts.last().map_or(Ok(()), |part| part.memory().map(|_| ()))?;
    for distance in 1..team.size() {
        let rank = (root + distance) % team.size();
        round.send(team.place(rank), 0, &parts[rank as usize].pack()?);
    }
    target.copy_from(&parts[root as usize])
}

/// Puts each member's source into its part of the root's target.
pub fn gather(
    team: &Team<'_>,
    root: i64,
    source: (Ref, i64),
    target: (Ref, i64),
    count: i64,
    counts: Ref,
) -> Outcome<()> {
    let root = team.rank_of(root)?;
    let source = Part::new(source.0, source.1, own_count(team, counts, count)?);
    let round = team.begin();
    if team.rank != root {
        round.send(team.place(root), 0, &source.pack()?);
        return Ok(());
    }
    let parts = parts(team, target, counts, count)?;
    parts[root as usize].copy_from(&source)?;
    for distance in 1..team.size() {
        let rank = (root + distance) % team.size();
        parts[rank as usize].unpack(&round.receive(team.place(rank), 0))?;
    }
    Ok(())
}

/// Sends each member its part of every member's source (all-to-all); the target is in the order of the
/// senders' ranks.
pub fn exchange(team: &Team<'_>, source: (Ref, i64), target: (Ref, i64), count: i64) -> Outcome<()> {
    let from = parts(team, source, Ref::NULL, count)?;
    let to = parts(team, target, Ref::NULL, count)?;
    let round = team.begin();
    // All are packed before anything is unpacked: source and target may be one rail.
    let packed: Outcome<Vec<_>> =
        (1..team.size()).map(|it| from[((team.rank + it) % team.size()) as usize].pack()).collect();
    for (distance, data) in (1..).zip(packed?) {
        round.send(team.after(distance), 0, &data);
    }
    to[team.rank as usize].copy_from(&from[team.rank as usize])?;
    for distance in 1..team.size() {
        let rank = (team.rank + team.size() - distance) % team.size();
        to[rank as usize].unpack(&round.receive(team.place(rank), 0))?;
    }
    Ok(())
}

/// An operation on elements of one type.
#[derive(Clone, Copy, Debug)]
struct Combination {
    element: u8,
    operation: Operation,
}

impl Combination {
    /// Of the elements of a part, if they can be combined in that way.
    fn new(part: &Part, operation: Operation) -> Outcome<Combination> {
        let how = Combination { element: part.rail.ty().element_slot, operation };
        how.apply(&mut [], &[]).map(|()| how)
    }

    /// `left = left op right`, element by element.
    fn apply(self, left: &mut [u8], right: &[u8]) -> Outcome<()> {
        combine(left, right, self.element, self.operation)
    }
}

/// Whether the elements of such a rail are numbers or Booleans, which can be combined here.
pub fn combines(rail: Ref) -> bool {
    rail.is_rail() && rail.ty().element_slot < slot::CHAR
}

/// Combines the sources of all members into the root's target.
pub fn reduce(team: &Team<'_>, root: i64, source: Part, target: Part, operation: Operation) -> Outcome<()> {
    let root = team.rank_of(root)?;
    let data = source.memory()?.to_vec();
    let how = Combination::new(&source, operation)?;
    let result = collect(&team.begin(), team, root, data, how)?;
    if team.rank == root { target.unpack(&result) } else { Ok(()) }
}

/// Combines the sources of all members into each member's target.
pub fn all_reduce(team: &Team<'_>, source: Part, target: Part, operation: Operation) -> Outcome<()> {
    let data = source.memory()?.to_vec();
    let how = Combination::new(&source, operation)?;
    let round = team.begin();
    let result = collect(&round, team, 0, data, how)?;
    target.unpack(&spread(&round, team, 0, result))
}

/// `target = target op source`, element by element, of two rails of this place.
pub fn combine_here(target: Ref, source: Ref, count: i64, operation: Operation) -> Outcome<()> {
    let (source, target) = (Part::new(source, 0, count), Part::new(target, 0, count));
    Combination::new(&target, operation)?.apply(target.memory()?, source.memory()?)
}

/// `left = left op right`, element by element.
fn combine(left: &mut [u8], right: &[u8], element: u8, operation: Operation) -> Outcome<()> {
    if reduction::combine(left, right, element, operation) {
        return Ok(());
    }
    let message = format!("the operation {operation:?} has no meaning for the elements of this rail");
    Err(Raised(system().engine().exception(ExceptionKind::UnsupportedOperation, &message)))
}
