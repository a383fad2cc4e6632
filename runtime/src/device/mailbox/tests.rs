//! The host's side of a mailbox against threads that do what blocks of a kernel do, over memory of the same
//! layout.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::board::Board;
use super::calls::{Calls, KnownGroup};
use super::device_memory::Copies;
use super::layout::{Answered, INLINE_BYTES, Post, answer_flag, sent};
use super::proxy::{Proxy, Server};
use crate::device::cuda::driver::Context;
use crate::device::error::DeviceError;
use crate::layout::{SlotBuffer, SlotCall, slot};
use crate::slots::block_call::{BlockSlots, RequestSource};
use crate::slots::engine::Engine;
use crate::slots::group::{Group, Part, Side};
use crate::slots::message::{SlotMessage, Transport};
use crate::slots::request::{ANY_SOURCE, Call, Continuation, Failure, FailureKind, Request};

pub(super) const GROUP: i64 = 3;
const BOARD_ALIGNMENT: usize = 128;
/// Longer than any answer takes.
pub(super) const LIMIT: Duration = Duration::from_secs(60);

/// One place alone.
pub(super) struct NoTransport;

impl Transport for NoTransport {
    fn send(&self, host: u32, message: &SlotMessage, _: &[u8]) {
        panic!("a message to place {host}: {message:?}");
    }
}

pub(super) struct OnePlace(pub(super) Engine);

impl BlockSlots for OnePlace {
    fn post(&self, request: Request, then: Continuation) {
        self.0.post(&NoTransport, request, then);
    }

    fn add_source(&self, _: Weak<dyn RequestSource>) {}

    fn received(&self) -> Arc<AtomicU64> {
        Arc::default()
    }

    fn parts(&self, place: i64) -> Vec<(i64, Part)> {
        self.0.block_parts(place)
    }

    fn neighbours(&self, group: i64) -> Vec<Part> {
        self.0.neighbours(group)
    }

    fn fail(&self, owner: usize, why: &str) {
        self.0.fail_slots_of(&NoTransport, owner, why);
    }

    fn fail_part(&self, group: i64, part: &Part, why: &str) {
        self.0.fail_part(&NoTransport, group, part, why);
    }

    fn end(&self, owner: usize) -> Result<(), Failure> {
        self.0.end_block(&NoTransport, owner)
    }
}

/// The memory of the device is that of the test.
#[derive(Debug)]
struct HostCopies;

impl Copies for HostCopies {
    unsafe fn read(&self, from: u64, into: &mut [u8]) -> Result<(), DeviceError> {
        // SAFETY: by the caller.
        into.copy_from_slice(unsafe { std::slice::from_raw_parts(from as *const u8, into.len()) });
        Ok(())
    }

    unsafe fn write(&self, to: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        // SAFETY: by the caller.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to as *mut u8, bytes.len()) };
        Ok(())
    }

    unsafe fn copy(&self, to: u64, _: &dyn Copies, from: u64, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: by the caller.
        unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes) };
        Ok(())
    }

    fn context(&self) -> Option<&Arc<Context>> {
        None
    }
}

/// What a block does in `apg_slot_message`.
pub(super) struct Block {
    board: Board,
    pub(super) block: u32,
    /// The rank of the first block.
    first: i64,
    members: i64,
    calls: u64,
    is_wide: bool,
}

/// A call failed: a block ends then.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ended;

impl Block {
    pub(super) fn rank(&self) -> i64 {
        self.first + i64::from(self.block)
    }

    pub(super) fn call(
        &mut self,
        call: Call,
        (partner, from): (i64, i64),
        buffers: &mut [&mut [i32]],
    ) -> Result<i64, Ended> {
        self.call_for((0, 0), call, (partner, from), buffers)
    }

