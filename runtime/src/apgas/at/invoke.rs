//! `at` and `async at`: closures that run at other places, or on copies of their captured values at this one.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use crate::apgas::at::rpc;
use crate::apgas::at::rpc::{Answer, PendingCall};
use crate::apgas::cancellation::{self, NO_JOB};
use crate::apgas::clock::ClockContext;
use crate::apgas::engine::FinishScope;
use crate::apgas::failure::Undelivered;
use crate::apgas::finish::id::FinishId;
use crate::apgas::finish::proxy;
use crate::apgas::finish::proxy::RemoteAtScope;
use crate::apgas::marshal;
use crate::apgas::marshal::Decoded;
use crate::apgas::message;
use crate::apgas::message::{Message, Reply, Visit};
use crate::apgas::system::{spawn_uncounted, system};
use crate::base::place::{PlaceId, here};
use crate::base::sanitizer;
use crate::heap;
use crate::heap::{Handle, Ref};
use crate::layout::{ExceptionKind, Outcome, Raised};
use crate::scheduler::{self, PollGuard, stack_depth};
use crate::serialize::Error;
use crate::serialize::out_of_band::{Part, Received};
use crate::serialize::read::Input;

/// Bytes of stack that an activity counts as having, on the stacks of the activities that wait for it, unless
/// it sends more: endless recursion from place to place is thus detected.
const DEFAULT_NESTING: usize = 8 << 10;

/// Initial capacity of a message.
const DEFAULT_MESSAGE_CAPACITY: usize = 128;

