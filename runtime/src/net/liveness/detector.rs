//! Failure detection by heartbeats: which places have given no sign of life for too long, and which place
//! reports it (Chandra and Toueg, "Unreliable Failure Detectors for Reliable Distributed Systems", JACM
//! 1996).
//!
//! Every place hears every other one. One place reports each silent place: the lowest place that is not
//! silent itself. If that one does not (it hears the silent place: only some links are cut), the others
//! report a place of another host a little later. A place that was itself stopped (by a signal, a debugger,
//! with the whole machine) has heard nothing meanwhile, and suspects no other place.

use std::time::{Duration, Instant};

use crate::base::place::PlaceId;

/// Interval of the signs of life of a place.
pub(crate) const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// A longer interval between two checks means that this place was stopped itself.
const MAX_GAP: Duration = Duration::from_secs(3);

/// How much later than the lowest place the others report a place of another host.
const LATE_REPORT: Duration = Duration::from_secs(2);

/// What is known of another place at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signs {
    /// The number of signs of life so far.
    Heard(u64),
    /// It has shut down, or has ended, which is reported elsewhere.
    Gone,
}

/// What is reported to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The place has been silent for that long.
    Silent(PlaceId, Duration),
    /// A place that was reported silent is alive again.
    Back(PlaceId),
}

struct Place {
    is_remote: bool,
    signs: u64,
    /// When the last sign came, or was excused.
    heard: Instant,
    silent: bool,
    said: bool,
    gone: bool,
}

/// What a place has heard of the others.
pub(crate) struct Liveness {
    here: PlaceId,
    /// For a place that has given a sign already, and for the first one.
    timeouts: [Duration; 2],
    places: Vec<Place>,
    looked: Instant,
}

impl Liveness {
    /// From `now` on, at place `here`; whether each place is on another host. Before its first sign a place
    /// may take as long as to start.
    pub(crate) fn new(
        here: PlaceId,
        remote: &[bool],
        timeout: Duration,
        start: Duration,
        now: Instant,
    ) -> Liveness {
        let place =
            |is_remote| Place { is_remote, signs: 0, heard: now, silent: false, said: false, gone: false };
        let places = remote.iter().copied().map(place).collect();
        Liveness { here, timeouts: [timeout, timeout.max(start)], places, looked: now }
    }

    /// To be called every [`HEARTBEAT_INTERVAL`], with the signs of each other place. `excused`: what has
    /// come may not have been read.
    pub(crate) fn look(
        &mut self,
        now: Instant,
        excused: bool,
        signs: impl Fn(PlaceId) -> Signs,
    ) -> Vec<Event> {
        let held_up = excused || now.saturating_duration_since(self.looked) > MAX_GAP;
        self.looked = now;
        let mut events = Vec::new();
        for (number, place) in (0..).map(PlaceId).zip(&mut self.places) {
            if number == self.here || place.gone {
                continue;
            }
            match signs(number) {
                Signs::Gone => place.gone = true,
                Signs::Heard(count) if count != place.signs => {
                    (place.signs, place.heard, place.silent) = (count, now, false);
                    if std::mem::take(&mut place.said) {
                        events.push(Event::Back(number));
                    }
                }
                Signs::Heard(_) if held_up => place.heard = now,
                Signs::Heard(count) => {
                    let timeout = self.timeouts[usize::from(count == 0)];
                    place.silent |= now.saturating_duration_since(place.heard) >= timeout;
                }
            }
        }
        for number in 0..self.places.len() {
            let place = &self.places[number];
            let speaks = self.speaks_about(number) || self.is_overdue(place, now);
            if place.silent && !place.said && !place.gone && speaks {
                events
                    .push(Event::Silent(PlaceId(number as u32), now.saturating_duration_since(place.heard)));
                self.places[number].said = true;
            }
        }
        events
    }

    /// Whether the lowest place should have reported it by now.
    fn is_overdue(&self, place: &Place, now: Instant) -> bool {
        let timeout = self.timeouts[usize::from(place.signs == 0)];
        place.is_remote && now.saturating_duration_since(place.heard) >= timeout + LATE_REPORT
    }

