//! Clocks of other places: what an activity here does on them is told to the place where they live.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::engine::Waiter;
use super::{message, system};
use crate::activity::clock::{self, Luggage, Ticket};
use crate::memory::Ref;
use crate::serialize::Error;
use crate::serialize::read::Input;
use crate::serialize::write;

/// What is told. The first two are answered.
mod operation {
    /// A new activity is registered.
    pub const REGISTER: u64 = 0;
    /// An activity waits for the end of a phase.
    pub const WAIT: u64 = 1;
    /// An activity has arrived.
    pub const RESUME: u64 = 2;
    /// A registration has ended.
    pub const END: u64 = 3;
}

static NEXT: AtomicU64 = AtomicU64::new(1);
static WAITING: Mutex<Option<HashMap<u64, Arc<dyn Waiter>>>> = Mutex::new(None);

fn tell(operation: u64, number: u64, ticket: Ticket) {
    let mut body = Vec::new();
    write::number(&mut body, operation);
    write::number(&mut body, number);
    ticket.encode(&mut body);
    system().send(clock::home(ticket.handle), message::CLOCK, &body);
}

/// Tells, and waits for the answer.
fn ask(operation: u64, ticket: Ticket) {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let waiter = system().engine().waiter();
    WAITING.lock().get_or_insert_default().insert(number, Arc::clone(&waiter));
    tell(operation, number, ticket);
    waiter.wait();
}

/// Registers a new activity on a clock of another place.
pub(crate) fn register(ticket: Ticket) {
    ask(operation::REGISTER, ticket);
}

/// Waits until a clock of another place has left a phase.
pub(crate) fn wait(handle: i64, phase: i32) {
    ask(operation::WAIT, Ticket { handle, phase, resumed: false });
}

/// An activity here has arrived at a clock of another place.
pub(crate) fn resume(handle: i64) {
    tell(operation::RESUME, 0, Ticket { handle, phase: 0, resumed: true });
}

/// A registration here on a clock of another place has ended.
pub(crate) fn end(ticket: Ticket) {
    tell(operation::END, 0, ticket);
}

/// Another place tells what an activity there does on a clock of this place.
pub(super) fn told(from: u32, body: &[u8]) -> Result<(), Error> {
    let mut input = Input::new(body);
    let (what, number) = (input.number()?, input.number()?);
    let ticket = Ticket::decode(&mut input)?;
    input.end()?;
    match what {
        operation::REGISTER => {
            clock::count_in(ticket);
            answer(from, number);
        }
        operation::WAIT => {
            let governor = system().engine().uncounted();
            governor.enter();
            let work = move || {
                clock::wait_here(ticket.handle, ticket.phase);
                answer(from, number);
                Ref::NULL
            };
            system().engine().spawn(governor, Box::new(work));
        }
        operation::RESUME => clock::arrive(ticket.handle),
        operation::END => clock::count_out(ticket),
        _ => return input.malformed("an operation on a clock"),
    }
    Ok(())
}

fn answer(to: u32, number: u64) {
    let mut body = Vec::new();
    write::number(&mut body, number);
    system().send(to, message::CLOCK_DONE, &body);
}

/// The answer to [`ask`].
pub(super) fn answered(body: &[u8]) -> Result<(), Error> {
    let mut input = Input::new(body);
    let number = input.number()?;
    let waiter = WAITING.lock().get_or_insert_default().remove(&number);
    match waiter {
        Some(waiter) => waiter.wake(),
        None => return input.malformed("the number of an activity that waits for a clock"),
    }
    Ok(())
}

impl Luggage {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        write::number(out, self.tickets.len() as u64);
        self.tickets.iter().for_each(|ticket| ticket.encode(out));
        write::signed(out, self.implicit.unwrap_or(0));
        write::number(out, self.nesting as u64);
    }

    pub(super) fn decode(input: &mut Input<'_>) -> Result<Luggage, Error> {
        let mut tickets = Vec::new();
        for _ in 0..input.number()? {
            tickets.push(Ticket::decode(input)?);
        }
        let implicit = Some(input.signed()?).filter(|handle| *handle != 0);
        // However deep it says to be, it may wait no more.
        let nesting = input.number()?.min(1 << 40) as usize;
        Ok(Luggage { tickets, implicit, nesting })
    }
}

impl Ticket {
    fn encode(self, out: &mut Vec<u8>) {
        write::signed(out, self.handle);
        write::signed(out, i64::from(self.phase));
        write::number(out, u64::from(self.resumed));
    }

    fn decode(input: &mut Input<'_>) -> Result<Ticket, Error> {
        let handle = input.signed()?;
        let Ok(phase) = i32::try_from(input.signed()?) else { return input.malformed("a phase of a clock") };
        Ok(Ticket { handle, phase, resumed: input.number()? != 0 })
    }
}
