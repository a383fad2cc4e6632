//! Dispatch of messages from other places to their handlers.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::apgas::at::{invoke, rpc};
use crate::apgas::clock::remote;
use crate::apgas::deadlock::{message_counts, quiescence};
use crate::apgas::distributed_gc::collector;
use crate::apgas::finish::root;
use crate::apgas::message::decode::{Message, Route};
use crate::apgas::message::kinds;
use crate::apgas::system::{self, System, run_in_thread};
use crate::apgas::{marshal, rail_copy, team};
use crate::base::place::{PlaceId, here};
use crate::base::sanitizer;
use crate::heap::Handle;
use crate::heap::global_refs::apply;
use crate::net::bootstrap::launcher;
use crate::net::endpoint::{Endpoint, PutTarget, Receiver};
use crate::serialize::Error;
use crate::serialize::out_of_band::Received;
use crate::serialize::read::Input;
use crate::topology::{Accelerator, Selection};

/// Handles what arrives from other places.
pub struct Dispatcher(pub &'static System);

/// Makes this process a place. Returns when all places know each other.
///
/// # Errors
/// It is a place already, an accelerator that was selected is missing, or a thread cannot start.
pub fn start(endpoint: Arc<dyn Endpoint>, selection: Selection) -> Result<&'static System, String> {
    collector::register();
    system::start(endpoint, selection, |system| Arc::new(Dispatcher(system)))
}

/// An error about the whole of a message.
fn expected<T>(what: &'static str) -> Result<T, Error> {
    Err(Error::Malformed { expected: what, offset: 0 })
}

fn answered(from: PlaceId, number: u64, answer: &[u8], parts: Vec<Received>) -> Result<(), Error> {
    if rpc::on_answer(from, number, answer, parts) {
        return Ok(());
    }
    expected("the number of an `at` at the sender that waits")
}

impl Dispatcher {
    fn dispatch(
        &self,
        from: PlaceId,
        kind: u8,
        body: Cow<'_, [u8]>,
        parts: Vec<Received>,
    ) -> Result<(), Error> {
        let route = Route { from, here: here(), hosts: self.0.hosts() };
        match kind {
            // The two messages of an `at`, whose time counts, have no need of the other variants' memory.
            kinds::AT => {
                let visit = route.visit(&body)?;
                invoke::on_at(from, visit, body, parts);
                Ok(())
            }
            kinds::AT_REPLY => {
                let (number, answer) = route.answer(&body)?;
                answered(from, number, &body[answer..], parts)
            }
            _ => self.dispatch_rest(route, kind, body, parts),
        }
    }

    fn dispatch_rest(
        &self,
        route: Route,
        kind: u8,
        body: Cow<'_, [u8]>,
        parts: Vec<Received>,
    ) -> Result<(), Error> {
        let (system, from) = (self.0, route.from);
        match Message::decode(route, kind, &body, parts.len())? {
            Message::Spawn { finish, clocks, graph } => {
                invoke::on_spawn(finish, clocks, body.into_owned(), graph, parts)?;
            }
            Message::At(visit) => invoke::on_at(from, visit, body, parts),
            Message::Reply { number, answer } => answered(from, number, &body[answer..], parts)?,
            Message::FinishReport(report) => self.on_finish_report(report)?,
            Message::Get(transfer) => rail_copy::requested(from, transfer),
            Message::PutDone { number, error } => rail_copy::put_done(from, number, error)?,
            Message::Accelerators(own) => system.accelerators_reported(from, own),
            Message::Topology(topology) => system.set_topology(topology),
            Message::End(code) => system.on_program_end(from, code),
            Message::Team { team, number, step, data } => {
                team::arrived((team, number, step, from), &body[data..])?;
            }
            Message::TopologyRequest => system.request_topology(),
            Message::AcceleratorsRequest => run_in_thread("apg-topology", move || {
                system.send(from, kinds::ACCELERATORS, &Accelerator::encode_all(system.own()));
            }),
            Message::Clock { operation, number, clock_registration } => {
                remote::on_operation(from, operation, number, clock_registration)
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
        }
        Ok(())
    }

    fn on_finish_report(&self, report: kinds::FinishDelta) -> Result<(), Error> {
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
    fn message(
        &self,
        from: PlaceId,
        kind: u8,
        body: Cow<'_, [u8]>,
        parts: Vec<Received>,
    ) -> Result<(), Error> {
        sanitizer::acquire(&raw const sanitizer::MESSAGES);
        self.dispatch(from, kind, body, parts)?;
        if !kinds::is_control(kind) {
            message_counts::count_received();
        }
        Ok(())
    }

    fn begin_part(&self, ty: u64, length: u64, bytes: u64) -> Option<(PutTarget, Handle)> {
        self.0.allocate_part(ty, length, bytes)
    }

    fn begin_put(
        &self,
        from: PlaceId,
        kind: u8,
        header: &[u8],
        length: u64,
    ) -> Result<Option<PutTarget>, Error> {
        rail_copy::begin_put(from, kind, header, length)
    }

    fn end_put(&self, from: PlaceId, kind: u8, header: Vec<u8>, accepted: bool) -> Result<(), Error> {
        sanitizer::acquire(&raw const sanitizer::MESSAGES);
        rail_copy::end_put(from, kind, &header, accepted)?;
        message_counts::count_received();
        Ok(())
    }

    fn peer_down(&self, place: PlaceId, error: Option<io::Error>) {
        if self.0.has_ended() {
            return;
        }
        match error {
            Some(error) if error.kind() == io::ErrorKind::InvalidData => {
                // The sender cannot be notified, and the program cannot continue without the message.
                report!("apg: {}: from {}: {error}", here(), self.0.describe_place(place));
                crate::base::output::end_process(if here() == PlaceId::ZERO {
                    1
                } else {
                    launcher::REPORTED_STATUS
                });
            }
            Some(error) if error.kind() == io::ErrorKind::TimedOut => {
                let name = self.0.describe_place(place);
                report!("apg: {}: {name}: {error}", here());
                crate::base::output::end_process(if here() == PlaceId::ZERO {
                    1
                } else {
                    launcher::REPORTED_STATUS
                });
            }
            // All places end with place 0, and an interrupted one by the signal.
            _ if place == PlaceId::ZERO => {
                crate::base::interrupt::wait_for_end();
                crate::base::output::end_process(launcher::LEADER_LOST_STATUS)
            }
            error => end_without(self.0.describe_place(place), error),
        }
    }
}

/// The connection with a place is gone. Place 0 has the processes watched, says how one has ended, and ends
/// the program; but if the process is alive, no other place notices.
fn end_without(name: String, error: Option<io::Error>) {
    const EXIT_GRACE_TIME: Duration = Duration::from_secs(5);
    let why = error.map_or_else(String::new, |error| format!(": {error}"));
    run_in_thread("apg-broken", move || {
        std::thread::sleep(EXIT_GRACE_TIME);
        report!("apg: {}: the connection with {name} has ended{why}", here());
        crate::base::output::end_process(1);
    });
}
