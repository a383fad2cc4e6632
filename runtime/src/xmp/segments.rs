//! Memory of a node that others access, and what they ask of it: reads, writes, atomic operations and locks,
//! which the thread that receives messages executes (MPI standard, "One-Sided Communications", passive
//! target).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::device::sections;
use super::strided::{StridedBox, total_bytes};
use crate::serialize::Error;

/// An operation on an `int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Atomic {
    /// Replaces it.
    Define,
    /// Reads it.
    Reference,
    /// Adds to it.
    Add,
    /// Replaces it, too.
    Swap,
    /// Replaces it if it has a certain value.
    CompareSwap,
}

impl Atomic {
    /// By its number in `apg_xmp.h`.
    pub(super) fn from_number(number: i32) -> Option<Atomic> {
        use Atomic::*;
        [Define, Reference, Add, Swap, CompareSwap].get(usize::try_from(number).ok()?).copied()
    }
}

/// Behind elements of an accelerator's copy.
pub(super) const READ: u8 = 0;
/// Behind the words why they cannot be read.
pub(super) const REFUSED: u8 = 1;

/// A request to the node that has the memory. Each has a number of the requester, which the answer has too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Request {
    /// Payload: the boxes. Answer: their elements. With `on_device` there is a byte behind it: [`READ`], or
    /// [`REFUSED`] where the answer is why they cannot be read.
    Read {
        segment: u64,
        /// Of the accelerator's copy.
        on_device: bool,
        number: u64,
    },
    /// Payload: the boxes, and their elements. Answer: nothing, or why they cannot be written.
    Write {
        segment: u64,
        /// To the accelerator's copy.
        on_device: bool,
        number: u64,
    },
    /// Answer: the former value.
    Atomic {
        segment: u64,
        offset: u64,
        operation: Atomic,
        value: i32,
        compare: i32,
        number: u64,
    },
    /// Answered when the requester has the lock.
    Lock {
        segment: u64,
        offset: u64,
        number: u64,
    },
    Unlock {
        segment: u64,
        offset: u64,
        number: u64,
    },
}

impl Request {
    /// The number of the requester.
    pub(super) fn number(&self) -> u64 {
        match self {
            Request::Read { number, .. }
            | Request::Write { number, .. }
            | Request::Atomic { number, .. }
            | Request::Lock { number, .. }
            | Request::Unlock { number, .. } => *number,
        }
    }

    /// The memory that it accesses.
    pub(super) fn segment(&self) -> u64 {
        match self {
            Request::Read { segment, .. }
            | Request::Write { segment, .. }
            | Request::Atomic { segment, .. }
            | Request::Lock { segment, .. }
            | Request::Unlock { segment, .. } => *segment,
        }
    }
}

/// An answer: the node, the number of its request, and the payload.
pub(super) type Reply = (u32, u64, Vec<u8>);

/// Memory that other nodes may access, at addresses of this process.
#[derive(Clone, Copy, Debug)]
struct Segment {
    address: usize,
    bytes: u64,
}

#[derive(Debug, Default)]
struct Lock {
    holder: Option<u32>,
    waiting: VecDeque<(u32, u64)>,
}

impl Lock {
    /// A node asks for the lock: it gets the answer 1 when it has it, and 0 if it had it already.
    fn take(&mut self, from: u32, number: u64) -> Vec<Reply> {
        match self.holder {
            None => {
                self.holder = Some(from);
                vec![(from, number, vec![1])]
            }
            Some(holder) if holder == from => vec![(from, number, vec![0])],
            Some(_) => {
                self.waiting.push_back((from, number));
                Vec::new()
            }
        }
    }

    /// A node gives the lock to the next one: it gets the answer 1, or 0 if it does not have it.
    fn give_back(&mut self, from: u32, number: u64) -> Vec<Reply> {
        if self.holder != Some(from) {
            return vec![(from, number, vec![0])];
        }
        let next = self.waiting.pop_front();
        self.holder = next.map(|it| it.0);
        let granted = next.map(|(node, number)| (node, number, vec![1]));
        [Some((from, number, vec![1])), granted].into_iter().flatten().collect()
    }
}

/// The memory of a node that others may access.
#[derive(Debug, Default)]
pub(super) struct Memory {
    segments: FxHashMap<u64, Segment>,
    locks: FxHashMap<(u64, u64), Lock>,
    /// Requests for memory that this node declares later.
    early: Vec<(u32, Request, Vec<u8>)>,
    /// Memory that has ended: the last [`MAX_GONE_SEGMENTS`].
    gone: VecDeque<u64>,
}

/// How many segments that have ended are known: accesses that come late are refused, and do not wait.
const MAX_GONE_SEGMENTS: usize = 1024;

/// Of a box on the wire: offset, axes, bytes of a run.
type WireBox = (i64, Vec<(i64, i64)>, u64);

