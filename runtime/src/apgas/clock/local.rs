//! Clocks at their home places. A clock is a barrier on which activities register (X10 language specification
//! 2.6, "Clocks"; similar to the phasers of Java).
//!
//! A clock moves to its next phase when every registered activity has arrived, by `advance` or by `resume`.
//! Its home is the place that made it; activities of other places send their operations to that place
//! ([`crate::apgas::clock::remote`]).

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::apgas::cancellation;
use crate::apgas::system::system;
use crate::base::place::PlaceId;
use crate::base::sanitizer;
use crate::scheduler::park::{Waker, block};

/// A clock.
#[derive(Default)]
pub struct Clock(Mutex<State>);

#[derive(Default)]
struct State {
    phase: i32,
    registered: usize,
    /// Number of registered activities that have arrived in this phase. It may be negative for a moment:
    /// messages of an activity that has moved between places may overtake each other.
    arrived: isize,
    waiting: Vec<Waker>,
}

/// Location of a clock.
#[derive(Clone)]
enum ClockLocation {
    Here(Arc<Clock>),
    Elsewhere,
}

/// The state of a registration, without the activity: it can be copied and sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockRegistration {
    /// The clock's handle.
    pub handle: i64,
    /// The activity's phase.
    pub phase: i32,
    /// Whether the activity has arrived in its phase.
    pub resumed: bool,
}

/// The clock context of an activity that is sent to another place: its clocks, its nesting and its job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockContext {
    /// The registrations, which their clocks count already.
    pub registrations: Vec<ClockRegistration>,
    /// The clock of the innermost clocked finish, if there is one.
    pub implicit: Option<i64>,
    /// Number of bytes on the stacks of the activities that wait for this one.
    pub nesting: usize,
    /// The epoch of its job ([`crate::apgas::cancellation`]).
    pub epoch: u64,
}

impl ClockContext {
    /// Whether it has no clocks.
    pub fn is_empty(&self) -> bool {
        self.registrations.is_empty() && self.implicit.is_none()
    }
}

/// An activity's registration.
pub struct Registration {
    /// The clock's handle.
    pub handle: i64,
    location: ClockLocation,
    /// The activity's own phase: at most one behind the clock's.
    phase: i32,
    /// Whether the activity has arrived in its phase.
    resumed: bool,
}

/// The clocks of a place with registered activities.
#[derive(Default)]
pub(crate) struct ClockTable(Mutex<Table>);

#[derive(Default)]
struct Table {
    clocks: HashMap<i64, Arc<Clock>, FxBuildHasher>,
    last: i64,
}

fn table() -> &'static Mutex<Table> {
    &system().state.clocks.0
}

/// Makes a clock, and registers the calling activity on it.
pub fn make() -> Registration {
    let clock = Arc::new(Clock::default());
    *clock.0.lock() = State { phase: 1, registered: 1, ..State::default() };
    let mut table = table().lock();
    table.last += 1;
    let handle = table.last | i64::from(crate::base::place::here()) << HOME_SHIFT;
    table.clocks.insert(handle, Arc::clone(&clock));
    Registration { handle, location: ClockLocation::Here(clock), phase: 1, resumed: false }
}

/// Position of the home place in a handle.
const HOME_SHIFT: u32 = 40;

/// Home place of a clock.
pub fn home(handle: i64) -> PlaceId {
    PlaceId((handle >> HOME_SHIFT) as u32)
}

fn find(handle: i64) -> Option<Arc<Clock>> {
    table().lock().clocks.get(&handle).map(Arc::clone)
}

/// Registers a new activity with a copy of the state of another activity, which must still be registered. If
/// the clock is elsewhere, waits until its home place has counted the registration.
pub fn register(clock_registration: ClockRegistration) -> Registration {
    if home(clock_registration.handle) == crate::base::place::here() {
        count_in(clock_registration);
    } else {
        crate::apgas::clock::remote::register(clock_registration);
    }
    Registration::adopt(clock_registration)
}

/// Counts a new registration, at the clock's home place.
pub fn count_in(clock_registration: ClockRegistration) {
    let Some(clock) = find(clock_registration.handle) else { return };
    let mut state = clock.0.lock();
    state.registered += 1;
    if clock_registration.resumed && state.phase == clock_registration.phase {
        state.arrived += 1;
    }
}

/// Notes that a registered activity has arrived, at the clock's home place.
pub fn arrive(handle: i64) {
    if let Some(clock) = find(handle) {
        clock.arrive();
    }
}

/// Notes that a registration has ended, at the clock's home place.
pub fn count_out(clock_registration: ClockRegistration) {
    if let Some(clock) = find(clock_registration.handle) {
        clock.leave(clock_registration);
    }
}

/// Waits until a clock of this place has left a phase.
pub fn wait_here(handle: i64, phase: i32) {
    if let Some(clock) = find(handle) {
        Pending { handle, location: ClockLocation::Here(clock), phase }.wait();
    }
}

