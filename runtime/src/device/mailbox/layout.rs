//! Memory of a mailbox as both sides know it: the structures of `apg_mailbox.h`, `apg_slot_table.h` and
//! `apg_slot_peers.h`.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::layout::{SlotBuffer, SlotCall};
use crate::slots::request::Call;

/// Flags of an answer.
pub(super) mod answer_flag {
    /// The call has failed: its block ends.
    pub(in super::super) const FAILED: u32 = 1;
    /// The block copies elements from the answer to [`super::Answered`]'s `target`.
    pub(in super::super) const INLINE: u32 = 2;
    /// The same from its staging memory.
    pub(in super::super) const STAGED: u32 = 4;
    /// The host has written elements to the memory of the device.
    pub(in super::super) const WRITTEN: u32 = 8;
}

/// Most bytes of elements that travel in a request or an answer (`APG_INLINE_BYTES`).
pub(super) const INLINE_BYTES: usize = 256;

/// Device memory: where the rest is (`apg_mailbox`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header {
    /// Of each block, the number of its last call.
    pub doorbells: u64,
    pub posts: u64,
    pub answers: u64,
    /// Staging memory of each block for what it sends.
    pub sent: u64,
    /// Staging memory of each block for what it receives.
    pub received: u64,
    /// Bytes of the staging memory of one block and direction.
    pub staging: u64,
    /// Staging memory of each block on the device.
    pub kept: u64,
    /// The slots of groups for blocks of the device ([`PartEntry`]).
    pub parts: u64,
    /// Their number.
    pub part_count: u64,
    /// Slots at other devices ([`PeerEntry`]).
    pub peers: u64,
    /// Their number.
    pub peer_count: u64,
}

impl Header {
    /// As it is stored in the memory of the device.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let Header { doorbells, posts, answers, sent, received, staging, kept, .. } = self;
        let Header { parts, part_count, peers, peer_count, .. } = self;
        let words =
            [doorbells, posts, answers, sent, received, staging, kept, parts, part_count, peers, peer_count];
        words.into_iter().flat_map(u64::to_ne_bytes).collect()
    }
}

/// The slots that a group has for blocks of the device (`apg_slot_part`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct PartEntry {
    pub group: i64,
    pub first: u64,
    pub count: u64,
    /// The first of its [`SlotEntry`].
    pub slots: u64,
    /// Its [`Meeting`].
    pub meeting: u64,
    /// Host memory: whether a block has made a call of one of its slots.
    pub joined: u64,
    /// Host memory: whether the group has failed, which blocks see that wait for another device.
    pub failed: u64,
}

impl PartEntry {
    /// As it is stored in the memory of the device.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let PartEntry { group, first, count, slots, meeting, joined, failed } = self;
        [group as u64, first, count, slots, meeting, joined, failed]
            .into_iter()
            .flat_map(u64::to_ne_bytes)
            .collect()
    }
}

/// Bytes of a channel in front of the elements in it (`APG_CHANNEL_HEAD_BYTES`).
pub(super) const CHANNEL_HEAD_BYTES: u64 = 64;

/// The slots that a group has for blocks of another device, which reaches this one (`apg_peer_part`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerEntry {
    pub group: i64,
    pub first: u64,
    pub count: u64,
    /// First rank and number of the slots at this device.
    pub own_first: u64,
    pub own_count: u64,
    /// Channels for what this device's slots send, in the memory of the other device.
    pub channels_out: u64,
    /// Channels for what they receive.
    pub channels_in: u64,
    /// What receivers say to this device's slots.
    pub taken_out: u64,
    /// What this device's slots say, in the memory of the other device.
    pub taken_in: u64,
    /// Flags of the slots there.
    pub flags: u64,
    /// Those of this device's slots.
    pub own_flags: u64,
    /// Bytes of elements in a channel.
    pub room: u64,
    /// Bytes of the longest message through channels.
    pub direct: u64,
}

impl PeerEntry {
    /// As it is stored in the memory of the device.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let PeerEntry { group, first, count, own_first, own_count, channels_out, channels_in, .. } = self;
        let PeerEntry { taken_out, taken_in, flags, own_flags, room, direct, .. } = self;
        let slots = [group as u64, first, count, own_first, own_count, channels_out, channels_in];
        let words = slots.into_iter().chain([taken_out, taken_in, flags, own_flags, room, direct]);
        words.flat_map(u64::to_ne_bytes).collect()
    }
}