/// Boxes as a request has them.
pub(super) fn encode_boxes(boxes: &[StridedBox]) -> Vec<u8> {
    let boxes: Vec<WireBox> = boxes.iter().map(|it| (it.offset, it.axes.to_vec(), it.run as u64)).collect();
    // A vector grows: encoding does not fail.
    postcard::to_allocvec(&boxes).unwrap_or_default()
}

fn malformed<T>(expected: &'static str) -> std::result::Result<T, Error> {
    Err(Error::Malformed { expected, offset: 0 })
}

/// Boxes of a request that are inside of memory of `length` bytes, and what is behind them.
///
/// # Errors
/// They are no boxes, or not inside.
pub(super) fn decode_boxes(
    length: u64,
    bytes: &[u8],
) -> std::result::Result<(Vec<StridedBox>, &[u8]), Error> {
    let Ok((boxes, rest)) = postcard::take_from_bytes::<Vec<WireBox>>(bytes) else {
        return malformed("sections of memory");
    };
    let inside = |(offset, axes, run): WireBox| {
        // Bounds in wider numbers: the sender may be wrong about all of them.
        let (mut low, mut high) = (i128::from(offset), i128::from(offset) + i128::from(run));
        for (count, stride) in &axes {
            let reach = i128::from(*count - 1).checked_mul(i128::from(*stride))?;
            if reach < 0 { low += reach } else { high += reach }
        }
        let is_inside = low >= 0 && high <= i128::from(length) && axes.iter().all(|it| it.0 > 0);
        is_inside.then(|| StridedBox { offset, axes: axes.into_iter().collect(), run: run as usize })
    };
    match boxes.into_iter().map(inside).collect::<Option<Vec<_>>>() {
        Some(boxes) => Ok((boxes, rest)),
        None => malformed("sections inside of the memory of a node"),
    }
}

impl Segment {
    /// Boxes that are inside, and what is behind them.
    fn boxes<'a>(&self, bytes: &'a [u8]) -> std::result::Result<(Vec<StridedBox>, &'a [u8]), Error> {
        decode_boxes(self.bytes, bytes)
    }

    /// The elements of boxes; of the accelerator's copy with [`READ`] or [`REFUSED`] behind what is answered.
    fn read(&self, on_device: bool, payload: &[u8]) -> std::result::Result<Vec<u8>, Error> {
        let (boxes, _) = self.boxes(payload)?;
        // SAFETY: inside of registered memory. The program orders accesses to the elements.
        let found = unsafe { sections::load(on_device, self.address as *const u8, &boxes) };
        let (mut answer, how) = match found {
            Ok(elements) => (elements, READ),
            Err(error) => (error.message.into_bytes(), REFUSED),
        };
        if on_device {
            answer.push(how);
        }
        Ok(answer)
    }

    /// Stores elements in boxes: nothing, or why the accelerator's copy cannot be written.
    fn write(&self, on_device: bool, payload: &[u8]) -> std::result::Result<Vec<u8>, Error> {
        let (boxes, elements) = self.boxes(payload)?;
        if elements.len() != total_bytes(&boxes) {
            return malformed("the elements of sections");
        }
        // SAFETY: inside of registered memory. The program orders accesses to the elements.
        let written = unsafe { sections::store(on_device, self.address as *mut u8, &boxes, elements) };
        Ok(written.map_or_else(|it| it.message.into_bytes(), |()| Vec::new()))
    }

    /// Executes an atomic operation on an int: its former value.
    fn execute(
        &self,
        offset: u64,
        operation: Atomic,
        value: i32,
        compare: i32,
    ) -> std::result::Result<i32, Error> {
        let address = self.int(offset)?;
        // SAFETY: an aligned int inside of registered memory. All atomic operations on it are made here, one
        // at a time.
        unsafe {
            let former = address.read_volatile();
            match operation {
                Atomic::Reference => {}
                Atomic::Define | Atomic::Swap => address.write_volatile(value),
                Atomic::Add => address.write_volatile(former.wrapping_add(value)),
                Atomic::CompareSwap if former == compare => address.write_volatile(value),
                Atomic::CompareSwap => {}
            }
            Ok(former)
        }
    }

    fn int(&self, offset: u64) -> std::result::Result<*mut i32, Error> {
        match offset.is_multiple_of(4) && offset.checked_add(4).is_some_and(|end| end <= self.bytes) {
            true => Ok((self.address + offset as usize) as *mut i32),
            false => malformed("an int inside of the memory of a node"),
        }
    }
}

impl Memory {
    /// Makes memory accessible, and answers requests that came early.
    pub(super) fn register(&mut self, segment: u64, address: usize, bytes: u64) -> Vec<Reply> {
        self.segments.insert(segment, Segment { address, bytes });
        let (own, others) =
            std::mem::take(&mut self.early).into_iter().partition(|it| it.1.segment() == segment);
        self.early = others;
        let own: Vec<(u32, Request, Vec<u8>)> = own;
        // A malformed one is answered by nothing: its sender would have been refused.
        own.into_iter()
            .filter_map(|(from, request, payload)| self.handle(from, request, &payload).ok())
            .flatten()
            .collect()
    }