/// Wakes all activities that wait for the end of a phase, since the jobs of some are cancelled.
pub fn wake_all() {
    let clocks: Vec<_> = table().lock().clocks.values().cloned().collect();
    for clock in clocks {
        let waiting = std::mem::take(&mut clock.0.lock().waiting);
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl Clock {
    fn arrive(&self) {
        sanitizer::release(self);
        let woken = {
            let mut state = self.0.lock();
            state.arrived += 1;
            state.advance_if_complete()
        };
        woken.into_iter().for_each(Waker::wake);
    }

    fn leave(&self, clock_registration: ClockRegistration) {
        sanitizer::release(self);
        let (woken, last) = {
            let mut state = self.0.lock();
            // A malformed message may end a registration that does not exist.
            let Some(registered) = state.registered.checked_sub(1) else { return };
            state.registered = registered;
            if clock_registration.resumed && state.phase == clock_registration.phase {
                state.arrived -= 1;
            }
            (state.advance_if_complete(), state.registered == 0)
        };
        if last {
            table().lock().clocks.remove(&clock_registration.handle);
        }
        woken.into_iter().for_each(Waker::wake);
    }
}

impl State {
    /// Begins the next phase if all activities have arrived. Returns the activities to wake.
    fn advance_if_complete(&mut self) -> Vec<Waker> {
        if self.arrived < self.registered as isize || self.registered == 0 {
            return Vec::new();
        }
        self.phase = self.phase.wrapping_add(1);
        self.arrived = 0;
        std::mem::take(&mut self.waiting)
    }
}

impl Registration {
    /// Takes over a registration that its clock counts already.
    pub fn adopt(clock_registration: ClockRegistration) -> Registration {
        let ClockRegistration { handle, phase, resumed } = clock_registration;
        let clock = if home(handle) == crate::base::place::here() { find(handle) } else { None };
        Registration {
            handle,
            location: clock.map_or(ClockLocation::Elsewhere, ClockLocation::Here),
            phase,
            resumed,
        }
    }

    /// The state of this registration.
    pub fn clock_registration(&self) -> ClockRegistration {
        ClockRegistration { handle: self.handle, phase: self.phase, resumed: self.resumed }
    }

    /// The activity's phase, from 1.
    pub fn phase(&self) -> i32 {
        self.phase
    }

    /// Arrives without waiting.
    pub fn resume(&mut self) {
        if std::mem::replace(&mut self.resumed, true) {
            return;
        }
        match &self.location {
            ClockLocation::Here(clock) => clock.arrive(),
            ClockLocation::Elsewhere => crate::apgas::clock::remote::resume(self.handle),
        }
    }

    /// Moves to the next phase, after [`Registration::resume`]. The caller must wait for the returned end of
    /// the last phase.
    pub fn next_phase(&mut self) -> Pending {
        let pending = Pending { handle: self.handle, location: self.location.clone(), phase: self.phase };
        self.phase += 1;
        self.resumed = false;
        pending
    }

    /// Undoes [`Registration::next_phase`], since the activity was cancelled while it waited.
    pub fn return_to_last_phase(&mut self) {
        self.phase -= 1;
        self.resumed = true;
    }

    /// Ends the registration.
    fn end(self) {
        match &self.location {
            ClockLocation::Here(clock) => clock.leave(self.clock_registration()),
            ClockLocation::Elsewhere => crate::apgas::clock::remote::end(self.clock_registration()),
        }
    }
}

/// The end of a phase, for which an activity waits.
pub struct Pending {
    handle: i64,
    location: ClockLocation,
    phase: i32,
}

impl Pending {
    /// Waits until the clock has left the phase. False if the caller's job is cancelled before that.
    pub fn wait(self) -> bool {
        let (phase, clock) = match self.location {
            ClockLocation::Here(clock) => (self.phase, clock),
            // No check for a cancellation: other activities of the job leave the clock, so the phase ends.
            ClockLocation::Elsewhere => {
                crate::apgas::clock::remote::wait(self.handle, self.phase);
                return true;
            }
        };
        let mut epoch = None;
        while clock.0.lock().phase <= phase {
            let epoch = *epoch.get_or_insert_with(cancellation::activity_epoch);
            if cancellation::is_past(epoch) {
                return false;
            }
            let same = Arc::clone(&clock);
            block(move |waker| {
                let mut state = same.0.lock();
                // Under the lock, so that a later cancellation finds the waker in the list.
                if state.phase > phase || cancellation::is_past(epoch) {
                    drop(state);
                    waker.wake();
                } else {
                    state.waiting.push(waker);
                }
            });
        }
        sanitizer::acquire(Arc::as_ptr(&clock));
        true
    }
}

/// The clocks that an activity is registered on; a null pointer if there are none, which generated code
/// tests.
#[derive(Default)]
#[repr(transparent)]
#[allow(clippy::box_collection, reason = "one word, for generated code")]
pub struct Clocks(Option<Box<Vec<Registration>>>);

impl std::ops::Deref for Clocks {
    type Target = [Registration];

    fn deref(&self) -> &[Registration] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }
}

impl std::ops::DerefMut for Clocks {
    fn deref_mut(&mut self) -> &mut [Registration] {
        self.0.as_deref_mut().map_or(&mut [], Vec::as_mut_slice)
    }
}

impl From<Vec<Registration>> for Clocks {
    fn from(all: Vec<Registration>) -> Clocks {
        Clocks((!all.is_empty()).then(|| Box::new(all)))
    }
}

impl Clocks {
    /// Adds a registration.
    pub fn push(&mut self, registration: Registration) {
        self.0.get_or_insert_default().push(registration);
    }

    /// Removes and returns all registrations.
    pub fn take(&mut self) -> Vec<Registration> {
        self.0.take().map_or_else(Vec::new, |all| *all)
    }

    /// Ends the registration on one clock, if there is one.
    pub fn drop_one(&mut self, handle: i64) -> bool {
        let mut all = self.take();
        let found = all.iter().position(|registration| registration.handle == handle);
        if let Some(index) = found {
            all.swap_remove(index).end();
        }
        *self = all.into();
        found.is_some()
    }
}

/// Ends all registrations of an activity.
pub fn drop_all(clocks: &mut Vec<Registration>) {
    clocks.drain(..).for_each(Registration::end);
}