/// The host place that a closure for `place` is sent to, or the exception that says why it cannot run there.
pub fn host_place(place: i64) -> Outcome<PlaceId> {
    let hosts = i64::from(system().hosts());
    if (0..hosts).contains(&place) {
        return Ok(PlaceId(place as u32));
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
    let copy = marshal::copied(closure).map_err(Raised)?;
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
    let copy = marshal::copied(closure).map_err(Raised)?;
    let result = system().engine().call_value(copy).map_err(Raised)?;
    marshal::copied(result).map_err(Raised)
}

/// Starts a copy of `closure` at a place, governed by the caller's scope.
pub fn async_at(place: i64, closure: Ref) -> Outcome<()> {
    let epoch = cancellation::activity_epoch();
    let clock_context =
        ClockContext { nesting: stack_depth::depth_of_started(), epoch, ..ClockContext::default() };
    start(place, closure, system().engine().scope(), clock_context)
}

/// The same with clocks.
pub fn async_at_on_clocks(place: i64, closure: Ref, clocks: ClockContext) -> Outcome<()> {
    start(place, closure, system().engine().scope(), clocks)
}

/// Starts a copy of `closure` at a place; nothing waits for it.
pub fn async_at_uncounted(place: i64, closure: Ref) -> Outcome<()> {
    let clock_context = ClockContext { epoch: cancellation::activity_epoch(), ..ClockContext::default() };
    start(place, closure, system().engine().uncounted(), clock_context)
}

fn start(place: i64, closure: Ref, scope: Arc<dyn FinishScope>, clocks: ClockContext) -> Outcome<()> {
    let place = host_place(place)?;
    let engine = system().engine();
    if place == here() {
        let copy = Handle::new(marshal::copied(closure).map_err(Raised)?);
        scope.enter();
        let work = Box::new(move || system().engine().call(copy.get()));
        engine.spawn_on_clocks(scope, clocks, work);
        return Ok(());
    }
    let mut body = Vec::with_capacity(DEFAULT_MESSAGE_CAPACITY);
    let finish = scope.global_id(&scope);
    Message::Spawn { finish, clocks }.encode(&mut body);
    let mut parts = Vec::new();
    marshal::append(&mut body, &mut parts, closure).map_err(Raised)?;
    if finish != FinishId::NONE {
        scope.on_remote_spawn(&scope, place);
    }
    let sent = system().send_encoded(place, &body, &parts);
    sent.unwrap_or_else(|ended| system().undelivered(ended, Undelivered::Activity(finish)));
    Ok(())
}

/// An activity has arrived, whose closure's graph begins at byte `graph` of `body`.
pub(crate) fn on_spawn(
    finish: FinishId,
    clocks: ClockContext,
    body: Vec<u8>,
    graph: usize,
    parts: Vec<Received>,
) -> Result<(), Error> {
    let Some(scope) = proxy::arrive(finish) else {
        return Err(Error::Malformed { expected: "the number of a finish that waits", offset: 0 });
    };
    let work = move || match marshal::decode_body(&mut Input::with_parts(&body[graph..], &parts), false) {
        Ok(closure) => {
            drop((body, parts));
            system().engine().call(closure)
        }
        Err(exception) => exception,
    };
    system().engine().spawn_on_clocks(scope, clocks, Box::new(work));
    Ok(())
}

fn call(place: PlaceId, closure: Ref, value: bool) -> Outcome<Ref> {
    let engine = system().engine();
    let mut waiting = PendingCall::begin();
    let number = waiting.number();
    let clocks = engine.clocks();
    let has_context = !clocks.is_empty() || clocks.nesting > DEFAULT_NESTING || clocks.epoch != NO_JOB;
    let answer = waiting.send(place, |body| {
        let clocks = has_context.then_some(clocks);
        Message::At(Visit { number, finish: engine.finish_id(), value, clocks }).encode(body);
        let mut parts = Vec::new();
        marshal::append(body, &mut parts, closure).map_err(Raised)?;
        Ok(ask(place, body, &parts))
    })?;
    read_reply(answer, place)
}

/// Sends the body of an `at`. If there is no other work here, the caller's thread polls for the answer
/// itself, and the other place knows that it need not wake a thread.
fn ask(place: PlaceId, body: &[u8], parts: &[Part]) -> Option<PollGuard> {
    if parts.is_empty()
        && let Some(mut guard) = scheduler::begin_polling()
    {
        match system().send_request(place, body) {
            Ok(true) => guard.promise_to(place),
            Ok(false) => {}
            Err(ended) => system().undelivered(ended, Undelivered::Body),
        }
        return Some(guard);
    }
    let sent = system().send_encoded(place, body, parts);
    sent.unwrap_or_else(|ended| system().undelivered(ended, Undelivered::Body));
    None
}

fn read_reply(answer: &mut Answer, place: PlaceId) -> Outcome<Ref> {
    if answer.reply.counted {
        // Before the activity continues: it may be the last activity of the finish.
        let scope = system().engine().scope();
        scope.on_remote_spawn(&scope, place);
    }
    if let Some(clocks) = answer.reply.clocks.take() {
        // Its registrations changed at the other place.
        system().engine().set_clocks(clocks.registrations);
    }
    let mut input = Input::with_parts(&answer.bytes, &answer.parts);
    match answer.reply.outcome {
        message::Outcome::Done => Ok(Ref::NULL),
        message::Outcome::Value => marshal::decode(&mut input).map_err(Raised),
        message::Outcome::Exception => {
            let exception = marshal::decode_exception(&mut input);
            crate::program::append_sender_frames(exception);
            Err(Raised(exception))
        }
    }
}

/// An `at` of another place.
#[derive(Clone, Copy)]
struct Caller {
    /// Where it waits.
    place: PlaceId,
    /// The number of the call there.
    number: u64,
    /// The body has a value.
    value: bool,
}

/// The body of an `at` has arrived, whose closure's graph begins at byte `graph` of `body`.
pub(crate) fn on_at(from: PlaceId, visit: Visit, body: Cow<'_, [u8]>, graph: usize, parts: Vec<Received>) {
    let Visit { number, finish, value, clocks } = visit;
    let caller = Caller { place: from, number, value };
    let clocks =
        clocks.unwrap_or_else(|| ClockContext { nesting: DEFAULT_NESTING, ..ClockContext::default() });
    let is_plain = clocks.is_empty() && clocks.epoch == NO_JOB && parts.is_empty();
    let inline = is_plain && can_run_inline(&body[graph..], value);
    let visit = |decode| start_visit(caller, finish, clocks, decode);
    if inline {
        match marshal::begin_to_decode(&mut Input::new(&body[graph..])) {
            Ok(Decoded::Whole(closure)) => return caller.run_inline(closure),
            Ok(Decoded::Pending(rest)) => return visit(Box::new(move || rest.run())),
            // An activity can wait for memory, and raises an exception if there is none.
            Err(_) => {}
        }
    }
    let body = body.into_owned();
    visit(Box::new(move || marshal::decode(&mut Input::with_parts(&body[graph..], &parts))));
}

/// Maximum size of the graph of a body that runs in the message handler, and of its result: larger graphs
/// take too long.
const MAX_INLINE_GRAPH_SIZE: usize = 4096;

/// Whether a graph is that of a closure that can be on_at and ends soon, and the caller is a thread that has
/// nothing else to do.
fn can_run_inline(graph: &[u8], value: bool) -> bool {
    graph.len() <= MAX_INLINE_GRAPH_SIZE
        && scheduler::handles_messages()
        && heap::has_room_at_once()
        && !crate::profile::on()
        && !sanitizer::watches_threads()
        && marshal::root_type(graph).is_some_and(|ty| ty.brief == 1 && ty.is_body(value))
}

/// Decodes the closure.
type Decode = Box<dyn FnOnce() -> Result<Ref, Ref> + Send>;

/// Starts an activity that runs the body and answers.
fn start_visit(caller: Caller, finish: FinishId, clocks: ClockContext, decode: Decode) {
    let visitor = Arc::new(RemoteAtScope::new(finish));
    let (clocked, own) = (!clocks.is_empty(), Arc::clone(&visitor));
    let work = move || {
        let may_run = cancellation::check().map_err(|raised| raised.0);
        let body = may_run.and_then(|()| decode());
        let body = body.and_then(|closure| marshal::check_body(closure, caller.value).map(|()| closure));
        let result = body.and_then(|closure| caller.run(closure));
        // The answer has the activity's clocks, including those made here, without those it has left.
        let registrations = system().engine().take_clocks();
        let clocks = (clocked || !registrations.is_empty())
            .then_some(ClockContext { registrations, ..ClockContext::default() });
        caller.answer(result, own.counts(), clocks);
        // Raised where the activity waits.
        Ref::NULL
    };
    system().engine().spawn_on_clocks(visitor, clocks, Box::new(work));
}

impl Caller {
    /// Runs the body: its value or null, or the exception.
    fn run(self, closure: Ref) -> Result<Ref, Ref> {
        let engine = system().engine();
        if self.value {
            return engine.call_value(closure);
        }
        match engine.call(closure) {
            Ref::NULL => Ok(Ref::NULL),
            exception => Err(exception),
        }
    }

    /// Runs a body of bounded cost in the message handler, and answers; an activity answers if that may take
    /// longer.
    fn run_inline(self, closure: Ref) {
        let (mut graph, mut parts) = (Vec::new(), Vec::new());
        match self.run(closure) {
            Ok(object)
                if !self.value
                    || marshal::append_if_fast(&mut graph, &mut parts, object, MAX_INLINE_GRAPH_SIZE) =>
            {
                let how = if self.value { message::Outcome::Value } else { message::Outcome::Done };
                if parts.is_empty() {
                    self.send(Reply { outcome: how, ..Reply::default() }, &graph, &parts);
                } else {
                    spawn_uncounted(move || {
                        self.send(Reply { outcome: how, ..Reply::default() }, &graph, &parts)
                    });
                }
            }
            result => {
                let result = result.map(Handle::new).map_err(Handle::new);
                let get = |handle: &Handle| handle.get();
                spawn_uncounted(move || self.answer(result.as_ref().map(get).map_err(get), false, None));
            }
        }
    }

    fn answer(self, result: Result<Ref, Ref>, counted: bool, clocks: Option<ClockContext>) {
        let (mut graph, mut parts) = (Vec::new(), Vec::new());
        let result = result.and_then(|object| match self.value {
            true => marshal::append(&mut graph, &mut parts, object).map(|()| message::Outcome::Value),
            false => Ok(message::Outcome::Done),
        });
        let outcome = result.unwrap_or_else(|exception| {
            parts.clear();
            graph = marshal::encode_exception(exception);
            message::Outcome::Exception
        });
        self.send(Reply { outcome, counted, clocks, ..Reply::default() }, &graph, &parts);
    }

    /// Sends a reply under the number of the call.
    ///
    /// Not inlined: an activity may have moved to another thread meanwhile.
    #[inline(never)]
    fn send(self, reply: Reply, graph: &[u8], parts: &[Part]) {
        thread_local! {
            /// Reused buffer.
            static BODY: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
        }
        let mut body = BODY.take();
        body.clear();
        Message::AtReply(Reply { number: self.number, ..reply }).encode(&mut body);
        body.extend_from_slice(graph);
        let sent = system().send_encoded(self.place, &body, parts);
        sent.unwrap_or_else(|ended| system().undelivered(ended, Undelivered::Reply));
        if body.capacity() <= rpc::MAX_KEPT_CAPACITY {
            BODY.set(body);
        }
    }
}
