//! Failures of places: what has failed, as a value, and the policy that says what a dead place means for the
//! program ([`DeadPlacePolicy`]).
//!
//! A failure shows where a message cannot be sent, which names what is lost ([`Undelivered`]), or where the
//! connection with a place ends ([`Cause::Disconnected`]). Both reach the policy of the place's
//! [`System`](crate::apgas::System).

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use parking_lot::Mutex;

use crate::apgas::finish::id::FinishId;
use crate::base::fatal;
use crate::base::place::{self, PlaceId, here};
use crate::net::bootstrap::launcher;

/// What a message would have done that cannot be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undelivered {
    /// Started an activity of that finish.
    Activity(FinishId),
    /// Run the body of an `at`, for which the sender waits.
    Body,
    /// Answered the `at` of an activity there.
    Reply,
    /// Reported activities of that finish to its home.
    Report(FinishId),
    /// Moved a clock, or its answer.
    Clock,
    /// Continued a collective operation.
    Collective,
    /// Copied elements of a rail, or acknowledged a copy.
    Copy,
    /// Described the places.
    Topology,
    /// Ended the program there.
    End,
    /// Detected a deadlock, or collected objects.
    Control,
}

/// How a place was found dead.
#[derive(Debug)]
pub enum Cause {
    /// A message to it cannot be sent.
    Undelivered(Undelivered),
    /// The connection with it has ended or failed, or it has sent something malformed
    /// ([`io::ErrorKind::InvalidData`]).
    Disconnected(Option<io::Error>),
}

/// A dead place, or a place that sends what no place may send.
#[derive(Debug)]
pub struct DeadPlace {
    /// Its number.
    pub place: PlaceId,
    /// Its name in messages, with its host where there are several.
    pub name: String,
    /// How it was found.
    pub cause: Cause,
    /// The place that has found it.
    pub observer: PlaceId,
    /// The finishes of the observer that wait for activities there, and for how many.
    pub waiting: Vec<(FinishId, i64)>,
}

/// Decides what a dead place means for the program at this place.
pub trait DeadPlacePolicy: Send + Sync {
    /// A place was found dead. Called once for each thing that is lost by it, on any thread, also a message
    /// handler's: it must not wait.
    fn on_dead_place(&self, dead: DeadPlace);
}

/// Fail-fast: the program ends with an error that names the place and its host.
#[derive(Default)]
pub struct FailFast {
    /// Dead places that the program is about to end over.
    doomed: Mutex<BTreeSet<PlaceId>>,
}

/// Time in which the process of place 0 or an agent, which watches the places' processes, says how one has
/// ended. If the process is alive, none of them notices.
const SUPERVISOR_GRACE_TIME: Duration = Duration::from_secs(5);

impl DeadPlacePolicy for FailFast {
    fn on_dead_place(&self, dead: DeadPlace) {
        let DeadPlace { place, name, cause, .. } = dead;
        match cause {
            // The sender of what is malformed cannot be notified, and the program cannot continue without the
            // message.
            Cause::Disconnected(Some(error)) if error.kind() == io::ErrorKind::InvalidData => {
                report!("apg: {}: from {name}: {error}", here());
                fatal::fail(own_status());
            }
            Cause::Disconnected(Some(error)) if error.kind() == io::ErrorKind::TimedOut => {
                report!("apg: {}: {name}: {error}", here());
                fatal::fail(own_status());
            }
            // All places end with place 0, and an interrupted one by the signal.
            Cause::Disconnected(_) if place == PlaceId::ZERO => {
                crate::base::interrupt::wait_for_end();
                fatal::fail(launcher::LEADER_LOST_STATUS);
            }
            Cause::Disconnected(error) => {
                let why = error.map_or_else(String::new, |error| format!(": {error}"));
                self.end_without(place, format!("the connection with {name} has ended{why}"));
            }
            Cause::Undelivered(what) => {
                self.end_without(place, format!("{name} has ended, and {} is lost", describe(what)));
            }
        }
    }
}

impl FailFast {
    /// Ends the program soon, with that error, unless something that knows more does so before.
    fn end_without(&self, place: PlaceId, error: String) {
        if !self.doomed.lock().insert(place) {
            return;
        }
        let (here, program) = (here(), place::current().ending());
        let end = move |after| {
            std::thread::sleep(after);
            if program.failure().is_none() {
                report!("apg: {here}: {error}");
                program.fail(1);
            }
        };
        let thread = std::thread::Builder::new().name("apg-broken".to_owned());
        let at_once = end.clone();
        if thread.spawn(move || end(SUPERVISOR_GRACE_TIME)).is_err() {
            at_once(Duration::ZERO);
        }
    }
}

fn own_status() -> i32 {
    if here() == PlaceId::ZERO { 1 } else { launcher::REPORTED_STATUS }
}

fn describe(what: Undelivered) -> &'static str {
    match what {
        Undelivered::Activity(_) => "an activity for it",
        Undelivered::Body => "the body of an `at` for it",
        Undelivered::Reply => "the answer to an `at` of it",
        Undelivered::Report(_) => "the end of activities of a finish of it",
        Undelivered::Clock => "an operation on a clock",
        Undelivered::Collective => "its part of a collective operation",
        Undelivered::Copy => "a copy of elements of a rail",
        Undelivered::Topology => "the list of its accelerators",
        Undelivered::End => "the end of the program for it",
        Undelivered::Control => "a message about references or deadlocks",
    }
}
