//! The calls of the blocks of one launch: from a request in the mailbox to the engine's request, and from its
//! completion to the answer. A completion may come by any thread: what needs the device's copy engine is left
//! to the proxy.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::board::Board;
use super::buffers::BufferPool;
use super::layout::{Answered, INLINE_BYTES, Post, answer_flag, sent};
use crate::device::error::DeviceError;
use crate::slots::block_call::{BlockCall, BlockSlots, CallSite, Memory};
use crate::slots::request::{Call, Failure, FailureKind, Outcome, Source, Target};

/// Copies between the host and memory of the device.
pub(super) trait Copies {
    /// Copies as many bytes of device memory to the host.
    ///
    /// # Safety
    /// The memory is there, and is left alone meanwhile.
    unsafe fn read(&self, from: u64, into: &mut [u8]) -> Result<(), DeviceError>;

    /// Copies bytes of the host to device memory; they are there when this returns.
    ///
    /// # Safety
    /// The memory is there, and nothing else accesses it meanwhile.
    unsafe fn write(&self, to: u64, bytes: &[u8]) -> Result<(), DeviceError>;
}

/// The calls of one launch.
pub(super) struct Calls {
    pub board: Board,
    slots: Arc<dyn BlockSlots>,
    state: Mutex<State>,
    buffers: BufferPool,
    /// Calls that are posted and not answered.
    open: AtomicUsize,
    proxy: OnceLock<Thread>,
}

#[derive(Default)]
struct State {
    failure: Option<(Failure, CallSite)>,
    /// Messages for the proxy to copy to the device.
    arrived: VecDeque<Arrived>,
    /// What blocks have begun to receive, by group, rank and number.
    begun: FxHashMap<(i64, i64, i64), Begun>,
}

/// A message for device memory, whose call is answered when it is there.
struct Arrived {
    open: OpenCall,
    word: i64,
    message: Message,
}

/// A message for the memory of a block.
struct Message {
    /// It is at its start.
    buffer: Vec<u8>,
    length: usize,
    /// Its address in the block's memory.
    target: u64,
}

/// A receive that a block has begun: its bytes stay here until the block waits for it.
struct Begun {
    bytes: Arc<Mutex<Vec<u8>>>,
    target: u64,
}

/// A call that is not answered.
struct OpenCall {
    block: u32,
    /// Number of the block's call.
    number: u64,
    site: CallSite,
    made: BlockCall,
    /// The elements that it sends, if they are not in staging memory.
    sent: Option<Vec<u8>>,
    delivery: Delivery,
}

/// How received elements reach the block.
enum Delivery {
    /// There are none.
    Nothing,
    /// They are written to the block's staging memory; their address in the block's memory.
    Staging(u64),
    /// They are written to a buffer of the host.
    Buffer(Message),
    /// They arrive after the call.
    Later(Begun),
}

impl Calls {
    pub(super) fn new(board: Board, slots: Arc<dyn BlockSlots>) -> Calls {
        Calls {
            board,
            slots,
            state: Mutex::default(),
            buffers: BufferPool::default(),
            open: AtomicUsize::default(),
            proxy: OnceLock::new(),
        }
    }

    /// The thread to wake when there is something to copy.
    pub(super) fn set_proxy(&self, thread: Thread) {
        let _ = self.proxy.set(thread);
    }

    /// Wakes the proxy.
    pub(super) fn wake(&self) {
        self.proxy.get().inspect(|it| it.unpark());
    }

