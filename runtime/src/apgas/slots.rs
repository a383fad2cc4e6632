//! Slots of this place: activities and blocks of kernels that wait for their calls
//! ([`crate::slots`]), and messages of other places.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::apgas::engine::Waiter;
use crate::apgas::failure::Undelivered;
use crate::apgas::message::Message;
use crate::apgas::system::{System, spawn_uncounted, system};
use crate::base::backtrace;
use crate::base::place::{PlaceId, here};
use crate::base::sanitizer;
use crate::device::{Device, DeviceSlots, PeerChannels};
use crate::heap::Handle;
use crate::profile::Code;
use crate::scheduler::{fiber, spin_until};
use crate::serialize::Error;
use crate::slots::block_call::{BlockSlots, RequestSource};
use crate::slots::engine::{Engine, NotNow};
use crate::slots::group::{Group, Part, Side};
use crate::slots::message::{SlotMessage, Transport};
use crate::slots::request::{Call, Completion, Continuation, Failure, Outcome, Probe, Request};
use crate::slots::timeout::SlotTimeout;
use crate::slots::waits::{Launches, Wait, WaitReport, describe};

/// Most bytes of a [`Message::Slots`] without its payload, mostly.
const MESSAGE_BYTES: usize = 64;

/// The slots of a place.
#[derive(Default)]
pub(crate) struct PlaceSlots {
    engine: Engine,
    /// Between its accelerators.
    channels: PeerChannels,
    /// How many groups this place has made.
    groups: AtomicU32,
    /// Rails of what activities have begun, by group, rank and number.
    begun: Mutex<FxHashMap<(i64, i64, i64), Begun>>,
    /// Owners of blocks with a call that failed since its group had failed before.
    followers: Mutex<FxHashSet<usize>>,
    timeout: OnceLock<SlotTimeout>,
    /// Something looks for slots that wait for long.
    is_watched: AtomicBool,
    report: WaitReport,
    launches: Launches,
    /// What activities poll while they wait for a call.
    sources: Mutex<Vec<Weak<dyn RequestSource>>>,
    /// There are some.
    has_sources: AtomicBool,
    /// How many messages activities have received at once, while there are sources.
    received: Arc<AtomicU64>,
}

/// A rail that an activity's slot has begun to send or receive.
pub struct Begun {
    /// Keeps it alive.
    pub rail: Handle,
    /// Index of the first element.
    pub index: i64,
    /// Encoded objects that are received, which the wait decodes.
    pub objects: Option<Arc<Mutex<Vec<u8>>>>,
}

fn own() -> &'static PlaceSlots {
    &system().state.slots
}

/// Carries messages of slots to other places.
struct PlaceTransport;

impl Transport for PlaceTransport {
    fn send(&self, host: u32, message: &SlotMessage, payload: &[u8]) {
        let mut body = Vec::with_capacity(payload.len() + MESSAGE_BYTES);
        Message::Slots(message.clone()).encode(&mut body);
        body.extend_from_slice(payload);
        let sent = system().send_encoded(PlaceId(host), &body, &[]);
        sent.unwrap_or_else(|ended| system().undelivered(ended, Undelivered::Collective));
    }
}

/// Chooses the number of a new group, which no other place chooses.
pub fn new_number() -> i64 {
    let made = own().groups.fetch_add(1, Ordering::Relaxed);
    1 + i64::from(here().0) + i64::from(made) * i64::from(system().hosts())
}

/// Makes a group known here; `table` has a place, 0 for activities or 1 for blocks, and a number of slots for
/// each of its parts.
///
/// # Errors
/// The table describes no group.
pub fn register(number: i64, table: &[i64]) -> Result<(), String> {
    let topology = system().topology();
    let part = |row: &[i64]| {
        let host = topology.parent(row[0]).unwrap_or(row[0]);
        let side = if row[1] == 0 { Side::Activities } else { Side::Blocks };
        match u32::try_from(host).ok().filter(|host| *host < system().hosts()) {
            Some(host) => Ok((row[0], host, side, row[2])),
            None => Err(format!("Place({}) does not exist", row[0])),
        }
    };
    let parts = table.chunks_exact(3).map(part).collect::<Result<Vec<_>, _>>()?;
    own().engine.register(number, Group::new(&parts)?, here().0);
    Ok(())
}

/// Where requests of blocks come from. Calls behind the last launch do not look for them any more.
fn sources() -> SmallVec<[Arc<dyn RequestSource>; 2]> {
    if !own().has_sources.load(Ordering::Relaxed) {
        return SmallVec::new();
    }
    let mut sources = own().sources.lock();
    let mut found = SmallVec::new();
    sources.retain(|it| it.upgrade().map(|it| found.push(it)).is_some());
    if sources.is_empty() {
        own().has_sources.store(false, Ordering::Relaxed);
    }
    found
}

