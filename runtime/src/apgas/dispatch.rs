//! Dispatch of messages from other places to their handlers.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use crate::apgas::at::invoke;
use crate::apgas::at::rpc::CallTable;
use crate::apgas::clock::remote;
use crate::apgas::deadlock::message_counts::MessageCounts;
use crate::apgas::deadlock::quiescence;
use crate::apgas::distributed_gc::collector;
use crate::apgas::failure::{Cause, DeadPlacePolicy, Undelivered};
use crate::apgas::finish::root;
use crate::apgas::message::codec::AtMessage;
use crate::apgas::message::validate::Route;
use crate::apgas::message::{FinishDelta, Message};
use crate::apgas::system::{self, System, run_in_thread};
use crate::apgas::{marshal, rail_copy, slot_waits, slots, team};
use crate::base::ending::Ending;
use crate::base::place::{self, PlaceId, here};
use crate::heap::Handle;
use crate::heap::global_refs::apply;
use crate::net::device_memory::DeviceMemory;
use crate::net::endpoint::{Endpoint, PutTarget, Receiver};
use crate::serialize::Error;
use crate::serialize::out_of_band::Received;
use crate::serialize::read::Input;
use crate::topology::Selection;

/// Handles what arrives from other places.
pub struct Dispatcher(pub &'static System);

/// Makes this process a place. Returns when all places know each other.
///
/// # Errors
/// It is a place already, an accelerator that was selected is missing, or a thread cannot start.
pub(crate) fn start(
    endpoint: Arc<dyn Endpoint>,
    selection: Selection,
    ending: &'static Ending,
) -> Result<&'static System, String> {
    system::start(endpoint, selection, ending, dispatcher)
}

/// Makes one of several places of this process, for which a thread works after [`System::enter`].
///
/// # Errors
/// A thread cannot start.
pub fn start_one_of_several(
    endpoint: Arc<dyn Endpoint>,
    policy: Box<dyn DeadPlacePolicy>,
) -> Result<&'static System, String> {
    start_of_program(endpoint, policy, Box::leak(Box::new(Ending::new())))
}

/// The same of a program that ends by `ending`.
pub(crate) fn start_of_program(
    endpoint: Arc<dyn Endpoint>,
    policy: Box<dyn DeadPlacePolicy>,
    ending: &'static Ending,
) -> Result<&'static System, String> {
    let place = System::new(endpoint, Selection::None, policy, ending);
    place.open(dispatcher(place))?;
    Ok(place)
}

/// What handles the messages of a place.
fn dispatcher(place: &'static System) -> Arc<dyn Receiver> {
    let _place = place.enter();
    collector::register();
    Arc::new(Dispatcher(place))
}

/// An error about the whole of a message.
fn expected<T>(what: &'static str) -> Result<T, Error> {
    Err(Error::Malformed { expected: what, offset: 0 })
}

impl Dispatcher {
    fn dispatch(&self, from: PlaceId, body: Cow<'_, [u8]>, parts: Vec<Received>) -> Result<(), Error> {
        let route = Route { from, here: here(), hosts: self.0.hosts() };
        match AtMessage::decode(&body)? {
            Some((AtMessage::Visit(visit), payload)) => {
                route.check_visit(&visit)?;
                let graph = body.len() - payload.len();
                invoke::on_at(from, visit, body, graph, parts);
            }
            Some((AtMessage::Reply(reply), payload)) => {
                route.check_reply(&reply)?;
                if !place::part::<CallTable>().on_answer(from, reply, payload, parts) {
                    return expected("the number of an `at` at the sender that waits");
                }
            }
            None => {
                let (message, payload) = Message::decode(&body)?;
                route.check(&message, payload.len(), parts.len())?;
                let (counts, graph) = (!message.is_control(), body.len() - payload.len());
                self.dispatch_rest(from, message, body, graph, parts)?;
                if !counts {
                    return Ok(());
                }
            }
        }
        place::part::<MessageCounts>().count_received();
        Ok(())
    }

