//! Simulation: the protocols of several places in one process, over an endpoint whose schedule delays
//! messages, lets those of different pairs overtake each other, starves a reader, and loses a place.
//! `APG_FUZZ_SEED` says where the seeds begin, `APG_SCHEDULES` how many each test takes.

#[path = "../places/engine.rs"]
mod engine;
mod scenarios;

use std::collections::BTreeSet;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use apg_runtime::apgas::failure::{Cause, DeadPlace, DeadPlacePolicy};
use apg_runtime::apgas::{System, start_one_of_several};
use apg_runtime::base::place::PlaceId;
use apg_runtime::heap::Ref;
use apg_runtime::net::in_process::{Network, Schedule};

use engine::{Threads, finish, task};
use scenarios::Case;

/// Longer than any schedule takes: a protocol that hangs is an error, and not the end of the tests.
const HANG_TIMEOUT: Duration = Duration::from_secs(120);

fn number_in(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The seeds of a test.
fn seeds(count: u64) -> impl Iterator<Item = u64> {
    let first = number_in("APG_FUZZ_SEED").unwrap_or(1);
    first..first + number_in("APG_SCHEDULES").unwrap_or(count)
}

/// No place dies.
struct NoDeath;

impl DeadPlacePolicy for NoDeath {
    fn on_dead_place(&self, dead: DeadPlace) {
        panic!("{} was not killed: {:?}", dead.name, dead.cause);
    }
}

/// Sends what has failed to the test.
struct Notify(Sender<DeadPlace>);

impl DeadPlacePolicy for Notify {
    fn on_dead_place(&self, dead: DeadPlace) {
        // The test has seen enough.
        drop(self.0.send(dead));
    }
}

fn open(
    network: &Network,
    count: u32,
    policy: impl Fn() -> Box<dyn DeadPlacePolicy>,
) -> Vec<&'static System> {
    let places: Vec<_> = PlaceId::first(count)
        .map(|place| start_one_of_several(network.endpoint(place), policy()).expect("a place"))
        .collect();
    places.iter().for_each(|place| place.attach(std::sync::Arc::new(Threads)));
    places
}

/// Runs `main` at place 0 of `count` places.
fn run(count: u32, schedule: Schedule, main: impl FnOnce() + Send + 'static) {
    let network = Network::new(count, schedule).expect("a thread");
    let places = open(&network, count, || Box::new(NoDeath));
    let (done, ended) = channel();
    let zero = places[0];
    let thread = std::thread::spawn(move || {
        let _place = zero.enter();
        main();
        done.send(()).expect("the test waits");
    });
    if ended.recv_timeout(HANG_TIMEOUT) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
        panic!("it hangs at {schedule:?} after {} deliveries", network.deliveries());
    }
    thread.join().unwrap_or_else(|panic| {
        eprintln!("at {schedule:?}");
        std::panic::resume_unwind(panic)
    });
}

/// Schedules of all kinds without loss.
fn schedule(seed: u64, places: u32) -> Schedule {
    let slow = (seed.is_multiple_of(3)).then_some(PlaceId((seed / 3) as u32 % places));
    Schedule { seed, slow, loss: None }
}

#[test]
fn finish_waits_for_all_activities_of_any_tree_of_them() {
    for seed in seeds(1000) {
        let places = 2 + (seed % 4) as u32;
        run(places, schedule(seed, places), move || scenarios::random_tree(seed, 4));
    }
}

#[test]
fn at_returns_with_what_its_body_returned_or_raised() {
    for seed in seeds(500) {
        let places = 2 + (seed % 3) as u32;
        run(places, schedule(seed, places), move || scenarios::calls(seed));
    }
}

#[test]
fn collective_operations_combine_the_members_of_one_round() {
    for seed in seeds(300) {
        let places = 2 + (seed % 6) as u32;
        run(places, schedule(seed, places), move || scenarios::collectives(3));
    }
}

#[test]
fn clock_advances_when_all_registered_activities_have_arrived() {
    for seed in seeds(500) {
        let places = 2 + (seed % 4) as u32;
        run(places, schedule(seed, places), move || scenarios::clocked(4));
    }
}

#[test]
fn copies_between_rails_arrive_whole() {
    for seed in seeds(400) {
        let places = 2 + (seed % 3) as u32;
        run(places, schedule(seed, places), move || scenarios::copies(seed));
    }
}

#[test]
fn thousand_places_finish_call_and_reduce() {
    run(1000, Schedule { seed: 1, ..Schedule::default() }, || {
        scenarios::random_tree(1, 6);
        scenarios::calls(1);
        scenarios::collectives(1);
    });
}

/// Each survivor hears of the death of a place, the finish names what it waits for there, and no handler
/// hangs over it.
#[test]
fn lost_place_reaches_the_policy_of_every_survivor() {
    for seed in seeds(150) {
        let count = 3 + (seed % 3) as u32;
        let lost = PlaceId(1 + (seed % u64::from(count - 1)) as u32);
        let schedule = Schedule { loss: Some((lost, seed % 40)), ..schedule(seed, count) };
        let network = Network::new(count, schedule).expect("a thread");
        let (notices, heard) = channel();
        let places = open(&network, count, || Box::new(Notify(notices.clone())));
        let zero = places[0];
        std::thread::spawn(move || {
            let _place = zero.enter();
            let case = Case::register(seed);
            // Its threads are left behind where they wait for the dead place.
            let raised = finish(|| {
                for place in 0..i64::from(count) {
                    let work = task(scenarios::TREE, 5, case, Ref::NULL);
                    apg_runtime::apgas::async_at(place, work).expect("sent or lost");
                }
            });
            assert!(raised.is_empty());
        });
        let mut survivors: BTreeSet<PlaceId> = BTreeSet::new();
        while survivors.len() < count as usize - 1 {
            let dead =
                heard.recv_timeout(HANG_TIMEOUT).unwrap_or_else(|_| panic!("no word of it: {schedule:?}"));
            // A place that is cut off takes the others for dead.
            if dead.place == lost {
                assert_eq!(dead.name, lost.to_string());
                if let Cause::Disconnected(None) = dead.cause {
                    survivors.insert(dead.observer);
                }
                let is_home = |finish: &apg_runtime::apgas::FinishId| finish.home == dead.observer;
                assert!(dead.waiting.iter().all(|(finish, activities)| is_home(finish) && *activities > 0));
            }
        }
    }
}
