//! How a program on many hosts has ended, from the ends of its places and the losses of hosts: the end of
//! place 0 is the program's, any other that is not in order is a failure, and what is only a consequence of
//! another failure is not reported in its place.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use crate::base::output_errors;
use crate::base::place::{HostId, PlaceId};
use crate::net::bootstrap::launcher::{LEADER_LOST_STATUS, REPORTED_STATUS, describe, exit_code};
use crate::net::placement::Placement;

/// How long the cause may be reported later than its consequence, from another host.
const CAUSE_TIMEOUT: Duration = Duration::from_secs(3);

/// The end of a program.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// With this exit status.
    Ended(i32),
    /// By a failure.
    Failed {
        /// What to report; a place may have done so.
        message: Option<String>,
        /// The exit status.
        status: i32,
    },
}

/// What is known so far.
pub(super) struct Watch {
    placement: Placement,
    /// The agent of each place, and the names of the agents' hosts.
    agents: Placement,
    /// A consequence whose cause is not known, and until when it is waited for.
    consequence: Option<(String, Instant)>,
}

fn failure(message: String, status: i32) -> Option<Verdict> {
    Some(Verdict::Failed { message: Some(message), status })
}

impl Watch {
    /// Nothing has happened to these places and hosts.
    pub(super) fn new(placement: Placement, agents: Placement) -> Watch {
        Watch { placement, agents, consequence: None }
    }

    /// When [`Watch::timed_out`] is to be called.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.consequence.as_ref().map(|(_, deadline)| *deadline)
    }

    /// No cause of a consequence was reported.
    pub(super) fn timed_out(&mut self) -> Option<Verdict> {
        let message = self.consequence.take().map(|(message, _)| message);
        Some(Verdict::Failed { message, status: 1 })
    }

    /// A place has ended.
    pub(super) fn ended(&mut self, place: PlaceId, status: ExitStatus, in_order: bool) -> Option<Verdict> {
        let name = self.placement.describe(place);
        match (status.code(), place) {
            (Some(code), PlaceId(0)) if in_order => Some(Verdict::Ended(code)),
            // It has said why.
            (Some(code), PlaceId(0)) => Some(Verdict::Failed { message: None, status: code }),
            (Some(output_errors::PLACE_STATUS), _) => {
                output_errors::record_other_place();
                None
            }
            _ if in_order => None,
            (Some(REPORTED_STATUS), _) => Some(Verdict::Failed { message: None, status: 1 }),
            (Some(LEADER_LOST_STATUS), _) => {
                let leader = self.placement.describe(PlaceId(0));
                let message = format!("{name} has lost the connection with {leader}");
                self.consequence.get_or_insert((message, Instant::now() + CAUSE_TIMEOUT));
                None
            }
            _ if status.signal() == Some(libc::SIGPIPE) => {
                Some(Verdict::Failed { message: None, status: exit_code(status) })
            }
            _ => failure(describe(&name, status), exit_code(status)),
        }
    }

    /// The connection with a host whose places run has ended.
    pub(super) fn lost(&mut self, host: HostId, why: &str) -> Option<Verdict> {
        let places: Vec<String> = self.agents.places_on(host).map(|place| place.0.to_string()).collect();
        let word = if places.len() == 1 { "place" } else { "places" };
        let (name, places) = (&self.agents.names()[host.0 as usize], places.join(", "));
        failure(format!("host {name} ({word} {places}) is lost: {why}"), 1)
    }

    /// An agent cannot go on.
    pub(super) fn failed(&mut self, host: HostId, why: &str) -> Option<Verdict> {
        failure(format!("{}: {why}", self.agents.names()[host.0 as usize]), 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch() -> Watch {
        let names = ["a", "b"].map(str::to_owned).to_vec();
        let placement = Placement::new(names.to_vec(), [0, 0, 1].map(HostId).to_vec());
        Watch::new(placement.clone(), placement)
    }

    fn exit(code: i32) -> ExitStatus {
        ExitStatus::from_raw(code << 8)
    }

    #[test]
    fn program_ends_with_the_status_of_place_0() {
        assert_eq!(watch().ended(PlaceId(0), exit(3), true), Some(Verdict::Ended(3)));
        let stopped = Some(Verdict::Failed { message: None, status: 1 });
        assert_eq!(watch().ended(PlaceId(0), exit(1), false), stopped);
        assert_eq!(watch().ended(PlaceId(1), exit(3), true), None);
    }

    #[test]
    fn early_ends_name_place_and_host() {
        let killed = watch().ended(PlaceId(2), ExitStatus::from_raw(9), false);
        let message = Some("place 2 on b ended unexpectedly (killed by signal 9)".to_owned());
        assert_eq!(killed, Some(Verdict::Failed { message, status: 137 }));
        let failed = watch().ended(PlaceId(1), exit(0), false);
        let message = Some("place 1 on a ended unexpectedly (exit status 0)".to_owned());
        assert_eq!(failed, Some(Verdict::Failed { message, status: 1 }));
        let reported = watch().ended(PlaceId(1), exit(REPORTED_STATUS), false);
        assert_eq!(reported, Some(Verdict::Failed { message: None, status: 1 }));
        let lost = watch().lost(HostId(0), "it is off");
        let message = Some("host a (places 0, 1) is lost: it is off".to_owned());
        assert_eq!(lost, Some(Verdict::Failed { message, status: 1 }));
    }

    #[test]
    fn consequences_wait_for_their_cause() {
        let mut watch = watch();
        assert_eq!(watch.ended(PlaceId(2), exit(LEADER_LOST_STATUS), false), None);
        assert!(watch.deadline().is_some());
        assert_eq!(watch.ended(PlaceId(0), exit(5), true), Some(Verdict::Ended(5)));
        let message = Some("place 2 on b has lost the connection with place 0 on a".to_owned());
        assert_eq!(watch.timed_out(), Some(Verdict::Failed { message, status: 1 }));
    }
}