    /// A call for slots of which this one is the last that has arrived.
    fn call_for(
        &mut self,
        gathered: (u32, u32),
        call: Call,
        (partner, from): (i64, i64),
        buffers: &mut [&mut [i32]],
    ) -> Result<i64, Ended> {
        let buffer = |of: &&mut [i32]| SlotBuffer {
            data: of.as_ptr().cast_mut().cast(),
            length: of.len() as i64,
            index: 0,
            count: of.len() as i64,
            size: 4,
            kind: u32::from(slot::I32),
        };
        let empty =
            SlotBuffer { data: std::ptr::null_mut(), length: 0, index: 0, count: 0, size: 0, kind: 0 };
        let mut all = [empty; 2];
        for (into, of) in all.iter_mut().zip(&*buffers) {
            *into = buffer(of);
        }
        let mut post = Post {
            call: SlotCall {
                group: GROUP,
                rank: self.rank(),
                partner,
                from,
                tag: 0,
                operation: 0,
                first: 0,
                members: self.members,
                stride: 1,
                block: i64::from(self.block),
                buffers: all,
                call: call.number(),
                buffer_count: buffers.len() as u32,
                file: 5,
                // A large one has no room in a short request.
                line: if self.is_wide { 1 << 20 } else { 1 },
            },
            sent: sent::ON_DEVICE,
            gathered,
        };
        let mut elements = Vec::new();
        let parts = call.sent_parts().count(partner == self.rank(), self.members);
        let bytes = buffers.first().map_or(0, |it| size_of_val(*it)) * usize::from(parts > 0);
        if bytes <= INLINE_BYTES && !self.is_wide {
            if bytes > 0 {
                // SAFETY: the elements of the buffer.
                let given = unsafe { std::slice::from_raw_parts(all[0].data.cast::<u8>(), bytes) };
                elements.extend_from_slice(given);
            }
            post.sent = sent::INLINE;
        } else if bytes > 0 && bytes <= self.board.staging {
            // SAFETY: the block's own staging memory.
            unsafe {
                std::ptr::copy_nonoverlapping(all[0].data.cast(), self.board.sent(self.block), bytes);
            }
            post.sent = sent::STAGED;
        }
        self.calls += 1;
        // The doorbell may come first.
        self.board.doorbells()[self.block as usize].store(self.calls as u32, Ordering::Release);
        self.board.post(self.block).write(self.calls, &post, &elements);
        self.wait()
    }

    fn wait(&self) -> Result<i64, Ended> {
        let begun = Instant::now();
        loop {
            let (number, Answered { flags, word, target, bytes }, elements) =
                self.board.answer(self.block).read();
            if number >= self.calls {
                assert_eq!(number, self.calls, "an answer to a call that was not made");
                if flags & answer_flag::FAILED != 0 {
                    return Err(Ended);
                }
                if flags & answer_flag::INLINE != 0 {
                    // SAFETY: the block's own memory.
                    unsafe {
                        std::ptr::copy_nonoverlapping(elements.as_ptr(), target as *mut u8, elements.len());
                    }
                }
                if flags & answer_flag::STAGED != 0 {
                    // SAFETY: the block's own memory and staging memory.
                    unsafe {
                        let from = self.board.received(self.block);
                        std::ptr::copy_nonoverlapping(from, target as *mut u8, bytes as usize);
                    }
                }
                return Ok(word);
            }
            assert!(begun.elapsed() < LIMIT, "block {} has no answer to call {}", self.block, self.calls);
            std::thread::yield_now();
        }
    }
}

/// Runs blocks, and then what the end of a kernel does; the failure of a call, and that of the end.
fn launch(
    blocks: u32,
    staging: usize,
    body: &(dyn Fn(&mut Block) -> Result<(), Ended> + Sync),
) -> (Option<Failure>, Result<(), Failure>) {
    let parts = [(0, 0, Side::Blocks, i64::from(blocks))];
    launch_beside(&parts, (blocks, staging), body, &|_, _| ())
}

