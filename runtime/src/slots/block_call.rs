//! Calls of the slots of kernels' blocks: what a block passes, checked, as a request. CPU forms and devices
//! pass the same structure ([`SlotCall`]).

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};

use super::group::Part;
use super::request::{Call, Continuation, Elements, Failure, Probe, Request, Source, Target};
use crate::layout::{SlotBuffer, SlotCall};
use crate::profile::Code;

/// The slots of a place, for the blocks of kernels of its devices. May be called by any thread.
pub trait BlockSlots: Send + Sync {
    /// Begins a call, as [`super::engine::Engine::post`].
    fn post(&self, request: Request, then: Continuation);

    /// From now on, activities that wait for a call poll for requests of blocks, as long as the source lives.
    fn add_source(&self, source: Weak<dyn RequestSource>);

    /// How many messages activities have received at once.
    fn received(&self) -> Arc<AtomicU64>;

    /// The slots that groups have for blocks of kernels at a place, with the numbers of the groups, new ones
    /// first.
    fn parts(&self, place: i64) -> Vec<(i64, Part)>;

    /// The slots that a group has for blocks of kernels at this host place and its accelerators.
    fn neighbours(&self, group: i64) -> Vec<Part>;

    /// A block of the launch with this owner has failed: so do the groups of the slots that have made calls.
    fn fail(&self, owner: usize, why: &str);

    /// A launch has failed whose blocks have made calls of these slots of a group: so does the group.
    fn fail_part(&self, group: i64, part: &Part, why: &str);

    /// All blocks of the launch have ended.
    ///
    /// # Errors
    /// They have left something that they have begun.
    fn end(&self, owner: usize) -> Result<(), Failure>;
}

/// A message that a block sends with its request: the elements are there.
#[derive(Clone, Copy, Debug)]
pub struct BlockMessage<'a> {
    /// The group's number.
    pub group: i64,
    /// The slot that sends.
    pub rank: i64,
    /// The rank that it sends to.
    pub partner: i64,
    /// The tag.
    pub tag: i32,
    /// What the elements are.
    pub sent: Elements,
    /// The elements.
    pub bytes: &'a [u8],
    /// As in [`Request`].
    pub owner: usize,
}

/// Where requests of blocks come from.
pub trait RequestSource: Send + Sync {
    /// Begins the calls of requests that have come.
    fn poll(&self);

    /// Begins the calls of requests that have come until `take` takes the message of one, which the block is
    /// answered; later requests are left for the next time. Calls of `take` are made by this thread.
    fn poll_until_taken(&self, take: &mut dyn FnMut(&BlockMessage<'_>) -> bool);
}

/// Memory of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// First byte.
    pub address: *mut u8,
    /// Number of bytes.
    pub bytes: usize,
}

/// A call of a block's slot whose arguments are right as far as the block alone can say.
#[derive(Debug)]
pub struct BlockCall {
    numbers: SlotCall,
    /// What it does.
    pub call: Call,
    tag: i32,
    /// The elements that it sends, if it sends any.
    pub source: Option<Memory>,
    /// Where it receives, if it does.
    pub target: Option<Memory>,
    /// Parts that it receives.
    pub received_parts: usize,
}

// SAFETY: addresses, which only the block's side follows, or that of its device.
unsafe impl Send for BlockCall {}

impl BlockCall {
    /// Checks tag and ranges.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn new(numbers: &SlotCall) -> Result<BlockCall, Failure> {
        let Some(call) = Call::from_number(numbers.call) else {
            return Err(Failure::argument(format!("{} is no call of a slot", numbers.call)));
        };
        let is_root = numbers.partner == numbers.rank;
        let range = |buffer: usize, parts: i64| match parts {
            0 => Ok(None),
            parts => memory_of(&numbers.buffers[buffer], parts).map(Some),
        };
        let sent = call.sent_parts().count(is_root, numbers.members);
        let received = call.received_parts().count(is_root, numbers.members);
        Ok(BlockCall {
            numbers: *numbers,
            call,
            tag: checked_tag(numbers.tag)?,
            source: range(0, sent)?,
            target: range(usize::from(numbers.buffer_count > 1), received)?,
            received_parts: received.max(0) as usize,
        })
    }

