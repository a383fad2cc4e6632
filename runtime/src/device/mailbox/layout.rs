//! Memory of a mailbox as both sides know it: the structures of `apg_mailbox.h` and `apg_slot_table.h`.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::layout::SlotCall;

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
}

impl Header {
    /// As it is stored in the memory of the device.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let Header { doorbells, posts, answers, sent, received, staging, kept, parts, part_count } = self;
        let words = [doorbells, posts, answers, sent, received, staging, kept, parts, part_count];
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
}

impl PartEntry {
    /// As it is stored in the memory of the device.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let PartEntry { group, first, count, slots, meeting } = self;
        [group as u64, first, count, slots, meeting].into_iter().flat_map(u64::to_ne_bytes).collect()
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

/// A request of a block (`apg_slot_post`).
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Post {
    pub call: SlotCall,
    /// Where the elements to send are ([`sent`]).
    pub sent: u32,
    /// Bytes of those in the request.
    pub sent_bytes: u32,
    pub unused: [u32; 2],
    pub elements: [u8; INLINE_BYTES],
}

const POST_WORDS: usize = size_of::<Post>() / size_of::<u32>();
/// Words in front of the elements of a request.
const POST_HEAD_WORDS: usize = std::mem::offset_of!(Post, elements) / size_of::<u32>();
/// Words of an answer in front of its elements.
const ANSWER_HEAD_WORDS: usize = 6;
/// Words of an answer that are always written, with two of elements.
const MIN_ANSWER_WORDS: usize = 8;
const ANSWER_WORDS: usize = MIN_ANSWER_WORDS + INLINE_BYTES / size_of::<u32>();

/// A 32-bit word below the lowest bits of the number of its call.
fn tagged(word: u32, number: u64) -> u64 {
    number << 32 | u64::from(word)
}

/// The words of a request as the device writes them.
#[repr(C, align(64))]
pub(super) struct PostWords([AtomicU64; POST_WORDS]);

impl PostWords {
    /// The request of the block's call of that number; `None` if some of its words have not come yet.
    pub(super) fn read(&self, number: u64) -> Option<Post> {
        let mut words = [0_u32; POST_WORDS];
        self.read_words(&mut words, 0..POST_HEAD_WORDS, number)?;
        // SAFETY: a structure of numbers and addresses of the same size, for which all bytes are values.
        let head: Post = unsafe { std::mem::transmute(words) };
        if head.sent != sent::INLINE {
            return Some(head);
        }
        let end = POST_HEAD_WORDS + (head.sent_bytes as usize).min(INLINE_BYTES).div_ceil(size_of::<u32>());
        self.read_words(&mut words, POST_HEAD_WORDS..end, number)?;
        // SAFETY: as above.
        Some(unsafe { std::mem::transmute::<[u32; POST_WORDS], Post>(words) })
    }

    fn read_words(&self, into: &mut [u32], range: std::ops::Range<usize>, number: u64) -> Option<()> {
        let pairs = into[range.clone()].iter_mut().zip(&self.0[range]);
        for (word, pair) in pairs {
            let seen = pair.load(Ordering::Acquire);
            if (seen >> 32) as u32 != number as u32 {
                return None;
            }
            *word = seen as u32;
        }
        Some(())
    }

    /// What a block does.
    #[cfg(test)]
    pub(super) fn write(&self, number: u64, post: &Post) {
        // SAFETY: as in `read`.
        let words = unsafe { std::mem::transmute::<Post, [u32; POST_WORDS]>(*post) };
        let order = (0..POST_WORDS).rev();
        order.for_each(|at| self.0[at].store(tagged(words[at], number), Ordering::Release));
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

// As in `apg_mailbox.h` and `apg_slot_table.h`.
const _: () = assert!(size_of::<PartEntry>() == 40 && size_of::<Header>() == 72);
const _: () = assert!(size_of::<Post>() == 448 && POST_HEAD_WORDS == 48 && ANSWER_WORDS == 72);
const _: () = assert!(size_of::<PostWords>() == 896 && size_of::<AnswerWords>() == 576);
