//! Engines of several places in one process, over a transport that delivers in a random order.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use proptest::prelude::*;

use super::engine::Engine;
use super::group::{Group, Side};
use super::message::{SlotMessage, Transport};
use super::request::{ANY_SOURCE, Call, Completion, Elements, Outcome, Request, Source, Target};
use crate::layout::slot;

const GROUP: i64 = 7;
/// Longer than any message takes.
const LIMIT: Duration = Duration::from_secs(60);

/// A message under way: sender, receiver, message, payload.
type UnderWay = (u32, u32, SlotMessage, Vec<u8>);

/// Some places with their engines.
struct Places {
    engines: Vec<Engine>,
    under_way: Mutex<VecDeque<UnderWay>>,
    slots_of_each: u32,
}

/// The transport of one place.
struct From<'a>(&'a Places, u32);

impl Transport for From<'_> {
    fn send(&self, host: u32, message: &SlotMessage, payload: &[u8]) {
        self.0.under_way.lock().push_back((self.1, host, message.clone(), payload.to_vec()));
    }
}

impl Places {
    fn new(places: u32, slots_of_each: u32) -> Places {
        let parts: Vec<_> = (0..places)
            .map(|place| (i64::from(place), place, Side::Activities, i64::from(slots_of_each)))
            .collect();
        let engines: Vec<Engine> = (0..places).map(|_| Engine::default()).collect();
        for (here, engine) in (0..).zip(&engines) {
            engine.register(GROUP, Group::new(&parts).expect("a group"), here);
        }
        Places { engines, under_way: Mutex::default(), slots_of_each }
    }

    /// Makes a call; the result is there once it has ended.
    fn call(&self, request: Request) -> Arc<Mutex<Option<Outcome>>> {
        let host = request.rank as u32 / self.slots_of_each;
        let result = Arc::new(Mutex::new(None));
        let into = Arc::clone(&result);
        let then = Box::new(move |outcome| *into.lock() = Some(outcome));
        self.engines[host as usize].post(&From(self, host), request, then);
        result
    }

    /// Delivers all messages, the one at a position chosen by `choose` first.
    fn deliver(&self, choose: &mut dyn FnMut(usize) -> usize) {
        loop {
            let next = {
                let mut under_way = self.under_way.lock();
                let count = under_way.len();
                if count == 0 {
                    return;
                }
                under_way.remove(choose(count))
            };
            let Some((from, to, message, payload)) = next else { return };
            let handled = self.engines[to as usize].on_message(&From(self, to), from, message, &payload);
            assert_eq!(handled, Ok(()));
        }
    }

    fn deliver_in_order(&self) {
        self.deliver(&mut |_| 0);
    }
}

fn request(rank: u32, call: Call) -> Request {
    Request {
        group: GROUP,
        rank: i64::from(rank),
        call,
        partner: 0,
        from: ANY_SOURCE,
        tag: 0,
        operation: 0,
        subgroup: [0, 0, 1],
        source: Source::Nothing,
        sent: Elements::default(),
        target: Target::Nothing,
        wanted: Elements::default(),
        block: None,
        owner: rank as usize + 1,
        gathered: (0, 0),
        is_sent: false,
        probe: None,
    }
}

fn bytes(count: u64) -> Elements {
    Elements { count, size: 1, kind: slot::BOOL }
}

fn send(call: Call, rank: u32, to: u32, tag: i32, data: Vec<u8>) -> Request {
    let sent = bytes(data.len() as u64);
    Request { partner: i64::from(to), tag, sent, source: Source::Packed(data), ..request(rank, call) }
}

fn receive(rank: u32, from: i64, tag: i32, room: u64) -> (Request, Arc<Mutex<Vec<u8>>>) {
    let into = Arc::new(Mutex::new(Vec::new()));
    let target = Target::Packed(Arc::clone(&into));
    (Request { from, tag, wanted: bytes(room), target, ..request(rank, Call::Receive) }, into)
}

fn ended(result: &Arc<Mutex<Option<Outcome>>>) -> Outcome {
    result.lock().clone().expect("the call has ended")
}

