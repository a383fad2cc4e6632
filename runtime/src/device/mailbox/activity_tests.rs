//! Messages between blocks and an activity, whose receives take some of them straight from requests.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use proptest::prelude::*;

use super::tests::{Block, Ended, GROUP, LIMIT, NoTransport, launch_beside};
use crate::layout::slot;
use crate::slots::block_call::RequestSource;
use crate::slots::engine::{Engine, NotNow};
use crate::slots::group::Side;
use crate::slots::request::{
    ANY_SOURCE, Call, Completion, Elements, FailureKind, Outcome, Request, Source, Target,
};

/// Room of each receive, in elements.
const ROOM: usize = 220;

/// What a block does.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Sends that number of elements.
    Send(usize),
    /// Sends them, and receives as many from the activity.
    Exchange(usize),
    /// The same in place.
    Replace(usize),
    /// Sends them twice, and waits for the first one behind the second.
    Begun(usize),
}

impl Step {
    fn is_answered(self) -> bool {
        matches!(self, Step::Exchange(_) | Step::Replace(_))
    }
}

/// Elements of the message of a slot with that number.
fn message(rank: i64, number: usize, count: usize) -> Vec<i32> {
    (0..count).map(|at| rank as i32 * 1000 + number as i32 + 7 * at as i32).collect()
}

fn answer(number: usize, count: usize) -> Vec<i32> {
    (0..count).map(|at| -(number as i32) - at as i32).collect()
}

/// The messages of a program, in their order.
fn messages(program: &[Step]) -> Vec<(Step, usize)> {
    let of = |step: &Step| match *step {
        Step::Begun(count) => vec![(*step, count); 2],
        Step::Send(count) | Step::Exchange(count) | Step::Replace(count) => vec![(*step, count)],
    };
    program.iter().flat_map(of).collect()
}

fn run_block(block: &mut Block, program: &[Step]) -> Result<(), Ended> {
    let rank = block.rank();
    let mut number = 0;
    for step in program {
        match *step {
            Step::Send(count) => {
                block.call(Call::Send, (0, 0), &mut [&mut message(rank, number, count)])?;
            }
            Step::Exchange(count) => {
                let mut room = vec![0; count];
                let word = block.call(
                    Call::Exchange,
                    (0, 0),
                    &mut [&mut message(rank, number, count), &mut room],
                )?;
                assert_eq!((word, room), ((count as i64) << 24, answer(number, count)));
            }
            Step::Replace(count) => {
                let mut both = message(rank, number, count);
                block.call(Call::Replace, (0, 0), &mut [&mut both])?;
                assert_eq!(both, answer(number, count));
            }
            Step::Begun(count) => {
                let mut first = message(rank, number, count);
                let begun = block.call(Call::StartSend, (0, 0), &mut [&mut first])? >> 24;
                number += 1;
                block.call(Call::Send, (0, 0), &mut [&mut message(rank, number, count)])?;
                block.call(Call::Wait, (begun, 0), &mut [])?;
            }
        }
        number += 1;
    }
    Ok(())
}

/// The slot of rank 0.
struct Activity<'a> {
    engine: &'a Engine,
    source: &'a Arc<dyn RequestSource>,
}

impl Activity<'_> {
    fn request(call: Call, partner: i64, memory: &mut [i32]) -> Request {
        let elements = Elements { count: memory.len() as u64, size: 4, kind: slot::I32 };
        let (address, bytes) = (memory.as_mut_ptr().cast::<u8>(), size_of_val(memory));
        let (source, target) = match call {
            Call::Send => (Source::Memory { address, bytes }, Target::Nothing),
            _ => (Source::Nothing, Target::Memory { address, bytes }),
        };
        Request {
            group: GROUP,
            rank: 0,
            call,
            partner,
            from: partner,
            tag: 0,
            operation: 0,
            subgroup: [0, 0, 1],
            source,
            sent: elements,
            target,
            wanted: elements,
            gathered: (0, 0),
            is_sent: false,
            block: None,
            owner: 1,
            probe: None,
        }
    }

    /// Posts a request and waits.
    fn post(&self, request: Request) -> Outcome {
        let outcome = Arc::new(Mutex::new(None));
        let end = Arc::clone(&outcome);
        self.engine.post(&NoTransport, request, Box::new(move |it| *end.lock() = Some(it)));
        wait_until(|| {
            self.source.poll();
            outcome.lock().take()
        })
    }

    fn receive(&self, from: i64, room: &mut [i32]) -> Outcome {
        let request = Self::request(Call::Receive, from, room);
        let sources = [Arc::clone(self.source)];
        let receive = |_| self.engine.receive_from_blocks(&NoTransport, &request, &sources);
        let taken = (0..50).map(receive).find(|it| !matches!(it, Err(NotNow::Awaited))).and_then(Result::ok);
        taken.unwrap_or_else(|| self.post(request))
    }

    fn send(&self, to: i64, elements: &mut [i32]) -> Outcome {
        let request = Self::request(Call::Send, to, elements);
        self.engine.make_now(&NoTransport, &request).unwrap_or_else(|| self.post(request))
    }
}

fn wait_until<T>(mut poll: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = poll() {
            return found;
        }
        assert!(begun.elapsed() < LIMIT, "a call of the activity does not end");
        std::thread::yield_now();
    }
}

fn parts(blocks: u32) -> [(i64, u32, Side, i64); 2] {
    [(0, 0, Side::Activities, 1), (0, 0, Side::Blocks, i64::from(blocks))]
}

