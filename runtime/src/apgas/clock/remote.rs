//! Operations on clocks of other places, which are sent to the place of the clock.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::apgas::clock::{self, ClockRegistration};
use crate::apgas::engine::Waiter;
use crate::apgas::failure::Undelivered;
use crate::apgas::message::{ClockOperation, Message};
use crate::apgas::system::{spawn_uncounted, system};
use crate::base::place::PlaceId;

/// Pending requests by number: the place, and the waiting activity.
type Waiting = HashMap<u64, (PlaceId, Arc<dyn Waiter>)>;

/// Requests of a place that have not been answered.
#[derive(Default)]
pub(crate) struct ClockRequests {
    last: AtomicU64,
    waiting: Mutex<Waiting>,
}

fn send_operation(operation: ClockOperation, number: u64, clock_registration: ClockRegistration) {
    let message = Message::Clock { operation, number, registration: clock_registration };
    system().deliver(clock::home(clock_registration.handle), &message, Undelivered::Clock);
}

/// Sends an operation, and waits for the answer.
fn request(operation: ClockOperation, clock_registration: ClockRegistration) {
    let requests = &system().state.clock_requests;
    let number = requests.last.fetch_add(1, Ordering::Relaxed) + 1;
    let waiter = system().engine().waiter();
    let waiting = (clock::home(clock_registration.handle), Arc::clone(&waiter));
    requests.waiting.lock().insert(number, waiting);
    send_operation(operation, number, clock_registration);
    waiter.wait();
}

/// Registers a new activity on a clock of another place.
pub(crate) fn register(clock_registration: ClockRegistration) {
    request(ClockOperation::Register, clock_registration);
}

/// Waits until a clock of another place has left a phase.
pub(crate) fn wait(handle: i64, phase: i32) {
    request(ClockOperation::Wait, ClockRegistration { handle, phase, resumed: false });
}

/// An activity here has arrived at a clock of another place.
pub(crate) fn resume(handle: i64) {
    send_operation(ClockOperation::Resume, 0, ClockRegistration { handle, phase: 0, resumed: true });
}

/// A registration here on a clock of another place has ended.
pub(crate) fn end(clock_registration: ClockRegistration) {
    send_operation(ClockOperation::End, 0, clock_registration);
}

/// Executes an operation of another place on a clock of this place.
pub(crate) fn on_operation(
    from: PlaceId,
    operation: ClockOperation,
    number: u64,
    clock_registration: ClockRegistration,
) {
    match operation {
        ClockOperation::Register => {
            clock::count_in(clock_registration);
            answer(from, number);
        }
        ClockOperation::Wait => spawn_uncounted(move || {
            clock::wait_here(clock_registration.handle, clock_registration.phase);
            answer(from, number);
        }),
        ClockOperation::Resume => clock::arrive(clock_registration.handle),
        ClockOperation::End => clock::count_out(clock_registration),
    }
}

fn answer(to: PlaceId, number: u64) {
    system().deliver(to, &Message::ClockDone(number), Undelivered::Clock);
}

/// The answer to [`request`]; false if nothing waits for one of that place.
pub(crate) fn on_answer(from: PlaceId, number: u64) -> bool {
    let waiter = {
        let mut waiting = system().state.clock_requests.waiting.lock();
        let requested = waiting.get(&number).is_some_and(|(place, _)| *place == from);
        if requested { waiting.remove(&number) } else { None }
    };
    waiter.map(|(_, waiter)| waiter.wake()).is_some()
}
