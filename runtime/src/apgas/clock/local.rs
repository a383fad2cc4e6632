//! A clock at its own place: a barrier that activities register on (X10 language specification 2.6,
//! "Clocks").
//!
//! A clock moves to its next phase when every registered activity has arrived, by `advance` or by `resume`.
//! It lives at the place that made it; activities of other places tell that place what they do
//! ([`crate::apgas::clock::remote`]).

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;

use crate::apgas::cancellation;
use crate::base::sanitizer;
use crate::scheduler::park::{Waker, block};

/// A clock.
#[derive(Default)]
pub struct Clock(Mutex<State>);

#[derive(Default)]
struct State {
    phase: i32,
    registered: usize,
    /// Registered activities that are done with this phase. Messages of an activity that went from place to
    /// place may overtake each other, so that it may be taken away before it was added.
    arrived: isize,
    waiting: Vec<Waker>,
}

/// Location of a clock.
#[derive(Clone)]
enum ClockLocation {
    Here(Arc<Clock>),
    Elsewhere,
}

/// The state of a registration, without the activity: enough to make another like it, or to send it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockRegistration {
    /// The clock's handle.
    pub handle: i64,
    /// The activity's phase.
    pub phase: i32,
    /// It has arrived, in its own phase.
    pub resumed: bool,
}

/// The clock context of an activity that is sent to another place: its clocks, its nesting and its job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClockContext {
    /// Its registrations, which their clocks count already.
    pub registrations: Vec<ClockRegistration>,
    /// The clock of the innermost clocked finish, if there is one.
    pub implicit: Option<i64>,
    /// Bytes on the stacks of the activities that wait for it.
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
    /// It has arrived, in its own phase.
    resumed: bool,
}

struct Table {
    clocks: HashMap<i64, Arc<Clock>, FxBuildHasher>,
    last: i64,
}

/// Clocks with registered activities.
static CLOCKS: Mutex<Table> = Mutex::new(Table { clocks: HashMap::with_hasher(FxBuildHasher), last: 0 });

/// A new clock, and the registration of the calling activity on it.
pub fn make() -> Registration {
    let clock = Arc::new(Clock::default());
    *clock.0.lock() = State { phase: 1, registered: 1, ..State::default() };
    let mut table = CLOCKS.lock();
    table.last += 1;
    let handle = table.last | i64::from(crate::base::place::here()) << HOME_SHIFT;
    table.clocks.insert(handle, Arc::clone(&clock));
    Registration { handle, location: ClockLocation::Here(clock), phase: 1, resumed: false }
}

/// A handle begins with the clock's place.
const HOME_SHIFT: u32 = 40;

/// The place of a clock.
pub fn home(handle: i64) -> u32 {
    (handle >> HOME_SHIFT) as u32
}

fn find(handle: i64) -> Option<Arc<Clock>> {
    CLOCKS.lock().clocks.get(&handle).map(Arc::clone)
}

/// Registers a new activity in that state. The activity that the state is of must still be registered.
/// Waits if the clock is elsewhere: its place must know before anything else happens.
pub fn register(clock_registration: ClockRegistration) -> Registration {
    if home(clock_registration.handle) == crate::base::place::here() {
        count_in(clock_registration);
    } else {
        crate::apgas::clock::remote::register(clock_registration);
    }
    Registration::adopt(clock_registration)
}

/// One more is registered, at the clock's own place.
pub fn count_in(clock_registration: ClockRegistration) {
    let Some(clock) = find(clock_registration.handle) else { return };
    let mut state = clock.0.lock();
    state.registered += 1;
    if clock_registration.resumed && state.phase == clock_registration.phase {
        state.arrived += 1;
    }
}

/// A registered activity has arrived, at the clock's own place.
pub fn arrive(handle: i64) {
    if let Some(clock) = find(handle) {
        clock.arrive();
    }
}

/// A registration has ended, at the clock's own place.
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

/// Wakes all that wait for the end of a phase: the jobs of some are cancelled.
pub fn wake_all() {
    let clocks: Vec<_> = CLOCKS.lock().clocks.values().cloned().collect();
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
            // Otherwise another place ends a registration that does not exist.
            let Some(registered) = state.registered.checked_sub(1) else { return };
            state.registered = registered;
            if clock_registration.resumed && state.phase == clock_registration.phase {
                state.arrived -= 1;
            }
            (state.advance_if_complete(), state.registered == 0)
        };
        if last {
            CLOCKS.lock().clocks.remove(&clock_registration.handle);
        }
        woken.into_iter().for_each(Waker::wake);
    }
}

impl State {
    /// Begins the next phase if all have arrived; the activities to wake then.
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

    /// As it is now.
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

    /// What to wait for after [`Registration::resume`], to begin the next phase. Counts as begun.
    pub fn next_phase(&mut self) -> Pending {
        let pending = Pending { handle: self.handle, location: self.location.clone(), phase: self.phase };
        self.phase += 1;
        self.resumed = false;
        pending
    }

    /// The next phase did not begin, since the activity is cancelled: it has arrived in the last one.
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

/// The end of a phase, to be waited for.
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
            // The others of the job leave the clock, which moves on.
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
                // Under the lock: the next cancellation finds it there.
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

/// The clocks that an activity is registered on. Null where there never were any, which generated code sees.
#[derive(Default)]
#[repr(transparent)]
// One word: what generated code looks at.
#[allow(clippy::box_collection)]
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
    /// One more.
    pub fn push(&mut self, registration: Registration) {
        self.0.get_or_insert_default().push(registration);
    }

    /// All of them, which it has no longer.
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