/// Numbers of elements around the 256 bytes of a request.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let counts = || prop_oneof![Just(1), Just(2), 63_usize..66, 1_usize..ROOM];
    let step = prop_oneof![
        3 => counts().prop_map(Step::Send),
        1 => counts().prop_map(Step::Exchange),
        1 => counts().prop_map(Step::Replace),
        1 => counts().prop_map(Step::Begun),
    ];
    proptest::collection::vec(step, 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn activity_receives_messages_of_each_block_in_order(
        programs in proptest::collection::vec(steps(), 1..6),
        names_source: bool,
    ) {
        let blocks = programs.len() as u32;
        let activity = |engine: &Engine, source: &Arc<dyn RequestSource>| {
            let activity = Activity { engine, source };
            let all: Vec<_> = programs.iter().map(|it| messages(it)).collect();
            let mut next = vec![0; all.len()];
            let total: usize = all.iter().map(Vec::len).sum();
            for _ in 0..total {
                let left = (0..all.len()).find(|at| next[*at] < all[*at].len());
                let wanted = match names_source {
                    true => left.map_or(ANY_SOURCE, |at| at as i64 + 1),
                    false => ANY_SOURCE,
                };
                let mut room = [0; ROOM];
                let found = activity.receive(wanted, &mut room).expect("a message");
                let at = found.source as usize - 1;
                let number = next[at];
                next[at] += 1;
                let (step, count) = all[at][number];
                assert_eq!(room[..found.elements as usize], message(at as i64 + 1, number, count));
                if step.is_answered() {
                    let sent = activity.send(at as i64 + 1, &mut answer(number, count));
                    assert_eq!(sent, Ok(Completion::default()));
                }
            }
        };
        let body = |block: &mut Block| run_block(block, &programs[block.block as usize]);
        let ended = launch_beside(&parts(blocks), (blocks, 1024), &body, &activity);
        prop_assert_eq!(ended, (None, Ok(())));
    }
}

#[test]
fn what_the_activity_has_begun_to_receive_comes_before_its_receive() {
    let body = |block: &mut Block| {
        block.call(Call::Send, (0, 0), &mut [&mut [1]])?;
        block.call(Call::Send, (0, 0), &mut [&mut [2]]).map(drop)
    };
    let activity = |engine: &Engine, source: &Arc<dyn RequestSource>| {
        let activity = Activity { engine, source };
        let (mut first, mut second) = ([0], [0]);
        let request = Activity::request(Call::StartReceive, ANY_SOURCE, &mut first);
        let begun = Arc::new(Mutex::new(0));
        let known = Arc::clone(&begun);
        let note = move |it: Outcome| *known.lock() = it.map_or(0, |it| it.elements as i64);
        engine.post(&NoTransport, request, Box::new(note));
        assert_eq!(activity.receive(1, &mut second), Ok(Completion { source: 1, elements: 1 }));
        let wait = Request { partner: *begun.lock(), ..Activity::request(Call::Wait, 0, &mut []) };
        assert_eq!(activity.post(wait), Ok(Completion { source: 1, elements: 1 }));
        assert_eq!((first, second), ([1], [2]));
    };
    assert_eq!(launch_beside(&parts(1), (1, 1024), &body, &activity), (None, Ok(())));
}

#[test]
fn message_that_does_not_fit_fails_the_receive_and_the_block() {
    let body = |block: &mut Block| {
        block.call(Call::Send, (0, 0), &mut [&mut [1, 2, 3]]).map(drop)?;
        block.call(Call::Send, (0, 0), &mut [&mut [1]]).map(drop)
    };
    let activity = |engine: &Engine, source: &Arc<dyn RequestSource>| {
        let failure = Activity { engine, source }.receive(1, &mut [0; 2]).expect_err("too short");
        assert_eq!(failure.kind, FailureKind::Argument);
        let why = "slot 1 has sent 3 elements, and the receive of slot 0 has room for 2";
        assert_eq!(failure.message, why);
    };
    let (failure, _) = launch_beside(&parts(1), (1, 1024), &body, &activity);
    assert_eq!(failure.expect("the group has failed").kind, FailureKind::Group);
}

#[test]
fn message_in_the_memory_of_the_device_is_left_to_a_receive_that_is_posted() {
    // Longer than the block's staging memory.
    const COUNT: usize = 300;
    let body = |block: &mut Block| {
        let rank = block.rank();
        block.call(Call::Send, (0, 0), &mut [&mut message(rank, 0, COUNT)]).map(drop)
    };
    let activity = |engine: &Engine, source: &Arc<dyn RequestSource>| {
        let mut room = [0; COUNT];
        let request = Activity::request(Call::Receive, ANY_SOURCE, &mut room);
        let sources = [Arc::clone(source)];
        let found = wait_until(|| match engine.receive_from_blocks(&NoTransport, &request, &sources) {
            Err(NotNow::Awaited) => None,
            found => Some(found),
        });
        assert_eq!(found, Err(NotNow::Posted));
        let outcome = Activity { engine, source }.post(request);
        assert_eq!(outcome, Ok(Completion { source: 1, elements: COUNT as u64 }));
        assert_eq!(room[..], message(1, 0, COUNT));
    };
    assert_eq!(launch_beside(&parts(1), (1, 1024), &body, &activity), (None, Ok(())));
}
