//! `at` and `async at`: closures that run at other places, or on copies of their captured values at this one.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;

use super::engine::{Governor, Waiter};
use super::message::{self, about, outcome};
use super::remote::{self, Visitor};
use super::{FinishId, codec, here, system};
use crate::abi::{ExceptionKind, Outcome, Raised};
use crate::activity::clock::Luggage;
use crate::memory::Ref;
use crate::serialize::Error;
use crate::serialize::parts::Received;
use crate::serialize::read::Input;
use crate::serialize::write;

/// An `at` whose body runs elsewhere.
struct Call {
    waiter: Arc<dyn Waiter>,
    place: u32,
    /// What the governor of the activity that waits is, for a visit that counts.
    governor: Arc<dyn Governor>,
    reply: Mutex<Option<(Vec<u8>, Vec<Received>)>>,
}

static NEXT: AtomicU64 = AtomicU64::new(1);
static CALLS: Mutex<HashMap<u64, Arc<Call>, FxBuildHasher>> = Mutex::new(HashMap::with_hasher(FxBuildHasher));

/// Bytes of most messages.
const USUAL: usize = 128;

/// The host place that a closure for `place` is sent to, or the exception that says why it cannot run there.
pub fn host_place(place: i64) -> Outcome<u32> {
    let hosts = i64::from(system().hosts());
    if (0..hosts).contains(&place) {
        return Ok(place as u32);
    }
    let message = if system().topology().contains(place) {
        format!("Place({place}) is an accelerator: only a block marked @CUDA can run there")
    } else {
        format!("there is no Place({place})")
    };
    Err(Raised(system().engine().exception(ExceptionKind::BadPlace, &message)))
}

/// Runs a copy of `closure` at a place and waits.
pub fn at(place: i64, closure: Ref) -> Outcome<()> {
    let place = host_place(place)?;
    if place != here() {
        return call(place, closure, false).map(|_| ());
    }
    let copy = codec::copied(closure).map_err(Raised)?;
    match system().engine().call(copy) {
        Ref::NULL => Ok(()),
        exception => Err(Raised(exception)),
    }
}

/// Runs a copy of `closure`, whose result is a reference, at a place: a copy of the result.
pub fn at_value(place: i64, closure: Ref) -> Outcome<Ref> {
    let place = host_place(place)?;
    if place != here() {
        return call(place, closure, true);
    }
    let copy = codec::copied(closure).map_err(Raised)?;
    let result = system().engine().call_value(copy).map_err(Raised)?;
    codec::copied(result).map_err(Raised)
}

/// Starts a copy of `closure` at a place, governed by the caller's governor.
pub fn async_at(place: i64, closure: Ref) -> Outcome<()> {
    start(place, closure, system().engine().governor(), Luggage::default())
}

/// The same with clocks.
pub fn async_at_on_clocks(place: i64, closure: Ref, clocks: Luggage) -> Outcome<()> {
    start(place, closure, system().engine().governor(), clocks)
}

/// Starts a copy of `closure` at a place; nothing waits for it.
pub fn async_at_uncounted(place: i64, closure: Ref) -> Outcome<()> {
    start(place, closure, system().engine().uncounted(), Luggage::default())
}

fn start(place: i64, closure: Ref, governor: Arc<dyn Governor>, clocks: Luggage) -> Outcome<()> {
    let place = host_place(place)?;
    let engine = system().engine();
    if place == here() {
        let copy = crate::memory::Handle::new(codec::copied(closure).map_err(Raised)?);
        governor.enter();
        let work = Box::new(move || system().engine().call(copy.get()));
        engine.spawn_on_clocks(governor, clocks, work);
        return Ok(());
    }
    let mut body = Vec::with_capacity(USUAL);
    let finish = governor.identify(&governor);
    finish.encode(&mut body);
    clocks.encode(&mut body);
    let mut parts = Vec::new();
    codec::append(&mut body, &mut parts, closure).map_err(Raised)?;
    if finish != FinishId::NONE {
        governor.departed(&governor, place);
    }
    system().send_parts(place, message::SPAWN, &body, &parts);
    Ok(())
}

/// An activity has arrived.
pub(super) fn spawned(body: Vec<u8>, parts: Vec<Received>) -> Result<(), Error> {
    let mut input = Input::new(&body);
    let finish = FinishId::decode(&mut input)?;
    let clocks = Luggage::decode(&mut input)?;
    let rest = body.len() - input.remaining();
    let governor = remote::arrive(finish);
    let work = move || match codec::decode(&mut Input::with_parts(&body[rest..], &parts)) {
        Ok(closure) => {
            drop((body, parts));
            system().engine().call(closure)
        }
        Err(exception) => exception,
    };
    system().engine().spawn_on_clocks(governor, clocks, Box::new(work));
    Ok(())
}

