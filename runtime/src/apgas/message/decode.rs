//! Decoding and validation of messages: from bytes that another place has sent to a [`Message`] with checked
//! fields. All messages are decoded here before use, except for graphs of objects: the activities that use
//! them decode and check these ([`crate::apgas::marshal`]).

use crate::apgas::clock::remote;
use crate::apgas::clock::{self, ClockContext, ClockRegistration};
use crate::apgas::deadlock::quiescence::PlaceState;
use crate::apgas::distributed_gc::messages;
use crate::apgas::finish::id::FinishId;
use crate::apgas::message::kinds;
use crate::apgas::message::kinds::{FinishDelta, Transfer, about, outcome, place};
use crate::base::place::PlaceId;
use crate::heap::global_refs::Change;
use crate::serialize::Error;
use crate::serialize::read::Input;
use crate::topology::{Accelerator, Topology};

/// Sender and receiver of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// The sender, according to the connection.
    pub from: PlaceId,
    /// This place.
    pub here: PlaceId,
    /// Number of host places.
    pub hosts: u32,
}

/// A message whose fields are valid. A field of type `usize` is the offset in the body at which the rest
/// begins, which is decoded later.
#[derive(Debug)]
pub(crate) enum Message {
    /// See [`kinds::SPAWN`].
    Spawn { finish: FinishId, clocks: ClockContext, graph: usize },
    /// See [`kinds::AT`].
    At(Visit),
    /// See [`kinds::AT_REPLY`].
    Reply { number: u64, answer: usize },
    /// See [`kinds::FINISH_REPORT`].
    FinishReport(FinishDelta),
    /// See [`kinds::GET`].
    Get(Transfer),
    /// See [`kinds::PUT_DONE`].
    PutDone { number: u64, error: String },
    /// See [`kinds::ACCELERATORS`].
    Accelerators(Vec<Accelerator>),
    /// See [`kinds::TOPOLOGY`].
    Topology(Topology),
    /// See [`kinds::PROGRAM_END`].
    End(i32),
    /// See [`kinds::TEAM`].
    Team { team: i64, number: u64, step: u32, data: usize },
    /// See [`kinds::TOPOLOGY_REQUEST`].
    TopologyRequest,
    /// See [`kinds::ACCELERATORS_REQUEST`].
    AcceleratorsRequest,
    /// See [`kinds::CLOCK`].
    Clock { operation: remote::Operation, number: u64, clock_registration: ClockRegistration },
    /// See [`kinds::CLOCK_DONE`].
    ClockDone(u64),
    /// See [`kinds::QUIESCENCE_REQUEST`].
    QuiescenceRequest(u64),
    /// See [`kinds::QUIESCENCE_REPORT`].
    QuiescenceReport { number: u64, state: PlaceState },
    /// See [`kinds::WAIT_REPORT_REQUEST`].
    WaitReportRequest,
    /// See [`kinds::WAIT_REPORT_DONE`].
    WaitReportDone,
    /// See [`kinds::WEIGHT_CHANGES`].
    WeightChanges(Vec<Change>),
    /// See [`kinds::COLLECTION_REQUEST`].
    CollectionRequest(u64),
    /// See [`kinds::COLLECTION_DONE`].
    CollectionDone(u64),
}

/// The body of an `at`, for which an activity of another place waits: see [`kinds::AT`].
#[derive(Debug)]
pub(crate) struct Visit {
    /// Number of the call.
    pub number: u64,
    /// The finish of new activities of the body.
    pub finish: FinishId,
    /// Whether the body has a value.
    pub value: bool,
    /// The clock context of the activity, if it was sent ([`about::CLOCK_CONTEXT`]).
    pub clocks: Option<ClockContext>,
    /// Offset of the closure's graph in the body of the message.
    pub graph: usize,
}