/// A slot as blocks know it (`apg_slot`), which they alone access; zero at the start.
#[repr(C, align(128))]
pub(super) struct SlotEntry([u8; 128]);

/// A collective operation of all slots of a part (`apg_meeting`), likewise.
#[repr(C, align(128))]
pub(super) struct Meeting([u8; 128]);

/// Where the elements are that a request sends.
pub(super) mod sent {
    /// In memory of the device.
    #[cfg(test)]
    pub(in super::super) const ON_DEVICE: u32 = 0;
    /// In the block's staging memory.
    pub(in super::super) const STAGED: u32 = 1;
    /// In the request.
    pub(in super::super) const INLINE: u32 = 2;
}

/// A request of a block, as the words of `apg_slot_post` say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Post {
    pub call: SlotCall,
    /// Where the elements to send are ([`sent`]).
    pub sent: u32,
    /// A barrier: first rank and number of the slots for which it is made; of one slot if they are none.
    pub gathered: (u32, u32),
}

/// Words in front of the elements of a request (`APG_POST_WORDS`).
const POST_HEAD_WORDS: usize = 12;
/// Words of a request, which begins at a multiple of 128 bytes: with 16 bytes of elements it has as many.
const POST_WORDS: usize = POST_HEAD_WORDS + INLINE_BYTES / size_of::<u32>() + 4;
/// Words, with the number beside them, of a line of the caches.
#[cfg(target_arch = "x86_64")]
const WORDS_PER_LINE: usize = 8;
/// Words of a call's structure, in place of elements.
const WIDE_WORDS: usize = size_of::<SlotCall>() / size_of::<u32>();
/// Words of an answer in front of its elements.
const ANSWER_HEAD_WORDS: usize = 6;
/// Words of an answer that are always written, with two of elements.
const MIN_ANSWER_WORDS: usize = 8;
const ANSWER_WORDS: usize = MIN_ANSWER_WORDS + INLINE_BYTES / size_of::<u32>();

/// The second word of a request: its fields from the lowest bits on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PostKind {
    /// Bytes of what follows the head (9 bits).
    bytes: u32,
    /// [`sent`] (2 bits).
    sent: u32,
    /// The call's structure follows in place of elements.
    is_wide: bool,
    /// Number of buffers (2 bits).
    buffers: u32,
    /// Kind of the elements (4 bits).
    kind: u32,
    /// Operation of a reduction (4 bits).
    operation: u32,
    /// Bytes of an element (10 bits).
    size: u32,
}

impl PostKind {
    fn of(word: u32) -> PostKind {
        let field = |first: u32, bits: u32| word >> first & ((1 << bits) - 1);
        PostKind {
            bytes: field(0, 9),
            sent: field(9, 2),
            is_wide: field(11, 1) != 0,
            buffers: field(12, 2),
            kind: field(14, 4),
            operation: field(18, 4),
            size: field(22, 10),
        }
    }

    #[cfg(test)]
    fn word(self) -> u32 {
        let PostKind { bytes, sent, is_wide, buffers, kind, operation, size } = self;
        bytes
            | sent << 9
            | u32::from(is_wide) << 11
            | buffers << 12
            | kind << 14
            | operation << 18
            | size << 22
    }
}

/// The call that the head of a request says. The block has checked the ranges of its elements: those that it
/// sends are in the request or staged, and the others are at that address.
fn short_call(head: &[u32; POST_HEAD_WORDS], kind: PostKind, block: u32) -> SlotCall {
    let signed = |at: usize| i64::from(head[at] as i32);
    let call = (head[0] >> 24) as i32;
    let is_collective = call >= Call::Barrier.number();
    let [of_message, of_collective] =
        if is_collective { [[0, 0], [signed(9), signed(10)]] } else { [[signed(9), signed(10)], [0, 0]] };
    let target = usize::try_from(u64::from(head[7]) | u64::from(head[8]) << 32).unwrap_or(0);
    let buffer = |count: i64, address: usize| SlotBuffer {
        data: std::ptr::with_exposed_provenance_mut(address),
        length: i64::MAX,
        index: 0,
        count,
        size: kind.size,
        kind: kind.kind,
    };
    let (given, room) = (buffer(signed(5), 0), buffer(signed(6), target));
    SlotCall {
        group: signed(2),
        rank: i64::from(head[0] & 0xff_ffff),
        partner: signed(3),
        from: of_message[0],
        tag: of_message[1],
        operation: i64::from(kind.operation),
        first: of_collective[0],
        members: of_collective[1],
        stride: signed(11),
        block: i64::from(block),
        buffers: if kind.buffers > 1 { [given, room] } else { [room, room] },
        call,
        buffer_count: kind.buffers,
        file: head[4] >> 20,
        line: head[4] & 0xf_ffff,
    }
}

