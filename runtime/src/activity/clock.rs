//! Clocks: barriers that activities register on.
//!
//! A clock moves to its next phase when every registered activity has arrived, by `advance` or by `resume`.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;

use super::block::{Waker, block};

/// A clock.
#[derive(Default)]
pub struct Clock(Mutex<State>);

#[derive(Default)]
struct State {
    phase: i32,
    registered: usize,
    /// Registered activities that are done with this phase.
    arrived: usize,
    waiting: Vec<Waker>,
}

/// An activity's registration.
pub struct Registration {
    /// The clock's handle.
    pub handle: i64,
    clock: Arc<Clock>,
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
    let handle = table.last | i64::from(crate::distributed::here()) << 40;
    table.clocks.insert(handle, Arc::clone(&clock));
    Registration { handle, clock, phase: 1, resumed: false }
}

impl State {
    /// Moves on if everybody has arrived; who is to be woken then.
    fn move_on(&mut self) -> Vec<Waker> {
        if self.arrived < self.registered || self.registered == 0 {
            return Vec::new();
        }
        self.phase += 1;
        self.arrived = 0;
        std::mem::take(&mut self.waiting)
    }
}

impl Registration {
    /// A registration of a new activity, in the state of this one's.
    pub fn duplicate(&self) -> Registration {
        let mut state = self.clock.0.lock();
        state.registered += 1;
        if self.resumed && state.phase == self.phase {
            state.arrived += 1;
        }
        Registration {
            handle: self.handle,
            clock: Arc::clone(&self.clock),
            phase: self.phase,
            resumed: self.resumed,
        }
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
        let woken = {
            let mut state = self.clock.0.lock();
            state.arrived += 1;
            state.move_on()
        };
        woken.into_iter().for_each(Waker::wake);
    }

    /// What to wait for after [`Registration::resume`], to begin the next phase. Counts as begun.
    pub fn next_phase(&mut self) -> Pending {
        let pending = Pending { clock: Arc::clone(&self.clock), phase: self.phase };
        self.phase += 1;
        self.resumed = false;
        pending
    }

    /// Ends the registration.
    fn end(self) {
        let (woken, last) = {
            let mut state = self.clock.0.lock();
            state.registered -= 1;
            if self.resumed && state.phase == self.phase {
                state.arrived -= 1;
            }
            (state.move_on(), state.registered == 0)
        };
        if last {
            CLOCKS.lock().clocks.remove(&self.handle);
        }
        woken.into_iter().for_each(Waker::wake);
    }
}

/// The end of a phase, to be waited for.
pub struct Pending {
    clock: Arc<Clock>,
    phase: i32,
}

impl Pending {
    /// Waits until the clock has left the phase.
    pub fn wait(self) {
        if self.clock.0.lock().phase > self.phase {
            return;
        }
        block(move |waker| {
            let mut state = self.clock.0.lock();
            if state.phase > self.phase {
                drop(state);
                waker.wake();
            } else {
                state.waiting.push(waker);
            }
        });
    }
}

/// Ends an activity's registration on one clock, if it has one.
pub fn drop_one(clocks: &mut Vec<Registration>, handle: i64) -> bool {
    match clocks.iter().position(|registration| registration.handle == handle) {
        Some(index) => {
            clocks.swap_remove(index).end();
            true
        }
        None => false,
    }
}

/// Ends all registrations of an activity.
pub fn drop_all(clocks: &mut Vec<Registration>) {
    clocks.drain(..).for_each(Registration::end);
}