/// The same in a group with these parts, of which the last one is that of the blocks, while the first slot
/// does what `activity` says, with the engine and the source of requests.
pub(super) fn launch_beside(
    parts: &[(i64, u32, Side, i64)],
    (blocks, staging): (u32, usize),
    body: &(dyn Fn(&mut Block) -> Result<(), Ended> + Sync),
    activity: &(dyn Fn(&Engine, &Arc<dyn RequestSource>) + Sync),
) -> (Option<Failure>, Result<(), Failure>) {
    let mut memory = vec![0_u8; Board::bytes(blocks, staging) + BOARD_ALIGNMENT];
    let start = memory.as_ptr().align_offset(BOARD_ALIGNMENT);
    // SAFETY: zeroed memory of that alignment, which lives until the threads have ended.
    let board = unsafe { Board::new(memory.as_mut_ptr().add(start), blocks, staging) };
    let slots = Arc::new(OnePlace(Engine::default()));
    let group = Group::new(parts).expect("a group");
    let first = group.parts().last().map_or(0, |part| i64::from(part.first));
    slots.0.register(GROUP, group, 0);
    let calls = Arc::new(Calls::new(board, Arc::<OnePlace>::clone(&slots), Arc::new(HostCopies), Vec::new()));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (own, over) = (&calls, &is_over);
        let server = Arc::new(Server::new(Arc::clone(own), Arc::default()));
        let shared = Arc::clone(&server);
        let source: Arc<dyn RequestSource> = Arc::<Server>::clone(&server);
        let beside = scope.spawn(move || activity(&slots.0, &source));
        let serve = scope.spawn(move || {
            Proxy { server: &shared, is_over: over, has_failed_check: &|| false }.run();
        });
        // An activity that waits for a moment, again and again.
        let helper = scope.spawn(move || {
            while !over.load(Ordering::Acquire) {
                (0..100).for_each(|_| server.poll());
                std::thread::sleep(Duration::from_micros(100));
            }
            server.close();
        });
        calls.set_proxy(serve.thread().clone());
        let run = |block| {
            let members = i64::from(blocks);
            let mut block = Block { board, block, first, members, calls: 0, is_wide: block % 3 == 2 };
            // A block that has failed is at its end.
            let _ = body(&mut block);
        };
        let all: Vec<_> = (0..blocks).map(|block| scope.spawn(move || run(block))).collect();
        let ended: Vec<_> = all.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        beside.join().expect("an activity that gets what was sent");
        is_over.store(true, Ordering::Release);
        calls.wake();
        helper.join().expect("a helper that ends");
        ended.into_iter().for_each(|it| it.expect("a block that sees what was sent"));
    });
    let ended = calls.end();
    assert_eq!(calls.open(), 0);
    (calls.take_failure().map(|it| it.0), ended)
}

/// What all blocks do at one time.
#[derive(Clone, Copy, Debug)]
enum Round {
    /// Each sends to the one so far away, and receives from the other side.
    Shift(u32, usize),
    /// The same, begun and then awaited.
    Begun(u32, usize),
    /// The same, in place.
    Replace(u32, usize),
    /// All but the first send to the first, which takes them as they come. A barrier follows.
    Collect(usize),
    Broadcast(u32, usize),
    Sum(usize),
    Barrier,
}

fn value(rank: i64, round: usize, index: usize) -> i32 {
    (rank as i32 + 1) * 1000 + round as i32 * 17 + index as i32
}

fn filled(rank: i64, round: usize, count: usize) -> Vec<i32> {
    (0..count).map(|index| value(rank, round, index)).collect()
}