    /// Whether no lower place is left to report it.
    fn speaks_about(&self, silent: usize) -> bool {
        let lower = self.places[..self.here.index()].iter().enumerate();
        lower.filter(|(number, _)| *number != silent).all(|(_, place)| place.silent || place.gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(8);

    /// Places 0 to 3 as one of them sees them, second by second.
    struct View {
        liveness: Liveness,
        now: Instant,
        signs: [Signs; 4],
    }

    impl View {
        fn of(here: PlaceId) -> View {
            let now = Instant::now();
            let liveness = Liveness::new(here, &[false; 4], TIMEOUT, Duration::from_secs(60), now);
            View { liveness, now, signs: [Signs::Heard(0); 4] }
        }

        /// Seconds in which all places except some give signs.
        fn seconds(&mut self, count: u32, silent: &[usize]) -> Vec<Event> {
            (0..count).flat_map(|_| self.look(Duration::from_secs(1), silent, false)).collect()
        }

        fn look(&mut self, after: Duration, silent: &[usize], excused: bool) -> Vec<Event> {
            self.now += after;
            for (number, signs) in self.signs.iter_mut().enumerate() {
                if let Signs::Heard(count) = signs
                    && !silent.contains(&number)
                {
                    *count += 1;
                }
            }
            let signs = self.signs;
            self.liveness.look(self.now, excused, |place| signs[place.index()])
        }
    }

    #[test]
    fn lowest_place_reports_silence_and_return_once() {
        let (mut zero, mut two) = (View::of(PlaceId(0)), View::of(PlaceId(2)));
        for view in [&mut zero, &mut two] {
            assert_eq!(view.seconds(100, &[]), []);
        }
        assert_eq!(zero.seconds(20, &[3]), [Event::Silent(PlaceId(3), TIMEOUT)]);
        assert_eq!(two.seconds(20, &[3]), [], "place 0 says it");
        assert_eq!(zero.seconds(5, &[]), [Event::Back(PlaceId(3))]);
        assert_eq!(two.seconds(5, &[]), []);
    }

    #[test]
    fn next_place_reports_when_place_0_is_silent() {
        let (mut one, mut two) = (View::of(PlaceId(1)), View::of(PlaceId(2)));
        for view in [&mut one, &mut two] {
            view.seconds(3, &[]);
        }
        assert_eq!(one.seconds(10, &[0]), [Event::Silent(PlaceId(0), TIMEOUT)]);
        assert_eq!(two.seconds(10, &[0]), [], "place 1 says it");
        assert_eq!(
            two.seconds(10, &[0, 1]).first(),
            Some(&Event::Silent(PlaceId(0), Duration::from_secs(18)))
        );
        assert_eq!(one.seconds(10, &[0, 3]), [Event::Silent(PlaceId(3), TIMEOUT)]);
    }

    #[test]
    fn stopped_place_suspects_no_other() {
        let mut view = View::of(PlaceId(0));
        view.seconds(3, &[]);
        assert_eq!(view.look(Duration::from_secs(3600), &[1, 2, 3], false), []);
        assert_eq!(view.seconds(7, &[1, 2, 3]), []);
        assert_eq!(view.seconds(1, &[1, 2]).len(), 2);
        let mut view = View::of(PlaceId(0));
        view.seconds(3, &[]);
        for _ in 0..100 {
            assert_eq!(view.look(Duration::from_secs(1), &[1], true), [], "what came was not read");
        }
    }

    #[test]
    fn first_sign_may_take_the_start_timeout() {
        let mut view = View::of(PlaceId(0));
        assert_eq!(view.seconds(59, &[1]), []);
        assert_eq!(view.seconds(2, &[1]), [Event::Silent(PlaceId(1), Duration::from_secs(60))]);
    }

    #[test]
    fn ended_places_are_not_reported() {
        let mut view = View::of(PlaceId(1));
        view.seconds(3, &[]);
        view.signs[2] = Signs::Gone;
        assert_eq!(view.seconds(20, &[]), []);
        view.signs[0] = Signs::Gone;
        assert_eq!(view.seconds(20, &[3]), [Event::Silent(PlaceId(3), TIMEOUT)], "place 0 is gone, too");
    }

    /// The link between two hosts is cut, and place 0 hears both.
    #[test]
    fn silent_place_of_another_host_is_reported_by_others_after_a_while() {
        let mut two = View::of(PlaceId(2));
        two.liveness.places[3].is_remote = true;
        two.seconds(3, &[]);
        assert_eq!(two.seconds(9, &[3]), [], "place 0 may say it");
        assert_eq!(two.seconds(5, &[3]), [Event::Silent(PlaceId(3), TIMEOUT + LATE_REPORT)]);
    }
}