    fn dispatch_rest(
        &self,
        from: PlaceId,
        message: Message,
        body: Cow<'_, [u8]>,
        graph: usize,
        parts: Vec<Received>,
    ) -> Result<(), Error> {
        let system = self.0;
        match message {
            Message::Spawn { finish, clocks } => {
                invoke::on_spawn(finish, clocks, body.into_owned(), graph, parts)?;
            }
            // Dispatched by the caller.
            Message::At(_) | Message::AtReply(_) => {}
            Message::FinishReport(report) => self.on_finish_report(report)?,
            Message::Get(transfer) => rail_copy::requested(from, transfer),
            Message::PutDone { number, error } => rail_copy::put_done(from, number, error)?,
            Message::Accelerators(own) => system.accelerators_reported(from, own),
            Message::Topology(topology) => system.set_topology(topology),
            Message::ProgramEnd(code) => system.on_program_end(from, code),
            Message::Team(step) => team::arrived((step, from), &body[graph..])?,
            Message::TopologyRequest => system.request_topology(),
            Message::AcceleratorsRequest => run_in_thread("apg-topology", move || {
                let own = Message::Accelerators(system.own().to_vec());
                system.deliver(from, &own, Undelivered::Topology);
            }),
            Message::Clock { operation, number, registration } => {
                remote::on_operation(from, operation, number, registration)
            }
            Message::ClockDone(number) => {
                if !remote::on_answer(from, number) {
                    return expected("the number of an activity that waits for a clock of the sender");
                }
            }
            Message::QuiescenceRequest(number) => quiescence::state_requested(from, number),
            Message::QuiescenceReport { number, state } => quiescence::state_received(from, number, state),
            Message::WaitReportRequest => quiescence::report_requested(from),
            Message::WaitReportDone => quiescence::report_printed(from),
            Message::WeightChanges(changes) => apply(&changes),
            Message::CollectionRequest(round) => collector::on_request(from, round),
            Message::CollectionDone(round) => collector::on_answer(from, round),
            Message::SlotWaits(message) => slot_waits::on_message(from, message),
            Message::Slots(message) => slots::on_message(from, message, &body[graph..])?,
        }
        Ok(())
    }

    fn on_finish_report(&self, report: FinishDelta) -> Result<(), Error> {
        const UNKNOWN: &str = "the number of a finish that waits";
        let Some(scope) = root::find(report.finish) else { return expected(UNKNOWN) };
        for exception in report.exceptions {
            scope.enter();
            let work = move || marshal::decode_exception(&mut Input::new(&exception));
            self.0.engine().spawn(Arc::clone(&scope), Box::new(work));
        }
        if root::report(report.finish, &report.deltas) { Ok(()) } else { expected(UNKNOWN) }
    }
}

impl Receiver for Dispatcher {
    fn message(&self, from: PlaceId, body: Cow<'_, [u8]>, parts: Vec<Received>) -> Result<(), Error> {
        let _place = self.0.enter();
        self.dispatch(from, body, parts)
    }

    fn begin_part(&self, ty: u64, length: u64, bytes: u64) -> Option<(PutTarget, Handle)> {
        let _place = self.0.enter();
        self.0.allocate_part(ty, length, bytes)
    }

    fn begin_put(&self, from: PlaceId, header: &[u8], length: u64) -> Result<Option<PutTarget>, Error> {
        let _place = self.0.enter();
        rail_copy::begin_put(from, header, length)
    }

    fn begin_device_put(
        &self,
        from: PlaceId,
        header: &[u8],
        length: u64,
    ) -> Result<Option<DeviceMemory>, Error> {
        let _place = self.0.enter();
        rail_copy::begin_device_put(from, header, length)
    }

    fn end_put(&self, from: PlaceId, header: Vec<u8>, accepted: bool) -> Result<(), Error> {
        let _place = self.0.enter();
        rail_copy::end_put(from, &header, accepted)?;
        place::part::<MessageCounts>().count_received();
        Ok(())
    }

    fn abandon_put(&self, from: PlaceId, header: &[u8]) {
        let _place = self.0.enter();
        rail_copy::abandon_put(from, header);
    }

    fn peer_down(&self, place: PlaceId, error: Option<io::Error>) {
        let _place = self.0.enter();
        self.0.on_dead_place(place, Cause::Disconnected(error));
    }
}
