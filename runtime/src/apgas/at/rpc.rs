//! Pending remote calls: activities that wait for the bodies of their `at` at other places (Birrell and
//! Nelson, "Implementing Remote Procedure Calls", TOCS 1984). A call record belongs to a fiber and is reused,
//! so that an `at` needs neither an allocation nor a lock.

use std::cell::{Cell, UnsafeCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::apgas::message::Reply;
use crate::base::place::{self, Part, PlaceId, PlacePart};
use crate::scheduler::park::Event;
use crate::scheduler::{PollGuard, fiber};
use crate::serialize::out_of_band::Received;

/// The record of a call.
pub struct Call {
    /// Where it is in the table.
    index: u64,
    /// How often it was used; written by the waiting activity.
    generation: Cell<u64>,
    /// The called place, which alone may answer.
    place: AtomicU32,
    /// Number of the awaited answer; 0 once it has arrived. The thread that clears it has exclusive access to
    /// the answer until it sets `arrived`.
    number: AtomicU64,
    answer: UnsafeCell<Answer>,
    arrived: Event,
    /// Buffer for the message; used by the waiting activity.
    message: Cell<Vec<u8>>,
}

/// An answer.
#[derive(Default)]
pub struct Answer {
    /// How the body has ended.
    pub reply: Reply,
    /// The graph of its value or exception.
    pub bytes: Vec<u8>,
    /// What arrived beside them.
    pub parts: Vec<Received>,
}

// SAFETY: each field says which thread may access it.
unsafe impl Sync for Call {}
// SAFETY: each field says which thread may access it.
unsafe impl Send for Call {}

/// Maximum capacity of a buffer that is kept.
pub const MAX_KEPT_CAPACITY: usize = 4096;
/// Low bits of a call's number that hold its index; the others hold its generation.
const INDEX_BITS: u32 = 24;

/// Records by index, in chunks that double, so that a record stays where it is and few records take little.
type Chunk = Box<[AtomicPtr<Call>]>;

/// The calls of a place.
pub(crate) struct CallTable {
    /// Chunk `n` has the records from index `2^n - 1` on.
    chunks: [OnceLock<Chunk>; INDEX_BITS as usize],
    /// Records that no fiber keeps, and the number of all records.
    free: Mutex<(Vec<&'static Call>, u64)>,
}

impl Default for CallTable {
    fn default() -> CallTable {
        CallTable { chunks: [const { OnceLock::new() }; INDEX_BITS as usize], free: Mutex::default() }
    }
}

// SAFETY: the only type with that part.
unsafe impl PlacePart for CallTable {
    const PART: Part = Part::Calls;
}

/// The chunk of an index, and the index in the chunk.
fn position(index: u64) -> (usize, usize) {
    let chunk = (index + 1).ilog2();
    (chunk as usize, (index + 1 - (1 << chunk)) as usize)
}

impl CallTable {
    fn entry(&self, index: u64) -> Option<&AtomicPtr<Call>> {
        let (chunk, at) = position(index);
        self.chunks.get(chunk)?.get()?.get(at)
    }

    fn make(&self, index: u64) -> &'static Call {
        assert!(index < (1 << INDEX_BITS) - 1, "fewer activities wait than that");
        let call: &'static Call = Box::leak(Box::new(Call {
            index,
            generation: Cell::new(0),
            place: AtomicU32::new(0),
            number: AtomicU64::new(0),
            answer: UnsafeCell::default(),
            arrived: Event::default(),
            message: Cell::default(),
        }));
        let (chunk, at) = position(index);
        let records =
            self.chunks[chunk].get_or_init(|| (0..1_usize << chunk).map(|_| AtomicPtr::default()).collect());
        records[at].store(std::ptr::from_ref(call).cast_mut(), Ordering::Release);
        call
    }

    /// A record that no fiber keeps.
    fn take(&self) -> &'static Call {
        let mut free = self.free.lock();
        free.0.pop().unwrap_or_else(|| {
            free.1 += 1;
            self.make(free.1 - 1)
        })
    }

    fn give_back(&self, call: &'static Call) {
        self.free.lock().0.push(call);
    }

    /// Delivers an answer of `from` to the activity that waits for it; false if none does.
    pub(crate) fn on_answer(&self, from: PlaceId, reply: Reply, bytes: &[u8], parts: Vec<Received>) -> bool {
        let number = reply.number;
        let Some(entry) = self.entry(number & ((1 << INDEX_BITS) - 1)) else { return false };
        // SAFETY: null, or a record, which is never freed.
        let Some(call) = (unsafe { entry.load(Ordering::Acquire).as_ref() }) else { return false };
        // A record of another generation has another number.
        if call.number.load(Ordering::Acquire) != number || call.place.load(Ordering::Relaxed) != from.0 {
            return false;
        }
        let taken = call.number.compare_exchange(number, 0, Ordering::AcqRel, Ordering::Relaxed);
        if number == 0 || taken.is_err() {
            return false;
        }
        // SAFETY: this thread has cleared the number, which gives exclusive access.
        let answer = unsafe { &mut *call.answer.get() };
        answer.reply = reply;
        answer.bytes.clear();
        answer.bytes.extend_from_slice(bytes);
        answer.parts = parts;
        call.arrived.set();
        true
    }
}