    /// The request of the call, with the elements that it sends and the place for those that it receives.
    pub fn request(&self, source: Source, target: Target, owner: usize) -> Request {
        let numbers = &self.numbers;
        Request {
            group: numbers.group,
            rank: numbers.rank,
            call: self.call,
            partner: numbers.partner,
            from: numbers.from,
            tag: self.tag,
            operation: numbers.operation as i32,
            subgroup: [numbers.first, numbers.members, numbers.stride],
            source,
            sent: self.elements(0),
            target,
            wanted: self.elements(usize::from(numbers.buffer_count > 1)),
            gathered: (0, 0),
            is_sent: false,
            block: Some(numbers.block),
            owner,
            probe: None,
        }
    }

    fn elements(&self, buffer: usize) -> Elements {
        let SlotBuffer { count, size, kind, .. } = self.numbers.buffers[buffer];
        match self.numbers.buffer_count {
            0 => Elements::default(),
            _ => Elements { count: count.max(0) as u64, size, kind: kind as u8 },
        }
    }

    /// Bytes of that many received elements of each part.
    pub fn received_bytes(&self, elements: u64) -> usize {
        let size = self.elements(usize::from(self.numbers.buffer_count > 1)).size as usize;
        elements as usize * size * self.received_parts
    }

    /// Group and rank.
    pub fn slot(&self) -> (i64, i64) {
        (self.numbers.group, self.numbers.rank)
    }

    /// The number of what a test or wait is about.
    pub fn request_number(&self) -> i64 {
        self.numbers.partner
    }
}

/// Where a call of a block is: file and line of the program, and the block's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// Index into the program's files.
    pub file: u32,
    /// 1-based line.
    pub line: u32,
    /// The block.
    pub block: i64,
}

impl CallSite {
    /// Of a call.
    pub fn of(call: &SlotCall) -> CallSite {
        CallSite { file: call.file, line: call.line, block: call.block }
    }

    /// A failure of the call, with its place.
    pub fn locate(self, failure: Failure) -> Failure {
        let file = crate::program::file(self.file);
        let name = file.rsplit('/').next().unwrap_or_default();
        let message = format!("{}; block {} ({name}:{})", failure.message, self.block, self.line);
        Failure { message, ..failure }
    }
}

impl Probe for CallSite {
    fn request(&self) {}

    fn lines(&self) -> Vec<String> {
        vec![format!("a kernel ({}:{})", crate::program::file(self.file), self.line)]
    }

    fn code(&self) -> Code {
        Code::Line { file: self.file, line: self.line }
    }
}

/// A tag.
///
/// # Errors
/// It is none.
pub fn checked_tag(tag: i64) -> Result<i32, Failure> {
    match i32::try_from(tag) {
        Ok(tag) if tag >= 0 => Ok(tag),
        _ => Err(Failure::argument(format!("the tag {tag}: tags are 0 to {}", i32::MAX))),
    }
}

/// The memory of that many parts of a block's buffer.
fn memory_of(buffer: &SlotBuffer, parts: i64) -> Result<Memory, Failure> {
    let SlotBuffer { data, length, index, count, size, .. } = *buffer;
    let end = count.checked_mul(parts).and_then(|all| index.checked_add(all));
    if index < 0 || count < 0 || parts < 0 || end.is_none_or(|end| end > length) {
        return Err(Failure::index(format!(
            "{count} elements for each of {parts} from index {index} on are not within a rail of {length}"
        )));
    }
    let size = size as usize;
    Ok(Memory {
        address: data.cast::<u8>().wrapping_add(index as usize * size),
        bytes: (count * parts) as usize * size,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(length: i64, index: i64, count: i64) -> SlotBuffer {
        SlotBuffer { data: std::ptr::without_provenance_mut(4096), length, index, count, size: 4, kind: 3 }
    }

    #[test]
    fn ranges_lie_within_their_rails() {
        let range = |length, index, count, parts| memory_of(&buffer(length, index, count), parts).ok();
        let at = |address, bytes| Some(Memory { address: std::ptr::without_provenance_mut(address), bytes });
        assert_eq!(range(10, 2, 4, 2), at(4104, 32));
        assert_eq!(range(10, 10, 0, 1), at(4136, 0));
        for (index, count, parts) in
            [(2, 4, 3), (-1, 1, 1), (0, -1, 1), (0, 1, -1), (i64::MAX, 1, 1), (1, i64::MAX, 2)]
        {
            assert_eq!(range(10, index, count, parts), None, "{index} {count} {parts}");
        }
    }
}