/// Whether no thread looks for slots that wait for long yet; the caller starts it then.
pub(super) fn begins_watch() -> bool {
    !own().is_watched.swap(true, Ordering::Relaxed)
}

/// How long a slot may wait before a report.
pub(super) fn timeout() -> SlotTimeout {
    *own().timeout.get_or_init(SlotTimeout::default)
}

/// Sets how long a slot may wait before a report, at the start of the place.
pub fn set_timeout(timeout: SlotTimeout) {
    own().timeout.get_or_init(|| timeout);
}

/// The calls in which slots of this place wait, and what says where they are in the program.
pub(super) fn waits() -> Vec<(Wait, Option<Arc<dyn Probe>>)> {
    own().engine.waits()
}

/// The waits of this place's slots in words, without lines, for a program in a deadlock.
pub(crate) fn describe_waits() -> String {
    let all: Vec<Wait> = waits().into_iter().map(|it| it.0).collect();
    describe(&all)
}

pub(super) fn wait_report() -> &'static WaitReport {
    &own().report
}

/// The launches of kernels whose blocks have slots.
pub(crate) fn launches() -> &'static Launches {
    &own().launches
}

/// The slots of a group at a place.
///
/// # Errors
/// The group is not known here.
pub fn part(number: i64, place: i64, side: Side) -> Result<Option<Part>, Failure> {
    own().engine.part(number, place, side)
}

/// Nothing is done with a group any more.
pub fn forget(number: i64) {
    own().engine.forget(number);
    own().channels.forget(number);
    own().begun.lock().retain(|key, _| key.0 != number);
}

/// The activity that calls, as the owner of its slots.
pub fn owner() -> usize {
    fiber::current().map_or(0, |fiber| std::ptr::from_ref(fiber) as usize)
}

/// A call of the running block has failed since its group had failed before.
pub fn note_follower() {
    own().followers.lock().insert(owner());
}

/// Whether the running block, which ends, has noted that.
pub fn take_follower() -> bool {
    own().followers.lock().remove(&owner())
}

/// A call that an activity waits for.
#[derive(Default)]
struct Pending {
    state: Mutex<PendingState>,
    /// There is an outcome.
    has_ended: AtomicBool,
    /// Where the call is, if the frames of the caller do not say so: a block's.
    site: Option<Arc<dyn Probe>>,
}

#[derive(Default)]
struct PendingState {
    outcome: Option<Outcome>,
    waiter: Option<Arc<dyn Waiter>>,
    /// The lines are wanted.
    is_asked: bool,
    lines: Vec<String>,
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pending")
    }
}

impl Pending {
    fn end(&self, outcome: Outcome) {
        sanitizer::release(self);
        let waiter = {
            let mut state = self.state.lock();
            state.outcome = Some(outcome);
            self.has_ended.store(true, Ordering::Release);
            state.waiter.take()
        };
        waiter.into_iter().for_each(|waiter| waiter.wake());
    }

    /// Waits for a moment. The requests of kernels' blocks are handled here meanwhile: what they send to this
    /// activity, and what it answers, then stay in the caches of one processor.
    fn spin(&self) {
        let has_ended = || self.has_ended.load(Ordering::Acquire);
        if has_ended() {
            return;
        }
        let sources = sources();
        spin_until(|| {
            sources.iter().for_each(|it| it.poll());
            has_ended()
        });
    }

    /// Suspends the activity until the call has ended, unless that is soon. In between it may be woken to say
    /// where it is.
    fn wait(&self) -> Outcome {
        loop {
            let waiter = {
                let mut state = self.state.lock();
                if let Some(outcome) = state.outcome.take() {
                    sanitizer::acquire(self);
                    return outcome;
                }
                if std::mem::take(&mut state.is_asked) {
                    state.lines = backtrace::trace(&backtrace::own_frames());
                }
                let waiter = system().engine().waiter();
                state.waiter = Some(Arc::clone(&waiter));
                waiter
            };
            waiter.wait();
        }
    }
}

impl Probe for Pending {
    fn request(&self) {
        let waiter = {
            let mut state = self.state.lock();
            state.is_asked = true;
            state.waiter.take()
        };
        waiter.into_iter().for_each(|waiter| waiter.wake());
    }

    fn lines(&self) -> Vec<String> {
        self.state.lock().lines.clone()
    }

    fn code(&self) -> Code {
        self.site.as_ref().map_or_else(Code::of_caller, |it| it.code())
    }
}