impl Message {
    /// Decodes a message from its kind and body; `parts` is the number of parts outside of the body.
    ///
    /// # Errors
    /// The message is malformed; the error names the expected content.
    pub(crate) fn decode(route: Route, kind: u8, body: &[u8], parts: usize) -> Result<Message, Error> {
        let mut input = Input::new(body);
        let at = |input: &Input<'_>| body.len() - input.remaining();
        // The rest of the messages that return here is decoded later.
        let message = match kind {
            kinds::SPAWN => {
                let finish = route.finish(&mut input)?;
                let clocks = route.clock_context(&mut input)?;
                return Ok(Message::Spawn { finish, clocks, graph: at(&input) });
            }
            kinds::AT => return route.visit(body).map(Message::At),
            kinds::AT_REPLY => {
                return route.answer(body).map(|(number, answer)| Message::Reply { number, answer });
            }
            _ if parts > 0 => return input.malformed("a message without parts"),
            kinds::TEAM => {
                let (team, number, step) = (input.signed()?, input.number()?, place(&mut input)?.0);
                return Ok(Message::Team { team, number, step, data: at(&input) });
            }
            kinds::FINISH_REPORT => {
                let report = FinishDelta::decode(body)?;
                return route.check_report(&report, &input).map(|()| Message::FinishReport(report));
            }
            kinds::GET => return Transfer::decode(body).map(Message::Get),
            kinds::ACCELERATORS => {
                route.sent_to_zero(&input)?;
                return Accelerator::decode_all(body).map(Message::Accelerators);
            }
            kinds::TOPOLOGY => {
                route.sent_by_zero(&input)?;
                let topology = Topology::decode(body)?;
                if topology.hosts() != i64::from(route.hosts) {
                    return input.malformed("as many hosts as there are");
                }
                return Ok(Message::Topology(topology));
            }
            kinds::WEIGHT_CHANGES => return messages::decode(body).map(Message::WeightChanges),
            kinds::PUT_DONE => Message::PutDone { number: input.number()?, error: text(&mut input)? },
            kinds::PROGRAM_END => route.end(&mut input)?,
            kinds::TOPOLOGY_REQUEST => route.sent_to_zero(&input).map(|()| Message::TopologyRequest)?,
            kinds::ACCELERATORS_REQUEST => {
                route.sent_by_zero(&input).map(|()| Message::AcceleratorsRequest)?
            }
            kinds::CLOCK => route.clock(&mut input)?,
            kinds::CLOCK_DONE => Message::ClockDone(input.number()?),
            kinds::QUIESCENCE_REQUEST => {
                route.sent_by_zero(&input)?;
                Message::QuiescenceRequest(input.number()?)
            }
            kinds::QUIESCENCE_REPORT => {
                route.sent_to_zero(&input)?;
                let number = input.number()?;
                let is_quiescent = flag(&mut input)?;
                let state = PlaceState { is_quiescent, sent: input.number()?, received: input.number()? };
                Message::QuiescenceReport { number, state }
            }
            kinds::WAIT_REPORT_REQUEST => route.sent_by_zero(&input).map(|()| Message::WaitReportRequest)?,
            kinds::WAIT_REPORT_DONE => route.sent_to_zero(&input).map(|()| Message::WaitReportDone)?,
            kinds::COLLECTION_REQUEST => Message::CollectionRequest(input.number()?),
            kinds::COLLECTION_DONE => Message::CollectionDone(input.number()?),
            _ => return input.malformed("a known kind of message"),
        };
        input.end().map(|()| message)
    }
}

impl Route {
    /// Decodes the body of an `at`.
    #[inline]
    pub(crate) fn visit(self, body: &[u8]) -> Result<Visit, Error> {
        let mut input = Input::new(body);
        let number = input.whole_number()?;
        let finish = self.finish(&mut input)?;
        let what = input.number()?;
        if what & !(about::VALUE | about::CLOCK_CONTEXT) != 0 {
            return input.malformed("what the body of an `at` is");
        }
        let clocks =
            if what & about::CLOCK_CONTEXT != 0 { Some(self.clock_context(&mut input)?) } else { None };
        let value = what & about::VALUE != 0;
        Ok(Visit { number, finish, value, clocks, graph: body.len() - input.remaining() })
    }