/// A 32-bit word below the lowest bits of the number of its call.
fn tagged(word: u32, number: u64) -> u64 {
    number << 32 | u64::from(word)
}

/// The words of a request as the device writes them.
#[repr(C, align(128))]
pub(super) struct PostWords([AtomicU64; POST_WORDS]);

impl PostWords {
    /// The request of a block's call of that number; `None` if some of its words have not come yet. Elements
    /// in the request go to `elements`.
    ///
    /// # Safety
    /// [`INLINE_BYTES`] bytes are there, a multiple of 4 is their address, and nothing else accesses them.
    pub(super) unsafe fn read(&self, number: u64, block: u32, elements: *mut u8) -> Option<Post> {
        let mut head = [0_u32; POST_HEAD_WORDS];
        self.read_words(&mut head, 0, number)?;
        let kind = PostKind::of(head[1]);
        if kind.is_wide {
            let mut words = [0_u32; WIDE_WORDS];
            self.read_words(&mut words, POST_HEAD_WORDS, number)?;
            // SAFETY: a structure of numbers and addresses of the same size, for which all bytes are values.
            let call: SlotCall = unsafe { std::mem::transmute(words) };
            return Some(Post { call, sent: kind.sent, gathered: (0, 0) });
        }
        let count = (kind.bytes as usize).min(INLINE_BYTES).div_ceil(size_of::<u32>());
        // SAFETY: by the caller; as many words fit.
        let elements = unsafe { std::slice::from_raw_parts_mut(elements.cast::<u32>(), count) };
        self.read_words(elements, POST_HEAD_WORDS, number)?;
        let call = short_call(&head, kind, block);
        let gathered = if call.call == Call::Barrier.number() { (head[5], head[6]) } else { (0, 0) };
        Some(Post { call, sent: kind.sent, gathered })
    }

    /// Begins to bring a short request into the caches, so that several come at the same time.
    pub(super) fn prefetch(&self) {
        #[cfg(target_arch = "x86_64")]
        for line in self.0[..2 * WORDS_PER_LINE].chunks(WORDS_PER_LINE) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: any address may be prefetched.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
        }
    }

    fn read_words(&self, into: &mut [u32], first: usize, number: u64) -> Option<()> {
        for (word, pair) in into.iter_mut().zip(&self.0[first..]) {
            let seen = pair.load(Ordering::Acquire);
            if (seen >> 32) as u32 != number as u32 {
                return None;
            }
            *word = seen as u32;
        }
        Some(())
    }

    /// What a block does, with elements in the request if they are [`sent::INLINE`]; the head alone is
    /// written if the call's numbers fit.
    #[cfg(test)]
    pub(super) fn write(&self, number: u64, post: &Post, elements: &[u8]) {
        let call = &post.call;
        let (given, room) = (call.buffers[0], call.buffers[usize::from(call.buffer_count > 1)]);
        let is_wide = post.sent == sent::ON_DEVICE || call.line >= 1 << 20;
        let mut words = vec![0; POST_HEAD_WORDS];
        let mut kind = PostKind {
            bytes: elements.len() as u32,
            sent: post.sent,
            is_wide,
            buffers: call.buffer_count,
            kind: given.kind,
            operation: call.operation as u32,
            size: given.size,
        };
        if is_wide {
            kind.bytes = size_of::<SlotCall>() as u32;
            // SAFETY: as in `read`.
            words.extend(unsafe { std::mem::transmute::<SlotCall, [u32; WIDE_WORDS]>(*call) });
        } else {
            let target = room.data.addr() as u64;
            let is_collective = call.call >= Call::Barrier.number();
            let [third, fourth] =
                if is_collective { [call.first, call.members] } else { [call.from, call.tag] };
            let (first, count) = post.gathered;
            words[0] = call.rank as u32 | (call.call as u32) << 24;
            words[2..5].copy_from_slice(&[
                call.group as u32,
                call.partner as u32,
                call.line | call.file << 20,
            ]);
            words[5..7].copy_from_slice(&[given.count as u32 | first, room.count as u32 | count]);
            words[7..9].copy_from_slice(&[target as u32, (target >> 32) as u32]);
            words[9..12].copy_from_slice(&[third as u32, fourth as u32, call.stride as u32]);
            let word = |bytes: &[u8]| {
                let mut word = [0; 4];
                word[..bytes.len()].copy_from_slice(bytes);
                u32::from_ne_bytes(word)
            };
            words.extend(elements.chunks(4).map(word));
        }
        words[1] = kind.word();
        let pairs = self.0.iter().zip(words).rev();
        pairs.for_each(|(pair, word)| pair.store(tagged(word, number), Ordering::Release));
    }
}