    /// The owner of the slots of all blocks, for the engine.
    fn owner(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Number of calls that are posted and not answered.
    pub(super) fn open(&self) -> usize {
        self.open.load(Ordering::Acquire)
    }

    /// The groups of the slots that have made calls fail.
    pub(super) fn fail_slots(&self, why: &str) {
        self.slots.fail(self.owner(), why);
    }

    /// All blocks have ended.
    ///
    /// # Errors
    /// They have left what they have begun.
    pub(super) fn end(&self) -> Result<(), Failure> {
        let mut state = self.state.lock();
        let left = std::mem::take(&mut state.arrived);
        drop(state);
        for arrived in left {
            // The block has ended without the message.
            self.answer(arrived.open, Answered { flags: answer_flag::FAILED, ..Answered::default() });
        }
        self.slots.end(self.owner())
    }

    /// The first failure of a call by its own fault, if there is one; else the first of all.
    pub(super) fn take_failure(&self) -> Option<(Failure, CallSite)> {
        self.state.lock().failure.take()
    }

    /// Begins call `number` of a block.
    pub(super) fn begin(self: &Arc<Self>, block: u32, number: u64, post: &Post, copies: &dyn Copies) {
        let site = CallSite::of(&post.call);
        self.open.fetch_add(1, Ordering::AcqRel);
        let made = match BlockCall::new(&post.call) {
            Ok(made) => made,
            Err(failure) => return self.refuse(block, number, site, failure),
        };
        let (source, sent) = match self.source(block, &made, post, copies) {
            Ok(found) => found,
            Err(failure) => return self.refuse(block, number, site, failure),
        };
        let (delivery, target) = self.target(block, &made);
        let mut request = made.request(source, target, self.owner());
        request.probe = Some(Arc::new(site));
        let (open, calls) = (OpenCall { block, number, site, made, sent, delivery }, Arc::clone(self));
        self.slots.post(request, Box::new(move |outcome| calls.complete(open, outcome)));
    }

    /// The elements that a call sends, and the buffer that holds them, if one does.
    fn source(
        &self,
        block: u32,
        made: &BlockCall,
        post: &Post,
        copies: &dyn Copies,
    ) -> Result<(Source, Option<Vec<u8>>), Failure> {
        let Some(Memory { address, bytes }) = made.source else { return Ok((Source::Nothing, None)) };
        let in_request = if post.sent == sent::INLINE { post.elements.get(..bytes) } else { None };
        if let Some(elements) = in_request {
            // SAFETY: the block's staging memory, which it does not use in this call; more than a request has.
            unsafe { std::ptr::copy_nonoverlapping(elements.as_ptr(), self.board.sent(block), bytes) };
        }
        let is_staged = post.sent == sent::STAGED && bytes <= self.board.staging;
        if in_request.is_some() || is_staged {
            let staged = Source::Memory { address: self.board.sent(block), bytes };
            return Ok(match made.call.blocks() {
                true => (staged, None),
                // The block continues, and may use its staging memory again.
                false => (Source::Packed(staged.bytes().to_vec()), None),
            });
        }
        let mut buffer = self.buffers.take(bytes);
        // SAFETY: a range inside of a rail of the kernel, which waits.
        let read = unsafe { copies.read(address as u64, &mut buffer[..bytes]) };
        read.map_err(|error| Failure::operation(error.message))?;
        if made.call.blocks() {
            // A vector's memory stays where it is when the vector moves.
            return Ok((Source::Memory { address: buffer.as_ptr(), bytes }, Some(buffer)));
        }
        buffer.truncate(bytes);
        Ok((Source::Packed(buffer), None))
    }

    /// Where a call receives, for the engine and for the answer.
    fn target(&self, block: u32, made: &BlockCall) -> (Delivery, Target) {
        let Some(Memory { address, bytes }) = made.target else {
            return (Delivery::Nothing, Target::Nothing);
        };
        let target = address as u64;
        if !made.call.blocks() {
            let received = Arc::new(Mutex::new(Vec::new()));
            return (
                Delivery::Later(Begun { bytes: Arc::clone(&received), target }),
                Target::Packed(received),
            );
        }
        if bytes <= self.board.staging {
            let staging = Target::Memory { address: self.board.received(block), bytes };
            return (Delivery::Staging(target), staging);
        }
        let mut buffer = self.buffers.take(bytes);
        let address = buffer.as_mut_ptr();
        (Delivery::Buffer(Message { buffer, length: 0, target }), Target::Memory { address, bytes })
    }

    /// A call has ended.
    fn complete(&self, mut open: OpenCall, outcome: Outcome) {
        let completion = match outcome {
            Ok(completion) => completion,
            Err(failure) => return self.fail(open, failure),
        };
        let word = completion.word();
        let (group, rank) = open.made.slot();
        match std::mem::replace(&mut open.delivery, Delivery::Nothing) {
            Delivery::Nothing if open.made.call == Call::Wait => {
                let key = (group, rank, open.made.request_number());
                let begun = self.state.lock().begun.remove(&key);
                match begun {
                    Some(Begun { bytes, target }) => {
                        let buffer = std::mem::take(&mut *bytes.lock());
                        let length = buffer.len();
                        self.deliver(open, word, Message { buffer, length, target });
                    }
                    None => self.answer(open, Answered { word, ..Answered::default() }),
                }
            }
            Delivery::Nothing => self.answer(open, Answered { word, ..Answered::default() }),
            Delivery::Staging(target) => {
                let bytes = open.made.received_bytes(completion.elements) as u32;
                self.answer(open, Answered { flags: received_flag(bytes), word, target, bytes });
            }
            Delivery::Buffer(message) => {
                let length = open.made.received_bytes(completion.elements);
                self.deliver(open, word, Message { length, ..message });
            }
            Delivery::Later(begun) => {
                self.state.lock().begun.insert((group, rank, completion.elements as i64), begun);
                self.answer(open, Answered { word, ..Answered::default() });
            }
        }
    }

    /// Gives a message to its block: through staging memory if it fits, else by the proxy.
    fn deliver(&self, open: OpenCall, word: i64, message: Message) {
        let Message { length, target, .. } = message;
        if length > self.board.staging {
            self.state.lock().arrived.push_back(Arrived { open, word, message });
            return self.wake();
        }
        // SAFETY: the block's staging memory, which is the host's until the answer.
        unsafe {
            let to = self.board.received(open.block);
            std::ptr::copy_nonoverlapping(message.buffer.as_ptr(), to, length);
        }
        self.buffers.give_back(message.buffer);
        let bytes = length as u32;
        self.answer(open, Answered { flags: received_flag(bytes), word, target, bytes });
    }

    /// Copies a message that has arrived to the device; false if there is none.
    pub(super) fn copy_arrived(&self, copies: &dyn Copies) -> bool {
        let next = self.state.lock().arrived.pop_front();
        let Some(Arrived { open, word, message }) = next else { return false };
        // SAFETY: a range inside of a rail of the kernel, which waits.
        let copied = unsafe { copies.write(message.target, &message.buffer[..message.length]) };
        self.buffers.give_back(message.buffer);
        match copied {
            Ok(()) => {
                self.answer(open, Answered { flags: answer_flag::WRITTEN, word, ..Answered::default() })
            }
            Err(error) => self.fail(open, Failure::operation(error.message)),
        }
        true
    }

    /// A request is wrong: its group fails, as others wait for it.
    fn refuse(&self, block: u32, number: u64, site: CallSite, failure: Failure) {
        self.note(failure, site);
        let failed = Answered { flags: answer_flag::FAILED, ..Answered::default() };
        self.board.answer(block).write(number, failed, &[]);
        self.open.fetch_sub(1, Ordering::AcqRel);
    }

    fn fail(&self, open: OpenCall, failure: Failure) {
        self.note(failure, open.site);
        self.answer(open, Answered { flags: answer_flag::FAILED, ..Answered::default() });
    }

    /// Keeps the failure of a call, if it is the first, or the first by its own fault.
    fn note(&self, failure: Failure, site: CallSite) {
        let mut state = self.state.lock();
        let replaces = match &state.failure {
            None => true,
            Some((known, _)) => known.kind == FailureKind::Group && failure.kind != FailureKind::Group,
        };
        if replaces {
            state.failure = Some((failure, site));
        }
    }

    fn answer(&self, open: OpenCall, answered: Answered) {
        open.sent.into_iter().for_each(|it| self.buffers.give_back(it));
        let in_answer = if answered.flags & answer_flag::INLINE != 0 { answered.bytes as usize } else { 0 };
        // SAFETY: the block's staging memory, which is the host's until the answer, and holds that many bytes.
        let elements = unsafe { std::slice::from_raw_parts(self.board.received(open.block), in_answer) };
        self.board.answer(open.block).write(open.number, answered, elements);
        self.open.fetch_sub(1, Ordering::AcqRel);
    }
}

/// How received elements reach the block that are in the host's part of its staging memory.
fn received_flag(bytes: u32) -> u32 {
    match bytes as usize {
        0 => 0,
        bytes if bytes <= INLINE_BYTES => answer_flag::INLINE,
        _ => answer_flag::STAGED,
    }
}