    /// The memory is accessible no longer, until it is registered again.
    pub(super) fn forget(&mut self, segment: u64) {
        self.segments.remove(&segment);
    }

    /// The memory has ended.
    pub(super) fn end(&mut self, segment: u64) {
        if self.segments.remove(&segment).is_none() {
            return;
        }
        if self.gone.len() == MAX_GONE_SEGMENTS {
            self.gone.pop_front();
        }
        self.gone.push_back(segment);
    }

    /// Whether memory has ended.
    pub(super) fn is_gone(&self, segment: u64) -> bool {
        !self.segments.contains_key(&segment) && self.gone.contains(&segment)
    }

    /// Executes a request: the answers that it brings.
    pub(super) fn handle(
        &mut self,
        from: u32,
        request: Request,
        payload: &[u8],
    ) -> std::result::Result<Vec<Reply>, Error> {
        let Some(segment) = self.segments.get(&request.segment()).copied() else {
            self.early.push((from, request, payload.to_vec()));
            return Ok(Vec::new());
        };
        match request {
            Request::Read { number, on_device, .. } => {
                Ok(vec![(from, number, segment.read(on_device, payload)?)])
            }
            Request::Write { number, on_device, .. } => {
                Ok(vec![(from, number, segment.write(on_device, payload)?)])
            }
            Request::Atomic { offset, operation, value, compare, number, .. } => {
                let former = segment.execute(offset, operation, value, compare)?;
                Ok(vec![(from, number, former.to_ne_bytes().to_vec())])
            }
            Request::Lock { segment, offset, number } => {
                Ok(self.locks.entry((segment, offset)).or_default().take(from, number))
            }
            Request::Unlock { segment, offset, number } => {
                Ok(self.locks.entry((segment, offset)).or_default().give_back(from, number))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(boxes: &[StridedBox], elements: &[u8]) -> Vec<u8> {
        [encode_boxes(boxes), elements.to_vec()].concat()
    }

    #[test]
    fn sections_outside_of_the_memory_are_malformed() {
        let mut memory = Memory::default();
        let mut bytes = [0_u8; 32];
        memory.register(1, bytes.as_mut_ptr() as usize, 32);
        let write = |memory: &mut Memory, it: StridedBox| {
            let elements = vec![7; it.bytes().min(64)];
            memory.handle(
                0,
                Request::Write { segment: 1, on_device: false, number: 5 },
                &payload(&[it], &elements),
            )
        };
        assert_eq!(write(&mut memory, StridedBox::new(8, &[(3, 8)], 4)).ok(), Some(vec![(0, 5, vec![])]));
        for wrong in [
            StridedBox::new(8, &[(4, 8)], 4),
            StridedBox::new(-4, &[], 4),
            StridedBox::new(0, &[(2, i64::MAX)], 4),
        ] {
            assert!(write(&mut memory, wrong).is_err());
        }
        assert_eq!(bytes[8..16], [7, 7, 7, 7, 0, 0, 0, 0]);
        let atomic = |offset| Request::Atomic {
            segment: 1,
            offset,
            operation: Atomic::Add,
            value: 1,
            compare: 0,
            number: 1,
        };
        assert!(memory.handle(0, atomic(30), &[]).is_err());
        assert!(memory.handle(0, atomic(u64::MAX - 3), &[]).is_err());
        assert!(
            memory.handle(0, Request::Read { segment: 1, on_device: false, number: 1 }, &[255, 255]).is_err()
        );
    }

    #[test]
    fn request_for_memory_that_is_declared_later_is_answered_then() {
        let mut memory = Memory::default();
        let read = Request::Read { segment: 9, on_device: false, number: 3 };
        let boxes = payload(&[StridedBox::new(1, &[], 2)], &[]);
        assert_eq!(memory.handle(4, read, &boxes).map(|it| it.len()).ok(), Some(0));
        let bytes = [1_u8, 2, 3, 4];
        assert_eq!(memory.register(9, bytes.as_ptr() as usize, 4), [(4, 3, vec![2, 3])]);
    }

    #[test]
    fn lock_is_granted_in_order_and_only_its_holder_unlocks() {
        let mut memory = Memory::default();
        memory.register(1, 4096, 8);
        let mut handle = |from, is_taken, number| {
            let (segment, offset) = (1, 0);
            let request = if is_taken {
                Request::Lock { segment, offset, number }
            } else {
                Request::Unlock { segment, offset, number }
            };
            memory.handle(from, request, &[]).expect("an answer")
        };
        assert_eq!(handle(1, true, 10), [(1, 10, vec![1])]);
        assert_eq!(handle(2, true, 20), []);
        assert_eq!(handle(2, false, 21), [(2, 21, vec![0])]);
        assert_eq!(handle(1, true, 11), [(1, 11, vec![0])]);
        assert_eq!(handle(1, false, 12), [(1, 12, vec![1]), (2, 20, vec![1])]);
    }
}