/// A payload that tells its message.
fn payload(number: usize, length: usize) -> Vec<u8> {
    number.to_le_bytes().into_iter().chain(std::iter::repeat_n(number as u8, length)).collect()
}

#[test]
fn send_ends_when_a_receive_has_taken_it_at_one_place_and_at_two() {
    for places in [1, 2] {
        let world = Places::new(places, 2 / places);
        for length in [0, 1, 8191, 8192, 8193, 100_000] {
            let data = vec![3; length];
            let sent = world.call(send(Call::Send, 0, 1, 0, data.clone()));
            world.deliver_in_order();
            assert!(sent.lock().is_none(), "nothing has received");
            let (request, into) = receive(1, 0, 0, length as u64);
            let received = world.call(request);
            world.deliver_in_order();
            assert_eq!(ended(&received), Ok(Completion { source: 0, elements: length as u64 }));
            assert!(ended(&sent).is_ok());
            assert_eq!(*into.lock(), data);
        }
    }
}

#[test]
fn message_that_is_too_long_fails_the_receive_and_the_group() {
    for places in [1, 3] {
        let world = Places::new(places, 3 / places);
        let (waits, _) = receive(2, 0, 0, 1);
        let waits = world.call(waits);
        let sent = world.call(send(Call::Send, 0, 1, 0, vec![1; 9000]));
        let (request, _) = receive(1, 0, 0, 8999);
        let received = world.call(request);
        world.deliver_in_order();
        let failure = ended(&received).expect_err("too long");
        assert_eq!(
            failure.message,
            "slot 0 has sent 9000 elements, and the receive of slot 1 has room for 8999"
        );
        assert!(sent.lock().is_some());
        assert!(
            ended(&waits).expect_err("the group").message.contains("the group of slots has failed: slot 0")
        );
        let later = world.call(request_of_barrier(0));
        assert!(ended(&later).is_err());
    }
}

fn request_of_barrier(rank: u32) -> Request {
    Request { subgroup: [0, 3, 1], ..request(rank, Call::Barrier) }
}

#[test]
fn wrong_ranks_and_disagreements_name_both_sides() {
    let world = Places::new(1, 3);
    let wrong = world.call(send(Call::Send, 0, 3, 0, vec![1]));
    assert_eq!(
        ended(&wrong).expect_err("rank").message,
        "a send to slot 3: the slots of the group are 0 to 2"
    );
    let world = Places::new(3, 1);
    let first = world.call(request_of_barrier(2));
    let root = Request { partner: 1, sent: bytes(4), ..request_of_barrier(1) };
    let second = world.call(Request { call: Call::Broadcast, source: Source::Packed(vec![0; 4]), ..root });
    let third = world.call(request_of_barrier(0));
    world.deliver_in_order();
    let messages = [&first, &second, &third].map(|it| ended(it).expect_err("disagree").message);
    assert!(
        messages.iter().any(|it| it.contains("slot 1 calls broadcast of 4 elements of 1 bytes with root 1")),
        "{messages:?}"
    );
}

#[test]
fn second_call_of_a_slot_that_waits_is_refused() {
    let world = Places::new(1, 2);
    let (first, _) = receive(0, 1, 0, 1);
    let first = world.call(Request { block: Some(4), ..first });
    let second = world.call(Request { block: Some(5), ..send(Call::Send, 0, 1, 0, vec![1]) });
    let text = ended(&second).expect_err("in use").message;
    assert_eq!(
        text,
        "block 5 calls send of slot 0, in whose recv block 4 waits: a slot belongs to one block or activity"
    );
    assert!(ended(&first).is_err());
}

