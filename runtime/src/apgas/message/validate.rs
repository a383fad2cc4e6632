//! The check of messages: whether what a place says makes sense from that place at this one. All messages are
//! checked before use, except for their payloads, which the activities that use them check.

use crate::apgas::clock;
use crate::apgas::clock::{ClockContext, ClockRegistration};
use crate::apgas::finish::id::FinishId;
use crate::apgas::message::{FinishDelta, Message, Reply, Visit};
use crate::base::place::PlaceId;
use crate::serialize::Error;
use crate::slots::waits::WaitMessage;

/// Most bytes that activities of other places, which wait for one of this place, have on their stacks.
const MAX_NESTING: usize = 1 << 40;

/// Sender and receiver of a message.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The sender, according to the connection.
    pub from: PlaceId,
    /// This place.
    pub here: PlaceId,
    /// Number of host places.
    pub hosts: u32,
}

/// An error unless `holds`.
fn require(holds: bool, expected: &'static str) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::Malformed { expected, offset: 0 }) }
}

impl Route {
    /// Checks a message, with the length of its payload and the number of parts outside of its body.
    ///
    /// # Errors
    /// The message makes no sense; the error names what was expected.
    pub fn check(self, message: &Message, payload: usize, parts: usize) -> Result<(), Error> {
        match message {
            Message::Spawn { finish, clocks } => {
                self.check_finish(*finish)?;
                return self.check_clocks(clocks);
            }
            Message::At(visit) => return self.check_visit(visit),
            Message::AtReply(reply) => return self.check_reply(reply),
            _ => require(parts == 0, "a message without parts")?,
        }
        let has_payload = matches!(message, Message::Team(_) | Message::Slots(_));
        require(payload == 0 || has_payload, "the end of the message")?;
        match message {
            Message::FinishReport(report) => self.check_report(report),
            Message::Accelerators(_)
            | Message::TopologyRequest
            | Message::QuiescenceReport { .. }
            | Message::WaitReportDone => require(self.here == PlaceId::ZERO, "what is sent to place 0 alone"),
            Message::SlotWaits(WaitMessage::Stalled | WaitMessage::Waits(..)) => {
                require(self.here == PlaceId::ZERO, "what is sent to place 0 alone")
            }
            Message::SlotWaits(WaitMessage::Request) => self.check_from_zero(),
            Message::AcceleratorsRequest | Message::QuiescenceRequest(_) | Message::WaitReportRequest => {
                self.check_from_zero()
            }
            Message::Topology(topology) => {
                self.check_from_zero()?;
                require(topology.hosts() == i64::from(self.hosts), "as many hosts as there are")?;
                require(topology.is_consistent(), "accelerators of the hosts")
            }
            Message::ProgramEnd(_) => {
                let is_ours = (self.from == PlaceId::ZERO) != (self.here == PlaceId::ZERO);
                require(is_ours, "the end from or to place 0")
            }
            Message::Clock { registration, .. } => {
                check_registration(registration)?;
                require(clock::home(registration.handle) == self.here, "a clock of this place")
            }
            _ => Ok(()),
        }
    }

    /// Checks the body of an `at`.
    #[inline]
    pub fn check_visit(self, visit: &Visit) -> Result<(), Error> {
        self.check_finish(visit.finish)?;
        visit.clocks.as_ref().map_or(Ok(()), |clocks| self.check_clocks(clocks))
    }

    /// Checks the reply to an `at`.
    #[inline]
    pub fn check_reply(self, reply: &Reply) -> Result<(), Error> {
        reply.clocks.as_ref().map_or(Ok(()), |clocks| self.check_clocks(clocks))
    }

    #[inline]
    fn check_finish(self, finish: FinishId) -> Result<(), Error> {
        let exists = finish.home.0 < self.hosts || finish == FinishId::NONE;
        require(exists, "a finish of one of the places")
    }

    fn check_clocks(self, clocks: &ClockContext) -> Result<(), Error> {
        clocks.registrations.iter().try_for_each(check_registration)?;
        let mut handles =
            clocks.registrations.iter().map(|registration| registration.handle).chain(clocks.implicit);
        require(handles.all(|handle| clock::home(handle).0 < self.hosts), "clocks of the places")?;
        require(clocks.nesting <= MAX_NESTING, "a stack of less memory")
    }

    /// Checks that a report contains ends of the sender's own activities only, and starts at other places
    /// only.
    fn check_report(self, report: &FinishDelta) -> Result<(), Error> {
        let ordered = report.deltas.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let possible = |(place, delta): &(PlaceId, i64)| {
            place.0 < self.hosts && if *place == self.from { *delta < 0 } else { *delta > 0 }
        };
        let ends = report.deltas.iter().any(|(place, _)| *place == self.from);
        let makes_sense = ordered && ends && report.deltas.iter().all(possible);
        require(makes_sense, "how many activities were sent and have ended")
    }

    fn check_from_zero(self) -> Result<(), Error> {
        require(self.from == PlaceId::ZERO, "what place 0 alone sends")
    }
}

fn check_registration(registration: &ClockRegistration) -> Result<(), Error> {
    require((0..i32::MAX).contains(&registration.phase), "a phase of a clock")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: u32, here: u32, message: &Message) -> Result<(), Error> {
        Route { from: PlaceId(from), here: PlaceId(here), hosts: 3 }.check(message, 0, 0)
    }

    #[test]
    fn report_counts_own_ends_and_starts_elsewhere() {
        let report = |deltas: &[(u32, i64)]| {
            let deltas = deltas.iter().map(|(place, delta)| (PlaceId(*place), *delta)).collect();
            Message::FinishReport(FinishDelta { finish: 1, deltas, exceptions: Vec::new() })
        };
        assert!(check(1, 0, &report(&[(0, 2), (1, -1)])).is_ok());
        for wrong in [&[(1, 1)][..], &[(0, -1), (1, -1)], &[(1, -1), (0, 2)], &[(0, 2)], &[(1, -1), (3, 1)]] {
            assert!(check(1, 0, &report(wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn place_0_alone_ends_and_collects() {
        assert!(check(0, 1, &Message::ProgramEnd(3)).is_ok() && check(1, 0, &Message::ProgramEnd(3)).is_ok());
        assert!(check(2, 1, &Message::ProgramEnd(3)).is_err());
        assert!(check(0, 1, &Message::QuiescenceRequest(1)).is_ok());
        assert!(check(2, 1, &Message::QuiescenceRequest(1)).is_err());
        assert!(check(2, 1, &Message::TopologyRequest).is_err());
    }

    #[test]
    fn payload_and_parts_follow_some_messages_alone() {
        let route = Route { from: PlaceId(1), here: PlaceId(0), hosts: 2 };
        assert!(route.check(&Message::ClockDone(1), 1, 0).is_err());
        assert!(route.check(&Message::ClockDone(1), 0, 1).is_err());
        let spawn = Message::Spawn { finish: FinishId::NONE, clocks: ClockContext::default() };
        assert!(route.check(&spawn, 10, 2).is_ok());
    }
}