/// Makes a send or a receive whose partner waits. Beside kernels, a receive looks for messages of their
/// blocks for a moment: one look finds those of many, which the next receives then take.
fn make_now(request: &Request) -> Result<Outcome, NotNow> {
    let (engine, from) = (&own().engine, &PlaceTransport);
    let sources = if request.call == Call::Receive { sources() } else { SmallVec::new() };
    if sources.is_empty() {
        return engine.make_now(from, request).ok_or(NotNow::Posted);
    }
    let receive = || engine.receive_from_blocks(from, request, &sources);
    let mut found = receive();
    if matches!(found, Err(NotNow::Awaited)) {
        let last = Cell::new(found);
        spin_until(|| {
            let found = receive();
            let is_decided = !matches!(found, Err(NotNow::Awaited));
            last.set(found);
            is_decided
        });
        found = last.into_inner();
    }
    if found.is_ok() {
        // A hint for the thread of a device, which a lost count does not harm.
        own().received.store(own().received.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
    found
}

/// Makes a call; the activity waits if the call does.
///
/// # Errors
/// The call is wrong, or its group has failed.
pub fn call(mut request: Request) -> Outcome {
    let has_spun = match make_now(&request) {
        Ok(outcome) => return outcome,
        Err(why) => why == NotNow::Awaited,
    };
    let pending = Arc::new(Pending { site: request.probe.clone(), ..Pending::default() });
    if request.call.blocks() {
        request.probe = Some(Arc::<Pending>::clone(&pending));
    }
    let end = Arc::clone(&pending);
    own().engine.post(&PlaceTransport, request, Box::new(move |outcome| end.end(outcome)));
    if !has_spun {
        pending.spin();
    }
    pending.wait()
}

/// Keeps the rail of something that was begun.
pub fn keep(group: i64, rank: i64, completion: Completion, begun: Begun) {
    own().begun.lock().insert((group, rank, completion.elements as i64), begun);
}

/// The rail of something that was begun and is waited for.
pub fn take_begun(request: &Request) -> Option<Begun> {
    match request.call {
        Call::Wait => own().begun.lock().remove(&(request.group, request.rank, request.partner)),
        _ => None,
    }
}

/// The slots of this place, for the blocks of kernels of its devices.
pub fn of_blocks() -> Arc<dyn DeviceSlots> {
    Arc::new(PlaceBlocks(system()))
}

/// See [`of_blocks`]. The threads of devices belong to no place.
struct PlaceBlocks(&'static System);

impl BlockSlots for PlaceBlocks {
    fn post(&self, request: Request, then: Continuation) {
        let _place = self.0.enter();
        own().engine.post(&PlaceTransport, request, then);
    }

    fn add_source(&self, source: Weak<dyn RequestSource>) {
        let _place = self.0.enter();
        let mut sources = own().sources.lock();
        sources.retain(|it| it.strong_count() > 0);
        sources.push(source);
        own().has_sources.store(true, Ordering::Relaxed);
    }

    fn received(&self) -> Arc<AtomicU64> {
        let _place = self.0.enter();
        Arc::clone(&own().received)
    }

    fn parts(&self, place: i64) -> Vec<(i64, Part)> {
        let _place = self.0.enter();
        own().engine.block_parts(place)
    }

    fn neighbours(&self, group: i64) -> Vec<Part> {
        let _place = self.0.enter();
        own().engine.neighbours(group)
    }

    fn fail(&self, owner: usize, why: &str) {
        let _place = self.0.enter();
        own().engine.fail_slots_of(&PlaceTransport, owner, why);
    }

    fn fail_part(&self, group: i64, part: &Part, why: &str) {
        let _place = self.0.enter();
        own().engine.fail_part(&PlaceTransport, group, part, why);
    }

    fn end(&self, owner: usize) -> Result<(), Failure> {
        let _place = self.0.enter();
        own().engine.end_block(&PlaceTransport, owner)
    }
}

impl DeviceSlots for PlaceBlocks {
    fn device(&self, place: i64) -> Option<Arc<Device>> {
        let _place = self.0.enter();
        self.0.device(place).ok().cloned()
    }

    fn channels(&self) -> &PeerChannels {
        &self.0.state.slots.channels
    }
}

/// A block of a kernel has ended; `why` if by a failure. Its slots' groups fail then, and if it leaves
/// what it has begun.
///
/// # Errors
/// It has left something.
pub fn end_block(owner: usize, why: Option<&str>) -> Result<(), Failure> {
    if let Some(why) = why {
        own().engine.fail_slots_of(&PlaceTransport, owner, why);
    }
    own().engine.end_block(&PlaceTransport, owner)
}

/// Handles a message of another place.
pub(super) fn on_message(from: PlaceId, message: SlotMessage, payload: &[u8]) -> Result<(), Error> {
    if matches!(message, SlotMessage::Pull { .. }) {
        // Many bytes are sent back: not by a thread that receives messages.
        spawn_uncounted(move || {
            if let Err(expected) = own().engine.on_message(&PlaceTransport, from.0, message, &[]) {
                report!("apg: {from} has sent something else than {expected}");
            }
        });
        return Ok(());
    }
    let handled = own().engine.on_message(&PlaceTransport, from.0, message, payload);
    handled.map_err(|expected| Error::Malformed { expected, offset: 0 })
}