fn run_round(block: &mut Block, number: usize, round: Round) -> Result<(), Ended> {
    let (rank, members) = (block.rank(), block.members);
    let sides = |by: u32| {
        let by = i64::from(by) % members;
        ((rank + by) % members, (rank + members - by) % members)
    };
    match round {
        Round::Shift(by, count) => {
            let (to, from) = sides(by);
            let (mut mine, mut theirs) = (filled(rank, number, count), vec![0; count]);
            let word = block.call(Call::Exchange, (to, from), &mut [&mut mine, &mut theirs])?;
            assert_eq!(theirs, filled(from, number, count));
            assert_eq!(word, (count as i64) << 24 | from);
        }
        Round::Begun(by, count) => {
            let (to, from) = sides(by);
            let (mut mine, mut theirs) = (filled(rank, number, count), vec![0; count]);
            let receive = block.call(Call::StartReceive, (0, from), &mut [&mut theirs])? >> 24;
            let send = block.call(Call::StartSend, (to, 0), &mut [&mut mine])? >> 24;
            while block.call(Call::Test, (receive, 0), &mut [])? >> 24 == 0 {
                std::thread::yield_now();
            }
            assert_eq!(block.call(Call::Wait, (receive, 0), &mut [])?, (count as i64) << 24 | from);
            block.call(Call::Wait, (send, 0), &mut [])?;
            assert_eq!(theirs, filled(from, number, count));
        }
        Round::Replace(by, count) => {
            let (to, from) = sides(by);
            let mut both = filled(rank, number, count);
            block.call(Call::Replace, (to, from), &mut [&mut both])?;
            assert_eq!(both, filled(from, number, count));
        }
        Round::Collect(count) if rank == 0 => {
            let mut seen = vec![false; members as usize];
            for _ in 1..members {
                // Room for more than is sent.
                let mut room = vec![-1; count + 3];
                let word = block.call(Call::Receive, (0, ANY_SOURCE), &mut [&mut room])?;
                let from = word & 0xff_ffff;
                assert!(!std::mem::replace(&mut seen[from as usize], true));
                assert_eq!(room[..count], filled(from, number, count));
                assert_eq!(room[count..], [-1; 3]);
            }
            // Messages of later rounds come after that.
            block.call(Call::Barrier, (0, 0), &mut [])?;
        }
        Round::Collect(count) => {
            block.call(Call::Send, (0, 0), &mut [&mut filled(rank, number, count)])?;
            block.call(Call::Barrier, (0, 0), &mut [])?;
        }
        Round::Broadcast(root, count) => {
            let root = i64::from(root) % members;
            let mut data = if rank == root { filled(root, number, count) } else { vec![0; count] };
            block.call(Call::Broadcast, (root, 0), &mut [&mut data])?;
            assert_eq!(data, filled(root, number, count));
        }
        Round::Sum(count) => {
            let (mut mine, mut all) = (filled(rank, number, count), vec![0; count]);
            block.call(Call::AllReduce, (0, 0), &mut [&mut mine, &mut all])?;
            let sum = |index| (0..members).map(|it| value(it, number, index)).sum::<i32>();
            assert_eq!(all, (0..count).map(sum).collect::<Vec<_>>());
        }
        Round::Barrier => {
            block.call(Call::Barrier, (0, 0), &mut [])?;
        }
    }
    Ok(())
}

/// Numbers of elements around the 256 bytes of an answer and the 512 of staging memory of these tests.
fn counts() -> impl Strategy<Value = usize> {
    prop_oneof![Just(0), Just(1), Just(2), Just(3), 63_usize..66, 127_usize..130, 2_usize..200, Just(3000)]
}

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let round = prop_oneof![
        (0_u32..5, counts()).prop_map(|(by, count)| Round::Shift(by, count)),
        (0_u32..5, counts()).prop_map(|(by, count)| Round::Begun(by, count)),
        (0_u32..5, counts()).prop_map(|(by, count)| Round::Replace(by, count)),
        counts().prop_map(Round::Collect),
        (0_u32..5, counts()).prop_map(|(root, count)| Round::Broadcast(root, count)),
        counts().prop_map(Round::Sum),
        Just(Round::Barrier),
    ];
    proptest::collection::vec(round, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn messages_of_blocks_arrive_by_each_path(blocks in 1_u32..6, program in rounds()) {
        let ended = launch(blocks, 512, &|block| {
            for (number, round) in program.iter().enumerate() {
                run_round(block, number, *round)?;
            }
            Ok(())
        });
        prop_assert_eq!(ended, (None, Ok(())));
    }
}