    /// Decodes the reply to an `at`: the number of the call, and the offset of the rest.
    #[inline]
    pub(crate) fn answer(self, body: &[u8]) -> Result<(u64, usize), Error> {
        let mut input = Input::new(body);
        let number = input.whole_number()?;
        let answer = body.len() - input.remaining();
        self.reply(&mut input).map(|_| (number, answer))
    }

    /// Decodes the outcome of the body of an `at`, and its clocks.
    #[inline]
    pub(crate) fn reply(self, input: &mut Input<'_>) -> Result<(u64, Option<ClockContext>), Error> {
        let how = input.number()?;
        let known = outcome::COUNTED | outcome::CLOCKS;
        if how & !known > outcome::EXCEPTION {
            return input.malformed("how the body of an `at` ended");
        }
        let clocks = if how & outcome::CLOCKS != 0 { Some(self.clock_context(input)?) } else { None };
        Ok((how & !outcome::CLOCKS, clocks))
    }

    fn clock(self, input: &mut Input<'_>) -> Result<Message, Error> {
        let operation = match remote::Operation::from_number(input.number()?) {
            Some(operation) => operation,
            None => return input.malformed("an operation on a clock"),
        };
        let number = input.number()?;
        let clock_registration = ClockRegistration::decode(input)?;
        if clock::home(clock_registration.handle) != self.here {
            return input.malformed("a clock of this place");
        }
        Ok(Message::Clock { operation, number, clock_registration })
    }

    fn end(self, input: &mut Input<'_>) -> Result<Message, Error> {
        if (self.from == PlaceId::ZERO) == (self.here == PlaceId::ZERO) {
            return input.malformed("the end from or to place 0");
        }
        let bytes = input.bytes(4)?;
        Ok(Message::End(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])))
    }

    #[inline]
    fn finish(self, input: &mut Input<'_>) -> Result<FinishId, Error> {
        let finish = FinishId::decode(input)?;
        let exists = finish.home.0 < self.hosts || finish == FinishId::NONE;
        if exists { Ok(finish) } else { input.malformed("a finish of one of the places") }
    }

    fn clock_context(self, input: &mut Input<'_>) -> Result<ClockContext, Error> {
        let clock_context = ClockContext::decode(input)?;
        let mut handles = clock_context
            .registrations
            .iter()
            .map(|clock_registration| clock_registration.handle)
            .chain(clock_context.implicit);
        let exist = handles.all(|handle| clock::home(handle).0 < self.hosts);
        if exist { Ok(clock_context) } else { input.malformed("clocks of the places") }
    }

    /// Checks that a report contains ends of the sender's own activities only, and starts at other places
    /// only.
    fn check_report(self, report: &FinishDelta, input: &Input<'_>) -> Result<(), Error> {
        let ordered = report.deltas.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let possible = |(place, delta): &(PlaceId, i64)| {
            place.0 < self.hosts && if *place == self.from { *delta < 0 } else { *delta > 0 }
        };
        let ends = report.deltas.iter().any(|(place, _)| *place == self.from);
        if ordered && ends && report.deltas.iter().all(possible) {
            return Ok(());
        }
        input.malformed("how many activities were sent and have ended")
    }

    fn sent_by_zero(self, input: &Input<'_>) -> Result<(), Error> {
        if self.from == PlaceId::ZERO { Ok(()) } else { input.malformed("what place 0 alone sends") }
    }

    fn sent_to_zero(self, input: &Input<'_>) -> Result<(), Error> {
        if self.here == PlaceId::ZERO { Ok(()) } else { input.malformed("what is sent to place 0 alone") }
    }
}

fn flag(input: &mut Input<'_>) -> Result<bool, Error> {
    match input.number()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => input.malformed("0 or 1"),
    }
}

fn text(input: &mut Input<'_>) -> Result<String, Error> {
    let length = usize::try_from(input.number()?).unwrap_or(usize::MAX);
    Ok(String::from_utf8_lossy(input.bytes(length)?).into_owned())
}
