//! The calls of the blocks of one launch: from a request in the mailbox to the engine's request, and from its
//! completion to the answer. A completion may come by any thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::board::Board;
use super::device_memory::{Copies, Elements};
use super::layout::{Answered, INLINE_BYTES, Post, answer_flag, sent};
use super::peers::GroupChannels;
use crate::layout::SlotBuffer;
use crate::slots::block_call::{BlockCall, BlockMessage, BlockSlots, CallSite, Memory, checked_tag};
use crate::slots::group::Part;
use crate::slots::request::{Call, Elements as SlotElements, Failure, FailureKind, Outcome, Source, Target};

/// The calls of one launch.
pub(super) struct Calls {
    pub board: Board,
    slots: Arc<dyn BlockSlots>,
    copies: Arc<dyn Copies>,
    /// The groups that blocks know, in the order of the table.
    groups: Vec<KnownGroup>,
    state: Mutex<State>,
    /// Calls that are posted and not answered.
    open: AtomicUsize,
    proxy: OnceLock<Thread>,
}

/// A group whose slots exchange messages without the host.
pub(super) struct KnownGroup {
    pub number: i64,
    /// Its slots for the blocks of the launch.
    pub part: Part,
    /// Between it and slots at other devices.
    pub channels: Option<Arc<GroupChannels>>,
}

#[derive(Default)]
struct State {
    failure: Option<(Failure, CallSite)>,
    /// What blocks have begun to receive, by group, rank and number.
    begun: FxHashMap<(i64, i64, i64), Begun>,
}

/// A receive that a block has begun.
enum Begun {
    /// Its bytes stay here until the block waits for it, and then go to that address.
    Short(Arc<Mutex<Vec<u8>>>, u64),
    /// They go to the memory of the device as they arrive.
    Long,
}

/// A call that is not answered.
struct OpenCall {
    block: u32,
    /// Number of the block's call.
    number: u64,
    site: CallSite,
    /// Group and rank.
    slot: (i64, i64),
    call: Call,
    /// Number of what a test or wait is about.
    about: i64,
    /// Bytes of an element, for each part that is received.
    element_bytes: usize,
    delivery: Delivery,
}

/// How received elements reach the block.
enum Delivery {
    /// There are none.
    Nothing,
    /// They are written to the block's staging memory; their address in the block's memory.
    Staging(u64),
    /// They are written to the memory of the device.
    Written,
    /// They arrive after the call.
    Later(Begun),
}

impl Calls {
    pub(super) fn new(
        board: Board,
        slots: Arc<dyn BlockSlots>,
        copies: Arc<dyn Copies>,
        groups: Vec<KnownGroup>,
    ) -> Calls {
        Calls {
            board,
            slots,
            copies,
            groups,
            state: Mutex::default(),
            open: AtomicUsize::default(),
            proxy: OnceLock::new(),
        }
    }

    /// The thread to wake at the end.
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

    /// The groups of the slots that have made calls fail, by whatever path. The mailbox still has its memory.
    pub(super) fn fail_slots(&self, why: &str) {
        self.slots.fail(self.owner(), why);
        for (at, group) in self.groups.iter().enumerate() {
            if self.board.joined(at).load(Ordering::Relaxed) == 0 {
                continue;
            }
            self.slots.fail_part(group.number, &group.part, why);
            // Calls that blocks make behind this are refused.
            group.channels.iter().for_each(|it| it.fail());
        }
    }

    /// All blocks have ended.
    ///
    /// # Errors
    /// They have left what they have begun.
    pub(super) fn end(&self) -> Result<(), Failure> {
        self.slots.end(self.owner())
    }

    /// The first failure of a call by its own fault, if there is one; else the first of all.
    pub(super) fn take_failure(&self) -> Option<(Failure, CallSite)> {
        self.state.lock().failure.take()
    }

    /// Begins call `number` of a block.
    /// `known` is where its last call was, which mostly is the same.
    pub(super) fn begin(
        self: &Arc<Self>,
        block: u32,
        number: u64,
        post: &Post,
        known: &mut Option<Arc<CallSite>>,
    ) {
        self.begin_rest(block, number, post, known, false);
    }