#[test]
fn barrier_is_made_by_one_block_for_all_of_its_part() {
    // The first block stands for itself and the next one, which makes no call of its own.
    let arrived = AtomicBool::new(false);
    let ended = launch(3, 512, &|block| match block.block {
        0 => {
            block.call_for((0, 2), Call::Barrier, (0, 0), &mut [])?;
            assert!(arrived.load(Ordering::Acquire));
            Ok(())
        }
        1 => Ok(()),
        _ => {
            std::thread::sleep(Duration::from_millis(5));
            arrived.store(true, Ordering::Release);
            block.call(Call::Barrier, (0, 0), &mut []).map(drop)
        }
    });
    assert_eq!(ended, (None, Ok(())));
    let (failure, _) =
        launch(3, 512, &|block| block.call_for((1, 3), Call::Barrier, (0, 0), &mut []).map(drop));
    let message = failure.expect("more slots than the part has").message;
    assert_eq!(message, "barrier for 3 slots from 1 on, which are not blocks of one place");
}

#[test]
fn failing_call_ends_all_blocks_of_its_group_with_its_own_failure() {
    let (failure, ended) = launch(3, 512, &|block| {
        let partner = if block.block == 1 { 99 } else { 1 };
        let outcome = block.call(Call::Exchange, (partner, 1), &mut [&mut [1], &mut [0]]);
        assert_eq!(outcome, Err(Ended));
        Err(Ended)
    });
    let failure = failure.expect("a failure");
    assert_eq!(failure.kind, FailureKind::Argument);
    assert_eq!(failure.message, "a send to slot 99: the slots of the group are 0 to 2");
    assert_eq!(ended, Ok(()));
}

#[test]
fn elements_outside_of_a_rail_fail_before_they_are_copied() {
    let (failure, _) = launch(1, 512, &|block| {
        let mut data = [1, 2, 3];
        // The receive has one part for each slot of the subgroup; a block does not make that short.
        block.is_wide = true;
        block.members = 2;
        block.call(Call::AllToAll, (0, 0), &mut [&mut data, &mut [0; 3]]).map(drop)
    });
    let failure = failure.expect("a failure");
    assert_eq!(failure.kind, FailureKind::Index);
    assert_eq!(failure.message, "3 elements for each of 2 from index 0 on are not within a rail of 3");
}

#[test]
fn failed_launch_fails_groups_that_its_blocks_have_joined_without_the_host() {
    let mut memory = vec![0_u8; Board::bytes(2, 64) + BOARD_ALIGNMENT];
    let start = memory.as_ptr().align_offset(BOARD_ALIGNMENT);
    // SAFETY: zeroed memory of that alignment, which lives as long as the calls.
    let board = unsafe { Board::new(memory.as_mut_ptr().add(start), 2, 64) };
    let slots = Arc::new(OnePlace(Engine::default()));
    let mut known = Vec::new();
    for number in [GROUP, GROUP + 1] {
        let group = Group::new(&[(0, 0, Side::Activities, 1), (0, 0, Side::Blocks, 2)]).expect("a group");
        let part = group.parts()[1];
        slots.0.register(number, group, 0);
        known.push(KnownGroup { number, part, channels: None });
    }
    let calls = Calls::new(board, Arc::<OnePlace>::clone(&slots), Arc::new(HostCopies), known);
    board.joined(1).store(1, Ordering::Relaxed);
    calls.fail_slots("a failed check of a block");
    let is_usable = |number| slots.0.block_parts(0).iter().any(|it| it.0 == number);
    assert!(is_usable(GROUP), "no block has made a call of a slot of this group");
    assert!(!is_usable(GROUP + 1), "others wait for slots of this group");
    assert_eq!(board.failed(1).load(Ordering::Relaxed), 0, "without channels it stays 0");
}

#[test]
fn receive_that_nothing_awaits_fails_at_the_end() {
    let (failure, ended) =
        launch(1, 512, &|block| block.call(Call::StartReceive, (0, 0), &mut [&mut [0]]).map(drop));
    assert_eq!(failure, None);
    let message = ended.expect_err("a receive was left").message;
    assert!(message.starts_with("the block of slot 0 ends before a call that it has begun"), "{message}");
}