fn call(place: u32, closure: Ref, value: bool) -> Outcome<Ref> {
    let engine = system().engine();
    let governor = engine.governor();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut body = Vec::with_capacity(USUAL);
    write::number(&mut body, number);
    governor.identify(&governor).encode(&mut body);
    let clocks = engine.clocks();
    let about = if value { about::VALUE } else { 0 } | if clocks.is_empty() { 0 } else { about::CLOCKS };
    write::number(&mut body, about);
    if !clocks.is_empty() {
        clocks.encode(&mut body);
    }
    let mut parts = Vec::new();
    codec::append(&mut body, &mut parts, closure).map_err(Raised)?;
    let call = Arc::new(Call { waiter: engine.waiter(), place, governor, reply: Mutex::new(None) });
    CALLS.lock().insert(number, Arc::clone(&call));
    system().send_parts(place, message::AT, &body, &parts);
    drop((body, parts));
    call.waiter.wait();
    let (reply, parts) = call.reply.lock().take().unwrap_or_default();
    read_reply(Input::with_parts(&reply, &parts))
        .unwrap_or_else(|error| Err(Raised(codec::exception(&error))))
}

fn read_reply(mut input: Input<'_>) -> Result<Outcome<Ref>, Error> {
    let how = input.number()?;
    if how & outcome::CLOCKS != 0 {
        // What it did on them elsewhere, it did.
        system().engine().set_clocks(Luggage::decode(&mut input)?.tickets);
    }
    match how & !(outcome::COUNTED | outcome::CLOCKS) {
        outcome::DONE => Ok(Ok(Ref::NULL)),
        outcome::VALUE => Ok(codec::decode(&mut input).map_err(Raised)),
        outcome::EXCEPTION => {
            let exception = codec::decode(&mut input).unwrap_or_else(|other| other);
            Ok(Err(Raised(exception)))
        }
        _ => input.malformed("how the body of an `at` ended"),
    }
}

/// The body of an `at` has arrived.
pub(super) fn called(from: u32, body: Vec<u8>, parts: Vec<Received>) -> Result<(), Error> {
    let mut input = Input::new(&body);
    let number = input.number()?;
    let finish = FinishId::decode(&mut input)?;
    let about = input.number()?;
    let value = about & about::VALUE != 0;
    let clocked = about & about::CLOCKS != 0;
    let clocks = if clocked { Luggage::decode(&mut input)? } else { Luggage::default() };
    let rest = body.len() - input.remaining();
    let visitor = Arc::new(Visitor::new(finish));
    let work = {
        let visitor = Arc::clone(&visitor);
        move || {
            let closure = codec::decode(&mut Input::with_parts(&body[rest..], &parts));
            drop((body, parts));
            let result = closure.and_then(|closure| {
                let engine = system().engine();
                if value {
                    return engine.call_value(closure);
                }
                match engine.call(closure) {
                    Ref::NULL => Ok(Ref::NULL),
                    exception => Err(exception),
                }
            });
            // The activity goes back with its clocks, one that it has made here too; and without one that it has left.
            let tickets = system().engine().take_clocks();
            let clocks = (clocked || !tickets.is_empty()).then_some(Luggage { tickets, implicit: None });
            answer(from, number, value, result, visitor.counts(), clocks);
            // Raised where the activity waits.
            Ref::NULL
        }
    };
    system().engine().spawn_on_clocks(visitor, clocks, Box::new(work));
    Ok(())
}

fn answer(
    to: u32,
    number: u64,
    value: bool,
    result: Result<Ref, Ref>,
    counted: bool,
    clocks: Option<Luggage>,
) {
    let (mut graph, mut parts) = (Vec::new(), Vec::new());
    let result = result.and_then(|object| match value {
        true => codec::append(&mut graph, &mut parts, object).map(|()| outcome::VALUE),
        false => Ok(outcome::DONE),
    });
    let how = result.unwrap_or_else(|exception| {
        parts.clear();
        graph = codec::encode_exception(exception);
        outcome::EXCEPTION
    });
    let mut reply = Vec::with_capacity(graph.len() + 32);
    write::number(&mut reply, number);
    let counted = if counted { outcome::COUNTED } else { 0 };
    write::number(&mut reply, how | counted | clocks.as_ref().map_or(0, |_| outcome::CLOCKS));
    if let Some(clocks) = clocks {
        clocks.encode(&mut reply);
    }
    reply.extend_from_slice(&graph);
    system().send_parts(to, message::REPLY, &reply, &parts);
}

/// The body of an `at` has ended.
pub(super) fn replied(mut body: Vec<u8>, parts: Vec<Received>) -> Result<(), Error> {
    let mut input = Input::new(&body);
    let number = input.number()?;
    let rest = body.len() - input.remaining();
    let counted = input.number()? & outcome::COUNTED != 0;
    let call = CALLS.lock().remove(&number);
    let Some(call) = call else {
        return input.malformed("the number of an `at` that waits");
    };
    if counted {
        // Before the activity goes on: it may be the last that keeps the finish from ending.
        call.governor.departed(&call.governor, call.place);
    }
    body.drain(..rest);
    *call.reply.lock() = Some((body, parts));
    call.waiter.wake();
    Ok(())
}