    /// Offers the elements that call `number` of a block sends, if they are in its request. If they are taken
    /// the call is answered, or the other half of an exchange is begun.
    pub(super) fn offer(
        self: &Arc<Self>,
        block: u32,
        number: u64,
        post: &Post,
        known: &mut Option<Arc<CallSite>>,
        take: &mut dyn FnMut(&BlockMessage<'_>) -> bool,
    ) -> bool {
        let made = &post.call;
        let call = Call::from_number(made.call);
        let is_exchange = matches!(call, Some(Call::Exchange | Call::Replace));
        // Only a short request has elements in it, whose ranges its block has checked.
        let sends = made.buffer_count > 0 && (is_exchange || call == Some(Call::Send));
        if !sends || post.sent != sent::INLINE {
            return false;
        }
        let SlotBuffer { count, size, kind, .. } = made.buffers[0];
        let (Ok(count), Ok(tag)) = (u64::try_from(count), checked_tag(made.tag)) else { return false };
        let bytes = count.saturating_mul(u64::from(size));
        if bytes > INLINE_BYTES as u64 {
            return false;
        }
        let elements = Source::Memory { address: self.board.sent(block), bytes: bytes as usize };
        let message = BlockMessage {
            group: made.group,
            rank: made.rank,
            partner: made.partner,
            tag,
            sent: SlotElements { count, size, kind: kind as u8 },
            bytes: elements.bytes(),
            owner: self.owner(),
        };
        if !take(&message) {
            return false;
        }
        match is_exchange {
            true => self.begin_rest(block, number, post, known, true),
            false => self.board.answer(block).write(number, Answered::default(), &[]),
        }
        true
    }

    /// Begins a call, of which what it sends has been taken if it `is_sent`.
    fn begin_rest(
        self: &Arc<Self>,
        block: u32,
        number: u64,
        post: &Post,
        known: &mut Option<Arc<CallSite>>,
        is_sent: bool,
    ) {
        let site = CallSite::of(&post.call);
        let probe = match known {
            Some(probe) if **probe == site => Arc::clone(probe),
            _ => Arc::clone(known.insert(Arc::new(site))),
        };
        self.open.fetch_add(1, Ordering::AcqRel);
        let made = match BlockCall::new(&post.call) {
            Ok(made) => made,
            Err(failure) => return self.refuse(block, number, site, failure),
        };
        let source = if is_sent { Source::Nothing } else { self.source(block, &made, post) };
        let (delivery, target) = self.target(block, &made);
        let mut request = made.request(source, target, self.owner());
        request.probe = Some(probe);
        request.gathered = post.gathered;
        request.is_sent = is_sent;
        let (parts, slot, call) = (made.received_bytes(1), made.slot(), made.call);
        let about = made.request_number();
        let open = OpenCall { block, number, site, slot, call, about, element_bytes: parts, delivery };
        let calls = Arc::clone(self);
        self.slots.post(request, Box::new(move |outcome| calls.complete(open, outcome)));
    }

    /// The elements that a call sends.
    fn source(&self, block: u32, made: &BlockCall, post: &Post) -> Source {
        let Some(Memory { address, bytes }) = made.source else { return Source::Nothing };
        // Those of the request have been put there as well.
        let is_inline = post.sent == sent::INLINE && bytes <= INLINE_BYTES;
        let is_staged = is_inline || (post.sent == sent::STAGED && bytes <= self.board.staging);
        if !is_staged {
            return Source::Device(self.elements(address, bytes));
        }
        let staged = Source::Memory { address: self.board.sent(block), bytes };
        match made.call.blocks() {
            true => staged,
            // The block continues, and may use its staging memory again.
            false => Source::Packed(staged.bytes().to_vec()),
        }
    }

    fn elements(&self, address: *mut u8, bytes: usize) -> Arc<Elements> {
        Arc::new(Elements { copies: Arc::clone(&self.copies), address: address as u64, bytes })
    }

    /// Where a call receives, for the engine and for the answer.
    fn target(&self, block: u32, made: &BlockCall) -> (Delivery, Target) {
        let Some(Memory { address, bytes }) = made.target else {
            return (Delivery::Nothing, Target::Nothing);
        };
        let is_short = bytes <= self.board.staging;
        match (made.call.blocks(), is_short) {
            (true, true) => {
                let staging = Target::Memory { address: self.board.received(block), bytes };
                (Delivery::Staging(address as u64), staging)
            }
            (true, false) => (Delivery::Written, Target::Device(self.elements(address, bytes))),
            (false, true) => {
                let received = Arc::new(Mutex::new(Vec::new()));
                let begun = Begun::Short(Arc::clone(&received), address as u64);
                (Delivery::Later(begun), Target::Packed(received))
            }
            (false, false) => (Delivery::Later(Begun::Long), Target::Device(self.elements(address, bytes))),
        }
    }

    /// A call has ended.
    fn complete(&self, mut open: OpenCall, outcome: Outcome) {
        let completion = match outcome {
            Ok(completion) => completion,
            Err(failure) => return self.fail(open, failure),
        };
        let word = completion.word();
        let (group, rank) = open.slot;
        match std::mem::replace(&mut open.delivery, Delivery::Nothing) {
            Delivery::Nothing if open.call == Call::Wait => {
                let key = (group, rank, open.about);
                let begun = self.state.lock().begun.remove(&key);
                match begun {
                    Some(Begun::Short(bytes, target)) => self.deliver(open, word, &bytes.lock(), target),
                    Some(Begun::Long) => self.answer_written(open, word),
                    None => self.answer(open, Answered { word, ..Answered::default() }),
                }
            }
            Delivery::Nothing => self.answer(open, Answered { word, ..Answered::default() }),
            Delivery::Staging(target) => {
                let bytes = (completion.elements as usize * open.element_bytes) as u32;
                self.answer(open, Answered { flags: received_flag(bytes), word, target, bytes });
            }
            Delivery::Written => self.answer_written(open, word),
            Delivery::Later(begun) => {
                self.state.lock().begun.insert((group, rank, completion.elements as i64), begun);
                self.answer(open, Answered { word, ..Answered::default() });
            }
        }
    }

    /// Gives a message to its block through staging memory, where it fits.
    fn deliver(&self, open: OpenCall, word: i64, bytes: &[u8], target: u64) {
        // SAFETY: the block's staging memory, which is the host's until the answer.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.board.received(open.block), bytes.len());
        }
        let bytes = bytes.len() as u32;
        self.answer(open, Answered { flags: received_flag(bytes), word, target, bytes });
    }

    /// The elements are in the memory of the device.
    fn answer_written(&self, open: OpenCall, word: i64) {
        self.answer(open, Answered { flags: answer_flag::WRITTEN, word, ..Answered::default() });
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
        let in_answer = if answered.flags & answer_flag::INLINE != 0 { answered.bytes as usize } else { 0 };
        // SAFETY: the block's staging memory, the host's until the answer, which holds that many bytes.
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