/// What a call is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Answered {
    /// See [`answer_flag`].
    pub flags: u32,
    /// Source and number of elements.
    pub word: i64,
    /// Where the block puts the elements.
    pub target: u64,
    /// Their bytes.
    pub bytes: u32,
}

/// The answer to a block's last call (`apg_slot_answer`), as words that carry the call's number.
#[repr(C, align(64))]
pub(super) struct AnswerWords([AtomicU64; ANSWER_WORDS]);

impl AnswerWords {
    /// Answers a call of the block; `elements` are those in the answer.
    pub(super) fn write(&self, number: u64, answered: Answered, elements: &[u8]) {
        debug_assert!(elements.len() <= INLINE_BYTES);
        let Answered { flags, word, target, bytes } = answered;
        let (pieces, rest) = elements.as_chunks::<4>();
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        let elements = pieces.iter().copied().chain(std::iter::once(last)).map(u32::from_ne_bytes);
        let head = [flags, bytes, word as u32, (word >> 32) as u32, target as u32, (target >> 32) as u32];
        let words = head.into_iter().chain(elements).chain(std::iter::once(0));
        // An even number of words: the device reads pairs.
        let count = (ANSWER_HEAD_WORDS + pieces.len() + 1).max(MIN_ANSWER_WORDS).next_multiple_of(2);
        for (pair, word) in self.0.iter().take(count).zip(words.chain([0; 2])) {
            pair.store(tagged(word, number), Ordering::Release);
        }
    }

    /// Number of the call, the answer, and the elements in it.
    #[cfg(test)]
    pub(super) fn read(&self) -> (u64, Answered, Vec<u8>) {
        let seen: Vec<u64> = self.0.iter().map(|it| it.load(Ordering::Acquire)).collect();
        let number = seen[..MIN_ANSWER_WORDS].iter().map(|it| it >> 32).min().unwrap_or(0);
        let two = |at: usize| u64::from(seen[at] as u32) | seen[at + 1] << 32;
        let answered =
            Answered { flags: seen[0] as u32, bytes: seen[1] as u32, word: two(2) as i64, target: two(4) };
        let is_inline = answered.flags & answer_flag::INLINE != 0;
        let count = if is_inline { (answered.bytes as usize).div_ceil(4) } else { 0 };
        let elements = &seen[ANSWER_HEAD_WORDS..ANSWER_HEAD_WORDS + count];
        let number = elements.iter().map(|it| it >> 32).fold(number, u64::min);
        let mut bytes: Vec<u8> = elements.iter().flat_map(|it| (*it as u32).to_ne_bytes()).collect();
        bytes.truncate(answered.bytes as usize);
        (number, answered, bytes)
    }
}

// As in `apg_mailbox.h`, `apg_slot_table.h` and `apg_slot_peers.h`.
const _: () =
    assert!(size_of::<PartEntry>() == 56 && size_of::<PeerEntry>() == 104 && size_of::<Header>() == 88);
const _: () = assert!(size_of::<SlotCall>() == 176 && POST_WORDS == 80 && ANSWER_WORDS == 72);
const _: () = assert!(size_of::<PostWords>() == 640 && size_of::<AnswerWords>() == 576);