#[test]
fn what_was_begun_is_tested_and_waited_for_once() {
    let world = Places::new(2, 1);
    let begun = world.call(send(Call::StartSend, 0, 1, 0, vec![1, 2]));
    let number = ended(&begun).expect("begun").elements as i64;
    let of = |call| Request { partner: number, ..request(0, call) };
    assert_eq!(ended(&world.call(of(Call::Test))).map(|it| it.elements), Ok(0));
    let waits = world.call(of(Call::Wait));
    let (request, into) = receive(1, ANY_SOURCE, 0, 2);
    world.call(request);
    world.deliver_in_order();
    assert!(ended(&waits).is_ok());
    assert_eq!(*into.lock(), [1, 2]);
    assert!(ended(&world.call(of(Call::Wait))).is_err(), "once");
}

#[test]
fn messages_of_threads_to_one_slot_keep_the_order_of_each() {
    const SENDERS: u32 = 4;
    const MESSAGES: usize = 1000;
    let world = Places::new(1, SENDERS + 1);
    std::thread::scope(|scope| {
        for rank in 1..=SENDERS {
            let world = &world;
            let send_all = move || {
                for number in 0..MESSAGES {
                    let begun = world.call(send(Call::StartSend, rank, 0, 0, payload(number, 0)));
                    ended(&begun).expect("begun");
                }
            };
            scope.spawn(send_all);
        }
        let mut received = [0; SENDERS as usize + 1];
        for _ in 0..SENDERS as usize * MESSAGES {
            let (request, into) = receive(0, ANY_SOURCE, 0, 8);
            let result = world.call(request);
            let begun = Instant::now();
            let completion = loop {
                if let Some(outcome) = result.lock().clone() {
                    break outcome.expect("received");
                }
                assert!(begun.elapsed() < LIMIT, "a message has been lost");
                std::thread::yield_now();
            };
            let next = &mut received[completion.source as usize];
            assert_eq!(*into.lock(), payload(*next, 0));
            *next += 1;
        }
    });
}

/// Source, target, tag and length.
type ProgramMessage = (u32, u32, i32, usize);

/// Programs that match by construction: messages in the order of their sends;
/// each is received from its source or, in a target that receives all so, from any.
fn programs() -> impl Strategy<Value = (u32, Vec<ProgramMessage>, u64)> {
    let message = (0_u32..6, 0_u32..6, 0_i32..2, prop_oneof![0_usize..20, 8180_usize..8200]);
    (
        prop_oneof![Just(1_u32), Just(2), Just(3), Just(6)],
        proptest::collection::vec(message, 1..60),
        any::<u64>(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn matched_programs_receive_all_messages_in_order((places, messages, seed) in programs()) {
        let world = Places::new(places, 6 / places);
        let mut state = seed | 1;
        let mut random = move |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        let mut receives = Vec::new();
        // Slots 4 and 5 receive from any source, the others from the source of each message.
        let mut sends: VecDeque<_> = (0..messages.len()).collect();
        let mut posts: VecDeque<_> = (0..messages.len()).collect();
        while !sends.is_empty() || !posts.is_empty() {
            if posts.is_empty() || !sends.is_empty() && random(2) == 0 {
                let number = sends.pop_front().expect("a send");
                let (from, to, tag, length) = messages[number];
                world.call(send(Call::StartSend, from, to, tag, payload(number, length)));
            } else {
                let number = posts.pop_front().expect("a receive");
                let (from, to, tag, _) = messages[number];
                let from = if to >= 4 { ANY_SOURCE } else { i64::from(from) };
                let (request, into) = receive(to, from, tag, 10_000);
                let call = Call::StartReceive;
                let begun = ended(&world.call(Request { call, ..request })).expect("begun");
                receives.push((number, begun.elements as i64, into));
            }
            if random(3) == 0 {
                world.deliver(&mut random);
            }
        }
        world.deliver(&mut random);
        let mut seen = Vec::new();
        let mut last_of_pair = std::collections::HashMap::new();
        for (number, begun, into) in receives {
            let (_, to, tag, _) = messages[number];
            let wait = Request { partner: begun, ..request(to, Call::Wait) };
            let completion = ended(&world.call(wait)).expect("received");
            let data = into.lock().clone();
            let found = usize::from_le_bytes(data[..8].try_into().expect("a number"));
            let (from, target, sent_tag, length) = messages[found];
            prop_assert_eq!((target, sent_tag, length + 8), (to, tag, data.len()));
            prop_assert_eq!(completion.source, from);
            // Receives of one slot were begun in this order.
            let last = last_of_pair.insert((from, to, tag), found);
            prop_assert!(last.is_none_or(|last| last < found), "messages of a pair keep their order");
            seen.push(found);
        }
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..messages.len()).collect::<Vec<_>>());
    }

    #[test]
    fn reductions_are_the_same_over_any_number_of_places(values in proptest::collection::vec(any::<f32>(), 6), root in 0_u32..6) {
        let mut found = Vec::new();
        for places in [1, 2, 3, 6] {
            let world = Places::new(places, 6 / places);
            let into: Vec<_> = (0..6).map(|_| Arc::new(Mutex::new(Vec::new()))).collect();
            for rank in 0..6_u32 {
                let element = Elements { count: 1, size: 4, kind: slot::F32 };
                world.call(Request {
                    partner: i64::from(root),
                    subgroup: [0, 6, 1],
                    source: Source::Packed(values[rank as usize].to_ne_bytes().to_vec()),
                    target: Target::Packed(Arc::clone(&into[rank as usize])),
                    sent: element,
                    wanted: element,
                    ..request(rank, Call::Reduce)
                });
            }
            world.deliver_in_order();
            found.push(into[root as usize].lock().clone());
        }
        let sum = values[1..].iter().fold(values[0], |sum, value| sum + value);
        let is_sum = |it: &Vec<u8>| *it == sum.to_ne_bytes() || sum.is_nan();
        prop_assert!(found.iter().all(is_sum), "{:?}", found);
    }
}