/// Takes the call that a fiber keeps.
fn take_kept(fiber: &fiber::Fiber) -> Option<&'static Call> {
    // SAFETY: null, or a call that [`PendingCall`] has stored; calls are never freed.
    unsafe { fiber.call.replace(std::ptr::null()).cast::<Call>().as_ref() }
}

/// The fiber, whose last activity belonged to the calling thread's place, keeps no call of that.
pub(crate) fn release_kept(fiber: &fiber::Fiber) {
    if let Some(call) = take_kept(fiber) {
        place::part::<CallTable>().give_back(call);
    }
}

/// A call that has not been answered.
pub(crate) struct PendingCall {
    call: &'static Call,
    table: &'static CallTable,
}

impl PendingCall {
    /// Takes the caller's record.
    pub(crate) fn begin() -> PendingCall {
        let table = place::part::<CallTable>();
        let kept = fiber::current().and_then(take_kept);
        PendingCall { call: kept.unwrap_or_else(|| table.take()), table }
    }

    /// The number that the answer will carry.
    pub(crate) fn number(&self) -> u64 {
        // Never 0.
        (self.call.generation.get() + 1) << INDEX_BITS | self.call.index
    }

    /// Waits for the answer of `place` to a message that `send` sends, with the memory that it gets. `send`
    /// returns the guard with which the caller polls.
    pub(crate) fn send<E>(
        &mut self,
        place: PlaceId,
        send: impl FnOnce(&mut Vec<u8>) -> Result<Option<PollGuard>, E>,
    ) -> Result<&mut Answer, E> {
        let call = self.call;
        let mut message = call.message.take();
        message.clear();
        call.arrived.reset();
        call.place.store(place.0, Ordering::Relaxed);
        call.number.store(self.number(), Ordering::Release);
        call.generation.set(call.generation.get() + 1);
        let sent = send(&mut message);
        if message.capacity() <= MAX_KEPT_CAPACITY {
            call.message.set(message);
        }
        match sent {
            Ok(guard) => call.arrived.wait_for_remote(guard),
            Err(error) => {
                // Nothing was sent.
                call.number.store(0, Ordering::Relaxed);
                return Err(error);
            }
        }
        // SAFETY: the answer has arrived, so that no other thread accesses it.
        Ok(unsafe { &mut *call.answer.get() })
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        // SAFETY: no answer is awaited.
        let answer = unsafe { &mut *self.call.answer.get() };
        answer.parts.clear();
        if answer.bytes.capacity() > MAX_KEPT_CAPACITY {
            answer.bytes = Vec::new();
        }
        // The activity may have moved to another thread, but not to another fiber.
        match fiber::current() {
            Some(fiber) if fiber.call.get().is_null() => fiber.call.set(std::ptr::from_ref(self.call).cast()),
            _ => self.table.give_back(self.call),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_stay_where_they_are() {
        assert_eq!([0, 1, 2, 3, 6, 7].map(position), [(0, 0), (1, 0), (1, 1), (2, 0), (2, 3), (3, 0)]);
        let table = CallTable::default();
        let made: Vec<_> = (0..100).map(|index| std::ptr::from_ref(table.make(index)).cast_mut()).collect();
        let found = |index: u64| table.entry(index).map(|entry| entry.load(Ordering::Relaxed));
        assert!(made.iter().zip(0..).all(|(call, index)| found(index) == Some(*call)));
        assert_eq!(found(100), Some(std::ptr::null_mut()));
        assert_eq!(found((1 << INDEX_BITS) - 1), None);
    }

    #[test]
    fn answer_is_delivered_once_to_its_call() {
        let table = place::part::<CallTable>();
        let on_answer = |place, number, bytes: &[u8]| {
            table.on_answer(place, Reply { number, ..Reply::default() }, bytes, Vec::new())
        };
        let mut waiting = PendingCall::begin();
        let number = waiting.number();
        assert!(!on_answer(PlaceId(3), number, b"early"), "no call is pending");
        let answer = waiting.send(PlaceId(3), |message| {
            message.extend_from_slice(b"question");
            std::thread::spawn(move || {
                assert!(!on_answer(PlaceId(3), number + (1 << INDEX_BITS), b"another generation"));
                assert!(!on_answer(PlaceId(2), number, b"another place"));
                assert!(on_answer(PlaceId(3), number, b"answer"));
                assert!(!on_answer(PlaceId(3), number, b"twice"));
            });
            Ok::<_, ()>(None)
        });
        assert_eq!(answer.map(|it| it.bytes.clone()), Ok(b"answer".to_vec()));
        assert!(waiting.send(PlaceId(3), |_| Err(7)).is_err_and(|error| error == 7));
        assert!(!on_answer(PlaceId(3), waiting.number(), b""), "that was not sent");
        assert!(!on_answer(PlaceId(3), 0, b"") && !on_answer(PlaceId(3), u64::MAX, b""));
    }
}