/// A call with memory of the host.
fn in_memory(request: Request, memory: &mut [u8]) -> Request {
    let (address, bytes) = (memory.as_mut_ptr(), memory.len());
    match request.call {
        Call::Send => Request { source: Source::Memory { address, bytes }, ..request },
        _ => Request { target: Target::Memory { address, bytes }, ..request },
    }
}

#[test]
fn partner_that_waits_is_served_at_once_and_nothing_else_is() {
    let world = Places::new(1, 3);
    let now = |request: &Request| world.engines[0].make_now(&From(&world, 0), request);
    let (mut sent, mut room) = ([1, 2, 3], [0; 4]);
    let send_to = |to, data: &mut [u8]| in_memory(send(Call::Send, 0, to, 0, data.to_vec()), data);
    let receive_of =
        |rank, from, room: &mut [u8]| in_memory(receive(rank, from, 0, room.len() as u64).0, room);
    // Nobody waits.
    assert_eq!(now(&send_to(1, &mut sent)), None);
    assert_eq!(now(&receive_of(1, ANY_SOURCE, &mut room)), None);
    // A receive waits, with room for more.
    let received = world.call(receive_of(1, ANY_SOURCE, &mut room));
    assert_eq!(now(&send_to(2, &mut sent)), None, "another one receives");
    assert_eq!(now(&send_to(1, &mut sent)), Some(Ok(Completion::default())));
    assert_eq!(ended(&received), Ok(Completion { source: 0, elements: 3 }));
    assert_eq!(room, [1, 2, 3, 0]);
    // A send waits.
    let ends = world.call(send_to(2, &mut sent));
    assert_eq!(now(&receive_of(2, 1, &mut room)), None, "of another one");
    assert_eq!(now(&receive_of(2, 0, &mut room[..2])), None, "that is too short: the call says so");
    let found = now(&receive_of(2, ANY_SOURCE, &mut room));
    assert_eq!(found, Some(Ok(Completion { source: 0, elements: 3 })));
    assert!(ended(&ends).is_ok());
    // Slot 1 is in use.
    let waits = world.call(receive_of(1, 2, &mut room));
    let other = world.call(send_to(1, &mut sent));
    assert_eq!(now(&receive_of(1, 0, &mut [0; 4])), None);
    assert!(waits.lock().is_none() && other.lock().is_none());
}
